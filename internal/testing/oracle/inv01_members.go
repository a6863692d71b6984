package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The kinds of W that stand for who is in an audience.
const (
	membership  = "membership"   // an operation that the service accepted
	membersFile = "members_file" // a list that was uploaded
)

// operated is an operation on who is in an audience, as W has it.
type operated struct {
	*Entry
	audience string   // id
	tag      string   // of the audience
	digest   string   // of the list it was sent with; "" where it named people one by one
	people   []string // of the list
	ended    string   // succeeded, failed, or "" while it is under way
	sent     *Request // of an agent
}

// persons follows the people of audiences through operations and requests.
type persons struct{ *History }

func (h *History) persons() persons { return persons{h} }

// operations returns every operation that was accepted, in the order of W, and
// the first publication of what was created with people.
func (h persons) operations() []*operated {
	var all []*operated
	byID, tags, digests := map[string]*operated{}, map[string]string{}, map[string]string{}
	for i := range h.W {
		e := &h.W[i]
		switch {
		case ofPeople[e.Kind] && e.Action == "create":
			tags[e.ID] = e.tag()
		case e.Kind == membersFile:
			digests[e.ID] = "sha256:" + e.After.text("sha256")
		case e.Kind == membership && e.Before == nil:
			o := &operated{Entry: e, audience: e.After.text("custom_audience_id"), sent: h.membersRequest(e)}
			o.tag = tags[o.audience]
			if o.sent != nil {
				o.digest = digests[o.sent.file()]
				o.people = h.Lists[o.digest]
				if named := o.sent.identifiers(); len(named) > 0 {
					o.digest, o.people = h.listOfAll(named), named
				}
			}
			byID[e.ID] = o
			all = append(all, o)
		case e.Kind == membership && byID[e.ID] != nil &&
			slices.Contains([]string{"succeeded", "failed"}, e.After.text("status")):
			byID[e.ID].ended = e.After.text("status")
		}
	}
	return all
}

// membersRequest is the last request of an agent that carried an operation.
func (h persons) membersRequest(e *Entry) (found *Request) {
	for _, r := range h.Requests {
		if r.N <= e.Request && r.Mutates() && r.Body == e.Body &&
			r.Key == e.Key && h.Actors[r.Agent] == e.Actor && strings.HasPrefix(r.Path, "/custom_audiences") {
			found = r
		}
	}
	return found
}

// file is the id of the list that a request names.
func (r *Request) file() string {
	var body struct {
		File string `json:"file_id"`
	}
	_ = json.Unmarshal(r.Content, &body) // what is no object names none
	return body.File
}

// identifiers are the people whom a request names itself.
func (r *Request) identifiers() (people []string) {
	var body struct {
		Identifiers []struct {
			Identifier string `json:"identifier"`
		} `json:"identifiers"`
	}
	_ = json.Unmarshal(r.Content, &body) // what is no object names nobody
	for _, each := range body.Identifiers {
		people = append(people, each.Identifier)
	}
	return people
}

// listOfAll is the digest of the list that has some people and nobody else.
func (h persons) listOfAll(people []string) string {
	sorted := slices.Sorted(slices.Values(people))
	for digest, list := range h.Lists {
		if slices.Equal(sorted, slices.Sorted(slices.Values(list))) {
			return digest
		}
	}
	return "a list of nobody's"
}

// OperationsOnce is invariant 1 for who is in an audience: the service accepts one
// operation for each that the files ask for. What failed, or what somebody else
// did in between, makes it another. The files of the run ask for it (invariant 2), and
// it has a key (interface, part 4). Where a service learns keys late and one request
// reaches it twice, it may take the first and refuse the second, which is all that the
// agent hears.
func OperationsOnce(h *History) error {
	people := h.persons()
	if h.Shared {
		return nil // each agent sends its own
	}
	last := map[string]*operated{}
	for _, o := range people.operations() {
		before := last[o.audience]
		if o.Action == "create" || o.Action == "merge" {
			continue
		}
		last[o.audience] = o
		if h.strange(o.Entry) || o.sent == nil {
			continue
		}
		if o.Key == "" {
			return fmt.Errorf("entry %d (%s of %s) has no key", o.Seq, o.Action, o.tag)
		}
		if err := people.asksFor(o); err != nil {
			return err
		}
		if before != nil && !h.strange(before.Entry) &&
			before.ended != "failed" && people.askedAs(before) == people.askedAs(o) &&
			before.digest == o.digest && before.Key != o.Key && !people.secondRefused(before) {
			return fmt.Errorf("entry %d: %s of one list was accepted for %s in entry %d, and again under another key",
				o.Seq, o.Action, o.tag, before.Seq)
		}
	}
	return nil
}

// secondRefused reports whether the one request that an operation was sent with was refused,
// by a service that does not hold keys.
func (h persons) secondRefused(o *operated) bool {
	if h.KeysHold || o.sent == nil || o.sent.Status < 400 || o.sent.Status >= 500 {
		return false
	}
	return !slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return r != o.sent && r.Key == o.Key && r.Path == o.sent.Path
	})
}

// asksFor says that the files of the run that sent an operation ask for it.
func (h persons) asksFor(o *operated) error {
	if o.sent.Commit < 0 {
		return fmt.Errorf("entry %d (%s of %s) was sent outside a run", o.Seq, o.Action, o.tag)
	}
	files := h.Commits[o.sent.Commit]
	do := files.does(o.tag)
	if do == "replace" && h.fills(o) {
		do = "add"
	}
	if digest, _ := files.wants(o.tag, "members.file"); !same(do, o.Action) || !same(digest, o.digest) {
		return fmt.Errorf("entry %d, sent for commit %d: %s of %s with %q; the files ask for %v with %v",
			o.Seq, o.sent.Commit, o.Action, o.tag, o.digest, do, digest)
	}
	return nil
}

// does is what the files want done with the list of an audience.
func (f Files) does(tag string) string {
	if do, given := f.wants(tag, "members.do"); given {
		return do.(string)
	}
	return "replace"
}

// askedAs is what the files of the run that sent an operation wanted done with its list.
func (h persons) askedAs(o *operated) string {
	if o.sent == nil || o.sent.Commit < 0 {
		return o.Action
	}
	return h.Commits[o.sent.Commit].does(o.tag)
}

// fills reports whether an operation may put a list that is to be all of an audience into it
// by adding, where the service takes no files: nothing was done to it since it was made.
func (h persons) fills(o *operated) bool {
	return h.NoFiles && !slices.ContainsFunc(h.operations(), func(before *operated) bool {
		return before.Seq < o.Seq && before.audience == o.audience &&
			before.Action != "create" && before.ended != "failed" && before.Key != o.Key
	})
}

// touchedPeople are the tags of audiences into which somebody beside one agent put
// people, or took them out.
func (h persons) touchedPeople(agent int) map[string]bool {
	touched := map[string]bool{}
	for _, o := range h.operations() {
		if by, ours := h.ours(o.Entry); h.strange(o.Entry) || ours && agent >= 0 && by != agent {
			touched[o.tag] = true
		}
	}
	return touched
}
