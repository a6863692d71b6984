package oracle

import (
	"slices"
	"testing"
	"time"
)

// What the service does by itself is somebody's, but for what it publishes.
func TestWhatTheServicePausesIsNotStartedAgain(t *testing.T) {
	refuses(t, 11, "an activation over a pause by the service", func(h *History) {
		h.more(theService, "/campaigns/cmp_1/pause", "pause", campaign("paused", 150))
		h.W[len(h.W)-1].Commit = 4
		h.read()
		h.more("first", "/campaigns/cmp_1/activate", "activate", campaign("active", 150))
	})
}

// Who was put in twice by one request is in once; by two requests there may be twice
// as many, of whom fewer can be taken out.
func TestOneRequestPutsNobodyInTwice(t *testing.T) {
	for _, row := range []struct {
		what, key, left string
		refused         bool
	}{
		{"four of fourteen are taken out", "key-3", "bb", false},
		{"they may have been eighteen", "key-4", "bb", true},
		{"almost all are taken out", "key-3", "cc", true},
	} {
		h := sound()
		beyond(h)
		h.Lists["sha256:dd"] = people(20, 24)
		h.upload("fd", "dd")
		h.upload("fe", row.left)
		for _, key := range []string{"key-3", row.key} {
			r := h.send(2, 4, "/custom_audiences/ca_1/add", key, `{"file_id": "fd"}`)
			h.write(r, "first", "add", membership, "op_"+key, nil, operation1("op_"+key, "processing"))
		}
		h.replaced("op_9", "fe", "key-9")
		if err := ShrinksHold(h); (err != nil) != row.refused {
			t.Errorf("%s: %v; want it refused: %v", row.what, err, row.refused)
		}
	}
}

// What waits for a limit is excused where the account may have none, and where it
// says that it waits for that one.
func TestWhatWaitsForALimitIsExcusedWithoutLimitsAlone(t *testing.T) {
	const waits = "exceeds-files in the account " +
		"2.00 could be spent a day, more than 1.00 now, as the update (unavailable) of spend_limit_window/w1 is held"
	for _, row := range []struct {
		what, reason string
		without      bool
		excused      bool
	}{
		{"the account has none", waits, true, true},
		{"it has some", waits, false, false},
		{"another hold", "activates is new", true, false},
		{"a limit the files do not name", "exceeds-files as the update (unavailable) of spend_limit_window/w2 is held",
			true, false},
	} {
		h := sound()
		beyond(h)
		h.Commits[2]["c1"].Values["budget.lifetime"] = int64(200) // it is not reached
		if row.without {
			h.refuseLimits()
		}
		if err := Convergence(h, map[string]string{"c1": row.reason}); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.what, err, row.excused)
		}
	}
}

// A limit that was written, and whose second delivery was refused, looks changed by
// somebody else: that is excused where it is held as such.
func TestAWriteThatWasDoneThoughRefusedIsExcused(t *testing.T) {
	for _, row := range []struct {
		status  int
		reason  string
		excused bool
	}{{422, "conflict held", true}, {200, "conflict held", false}, {422, "activates held", false}} {
		h := sound()
		beyond(h)
		h.limitWritten("update", window(300, "2026-04-01"))
		h.Requests[len(h.Requests)-1].Status = row.status
		if err := Convergence(h, map[string]string{"w1": row.reason}); (err == nil) != row.excused {
			t.Errorf("answered with %d and %s: %v; want it excused: %v", row.status, row.reason, err, row.excused)
		}
	}
}

// refuseLimits has the account lose its limits.
func (h *History) refuseLimits() {
	r := h.send(2, 4, limitsPath, "", "")
	r.Method, r.Status = "GET", 403
}

// A limit that nobody can see any more need not be as the files say where somebody
// else changed it before, and only there.
func TestALimitThatNobodySeesIsExcusedWhereSomebodyChangedIt(t *testing.T) {
	for _, row := range []struct {
		actor   string
		without bool
		excused bool
	}{{"person", true, true}, {"person", false, false}, {"first", true, false}} {
		h := sound()
		beyond(h)
		h.limitWritten("update", window(300, "2026-04-01"))
		h.W[len(h.W)-1].Actor = row.actor
		if row.without {
			h.refuseLimits()
		}
		if err := Convergence(h, nil); (err == nil) != row.excused {
			t.Errorf("changed by %s, the account has no limits: %v: %v; want it excused: %v",
				row.actor, row.without, err, row.excused)
		}
	}
}

