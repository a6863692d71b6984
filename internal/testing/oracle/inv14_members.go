package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// NoLostMembers is invariant 14 for who is in an audience: a replacement never
// takes the place of what somebody else did after the list before it. There is no
// window here: it names the revision it replaces. Where adsync never sent a list,
// it knows of nobody, and to take them out is allowed outside of strict histories.
func NoLostMembers(h *History) error {
	if h.Shared {
		return nil
	}
	knows, theirs := map[string]bool{}, map[string]*operated{}
	for _, o := range h.persons().operations() {
		if h.strange(o.Entry) {
			if o.ended != "failed" {
				theirs[o.audience] = o
			}
			continue
		}
		by := theirs[o.audience]
		if o.Action == "replace" && by != nil && (knows[o.audience] || h.persons().strict(o.sent)) {
			return fmt.Errorf("entry %d replaces who is in %s over what %s did in entry %d",
				o.Seq, o.tag, by.Actor, by.Seq)
		}
		if o.digest != "" || o.Action == "merge" {
			knows[o.audience] = true
		}
		if o.Action == "replace" && o.ended != "failed" {
			delete(theirs, o.audience)
		}
	}
	return nil
}

// ShrinksHold is invariant 8 for who is in an audience, where nobody allowed
// anything: of ten people or more not over 30 % are taken out at once.
func ShrinksHold(h *History) error {
	known, keys := map[string]int{}, map[string]bool{}
	for _, o := range h.persons().operations() {
		if _, ours := h.ours(o.Entry); !ours {
			continue
		}
		one := o.audience + " " + o.Key + " " + o.Body
		if o.Action == "add" && o.Key != "" && keys[one] {
			continue // the service took one request twice: nobody else is in it by that
		}
		keys[one] = true
		n, most := len(o.people), known[o.audience]
		out, then := 0, most
		switch o.Action {
		case "replace":
			out, then = most-n, n
		case "remove":
			out = n
		case "create":
			then = n
		case "add":
			then += n
		}
		if o.ended != "failed" {
			known[o.audience] = then
		}
		if h.persons().strict(o.sent) && most >= 10 && out > most*30/100 {
			return fmt.Errorf("entry %d (%s) takes %d of at most %d people out of %s; nobody allowed it",
				o.Seq, o.Action, out, most, o.tag)
		}
	}
	return nil
}

// strict reports whether a request went in a run to which nothing was allowed.
func (h persons) strict(r *Request) bool {
	return r != nil && slices.ContainsFunc(h.Applies, func(a *Apply) bool { return a.Strict && a.Process == r.Process })
}

// membersOf replays who is in an audience, as far as it is known: whom somebody else
// put in or took out one by one is not in W. All says that nobody else is in it.
func (h persons) membersOf(id string) (people map[string]bool, all bool) {
	people, all = map[string]bool{}, true
	for _, o := range h.operations() {
		if o.audience != id || o.ended != "succeeded" {
			continue
		}
		switch {
		case o.digest == "" && o.Action != "create":
			people, all = map[string]bool{}, false
			continue
		case o.Action == "replace":
			people, all = map[string]bool{}, true
		}
		for _, p := range o.people {
			people[p] = o.Action != "remove"
		}
	}
	return people, all
}

// MembersReached is invariant 25 for who is in an audience.
func (h persons) membersReached(tag string, e *Entry) error {
	item := h.Commits[len(h.Commits)-1][tag]
	digest, _ := item.Values["members.file"].(string)
	people, all := h.membersOf(e.ID)
	if digest == "" || h.takenForOwn(e) {
		return nil
	}
	wanted := map[string]bool{}
	for _, p := range h.Lists[digest] {
		wanted[p] = true
		is, known := people[p]
		if in := item.Values["members.do"] != "remove"; is != in && (known || all) {
			return fmt.Errorf("a person of the list of %s is in it: %v; the files want %v", tag, is, in)
		}
	}
	for p, in := range people {
		if in && !wanted[p] && (item.Values["members.do"] == nil || item.Values["members.do"] == "replace") {
			return fmt.Errorf("%s holds somebody who is not in the list that replaces it", tag)
		}
	}
	return nil
}

// longestLag is how long a list may not show what was created.
const longestLag = time.Minute

// takenForOwn reports whether an agent takes for its own an audience that another one with a
// state of its own had made in the same minute: its own create, which has no key, was
// lost and made nothing, no list it had read could show the other's yet, and it has sent
// nothing to it. The people are those of the other's list.
func (h persons) takenForOwn(e *Entry) bool {
	made := h.births().madeAs(e.ID)
	if made == nil || h.strange(made) {
		return false
	}
	return slices.ContainsFunc(h.Requests, func(r *Request) bool {
		var asked Record
		agent := h.Actors[r.Agent]
		if r.Path != listOf[e.Kind] || !r.Mutates() || !r.lost() || agent == made.Actor ||
			r.At.Before(made.At) || json.Unmarshal(r.Content, &asked) != nil || asked.tag() != made.tag() {
			return false
		}
		arrived := slices.ContainsFunc(h.W, func(w Entry) bool {
			return w.Action == "create" && w.Actor == agent && w.Body == r.Body
		})
		sent := slices.ContainsFunc(h.operations(), func(o *operated) bool {
			return o.audience == e.ID && o.Actor == agent
		})
		return !arrived && !sent && !h.listedLate(r, made)
	})
}

// listedLate reports whether an agent had read a list that shows what was made, before it sent
// a create.
func (h persons) listedLate(sent *Request, made *Entry) bool {
	return slices.ContainsFunc(h.Requests, func(r *Request) bool {
		shows := r.N > made.Request && (h.ListsHold || r.At.Sub(made.At) >= longestLag)
		return shows && r.Agent == sent.Agent && r.N < sent.N &&
			r.Method == "GET" && r.Path == sent.Path && r.Whole && r.Status == 200
	})
}
