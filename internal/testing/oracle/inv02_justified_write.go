package oracle

import (
	"fmt"
	"slices"
)

// JustifiedWrite is invariant 2: what an agent wrote stands in the files of the
// run that sent it, is the safe default of a create, or is what the policy says of
// a resource they no longer name. A run that takes another back makes and ends nothing,
// and writes what the other one found.
func JustifiedWrite(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); !ours || !managed(e) {
			continue
		}
		r := h.requestOf(e)
		if r == nil {
			return fmt.Errorf("entry %d (%s %s %s) follows from no request of the agent",
				e.Seq, e.Action, e.Kind, e.tag())
		}
		if r.Commit < 0 {
			return fmt.Errorf("entry %d (%s %s %s) was sent outside a run", e.Seq, e.Action, e.Kind, e.tag())
		}
		if h.pruned(e, r.Commit) || h.isStray(e) {
			continue
		}
		if h.replaces(e, r.Commit) {
			continue
		}
		back := h.runs().backOf(r)
		if back != nil && (e.Before == nil || e.gone()) {
			return fmt.Errorf("entry %d (%s %s %s) came of taking a run back", e.Seq, e.Action, e.Kind, e.tag())
		}
		if back != nil && h.Shared { // a create that both made is of one of them in W
			continue
		}
		if err := h.runs().asksOf(r).justify(e); err != nil {
			return fmt.Errorf("entry %d, sent for commit %d: %w", e.Seq, r.Commit, err)
		}
	}
	return nil
}

// isStray reports whether an entry ends the second of two that the service made of one
// create key, while the first stands.
func (h *History) isStray(e *Entry) bool {
	if !hasKey[e.Kind] || e.status() != "archived" {
		return false
	}
	made := h.createsOf(e.tag())
	at := slices.IndexFunc(made, func(m *Entry) bool { return m.ID == e.ID })
	return at > 0 && slices.ContainsFunc(made[:at], func(first *Entry) bool {
		_, ours := h.ours(first)
		return ours && first.createKey() == made[at].createKey() && !h.Live(e.Seq)[first.ID].gone()
	})
}

func (f Files) justify(e *Entry) error {
	tag := e.tag()
	if _, there := f[tag]; !there {
		return fmt.Errorf("%s of %s %s, which the files do not name", e.Action, e.Kind, tag)
	}
	if e.After == nil {
		if !f.ends(tag) {
			return fmt.Errorf("%s of %s %s, which the files do not end", e.Action, e.Kind, tag)
		}
		return nil
	}
	for _, field := range fields[e.Kind] {
		before, after := e.Before.at(field.path), e.After.at(field.path)
		if same(before, after) {
			continue
		}
		want, given := f.wants(tag, field.name)
		if given && same(want, after) || e.Before == nil && isDefault(field.name, after, e) {
			continue
		}
		return fmt.Errorf("%s of %s %s sets %s from %v to %v; the files say %v (given: %v)",
			e.Action, e.Kind, tag, field.name, before, after, want, given)
	}
	return nil
}

// isDefault knows what a create may hold that the files do not say, or do not
// say yet: the status it is created in, and the name an ad takes from its title.
func isDefault(name string, after any, e *Entry) bool {
	return name == "status" && (same(after, "paused") || ofPeople[e.Kind]) ||
		name == "name" && same(after, e.After.at("creative.title"))
}
