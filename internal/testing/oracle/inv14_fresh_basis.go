package oracle

import (
	"fmt"
	"maps"
	"slices"
)

// FreshBasis is invariant 14: an agent that has read what a stranger wrote does
// not overwrite it: conflicts are held here, and drift where the policy does not
// write it back. What was written after
// the agent's last look at the resource is the window that nobody can close.
func FreshBasis(h *History) error {
	edited := h.edits()
	if h.Shared || h.Forgot {
		return nil // what one agent did after the other's last look is an edit to the other; or a person allowed it
	}
	type writing struct {
		by    *Entry
		value any // what an agent wrote there before
	}
	for _, kind := range slices.Sorted(maps.Keys(fields)) {
		for _, f := range fields[kind] {
			theirs := map[string]writing{}
			for i := range h.W {
				e := &h.W[i]
				before, after := e.Before.at(f.path), e.After.at(f.path)
				if e.Kind != kind || e.Before == nil || e.After == nil || e.publishes() || same(before, after) {
					continue
				}
				over := theirs[e.ID]
				delete(theirs, e.ID)
				if _, ours := h.ours(e); !ours {
					theirs[e.ID] = writing{e, before}
					if over.by != nil {
						theirs[e.ID] = writing{e, over.value}
					}
					continue
				}
				if r := h.requestOf(e); over.by != nil &&
					r != nil && !edited.adopts(e, over.by) && !edited.newlyGiven(e.tag(), f.name, over.by, r.Commit) &&
					edited.readBetween(e.ID, over.by, r) && !edited.newborn(over.by) && !same(before, over.value) &&
					!edited.agreed(e.tag(), f.name, before, r.Commit) &&
					!edited.reverts(e.tag(), f.name, over.by, over.value, r.Commit) {
					return fmt.Errorf("entry %d sets %s of %s to %v over %v, which a stranger "+
						"wrote in entry %d and the agent had read", e.Seq, f.name, e.tag(), after, before, over.by.Seq)
				}
			}
		}
	}
	return nil
}

// adopts reports whether the account, which nobody creates, is written for the first
// time by an agent: to take over what is there was allowed.
func (h edits) adopts(e, by *Entry) bool {
	return only[e.Kind] != "" && !slices.ContainsFunc(h.W, func(w Entry) bool {
		_, ours := h.ours(&w)
		return ours && w.Kind == e.Kind && w.Seq < by.Seq
	})
}

// newlyGiven reports whether the files began to name an attribute after a stranger wrote
// it: what they leave out is not compared, and naming it is an edit of its own.
func (h edits) newlyGiven(tag, name string, by *Entry, to int) bool {
	for k := range min(by.Commit, len(h.Commits)) {
		if _, given := h.Commits[k].wants(tag, name); given {
			return false
		}
	}
	_, given := h.Commits[to].wants(tag, name)
	return given
}

// agreed reports whether the files said so themselves at some commit up to one.
func (h edits) agreed(tag, name string, value any, to int) bool {
	for k := 0; k <= to && k < len(h.Commits); k++ {
		if want, given := h.Commits[k].wants(tag, name); given && same(want, value) {
			return true
		}
	}
	return false
}

// reverts reports whether the policy writes drift back, and that the files say the same
// as when a stranger wrote, or what was there before that: otherwise both were edited. What
// the files said in between and nobody applied is no edit.
func (h edits) reverts(tag, name string, by *Entry, before any, to int) bool {
	was, had := h.Commits[max(by.Commit-1, 0)].wants(tag, name)
	is, has := h.Commits[to].wants(tag, name)
	return h.Revert && has && (had && same(was, is) || same(before, is))
}

// Reverted are the entries that put back what a stranger had changed just before.
func Reverted(h *History) (found []*Entry) {
	before := map[string]*Entry{}
	for i := range h.W {
		e := &h.W[i]
		over := before[e.ID]
		before[e.ID] = e
		if _, ours := h.ours(e); !ours || !managed(e) || over == nil || over.Before == nil {
			continue
		}
		if !h.strange(over) {
			continue
		}
		for _, f := range fields[e.Kind] {
			if was := over.Before.at(f.path); !same(was, over.After.at(f.path)) && same(was, e.After.at(f.path)) {
				found = append(found, e)
				break
			}
		}
	}
	return found
}

// newborn reports whether a stranger wrote while the run was under way that created the
// resource: what is read back then passes for what the service put there itself.
func (h edits) newborn(by *Entry) bool {
	for _, a := range h.Applies {
		if by.Seq <= a.From || by.Seq > a.To {
			continue
		}
		for i := range h.W {
			if e := &h.W[i]; e.ID == by.ID && e.Action == "create" && e.Seq > a.From {
				return true
			}
		}
	}
	return false
}
