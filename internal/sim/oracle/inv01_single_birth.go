package oracle

import (
	"fmt"
	"slices"
)

// SingleBirth is invariant 1. Where the service does not keep what it says of
// keys, a second resource of one key is the service's, and is left out here: it
// still must not spend (invariant 9). So is that of a second agent with a state
// of its own, where lists do not show what the first has made, or not as what
// the files call it by now, and the service never told it by the key. Where a
// person says that nothing was made, and what was made is archived, it is made anew.
func SingleBirth(h *History) error {
	born := map[string]*Entry{}
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); !ours && !e.Past || !managed(e) || e.Action != "create" {
			continue
		}
		tag := e.tag()
		first := born[tag]
		switch {
		case first == nil:
			born[tag] = e
		case h.Released[tag] && h.Live(e.Seq - 1)[first.ID].After.text("status") == "archived":
			born[tag] = e
		case first.Actor != e.Actor && !(h.ListsHold && h.recognisable(first, e)) && !h.told(first, e):
		case first.createKey() != e.createKey():
			return fmt.Errorf("%s was created as %s under key %q and again as %s under key %q", tag, first.ID, first.createKey(), e.ID, e.createKey())
		case h.KeysHold:
			return fmt.Errorf("%s was created as %s and again as %s, both under key %q, which the service knows", tag, first.ID, e.ID, e.createKey())
		}
	}
	return nil
}

// recognisable says that what was created first is there, under the name of what
// was created then.
func (h *History) recognisable(first, then *Entry) bool {
	live := h.Live(then.Seq - 1)[first.ID].After
	return live.text("status") != "archived" && same(live.at("name"), then.After.at("name"))
}

// told says that whoever made the second had been refused the key of the first
// before.
func (h *History) told(first, then *Entry) bool {
	return slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return h.Actors[r.Agent] == then.Actor && r.At.Before(then.At) && slices.Contains(r.Conflicts, first.createKey())
	})
}

// createKey is the key that made a create one of a kind.
func (e *Entry) createKey() string {
	if e.OperationKey != "" {
		return e.OperationKey
	}
	return e.Key
}
