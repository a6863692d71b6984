package oracle

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"
)

// An oracle that cannot say no says nothing: every check is shown a history that
// goes against it and says which invariant it is, and the same history without
// the fault is let pass.
func TestEveryCheckSeesAHistoryThatViolatesIt(t *testing.T) {
	for number, spoil := range violations {
		refuses(t, number, "the violation", spoil)
	}
	for _, c := range Safety {
		if violations[c.Number] == nil {
			t.Errorf("invariant %d (%s): no history violates it here", c.Number, c.Sentence)
		}
	}
}

// refuses says that a check lets pass what is sound, and not what is spoiled.
func refuses(t *testing.T, number int, what string, spoil func(*History)) {
	t.Helper()
	h := sound()
	if err := Judge(h, Safety); err != nil {
		t.Fatalf("a history without a fault: %v", err)
	}
	spoil(h)
	for _, c := range Safety {
		if c.Number == number && c.Find(h) == nil {
			t.Errorf("invariant %d: %s is let pass", number, what)
		}
	}
}

// sound is a history in which nothing is wrong: a campaign made, activated, its
// budget raised by half.
func sound() *History {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	file := func(status string, budget int64) Files {
		return Files{
			"c1": {Kind: "campaign", Tag: "c1", Values: map[string]any{
				"name": "c1 shoes", "status": status, "budget.lifetime": budget,
			}},
		}
	}
	h := &History{
		Commits: []Files{{}, file("active", 100), file("active", 150)},
		Account: "acct", Actors: []string{"first", "second"},
		Credentials: []string{"k1", "k2"}, Secrets: []string{"k1", "k2"},
		Versions: soundVersions(), Loads: soundLoads(), KeysHold: true, ListsHold: true, Alone: true,
	}
	send := func(commit int, path, key string) *Request {
		n := len(h.Requests) + 1
		r := &Request{
			N: n, At: at.Add(time.Duration(n) * time.Minute),
			Process: commit, Commit: commit, Method: "POST", Path: path, Key: key, Body: path + key,
			Journalled: true, Credential: "k1", Answered: at.Add(time.Duration(n)*time.Minute + time.Second),
			Status: 200, Whole: true,
		}
		h.Requests = append(h.Requests, r)
		return r
	}
	write := func(r *Request, action string, before, after Record) {
		h.W = append(h.W, Entry{
			Seq: int64(len(h.W) + 1), At: r.At, Account: "acct",
			Actor: "first", Key: r.Key, Body: r.Body, Action: action, Kind: "campaign", ID: "cmp_1",
			Before: before, After: after, Commit: r.Commit + 1, Request: r.N,
		})
	}
	made := campaign("paused", 100)
	write(send(1, "/campaigns", "create-1"), "create", nil, made)
	write(send(1, "/campaigns/cmp_1/activate", ""), "activate", made, campaign("active", 100))
	write(send(2, "/campaigns/cmp_1", ""), "update", campaign("active", 100), campaign("active", 150))
	job := send(2, jobsPath, "job-1")
	job.Content = []byte(soundJob)
	h.Applies = []*Apply{
		{Process: 1, Commit: 1, From: 0, To: 2, Planned: 1,
			Counted: 1, Outcomes: map[string]string{"c1": "create applied"}, Strict: true},
		{Process: 2, Commit: 2, From: 2, To: 3, Planned: 1,
			Counted: 1, Outcomes: map[string]string{"c1": "update applied"}, Strict: true},
	}
	return h
}

func campaign(status string, budget int64) Record {
	return Record{
		"name": "c1 shoes", "status": status, "budget": map[string]any{
			"lifetime_spend_limit_micros": json.Number(strconv.FormatInt(budget, 10)),
		},
	}
}

