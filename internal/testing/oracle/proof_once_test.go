package oracle

import (
	"slices"
	"testing"
	"time"
)

// Two agents with a state each make one resource twice under two keys only where one had
// made nothing under the other's key, the files were edited since, and nobody looked.
func TestTwoKeysAtOnceAreLetPassAfterARefusalAlone(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(h *History, refused *Request)
		passes bool
	}{
		{"refused, edited, and at once", func(*History, *Request) {}, true},
		{"the refused one was of the same commit", func(_ *History, r *Request) { r.Commit = 2 }, false},
		{"nobody knows what became of it", func(_ *History, r *Request) { r.Status = 0 }, false},
		{"it went under a third key", func(_ *History, r *Request) { r.Key = "key-9" }, false},
		{"it was asked for by the other agent", func(_ *History, r *Request) { r.Agent = 0 }, false},
		{"the second agent had listed what there is", func(h *History, _ *Request) { h.listed("/campaigns") }, false},
	} {
		h := sound()
		h.Shared, h.Alone, h.KeysHold, h.ListsHold = true, false, true, true
		refused := *h.Requests[0]
		refused.N, refused.Agent, refused.Status, refused.At = len(h.Requests)+1,
			1, 422, h.Requests[len(h.Requests)-1].At
		h.Requests = append(h.Requests, &refused)
		row.change(h, &refused)
		r := h.send(2, 2, "/campaigns", "create-2", "again")
		r.Agent = 1
		h.write(r, "second", "create", "campaign", "cmp_2", nil, campaign("paused", 150))
		if err := SingleBirth(h); (err == nil) != row.passes {
			t.Errorf("%s: %v; want it let pass: %v", row.what, err, row.passes)
		}
	}
}

// listed is a list that the second agent reads.
func (h *History) listed(path string) {
	h.read()
	r := h.Requests[len(h.Requests)-1]
	r.Agent, r.Path = 1, path
}

// The key of a merge is of one state alone: two of them make two at once, as with creates
// that have no key. One agent does not.
func TestTwoMergesAtOnceAreOfTwoStates(t *testing.T) {
	for _, row := range []struct {
		by     string
		looked bool
		passes bool
	}{{"second", false, true}, {"second", true, false}, {"first", false, false}} {
		h := sound()
		h.Shared, h.Alone = true, false
		for i, by := range []string{"first", row.by} {
			if i == 1 && row.looked {
				h.listed("/custom_audiences")
			}
			r := h.send(2, 2, "/custom_audiences/merge", "key-"+string(rune('a'+i)), by)
			if by == "second" {
				r.Agent = 1
			}
			h.write(r, by, "create", "audience", "ca_"+string(rune('a'+i)),
				nil, Record{"name": "u1 people", "status": "ready"})
		}
		if err := SingleBirth(h); (err == nil) != row.passes {
			t.Errorf("by %s, who looked: %v: %v; want it let pass: %v", row.by, row.looked, err, row.passes)
		}
	}
}

// A limit that waits to be adopted is excused where its create came after its agent had
// lost it, waited, and seen that it was not there.
func TestALimitThatCameLateIsExcused(t *testing.T) {
	for _, row := range []struct {
		what    string
		change  func(sent, looked *Request)
		excused bool
	}{
		{"late", func(_, _ *Request) {}, true},
		{"its answer came", func(sent, _ *Request) { sent.Status, sent.Whole = 200, true }, false},
		{"the agent looked too early", func(sent, looked *Request) {
			looked.At = sent.Answered.Add(listWindow - time.Second)
		}, false},
		{"the agent looked when it was there", func(_, looked *Request) { looked.N += 9 }, false},
		{"the other agent looked", func(_, looked *Request) { looked.Agent = 1 }, false},
		{"it looked for something else", func(_, looked *Request) { looked.Path = "/campaigns" }, false},
	} {
		h := sound()
		beyond(h)
		h.W = slices.DeleteFunc(h.W, func(e Entry) bool { return e.Kind == "spend_limit_window" })
		h.Commits[2]["w1"].Values["status"] = "archived"
		sent := h.send(1, 3, limitsPath, "", "w1 lost")
		sent.Status, sent.Whole = 0, false
		h.read()
		looked := h.Requests[len(h.Requests)-1]
		looked.Path, looked.At, looked.Answered = limitsPath, sent.At.Add(trustWindow), sent.At.Add(trustWindow)
		row.change(sent, looked)
		h.write(sent, "first", "create", "spend_limit_window", "slw_9", nil, window(400, "2026-04-01"))
		late := &h.W[len(h.W)-1]
		late.At, late.Request = sent.At.Add(2*trustWindow), sent.N+1
		if err := Convergence(h, map[string]string{"w1": "adopt is at the service already"}); (err == nil) !=
			row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.what, err, row.excused)
		}
	}
}

