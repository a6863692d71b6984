package oracle

import (
	"fmt"
)

// edits tells what the files changed from what a stranger did.
type edits struct{ *History }

func (h *History) edits() edits { return edits{h} }

// PauseWins is invariant 10: in one run no pause and no archive comes after an increase, an
// activation or a create, but for that of a second one the service made of one key in
// this very run, which was not there to go first. (That nothing the files pause is activated follows
// from invariant 2.)
func PauseWins(h *History) error {
	for _, a := range h.Applies {
		var risen *Entry
		for i := range h.W {
			e := &h.W[i]
			agent, ours := h.ours(e)
			if e.Seq <= a.From || !a.Open && e.Seq > a.To ||
				!ours || agent != a.Agent || !managed(e) || h.paths().older(e, a) {
				continue
			}
			switch {
			case e.Before == nil || e.After.spend(e.Kind, 0) > e.Before.spend(e.Kind, 0):
				risen = e
			case h.isStray(e) && h.edits().createOf(e).Seq > a.From:
			case risen != nil && e.Before.text("status") == "active" && e.After.text("status") != "active":
				return fmt.Errorf("entry %d (%s of %s) comes after entry %d (%s of %s) of the same run",
					e.Seq, e.Action, e.tag(), risen.Seq, risen.Action, risen.tag())
			}
		}
	}
	return nil
}

// createOf is the entry that made what another one is about.
func (h edits) createOf(e *Entry) *Entry {
	for i := range h.W {
		if made := &h.W[i]; made.Action == "create" && made.ID == e.ID {
			return made
		}
	}
	return e
}

// NeverAutoUnpause is invariant 11: who paused or archived last, if it was not
// an agent, is overruled only by a later edit of the status.
func NeverAutoUnpause(h *History) error {
	if h.Shared || h.Forgot {
		return nil // what one agent did after the other's last look is an edit to the other; or a person adopts it
	}
	paused, lives := map[string]*Entry{}, map[string]string{} // the newest of each tag
	for i := range h.W {
		e := &h.W[i]
		if !managed(e) || e.Past || same(e.Before.at("status"), e.After.at("status")) {
			continue
		}
		_, ours := h.ours(e)
		if lives[e.tag()] != "" && e.Before == nil { // another takes the place of what somebody paused
			paused[e.ID] = paused[lives[e.tag()]]
		}
		lives[e.tag()] = e.ID
		foreign := paused[e.ID]
		delete(paused, e.ID)
		switch {
		case h.strange(e) && e.After.text("status") != "active":
			paused[e.ID] = e
		case ours && foreign != nil && e.After.text("status") == "active":
			r := h.requestOf(e)
			if r != nil && h.edits().readBetween(foreign.ID, foreign, r) &&
				!h.edits().edited(e.tag(), "status", foreign.Commit, r.Commit) && !h.edits().startsAgain(r) {
				return fmt.Errorf("entry %d activates %s, which %s paused "+
					"in entry %d; the files' status was not edited since", e.Seq, e.tag(), foreign.Actor, foreign.Seq)
			}
		}
	}
	return nil
}

// startsAgain reports whether a request takes back a pause, which was allowed by name.
func (h edits) startsAgain(r *Request) bool {
	back := h.runs().backOf(r)
	return back != nil && back.Starts
}

// readBetween reports whether an agent could know of an entry when it sent a request:
// a read that began after it ended before. In the request that brought the entry
// about it may have come after the answer.
func (h edits) readBetween(id string, foreign *Entry, sent *Request) bool {
	for _, r := range h.Requests {
		if r.Agent != sent.Agent || r.Method != "GET" || r.N <= foreign.Request ||
			r.N > sent.knew() || r.Answered.IsZero() || r.Answered.After(sent.At) || r.Status != 200 || !r.Whole {
			continue
		}
		if pathNames(r.Path, id) || readAt[foreign.Kind] == r.Path {
			return true
		}
	}
	return false
}

// knew is the last request that whoever sent one could have heard the answer of.
func (r *Request) knew() int {
	if r.Knew > 0 {
		return r.Knew
	}
	return r.N
}

// edited reports whether the files changed an attribute after one commit and up to
// another. A commit that was made before anybody planned it counts as well.
func (h edits) edited(tag, name string, after, to int) bool {
	for k := max(after-1, 1); k <= to && k < len(h.Commits); k++ {
		was, had := h.Commits[k-1].wants(tag, name)
		is, has := h.Commits[k].wants(tag, name)
		if had != has || !same(was, is) {
			return true
		}
	}
	return false
}
