package oracle

import "fmt"

// JustifiedWrite is invariant 2: what an agent wrote stands in the files of the
// run that sent it, is the safe default of a create, or is what the policy says of
// a resource they no longer name.
func JustifiedWrite(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); !ours || !managed(e) {
			continue
		}
		r := h.requestOf(e)
		if r == nil {
			return fmt.Errorf("entry %d (%s %s %s) follows from no request of the agent", e.Seq, e.Action, e.Kind, e.tag())
		}
		if r.Commit < 0 {
			return fmt.Errorf("entry %d (%s %s %s) was sent outside a run", e.Seq, e.Action, e.Kind, e.tag())
		}
		if h.pruned(e, r.Commit) {
			continue
		}
		if err := h.Commits[r.Commit].justify(e); err != nil {
			return fmt.Errorf("entry %d, sent for commit %d: %w", e.Seq, r.Commit, err)
		}
	}
	return nil
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
		return fmt.Errorf("%s of %s %s sets %s from %v to %v; the files say %v (given: %v)", e.Action, e.Kind, tag, field.name, before, after, want, given)
	}
	return nil
}

// isDefault knows what a create may hold that the files do not say, or do not
// say yet: the status it is created in, and the name an ad takes from its title.
func isDefault(name string, after any, e *Entry) bool {
	return name == "status" && (same(after, "paused") || ofPeople[e.Kind]) || name == "name" && same(after, e.After.at("creative.title"))
}