// A limit whose create was carried out though refused has its days: an edit that waits
// for them is excused where it says so of that very one.
func TestALimitInItsOwnWayIsExcused(t *testing.T) {
	for _, row := range []struct {
		status  int
		reason  string
		excused bool
	}{
		{422, "incomplete its days overlap those that spend_limit_window slw_9 (at the service) has", true},
		{422, "incomplete its days overlap those that spend_limit_window slw_8 (at the service) has", false},
		{422, "incomplete it lacks its days", false},
		{422, "activates its days overlap those of slw_9 there", false},
		{200, "incomplete its days overlap those that spend_limit_window slw_9 (at the service) has", false},
		{503, "incomplete its days overlap those that spend_limit_window slw_9 (at the service) has", false},
	} {
		h := sound()
		beyond(h)
		h.W = slices.DeleteFunc(h.W, func(e Entry) bool { return e.Kind == "spend_limit_window" })
		r := h.send(1, 3, limitsPath, "", "w1 twice")
		r.Status = row.status
		h.write(r, "first", "create", "spend_limit_window", "slw_9", nil, window(300, "2026-04-01"))
		if err := Convergence(h, map[string]string{"w1": row.reason}); (err == nil) != row.excused {
			t.Errorf("answered with %d, %s: %v; want it excused: %v", row.status, row.reason, err, row.excused)
		}
	}
}

// An update that its agent gave up comes after a later one: that it looks like
// somebody's is excused, and nothing else is.
func TestAnUpdateThatComesLateIsExcused(t *testing.T) {
	for _, row := range []struct {
		what    string
		reason  string
		change  func(lost, later *Request)
		excused bool
	}{
		{"late", "drift changed outside", func(_, _ *Request) {}, true},
		{"another hold", "activates is new", func(_, _ *Request) {}, false},
		{"its answer came", "drift changed outside", func(lost, _ *Request) {
			lost.Status, lost.Whole = 200, true
		}, false},
		{"the later one was sent before it was given up", "drift changed outside", func(lost, later *Request) {
			later.At = lost.Answered.Add(-time.Second)
		}, false},
		{"the later one is of the other agent", "drift changed outside", func(_, later *Request) {
			later.Agent = 1
		}, false},
		{"a process sent it that had lost the account", "drift changed outside", func(lost, _ *Request) {
			lost.Late = true
		}, false},
		{"and so had the state what it sent", "drift changed outside", func(lost, _ *Request) {
			lost.Late, lost.Forgotten = true, true
		}, true},
	} {
		h := sound()
		beyond(h)
		lost := h.send(2, 4, limitsPath+"/slw_1", "", "w1 lost")
		lost.Status, lost.Whole = 0, false
		later := h.send(2, 4, limitsPath+"/slw_1", "", "w1 later")
		row.change(lost, later)
		h.write(later, "first", "update", "spend_limit_window",
			"slw_1", window(400, "2026-04-01"), window(500, "2026-04-01"))
		h.write(lost, "first", "update", "spend_limit_window",
			"slw_1", window(500, "2026-04-01"), window(300, "2026-04-01"))
		if err := Convergence(h, map[string]string{"w1": row.reason}); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.what, err, row.excused)
		}
	}
}