// The same bytes make a resource twice without blame where the service knows keys late and
// they went a minute apart, where one request came to it twice, or where one of both senders had lost the account and
// was frozen, within the time in which the key does not show.
func TestTheSameBytesAgainAreLetPassAfterAMinute(t *testing.T) {
	for _, row := range []struct {
		what   string
		after  time.Duration
		again  bool // sent a second time, and not only delivered
		late   bool // by a sender that had lost the account
		lag    time.Duration
		holds  bool // the service knows every key
		passes bool
	}{
		{what: "a minute later", after: time.Minute, again: true, passes: true},
		{what: "sooner", after: 59 * time.Second, again: true},
		{what: "one request, delivered twice", passes: true},
		{what: "by who had lost the account", after: 5 * time.Second, again: true, late: true, lag: 5 * time.Second,
			passes: true},
		{what: "and the key shows", after: 6 * time.Second, again: true, late: true, lag: 5 * time.Second},
		{what: "by who has it", after: 5 * time.Second, again: true, lag: 5 * time.Second},
		{what: "the service knows every key", after: 5 * time.Second, again: true, late: true, holds: true},
	} {
		h := sound()
		h.KeysHold, h.KeyLag = row.holds, row.lag
		made := slices.IndexFunc(h.W, func(e Entry) bool { return e.ID == "cmp_1" && e.Action == "create" })
		r := h.requestOf(&h.W[made])
		if row.again {
			again := *r
			again.N, again.At, again.Late = len(h.Requests)+1, r.At.Add(row.after), row.late
			h.Requests = append(h.Requests, &again)
			r = &again
		}
		h.write(r, "first", "create", "campaign", "cmp_9", nil, campaign("paused", 150))
		if err := SingleBirth(h); (err == nil) != row.passes {
			t.Errorf("%s: %v; want it let pass: %v", row.what, err, row.passes)
		}
	}
}

// A create without a key goes again without blame where the first was lost, and its
// agent looked for it in vain when it was to have come: the first comes all the same.
func TestACreateThatIsOvertakenIsLetPass(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(sent, looked, again *Request)
		passes bool
	}{
		{"sent again after it was looked for", func(_, _, _ *Request) {}, true},
		{"its answer came", func(sent, _, _ *Request) { sent.Status, sent.Whole = 200, true }, false},
		{"the agent looked too early", func(sent, looked, _ *Request) {
			looked.At = sent.Answered.Add(listWindow - time.Second)
		}, false},
		{"the agent looked after it sent the other", func(_, looked, again *Request) { looked.N = again.N + 1 }, false},
		{"the other agent looked", func(_, looked, _ *Request) { looked.Agent = 1 }, false},
	} {
		for _, lastly := range []bool{true, false} {
			h := sound()
			h.Alone = true
			sent := h.send(1, 3, "/custom_audiences", "", "u9 lost")
			sent.Status, sent.Whole = 0, false
			h.read()
			looked := h.Requests[len(h.Requests)-1]
			looked.Path, looked.At, looked.Answered = "/custom_audiences",
				sent.At.Add(trustWindow), sent.At.Add(trustWindow)
			again := h.send(1, 3, "/custom_audiences", "", "u9 again")
			again.At = looked.At.Add(time.Minute)
			row.change(sent, looked, again)
			made := func(r *Request, id string) {
				h.write(r, "first", "create", "audience", id, nil, Record{"name": "u9 people"})
				e := &h.W[len(h.W)-1]
				e.At, e.Request = again.At, max(again.N, looked.N)+1
			}
			if lastly {
				made(again, "ca_9")
			}
			made(sent, "ca_8")
			if !lastly {
				made(again, "ca_9")
			}
			if err := SingleBirth(h); (err == nil) != row.passes {
				t.Errorf("%s, and it came last: %v: %v; want it let pass: %v", row.what, lastly, err, row.passes)
			}
		}
	}
}

// A limit is made anew where somebody took it away and the service had refused the very
// request that made it: whoever sent it was told that there is none.
func TestWhatWasMadeThoughRefusedAndTakenAwayIsMadeAnew(t *testing.T) {
	for _, row := range []struct {
		what   string
		status int
		actor  string
		passes bool
	}{
		{"refused, and somebody took it away", 422, "jane", true},
		{"refused as there is one, and somebody took it away", 409, "jane", true},
		{"refused, and adsync itself took it away", 422, "first", false},
		{"answered, and somebody took it away", 200, "jane", false},
		{"the answer was lost, and the audit log has its name", 0, "jane", false},
	} {
		h := sound()
		beyond(h)
		made := h.requestOf(&h.W[slices.IndexFunc(h.W, func(e Entry) bool { return e.ID == "slw_1" })])
		made.Status = row.status
		h.write(h.send(2, 4, limitsPath+"/slw_1/delete", "", "ended"),
			row.actor, "delete", "spend_limit_window", "slw_1", window(400, "2026-04-01"), nil)
		h.write(h.send(2, 4, limitsPath, "", "again"),
			"first", "create", "spend_limit_window", "slw_2", nil, window(400, "2026-04-01"))
		if err := SingleBirth(h); (err == nil) != row.passes {
			t.Errorf("%s: %v; want it let pass: %v", row.what, err, row.passes)
		}
	}
}
