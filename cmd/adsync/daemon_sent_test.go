package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/testing/githubtest"
)

// looked is what a look at a file gives.
type looked struct {
	Problems             []string
	Branch, Commit, Into string
}

// sentFile is where a file is that was sent.
type sentFile struct {
	Branch, Commit, Path string
	Same                 bool
	Pull                 *struct {
		Number        int
		Address, Into string
	} `json:"pull_request"`
}

// looks looks at a file of the account.
func (q *proposed) looks(name string, content []byte) (l looked) {
	q.t.Helper()
	askDaemon(q.t, q.at, "POST", "/api/v1/accounts/shop/look?name="+url.QueryEscape(name), content, 200, &l)
	return l
}

// sends has somebody send a file that was looked at.
func (q *proposed) sends(l looked, by string, status int) (s sentFile) {
	q.t.Helper()
	order := fmt.Sprintf(`{"by":%q,"note":"as agreed"}`, by)
	if l.Commit == "" {
		q.t.Fatalf("%+v cannot be sent", l)
	}
	askDaemon(q.t, q.at, "POST", l.Commit, []byte(order), status, &s)
	return s
}

// changes are the files that a branch changes, since the commit it begins at.
func (q *proposed) changes(branch string) string {
	q.t.Helper()
	return q.git("-C", q.upstream, "diff", "--name-only", "main..."+branch)
}

// TestAFileIsSentAsAPullRequest: one for each file of each person, of nothing but that file. What is sent again is in
// the same one, until it is merged; a file that moved meanwhile is not written over; and what the forge does not open
// is on its branch all the same.
func TestAFileIsSentAsAPullRequest(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	content, name := fileWith(t, q.work, "bid: {max: 1.25}")
	bid := func(of string) []byte {
		content, err := os.ReadFile(filepath.Join(q.work, name))
		noError(t, err)
		return bytes.ReplaceAll(content, []byte("bid: {max: 1.25}"), []byte("bid: {max: "+of+"}"))
	}
	if l := q.looks(name, bid("a lot")); len(l.Problems) == 0 || l.Commit != "" {
		t.Errorf("a file with a mistake: %+v; want no way to send it", l)
	}
	if l := q.looks(name, content); len(l.Problems) != 0 || l.Commit != "" || l.Into != "main" {
		t.Errorf("the file of the branch itself: %+v; want no way to send it", l)
	}

	l := q.looks(name, bid("1.20"))
	if l.Into != "main" || l.Branch != "adsync/uploads" {
		t.Errorf("the look gives %+v; want a pull request into main", l)
	}
	first := q.sends(l, "Ann", 201)
	if first.Pull == nil || first.Pull.Number == 0 || first.Pull.Into != "main" || first.Same ||
		!strings.HasPrefix(first.Pull.Address, "https://") {
		t.Fatalf("it is sent as %+v; want a pull request, and where it is", first)
	}
	pulls := q.forge.Pulls(first.Branch)
	if len(pulls) != 1 || pulls[0].Number != first.Pull.Number || pulls[0].Base != "main" ||
		pulls[0].Title != "Upload "+name+" by Ann" || !strings.Contains(pulls[0].Body, "Why: `as agreed`") {
		t.Fatalf("the forge has %+v; want one of Ann", pulls)
	}
	if who := q.git("-C", q.upstream, "log", "-1", "--format=%an|%cn", first.Branch); who != "Ann|adsync" {
		t.Errorf("the commit is by %s; want Ann's, by adsync", who)
	}
	q.says(first.Pull.Number, "1.20", "Trail runners")
	q.judged(first.Commit, "success", "1 change")

	theirs := q.sends(q.looks(name, bid("1.10")), "Bob", 201)
	if theirs.Branch == first.Branch || theirs.Pull.Number == first.Pull.Number {
		t.Errorf("Bob's file is in %+v; want a pull request of his own", theirs)
	}
	again := q.sends(q.looks(name, bid("1.15")), "ann", 201)
	if again.Pull.Number != first.Pull.Number || again.Branch != first.Branch || q.changes(again.Branch) != name {
		t.Errorf("what is sent again is in %+v, which changes %q; want pull request %d, and %s alone",
			again, q.changes(again.Branch), first.Pull.Number, name)
	}
	if same := q.sends(q.looks(name, bid("1.15")), "Ann", 201); !same.Same || same.Pull.Number != first.Pull.Number {
		t.Errorf("the same once more: %+v; want it known", same)
	}

	before := q.looks(name, bid("1.05"))
	q.save("bid: {max: 1.25}", "bid: {max: 1.24}", "Somebody else's") // and nobody tells the daemon
	head := q.git("-C", q.upstream, "rev-parse", first.Branch)
	var refused struct{ Code, Message string }
	askDaemon(t, q.at, "POST", before.Commit, []byte(`{"by":"Ann"}`), 409, &refused)
	if refused.Code != "moved" || !strings.Contains(refused.Message, `"Somebody else's" by `) ||
		!strings.Contains(refused.Message, q.git("rev-parse", "main")[:12]) {
		t.Errorf("a file that moved: %+v; want who changed it, and in which commit", refused)
	}
	if now := q.git("-C", q.upstream, "rev-parse", first.Branch); now != head {
		t.Errorf("the branch is at %s; want it left at %s", now, head)
	}
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	content = bytes.ReplaceAll(bid("1.25"), []byte("bid: {max: 1.24}"), []byte("bid: {max: 1.05}"))
	last := q.sends(q.looks(name, content), "Ann", 201)
	if last.Pull.Number != first.Pull.Number || q.git("-C", q.upstream, "merge-base", "main", last.Branch) !=
		q.git("rev-parse", "main") {
		t.Errorf("after the branch moved: %+v; want the same pull request, from the branch as it is", last)
	}

	q.git("fetch", "-q", q.upstream, last.Branch)
	q.git("merge", "-q", "--no-ff", "-m", "Merge", "FETCH_HEAD")
	q.git("push", "-q", q.upstream, "main")
	pull := q.forge.Pulls(last.Branch)[0]
	pull.Head, pull.Closed, pull.Merged = last.Commit, true, q.git("rev-parse", "main")
	q.forge.Set(pull, githubtest.Pull{Number: theirs.Pull.Number, From: theirs.Branch, Base: "main", Author: "adsync"})
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	if bid := bidOf(t, q.account, "Trail runners"); bid != 1_050_000 {
		t.Errorf("the bid is %d; want what was sent", bid)
	}
	q.says(last.Pull.Number, "merged as", "applied, verified")
	q.says(theirs.Pull.Number, "**Stale**")

	q.git("push", "-q", q.upstream, ":"+last.Branch)
	q.opensNone.Store(true)
	next := q.looks(name, bytes.ReplaceAll(content, []byte("bid: {max: 1.05}"), []byte("bid: {max: 1.00}")))
	askDaemon(t, q.at, "POST", next.Commit, []byte(`{"by":"Ann"}`), 502, &refused)
	if refused.Code != "not_opened" || q.changes(last.Branch) != name {
		t.Errorf("the forge is down: %+v, and the branch changes %q; want it said, and the file there",
			refused, q.changes(last.Branch))
	}
	q.opensNone.Store(false)
	if open := q.sends(next, "Ann", 201); !open.Same || open.Pull == nil || open.Pull.Number == last.Pull.Number {
		t.Errorf("sent again it is %+v; want the same commit, in a new pull request", open)
	}
	q.p.end()
}
