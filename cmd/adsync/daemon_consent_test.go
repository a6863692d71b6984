package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

// merges merges a pull request, and returns the commit. Others stay open.
func (q *proposed) merges(pull githubtest.Pull, others ...githubtest.Pull) string {
	q.t.Helper()
	q.git("merge", "-q", "--no-ff", "-m", "Merge", pull.Head)
	commit := q.git("rev-parse", "HEAD")
	q.git("push", "-q", q.upstream, "main")
	pull.Closed, pull.Merged = true, commit
	q.forge.Set(append(others, pull)...)
	push(q.t, q.at, "refs/heads/main")
	return commit
}

var digestShown = regexp.MustCompile("adsync approve ([0-9a-f]{32})")

// TestAnApprovedPullRequestIsApplied: what an approver agreed to of a pull request is applied by the run that reads the
// merge, without another word, and the comment then says what became of it.
func TestAnApprovedPullRequestIsApplied(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", `approvers: [ann, bob, "@acme/buyers"]`)
	q.forge.Team("acme/buyers", "cid")
	pull := q.proposes(7, "daily: 50.00", "daily: 300.00")
	q.forge.Set(pull)
	digest := digestShown.FindStringSubmatch(q.says(7, "adsync approve ", pull.Head[:12]))
	q.judged(pull.Head, "pending", "needs approval: 1 change held")
	if digest == nil {
		t.Fatal("the comment has no digest")
	}
	for _, by := range []string{"ann", "eve"} {
		q.forge.Comment(githubtest.Comment{Pull: 7, By: by, Body: "adsync approve " + digest[1]})
	}
	q.hears(7, "of `ann` of", "as it is theirs", "of `eve` of", "as they are no approver")
	q.forge.Review(githubtest.Review{Pull: 7, By: "cid", State: "APPROVED", Commit: pull.Head})
	q.hears(7, "Approved by `cid`")
	q.judged(pull.Head, "success", "1 approved")

	commit := q.merges(pull)
	q.p.until("msg", "run ended", "class", "applied")
	q.hears(7, "merged as `"+commit[:12]+"`", "campaign", "applied, verified")
	q.p.end()
	if said := q.p.said(); !strings.Contains(said, "something was approved") || strings.Contains(said, `"class":"held"`) {
		t.Errorf("the daemon says\n%s\nwant the approval, and nothing held", said)
	}
}

// TestAMergeWithoutAYesIsHeld: the comment says what waits, and why.
func TestAMergeWithoutAYesIsHeld(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", `approvers: [bob]`)
	pull := q.proposes(7, "daily: 50.00", "daily: 300.00")
	q.forge.Set(pull)
	q.says(7, "adsync approve ", pull.Head[:12])
	review := q.forge.Review(githubtest.Review{Pull: 7, By: "bob", State: "APPROVED", Commit: pull.Head})
	q.hears(7, "Approved by `bob`")
	q.forge.Dismiss(review)
	commit := q.merges(pull)
	q.p.until("msg", "run ended", "class", "held")
	q.hears(7, "merged as `"+commit[:12]+"`", "is held: ", "It waits for an approval at the daemon's page")
	q.p.end()
}

// hears waits for what people wrote, and one comment of adsync that has all of some texts.
func (q *proposed) hears(number int, texts ...string) {
	q.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		said := q.bodies(number)
		has := len(said) == 1
		for _, text := range texts {
			has = has && strings.Contains(said[0], text)
		}
		if has {
			return
		}
	}
	q.t.Fatalf("pull request %d is told\n%s\nwant %q in one comment\n%s", number,
		strings.Join(q.bodies(number), "\n---\n"), texts, q.p.said())
}

// bodies are the comments of adsync.
func (q *proposed) bodies(number int) (all []string) {
	for _, c := range q.forge.Comments(number) {
		if c.By == githubtest.User {
			all = append(all, c.Body)
		}
	}
	return all
}
