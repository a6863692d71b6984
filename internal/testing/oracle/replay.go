package oracle

import (
	"slices"
	"strings"
)

// ours says that an agent wrote an entry, and which.
func (h *History) ours(e *Entry) (agent int, yes bool) {
	if e.Past {
		return -1, false
	}
	agent = slices.Index(h.Actors, e.Actor)
	return agent, agent >= 0
}

// theService acts by itself where an audience is published. What else it does, as
// to pause an account, is somebody's.
const theService = "service"

// publishes reports whether the service wrote an entry as it brought people into an audience.
func (e *Entry) publishes() bool {
	return e.Actor == theService && (ofPeople[e.Kind] || e.Kind == membership)
}

// strange reports whether somebody who is no agent wrote an entry.
func (h *History) strange(e *Entry) bool {
	_, ours := h.ours(e)
	return !ours && !e.Past && !e.publishes()
}

// gone reports whether with an entry a resource ends.
func (e *Entry) gone() bool { return e.After == nil || e.After.text("status") == "archived" }

// managed are the kinds this package has a model of.
func managed(e *Entry) bool { return fields[e.Kind] != nil }

// requestOf is the last request before an entry that carried its bytes: without
// a key, the same bytes may be sent again for other files. A job whose key the
// service has forgotten has none in W.
func (h *History) requestOf(e *Entry) *Request {
	var found *Request
	for _, r := range h.Requests {
		if found != nil && r.N > e.Request {
			break
		}
		if r.Mutates() && r.Body == e.Body && (r.Key == e.Key || e.JobID != "" && e.Key == "") &&
			h.Actors[r.Agent] == e.Actor && (e.JobID != "" || r.names(e)) {
			found = r
		}
	}
	return found
}

// names reports whether a single request could have written an entry: without a body
// to tell them apart its path does.
func (r *Request) names(e *Entry) bool {
	switch {
	case e.Action == "create":
		return true
	case only[e.Kind] != "":
		return r.Path == "/ad_account/"+map[string]string{"update": "brand"}[e.Action] ||
			r.Path == "/ad_account/"+e.Action
	case writtenAt[e.Kind] != "":
		return strings.HasPrefix(r.Path, writtenAt[e.Kind])
	}
	return pathNames(r.Path, e.ID)
}

// Live replays W up to a moment: every resource as it stands, by id.
func (h *History) Live(to int64) map[string]*Entry {
	live := map[string]*Entry{}
	for i := range h.W {
		e := &h.W[i]
		if e.Seq > to {
			break
		}
		if managed(e) && e.Account == h.Account {
			live[e.ID] = e
		}
	}
	return live
}

// Standing are the ids of what is there and not archived, oldest first.
func (h *History) Standing() []string {
	live := h.Live(h.last())
	var ids []string
	for i := range h.W {
		e := &h.W[i]
		if e.Action == "create" && live[e.ID] != nil && !live[e.ID].gone() && !h.madeRoom(live, live[e.ID]) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// TagOf is whose a resource is.
func (h *History) TagOf(id string) string {
	if e := h.Live(h.last())[id]; e != nil {
		return e.tag()
	}
	return ""
}

func (h *History) last() int64 {
	if len(h.W) == 0 {
		return 0
	}
	return h.W[len(h.W)-1].Seq
}

// touched are the tags a stranger wrote to.
func (h *History) touched() map[string]bool { return h.touchedBeside(-1) }

// touchedBeside are the tags somebody but one agent wrote to; with -1 somebody
// who is no agent.
func (h *History) touchedBeside(agent int) map[string]bool {
	touched := h.persons().touchedPeople(agent)
	for i := range h.W {
		e := &h.W[i]
		if by, ours := h.ours(e); managed(e) && (h.strange(e) || ours && agent >= 0 && by != agent) {
			touched[e.tag()] = true
		}
	}
	return touched
}

// lasting are the attributes that never change after a create: another resource
// takes the place of one of which the files edit them.
var lasting = map[string][]string{"campaign": {"bidding_type"}}

// replaces reports whether an entry ends a resource as the files of a commit want another
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

// secondLife reports whether what was created first, or what it stands beneath, had made
// room for another; of several the service made of one key, any of them.
func (h *History) secondLife(first, then *Entry) bool {
	live := h.Live(then.Seq - 1)
	return slices.ContainsFunc(h.createsOf(then.tag()), func(e *Entry) bool {
		return e.Seq < then.Seq && e.createKey() == first.createKey() && h.madeRoom(live, live[e.ID])
	})
}

// madeRoom reports whether an agent ended a resource, or one it stands beneath, as another
// was to take its place. What somebody wrote to it later changes nothing of that.
func (h *History) madeRoom(live map[string]*Entry, e *Entry) bool {
	for ; e != nil; e = live[e.After.text(parentAt[e.Kind])] {
		e = h.ending(e)
		if _, ours := h.ours(e); !ours || !e.gone() {
			continue
		}
		r := h.requestOf(e)
		return r != nil && r.Commit >= 0 && h.replaces(e, r.Commit)
	}
	return false
}

// ending is the entry that ended a resource, of those up to one; that one itself where it is not ended.
func (h *History) ending(last *Entry) *Entry {
	for i := range h.W {
		if e := &h.W[i]; last.gone() && e.ID == last.ID && e.gone() && e.Seq <= last.Seq {
			return e
		}
	}
	return last
}