// A budget that is to come down goes before others rise, but for what is spent of it
// already: to take that away frees nothing. Nor does a rise to what is spent let more go.
func TestWhatIsSpentAlreadyFreesNothing(t *testing.T) {
	for _, row := range []struct {
		what   string
		spent  map[string]int64
		passes bool
	}{
		{"nothing", nil, false},
		{"all of it", map[string]int64{"cmp_1": 150}, true},
		{"not all of it", map[string]int64{"cmp_1": 120}, false},
		{"all of the other", map[string]int64{"cmp_2": 150}, true},
		{"not all of the other", map[string]int64{"cmp_2": 120}, false},
	} {
		h := sound()
		two := Files{
			"c1": h.Commits[2]["c1"], "c2": {Kind: "campaign", Tag: "c2", Values: map[string]any{
				"name": "c2 hats", "status": "active", "budget.lifetime": int64(140),
			}},
		}
		lower := Item{
			Kind: "campaign", Tag: "c1", Values: map[string]any{
				"name": "c1 shoes", "status": "active", "budget.lifetime": int64(110),
			},
		}
		two["c1"] = lower
		h.Commits = append(h.Commits, two)
		other := func(budget int64) Record {
			r := campaign("active", budget)
			r["name"] = "c2 hats"
			return r
		}
		_, e := h.more("person", "/campaigns", "create", other(100))
		e.ID, e.Before = "cmp_2", nil
		h.Applies = append(h.Applies, &Apply{Process: 3, Commit: 3, From: 4})
		h.write(h.send(3, 3, "/campaigns/cmp_2", "", "c2 more"),
			"first", "update", "campaign", "cmp_2", other(100), other(140))
		h.Applies[2].To = int64(len(h.W))
		h.Spent = func(id string, _ time.Time) int64 { return row.spent[id] }
		if err := ExposurePath(h); (err == nil) != row.passes {
			t.Errorf("%s is spent: %v; want it let pass: %v", row.what, err, row.passes)
		}
	}
}

// What a process that had lost the account sends late is put right in the end, or is left for a reason that counts.
func TestWhatCameLateIsPutRightOrLeftForAReason(t *testing.T) {
	for _, row := range []struct {
		what  string
		late  Record
		then  func(h *History, late *Request)
		fate  string
		wrong bool
	}{
		{"it stands", campaign("active", 100), nil, "left without a reason", true},
		{"it was put right", campaign("active", 100), func(h *History, _ *Request) {
			h.more("first", "/campaigns/cmp_1", "update", campaign("active", 150))
		}, putRight, false},
		{"it was put right, and the files say something else since", campaign("active", 100),
			func(h *History, _ *Request) {
				h.more("first", "/campaigns/cmp_1", "update", campaign("active", 150))
				h.Commits = append(h.Commits, Files{"c1": {Kind: "campaign", Tag: "c1",
					Values: map[string]any{"name": "c1 shoes", "status": "active", "budget.lifetime": int64(170)}}})
			}, putRight, false},
		{"something else was written since, and not what the files said", campaign("active", 100),
			func(h *History, _ *Request) {
				h.more("first", "/campaigns/cmp_1", "update", campaign("active", 160))
			}, "left without a reason", true},
		{"the files say so by now", campaign("active", 100), func(h *History, _ *Request) {
			h.Commits = append(h.Commits, h.Commits[1])
		}, putRight, false},
		{"a person set the same", campaign("active", 100), func(h *History, _ *Request) {
			h.more("person", "/campaigns/cmp_1", "update", campaign("active", 120))
		}, "left to the person who set it as well", false},
		{"a person set something else", campaign("active", 100), func(h *History, _ *Request) {
			by := campaign("active", 100)
			by["description"] = "mine"
			h.more("person", "/campaigns/cmp_1", "update", by)
		}, "left without a reason", true},
		{"the state lost that it was sent", campaign("active", 100), func(_ *History, late *Request) {
			late.Forgotten = true
		}, "left, as the state lost that it was sent", false},
		{"a pause", campaign("paused", 150), nil, "a pause, left as somebody's", false},
		{"a pause, and more", campaign("paused", 100), nil, "left without a reason", true},
		{"a start", campaign("active", 150), func(h *History, _ *Request) {
			h.Commits = append(h.Commits, Files{"c1": {Kind: "campaign", Tag: "c1",
				Values: map[string]any{"name": "c1 shoes", "status": "paused"}}})
			h.W[len(h.W)-1].Before = campaign("paused", 150)
		}, "left without a reason", true},
		{"what the files do not name", described("late"), nil, "left, as the files do not name it", false},
		{"what is gone", campaign("active", 100), func(h *History, _ *Request) {
			h.more("person", "/campaigns/cmp_1/archive", "archive", campaign("archived", 100))
		}, "of what is gone", false},
		{"nothing", campaign("active", 150), nil, "", false},
	} {
		h := sound()
		late, _ := h.more("first", "/campaigns/cmp_1", "update", row.late)
		late.Late = true
		late = h.Requests[len(h.Requests)-1]
		if row.then != nil {
			row.then(h, late)
		}
		counts, err := StaleWrites(h)
		if (err != nil) != row.wrong || row.fate != "" && counts["stale write: "+row.fate] != 1 ||
			counts["stale write that took effect"] != len(counts)-1 && row.fate != "" {
			t.Errorf("%s: %v, %v; want %q, and wrong: %v", row.what, counts, err, row.fate, row.wrong)
		}
		if row.fate == "" && len(counts) > 0 {
			t.Errorf("%s: %v; want nothing", row.what, counts)
		}
	}
}

