package oracle

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// beyond continues a history without a fault: an audience is made of twelve people
// and then holds ten, a spend limit is made and then lowered.
func beyond(h *History) {
	h.Lists = map[string][]string{"sha256:aa": people(0, 12), "sha256:bb": people(2, 12), "sha256:cc": people(0, 2)}
	for i, commit := range []struct {
		list   string
		amount int64
	}{{"sha256:aa", 500}, {"sha256:bb", 400}} {
		f := h.Commits[i+1]
		f["u1"] = Item{
			Kind: "audience", Tag: "u1", Values: map[string]any{"name": "u1 people", "members.file": commit.list},
		}
		f["w1"] = Item{
			Kind: "spend_limit_window", Tag: "w1", Values: map[string]any{
				"name": "w1 march", "amount": commit.amount, "start": "2026-03-01", "end": "2026-04-01",
			},
		}
	}
	h.Applies = append(h.Applies, &Apply{Process: 3, Commit: 1, From: 3, To: 8, Strict: true}, &Apply{
		Process: 4, Commit: 2, From: 8, To: 12, Strict: true,
	})
	h.upload("fa", "aa")
	made := h.send(1, 3, "/custom_audiences", "", `{"file_id": "fa"}`)
	h.write(made, "first", "create", "audience", "ca_1", nil, Record{"name": "u1 people", "status": "processing"})
	h.write(made, "first", "create", membership, "op_1", nil, operation1("op_1", "processing"))
	h.write(made, theService, "succeeded", membership,
		"op_1", operation1("op_1", "processing"), operation1("op_1", "succeeded"))
	h.write(h.send(1, 3, limitsPath, "", "w1"), "first",
		"create", "spend_limit_window", "slw_1", nil, window(500, "2026-04-01"))
	h.upload("fb", "bb")
	h.replaced("op_2", "fb", "key-2")
	h.write(h.send(2, 4, limitsPath+"/slw_1", "", "w1 less"),
		"first", "update", "spend_limit_window", "slw_1", window(500, "2026-04-01"), window(400, "2026-04-01"))
}

func people(from, to int) (hashes []string) {
	for n := from; n < to; n++ {
		hashes = append(hashes, fmt.Sprintf("hash-of-person-%d;", n))
	}
	return hashes
}

func operation1(id, status string) Record {
	return Record{"operation_id": id, "custom_audience_id": "ca_1", "status": status}
}

func window(amount int64, end string) Record {
	return Record{
		"name": "w1 march", "start_date": "2026-03-01",
		"end_date": end, "amount_micros": json.Number(fmt.Sprint(amount)),
	}
}

func (h *History) send(commit, process int, path, key, content string) *Request {
	n := len(h.Requests) + 1
	at := h.Requests[n-2].At.Add(time.Minute)
	r := &Request{
		N: n, At: at, Process: process, Commit: commit,
		Method: "POST", Path: path, Key: key, Body: path + key + content, Content: []byte(content),
		Journalled: true, Credential: "k1", Answered: at.Add(time.Second), Status: 200, Whole: true,
	}
	h.Requests = append(h.Requests, r)
	return r
}

func (h *History) write(r *Request, actor, action, kind, id string, before, after Record) {
	h.W = append(h.W, Entry{
		Seq: int64(len(h.W) + 1), At: r.At, Account: "acct",
		Actor: actor, Key: r.Key, Body: r.Body, Action: action, Kind: kind, ID: id,
		Before: before, After: after, Commit: r.Commit + 1, Request: r.N,
	})
	if last := h.Applies[len(h.Applies)-1]; last.Commit == 2 {
		last.To = max(last.To, int64(len(h.W)))
	}
}

func (h *History) upload(id, digest string) {
	h.write(h.send(1, 3, "/uploads", "", id), "first", "create", membersFile, id, nil, Record{"sha256": digest})
}

// replaced is a replacement that is accepted and ends.
func (h *History) replaced(id, file, key string) {
	r := h.send(2, 4, "/custom_audiences/ca_1/replace", key, `{"file_id": "`+file+`"}`)
	h.write(r, "first", "replace", membership, id, nil, operation1(id, "processing"))
	h.write(r, theService, "succeeded", membership, id, operation1(id, "processing"), operation1(id, "succeeded"))
}

// byHand is a person whom somebody puts in.
func (h *History) byHand(actor string) {
	r := *h.Requests[len(h.Requests)-1]
	r.Body, r.Key = "by hand", "by hand"
	h.write(&r, actor, "add", membership, "op_9", nil, operation1("op_9", "processing"))
	h.write(&r, theService, "succeeded", membership,
		"op_9", operation1("op_9", "processing"), operation1("op_9", "succeeded"))
}

