package oracle

import "slices"

// lasting are the attributes that never change after a create: another resource
// takes the place of one of which the files edit them.
var lasting = map[string][]string{"campaign": {"bidding_type"}}

// replaces says that an entry ends a resource as the files of a commit want another
// in its place.
func (h *History) replaces(e *Entry, commit int) bool {
	_, named := h.Commits[commit][e.tag()]
	if e.Before == nil || !e.gone() || !named || h.Commits[commit].waits(e.tag()) {
		return false
	}
	for _, name := range lasting[e.Kind] {
		if want, given := h.Commits[commit].wants(e.tag(), name); given &&
			!same(want, e.Before.at(pathOf(e.Kind, name))) {
			return true
		}
	}
	return false
}

// secondLife says that what was created first, or what it stands beneath, had made
// room for another; of several the service made of one key, any of them.
func (h *History) secondLife(first, then *Entry) bool {
	live := h.Live(then.Seq - 1)
	return slices.ContainsFunc(h.createsOf(then.tag()), func(e *Entry) bool {
		return e.Seq < then.Seq && e.createKey() == first.createKey() && h.madeRoom(live, live[e.ID])
	})
}

// madeRoom says that an agent ended a resource, or one it stands beneath, as another
// was to take its place.
func (h *History) madeRoom(live map[string]*Entry, e *Entry) bool {
	for ; e != nil; e = live[e.After.text(parentAt[e.Kind])] {
		if _, ours := h.ours(e); !ours || !e.gone() {
			continue
		}
		r := h.requestOf(e)
		return r != nil && r.Commit >= 0 && h.replaces(e, r.Commit)
	}
	return false
}