func described(text string) Record {
	r := campaign("active", 150)
	r["description"] = text
	return r
}

// A pause that came late is held as somebody's, and that is excused; one that is the agent's own is not.
func TestALatePauseIsExcusedAsSomebodys(t *testing.T) {
	for _, row := range []struct {
		what, reason string
		late         bool
		again        bool // and an agent started it since
		excused      bool
	}{
		{"late", "drift was paused outside", true, false, true},
		{"in its time", "drift was paused outside", false, false, false},
		{"another hold", "activates is new", true, false, false},
		{"not said", "", true, false, false},
		{"and paused again, in its time", "drift was paused outside", true, true, false},
	} {
		h := sound()
		h.more("first", "/campaigns/cmp_1/pause", "pause", campaign("paused", 150))
		h.Requests[len(h.Requests)-1].Late = row.late
		if row.again {
			h.more("first", "/campaigns/cmp_1/activate", "activate", campaign("active", 150))
			r, _ := h.more("first", "/campaigns/cmp_1/pause", "pause", campaign("paused", 150))
			r.Body, h.W[len(h.W)-1].Body = "anew", "anew"
		}
		if err := Convergence(h, map[string]string{"c1": row.reason}); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.what, err, row.excused)
		}
	}
}

// What was read while a request waited for its turn, its sender could not know.
func TestWhatWaitedKnewNothingNewer(t *testing.T) {
	for _, knew := range []bool{false, true} {
		h := sound()
		at := len(h.Requests)
		h.more("person", "/campaigns/cmp_1/pause", "pause", campaign("paused", 150))
		h.W[len(h.W)-1].Commit = 4
		h.read()
		if knew {
			at = len(h.Requests)
		}
		h.more("first", "/campaigns/cmp_1/activate", "activate", campaign("active", 150))
		h.Requests[len(h.Requests)-1].Knew = at
		if err := NeverAutoUnpause(h); (err != nil) != knew {
			t.Errorf("it began to wait after the read: %v: %v", knew, err)
		}
	}
}

// What came late to a resource that stands beneath one that is gone is out of reach.
func TestWhatCameLateBeneathWhatIsGoneIsLeft(t *testing.T) {
	group := func(description string) Record {
		return Record{"name": "g1 group", "status": "active", "campaign_id": "cmp_1", "description": description}
	}
	for _, gone := range []bool{false, true} {
		h := sound()
		h.Commits[2]["g1"] = Item{Kind: "ad_group", Tag: "g1", Parent: "c1",
			Values: map[string]any{"name": "g1 group", "description": "of the files"}}
		if gone {
			h.more("person", "/campaigns/cmp_1/archive", "archive", campaign("archived", 150))
		}
		r := h.send(2, 2, "/ad_groups/ag_1", "", "late")
		r.Late = true
		h.write(r, "first", "update", "ad_group", "ag_1", group("of the files"), group("late"))
		counts, err := StaleWrites(h)
		if (err == nil) != gone || gone && counts["stale write: of what is gone"] != 1 {
			t.Errorf("the campaign is gone: %v: %v, %v", gone, counts, err)
		}
	}
}

// What a run lets be spent is what it sent itself, in its time.
func TestWhatComesLateOrFromAnotherProcessIsNotTheRuns(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(r *Request, a *Apply)
		passes bool
	}{
		{"its own", func(*Request, *Apply) {}, false},
		{"late, as it had lost the account", func(r *Request, _ *Apply) { r.Late = true }, true},
		{"repeated by another while it went on", func(r *Request, _ *Apply) { r.Process = 9 }, true},
		{"sent by another before it began", func(r *Request, a *Apply) {
			r.Process, a.At = 9, r.At.Add(time.Second)
		}, false},
	} {
		h := sound()
		h.W[1].After = campaign("active", 101)
		row.change(h.Requests[1], h.Applies[0])
		if err := ExposurePath(h); (err == nil) != row.passes {
			t.Errorf("%s: %v; want it let pass: %v", row.what, err, row.passes)
		}
	}
}