func (h *History) limitWritten(action string, after Record) {
	path := limitsPath + "/slw_1"
	if after == nil {
		path += "/delete"
	}
	h.write(h.send(2, 4, path, "", action), "first",
		action, "spend_limit_window", "slw_1", window(400, "2026-04-01"), after)
}

// Every judgement of audiences and limits refuses a history that goes against it.
func TestAudiencesAndLimitsAreJudged(t *testing.T) {
	h := sound()
	beyond(h)
	if err := Judge(h, Safety); err != nil {
		t.Fatalf("audiences and limits without a fault: %v", err)
	}
	if err := Convergence(h, nil); err != nil {
		t.Fatalf("audiences and limits without a fault: %v", err)
	}
	for _, row := range []struct {
		number int
		what   string
		spoil  func(*History)
	}{
		{1, "an audience made twice", func(h *History) {
			h.write(h.send(2, 4, "/custom_audiences", "", "again"),
				"first", "create", "audience", "ca_2", nil, Record{"name": "u1 people"})
		}},
		{1, "a limit made twice", func(h *History) {
			h.write(h.send(2, 4, limitsPath, "", "again"),
				"first", "create", "spend_limit_window", "slw_2", nil, window(400, "2026-04-01"))
		}},
		{1, "one replacement, accepted under two keys", func(h *History) { h.replaced("op_3", "fb", "key-3") }},
		{1, "a replacement by a list the files do not name", func(h *History) {
			h.Commits[2]["u1"].Values["members.file"] = "sha256:cc"
		}},
		{1, "a replacement where the files add", func(h *History) { h.Commits[2]["u1"].Values["members.do"] = "add" }},
		{1, "an operation without a key", func(h *History) { h.replaced("op_3", "fb", "") }},
		{2, "a limit above what the files say", func(h *History) {
			h.limitWritten("update", window(450, "2026-04-01"))
		}},
		{2, "a limit taken away", func(h *History) { h.limitWritten("delete", nil) }},
		{5, "a limit written over a lost answer", func(h *History) {
			h.Requests[len(h.Requests)-1].Whole = false
			h.limitWritten("update", window(400, "2026-04-01"))
		}},
		{6, "a limit taken away by absence", func(h *History) { h.limitWritten("delete", nil) }},
		{8, "a limit raised above one and a half", func(h *History) {
			h.limitWritten("update", window(601, "2026-04-01"))
		}},
		{8, "a limit with fewer days", func(h *History) { h.limitWritten("update", window(400, "2026-03-20")) }},
		{8, "a limit taken away that nobody allowed", func(h *History) { h.limitWritten("delete", nil) }},
		{8, "most people taken out", func(h *History) { h.upload("fc", "cc"); h.replaced("op_3", "fc", "key-3") }},
		{9, "a campaign raised before the limit over it is lowered", func(h *History) { raisedEarly(h, 100) }},
		{14, "a replacement over what somebody did", func(h *History) {
			h.byHand("person")
			h.replaced("op_3", "fb", "key-3")
		}},
		{22, "a person in what is shown", func(h *History) { h.Output = "refused: hash-of-person-3; is none" }},
		{22, "a person in a plan or a state", func(h *History) { h.Kept = "members: hash-of-person-3;" }},
		{24, "an amount the files do not say", func(h *History) {
			h.limitWritten("update", window(399, "2026-04-01"))
		}},
	} {
		refuses(t, row.number, row.what, func(h *History) { beyond(h); row.spoil(h) })
	}
	for what, spoil := range map[string]func(*History){
		"somebody who is not in the list": func(h *History) { h.Lists["sha256:bb"] = people(3, 12) },
		"somebody of the list who is missing": func(h *History) {
			h.Lists["sha256:bb"] = people(2, 12)
			h.W[10].After = operation1("op_2", "failed")
		},
		"a limit that is gone":  func(h *History) { h.limitWritten("delete", nil) },
		"a limit the files end": func(h *History) { h.Commits[2]["w1"].Values["status"] = "archived" },
	} {
		h := sound()
		beyond(h)
		operations := h.persons().operations()
		spoil(h)
		if what == "somebody who is not in the list" { // the list as it was sent was longer
			h.Lists["sha256:bb"] = operations[1].people
			h.Lists["sha256:dd"] = people(3, 12)
			h.Commits[2]["u1"].Values["members.file"] = "sha256:dd"
		}
		if Convergence(h, nil) == nil {
			t.Errorf("invariant 25: %s is let pass", what)
		}
	}
}

