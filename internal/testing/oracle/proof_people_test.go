package oracle

import (
	"testing"
	"time"
)

// A list that is held as changed by somebody is excused where the agent died between the
// answer to its own and its journal, and never heard of it again.
func TestAnAnswerThatDiedWithItsProcessIsExcused(t *testing.T) {
	for _, row := range []struct {
		name    string
		do      func(h *History, sent *Request)
		excused bool
	}{
		{"it died", func(h *History, sent *Request) {}, true},
		{"it lived", func(h *History, sent *Request) { h.Applies[3].Crashed = false }, false},
		{"it asked for the operation", func(h *History, sent *Request) {
			r := h.send(2, 5, "/custom_audiences/ca_1/operations/op_2", "", "")
			r.Method = "GET"
		}, false},
		{"it sent it again", func(h *History, sent *Request) {
			h.send(2, 5, sent.Path, sent.Key, string(sent.Content))
		}, false},
	} {
		h := sound()
		beyond(h)
		h.Commits[2]["u1"].Values["members.file"] = "sha256:cc" // it is not reached
		h.Applies[3].Crashed = true
		row.do(h, h.persons().operations()[1].sent)
		if err := Convergence(h, map[string]string{"u1": "conflict held"}); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.name, err, row.excused)
		}
	}
}

// An agent may take the audience of another one for its own where its own create was
// lost, made nothing, and no list could show the other's; its people are the other's.
func TestAnotherOnesAudienceIsTakenForOwnInTheSameMinuteAlone(t *testing.T) {
	for _, row := range []struct {
		name    string
		do      func(h *History, lost *Request)
		excused bool
	}{
		{"its create was lost", func(h *History, lost *Request) {}, true},
		{"its create was answered", func(h *History, lost *Request) { lost.Status, lost.Whole = 200, true }, false},
		{"it was of another audience", func(h *History, lost *Request) {
			lost.Content = []byte(`{"name": "u2 people"}`)
		}, false},
		{"it was sent by who made the audience", func(h *History, lost *Request) { lost.Agent = 0 }, false},
		{"it made another one", func(h *History, lost *Request) {
			h.write(lost, "second", "create", "audience",
				"ca_2", nil, Record{"name": "u1 people", "status": "archived"})
		}, false},
		{"lists show at once", func(h *History, lost *Request) { h.ListsHold = true }, false},
		{"it had looked more than a minute after the other's", func(h *History, lost *Request) {
			h.Requests[lost.N-2].At = lost.At
		}, false},
		{"somebody made the audience", func(h *History, lost *Request) {
			h.births().madeAs("ca_1").Actor = "person"
		}, false},
	} {
		h := sound()
		beyond(h)
		h.Shared, h.Alone, h.ListsHold = true, false, false
		h.Commits[2]["u1"].Values["members.file"] = "sha256:cc" // the second's, which is not reached
		list := h.send(2, 5, "/custom_audiences", "", "")
		list.Method, list.Agent, list.At = "GET", 1, h.births().madeAs("ca_1").At.Add(30*time.Second)
		lost := h.send(2, 5, "/custom_audiences", "", `{"name": "u1 people", "file_id": "fz"}`)
		lost.Agent, lost.Status, lost.Whole = 1, 0, false
		row.do(h, lost)
		if err := Convergence(h, nil); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.name, err, row.excused)
		}
	}
}
