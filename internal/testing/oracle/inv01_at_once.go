package oracle

import (
	"bytes"
	"slices"
)

// atOnce says that two agents with a state each made a resource side by side under two
// keys: one of them had made nothing under the key of the other, and went on to another
// one as the files were edited, since no key ever stands for two bodies (invariant 4).
func (h *History) atOnce(first, then *Entry) bool {
	return first.Actor != then.Actor && !h.listedBetween(first, then) &&
		(h.leftKey(first, then.createKey()) || h.leftKey(then, first.createKey()))
}

// leftKey says that whoever made a resource had asked for it under a key at an earlier
// commit, was answered, and had made nothing.
func (h *History) leftKey(e *Entry, key string) bool {
	sent := h.requestOf(e)
	if sent == nil || key == "" || slices.ContainsFunc(h.W, func(w Entry) bool {
		return w.Actor == e.Actor && w.createKey() == key
	}) {
		return false
	}
	return slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return r.Agent == sent.Agent && r.N < sent.N &&
			r.Commit < sent.Commit && r.Mutates() && !r.lost() && !r.Answered.IsZero() && r.carries(key)
	})
}

// carries says that a create of a request goes under a key.
func (r *Request) carries(key string) bool {
	return r.Key == key || r.Path == jobsPath && bytes.Contains(r.Content, []byte(`"`+key+`"`))
}