// What somebody else does, or has to do, is no violation.
func TestAudiencesAndLimitsOfOthersAreLetPass(t *testing.T) {
	for what, do := range map[string]func(*History){
		"somebody puts a person in": func(h *History) { h.byHand("person") },
		"a replacement that failed goes again": func(h *History) {
			h.W[10].After = operation1("op_2", "failed")
			h.replaced("op_3", "fb", "key-3")
		},
		"a replacement whose second delivery was refused by a service that learns keys late": func(h *History) {
			h.KeysHold = false
			h.Requests[len(h.Requests)-2].Status = 409
			h.replaced("op_3", "fb", "key-3")
		},
		"a create that was delivered twice": func(h *History) {
			made := h.Requests[5]
			h.write(made, "first", "create", "audience",
				"ca_2", nil, Record{"name": "u1 people", "status": "processing"})
			h.W[len(h.W)-1].Commit = 2
		},
	} {
		h := sound()
		beyond(h)
		do(h)
		if err := Judge(h, Safety); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// raisedEarly has a run raise the campaign from 150 to 1000 while the limit, that
// the same files lower, still stands at 400.
func raisedEarly(h *History, limit int64) {
	files := Files{}
	for tag, item := range h.Commits[2] {
		files[tag] = item
	}
	files["c1"] = Item{
		Kind: "campaign", Tag: "c1", Values: map[string]any{
			"name": "c1 shoes", "status": "active", "budget.lifetime": int64(1000),
		},
	}
	files["w1"] = Item{
		Kind: "spend_limit_window", Tag: "w1", Values: map[string]any{
			"name": "w1 march", "amount": limit, "start": "2026-03-01", "end": "2026-04-01",
		},
	}
	h.Commits = append(h.Commits, files)
	h.Applies = append(h.Applies, &Apply{Process: 5, Commit: 3, From: int64(len(h.W)), To: int64(len(h.W)) + 1})
	h.write(h.send(3, 5, "/campaigns/cmp_1", "", "raise"),
		"first", "update", "campaign", "cmp_1", campaign("active", 150), campaign("active", 1000))
}

// A second resource of one key may be archived while the first stands; the first
// never, nor what is left of them.
func TestOnlyTheSecondOfOneKeyMayBeArchived(t *testing.T) {
	for _, row := range []struct {
		what   string
		ends   []string
		passes bool
	}{
		{"the second", []string{"cmp_2"}, true},
		{"the first", []string{"cmp_1"}, false},
		{"the first and the second", []string{"cmp_2", "cmp_1"}, false},
	} {
		h := sound()
		h.KeysHold = false
		made := h.Requests[0]
		h.write(made, "first", "create", "campaign", "cmp_2", nil, campaign("paused", 100))
		for _, id := range row.ends {
			before := campaign("paused", 100)
			if id == "cmp_1" {
				before = campaign("active", 150)
			}
			after := Record{"name": "c1 shoes", "status": "archived", "budget": before["budget"]}
			h.write(h.send(2, 2, "/campaigns/"+id+"/archive", "", id),
				"first", "archive", "campaign", id, before, after)
		}
		for _, find := range []func(*History) error{JustifiedWrite, AbsenceIsNotDeletion} {
			if err := find(h); (err == nil) != row.passes {
				t.Errorf("%s is archived: %v; want it let pass: %v", row.what, err, row.passes)
			}
		}
	}
}

// An audience that is held is excused by what became of its own people alone, and
// what is merged by that of its sources.
func TestAHeldAudienceIsExcusedByItsOwnPeople(t *testing.T) {
	for _, row := range []struct {
		what    string
		do      func(*History)
		excused bool
	}{
		{"nothing was refused", func(*History) {}, false},
		{"its replacement was refused", func(h *History) {
			h.send(2, 4, "/custom_audiences/ca_1/replace", "key-9", "{}").Status = 409
		}, true},
		{"that of another was", func(h *History) {
			h.write(h.send(2, 4, "/custom_audiences", "", "u2"),
				"first", "create", "audience", "ca_2", nil, Record{"name": "u2 others"})
			h.send(2, 4, "/custom_audiences/ca_2/replace", "key-9", "{}").Status = 409
		}, false},
		{"a limit was refused", func(h *History) { h.send(2, 4, limitsPath, "", "w1").Status = 409 }, false},
	} {
		h := sound()
		beyond(h)
		h.Commits[2]["u1"].Values["members.file"] = "sha256:cc" // it is not reached
		row.do(h)
		if err := Convergence(h, map[string]string{"u1": "conflict held"}); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.what, err, row.excused)
		}
	}
}
