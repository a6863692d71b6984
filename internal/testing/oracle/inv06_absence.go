package oracle

import "fmt"

// AbsenceIsNotDeletion is invariant 6: what the files no longer name is archived
// or paused only where the policy of the history says so, and only what they
// named before. Nothing else is ever archived but what the files say is, what another
// one takes the place of, and the second of two that the service made of one key. What
// is paused as a run is taken back is for invariant 2.
func AbsenceIsNotDeletion(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); !ours || !managed(e) ||
			e.After != nil && same(e.Before.at("status"), e.After.at("status")) {
			continue
		}
		status := e.status()
		if status != "archived" && (status != "paused" || e.Before == nil) {
			continue
		}
		r := h.requestOf(e)
		if r == nil || r.Commit < 0 {
			continue // invariant 2 says so
		}
		_, named := h.Commits[r.Commit][e.tag()]
		says, _ := h.Commits[r.Commit].wants(e.tag(), "status")
		if status == "paused" && (named || h.runs().backOf(r) != nil) ||
			same(says, status) || h.pruned(e, r.Commit) || h.isStray(e) || h.replaces(e, r.Commit) {
			continue
		}
		return fmt.Errorf("entry %d makes %s %s %s; no file "+
			"asks for it, and the policy says %q of what the files leave out", e.Seq, e.Kind, e.tag(), status, h.Prune)
	}
	return nil
}

// status is that of a resource after an entry; what was removed is archived.
func (e *Entry) status() string {
	if e.After == nil {
		return "archived"
	}
	return e.After.text("status")
}

// ends reports whether the files want a resource archived.
func (f Files) ends(tag string) bool {
	status, _ := f.wants(tag, "status")
	return same(status, "archived")
}

// Pruned are the entries that did what the policy says of what the files leave out.
func Pruned(h *History) (found []*Entry) {
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); !ours || !managed(e) {
			continue
		}
		if r := h.requestOf(e); r != nil && r.Commit >= 0 && h.pruned(e, r.Commit) {
			found = append(found, e)
		}
	}
	return found
}

// pruned reports whether an entry does what the policy says of a resource the files of a
// commit no longer name, and nothing else; they name nothing beneath it either.
func (h *History) pruned(e *Entry, commit int) bool {
	to, prunes := map[string]string{"pause": "paused", "archive": "archived"}[h.Prune]
	if !prunes || e.Before == nil || e.status() != to || h.Commits[commit].keeps(e.Kind) {
		return false
	}
	for tag, item := range h.Commits[commit] {
		if tag == e.tag() || item.Parent == e.tag() {
			return false
		}
	}
	for _, f := range fields[e.Kind] {
		if f.name != "status" && e.After != nil && !same(e.Before.at(f.path), e.After.at(f.path)) {
			return false
		}
	}
	for _, before := range h.Commits[:commit] {
		if _, named := before[e.tag()]; named {
			return true
		}
	}
	return false
}