// more puts another write of an agent, or of somebody, at the end.
func (h *History) more(actor, path, action string, after Record) (*Request, *Entry) {
	last := *h.Requests[2]
	last.N, last.Path, last.Body, last.Key = len(h.Requests)+1, path, path+"more", ""
	last.At = h.Requests[len(h.Requests)-1].At.Add(time.Minute)
	last.Answered = last.At.Add(time.Second)
	if actor == "first" {
		h.Requests = append(h.Requests, &last)
	} else {
		last.N--
	}
	before := h.W[len(h.W)-1].After
	h.W = append(h.W, Entry{
		Seq: int64(len(h.W) + 1), At: last.At, Account: "acct",
		Actor: actor, Body: last.Body, Action: action, Kind: "campaign", ID: "cmp_1",
		Before: before, After: after, Commit: 3, Request: last.N,
	})
	if n := len(h.Applies); n > 0 {
		h.Applies[n-1].To = int64(len(h.W))
	}
	return &last, &h.W[len(h.W)-1]
}

// read is a read of the campaign by the first agent.
func (h *History) read() {
	at := h.Requests[len(h.Requests)-1].At.Add(time.Minute)
	h.Requests = append(h.Requests, &Request{
		N: len(h.Requests) + 1, At: at, Answered: at.Add(time.Second),
		Process: 2, Commit: 2, Method: "GET", Path: "/campaigns/cmp_1", Status: 200, Whole: true, Credential: "k1",
	})
}

// renamed is what somebody does by hand.
func renamed(name string) Record {
	r := campaign("active", 150)
	r["name"] = name
	return r
}

var violations = map[int]func(*History){
	32: func(h *History) { takenBack(h, 1, "update", nil) },
	1: func(h *History) {
		r, e := h.more("first", "/campaigns", "create", campaign("paused", 150))
		e.Before, e.ID, e.Key, r.Key = nil, "cmp_2", "create-2", "create-2"
	},
	2: func(h *History) { h.more("first", "/campaigns/cmp_1", "update", campaign("active", 140)) },
	3: func(h *History) { h.Requests[0].Journalled = false },
	4: func(h *History) {
		again := *h.Requests[0]
		again.Body = "other"
		h.Requests = append(h.Requests, &again)
	},
	5:  func(h *History) { h.Requests[1].Status, h.Requests[1].Whole = 0, false },
	6:  func(h *History) { h.more("first", "/campaigns/cmp_1/archive", "archive", campaign("archived", 150)) },
	8:  func(h *History) { h.W[2].After = campaign("active", 151) },
	9:  func(h *History) { h.W[1].After = campaign("active", 101) },
	10: func(h *History) { h.more("first", "/campaigns/cmp_1/pause", "pause", campaign("paused", 150)) },
	11: func(h *History) {
		h.more("person", "/campaigns/cmp_1/pause", "pause", campaign("paused", 150))
		h.W[len(h.W)-1].Commit = 4
		h.read()
		h.more("first", "/campaigns/cmp_1/activate", "activate", campaign("active", 150))
	},
	37: func(h *History) { h.wrongCell(2, "c1", "name") },
	12: func(h *History) { h.Requests[0].Credential = "other" },
	13: func(h *History) { h.W[0].Actor = "person" },
	14: func(h *History) {
		h.more("person", "/campaigns/cmp_1", "update", renamed("c1 by hand"))
		h.Applies = nil
		h.read()
		h.more("first", "/campaigns/cmp_1", "update", campaign("active", 150))
	},
	15: func(h *History) { h.Requests[0].ReadOnly = true },
	16: func(h *History) { h.Requests[0].DryRun = true; h.W[0].JobID = "job" },
	18: func(h *History) { h.Applies[0].Counted = 0 },
	17: func(h *History) { h.job(`"idempotency_key": "b"`, `"idempotency_key": "a"`) },
	19: func(h *History) { h.Versions[0][1].Serial = 0 },
	21: func(h *History) { h.Requests[0].RetryAfter = 2 * time.Minute },
	22: func(h *History) { h.Output = "failed with k1" },
	24: func(h *History) { h.W[0].After = campaign("paused", 99) },
}
