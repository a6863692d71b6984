package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

// early is a daemon that applies pull requests before they are merged, once bob has approved them.
func early(t *testing.T) *proposed {
	return newProposed(t, "1s", "approvers: [bob]", "apply: before-merge")
}

// agrees has bob approve a pull request whose plan is shown, and waits for it to be applied.
func (q *proposed) agrees(pull githubtest.Pull) {
	q.t.Helper()
	q.says(pull.Number, "adsync approve ", pull.Head[:12])
	q.judged(pull.Head, "pending", "needs approval: ")
	q.forge.Review(githubtest.Review{Pull: pull.Number, By: "bob", State: "APPROVED", Commit: pull.Head})
	q.judged(pull.Head, "success", "applied before the merge, and verified")
}

// dies kills the daemon.
func (q *proposed) dies() {
	q.t.Helper()
	noError(q.t, q.p.c.Process.Kill())
	<-q.p.ended
}

// again starts the daemon once more.
func (q *proposed) again() {
	q.t.Helper()
	q.p = startDaemon(q.t, q.account, "--config", filepath.Join(filepath.Dir(q.states), "daemon.yaml"))
	q.at = fmt.Sprint(q.p.until("msg", "the daemon runs")["listen"])
}

// comesTo waits for the bid of an ad group; meanwhile Trail runners keep theirs, where one is given.
func (q *proposed) comesTo(name string, want int64, kept ...int64) {
	q.t.Helper()
	for end := time.Now().Add(patience); bidOf(q.t, q.account, name) != want; time.Sleep(50 * time.Millisecond) {
		for _, bid := range kept {
			q.bids(bid)
		}
		if time.Now().After(end) {
			q.t.Fatalf("the bid of %s does not come to %d:\n%s", name, want, q.p.said())
		}
	}
}

// hints changes another file on the branch.
func (q *proposed) hints() {
	q.t.Helper()
	saveFile(q.t, filepath.Join(q.work, "hints", "runners.txt"), "people who run on trails\n")
	q.git("commit", "-q", "-a", "-m", "Other hints")
	q.git("push", "-q", q.upstream, "main")
}

func (q *proposed) bids(want int64) {
	q.t.Helper()
	if got := bidOf(q.t, q.account, "Trail runners"); got != want {
		q.t.Errorf("the bid is %d; want %d\n%s", got, want, q.p.said())
	}
}

// TestAnAccountAgreesBeforeItsBranchDoes: what is approved is applied before the merge, and stays so whatever the
// branch does meanwhile. A second one waits for the first to be merged.
func TestAnAccountAgreesBeforeItsBranchDoes(t *testing.T) {
	t.Parallel()
	q := early(t)
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	q.agrees(pull)
	q.bids(1_200_000)
	q.hears(7, "`"+pull.Head[:12]+"` is applied before its merge", "applied, verified")

	other := q.proposes(8, "name: Day hikers", "name: Hikers of a day")
	q.forge.Set(pull, other)
	q.judged(other.Head, "pending", "waits for pull request 7")

	q.hints()
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied", "message", "1 applied", "woken", "push")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "in_sync")
	q.bids(1_200_000)

	commit := q.merges(pull, other)
	q.hears(7, "merged as `"+commit[:12]+"`", "the account is as the files say")
	q.bids(1_200_000)
	q.git("checkout", "-q", "pull-8")
	q.git("merge", "-q", "--no-edit", "main")
	other.Head = q.publishes(8)
	q.git("checkout", "-q", "main")
	pull.Closed, pull.Merged = true, commit
	q.forge.Set(pull, other)
	q.agrees(other)
	q.bids(1_200_000)
	q.p.end()
}

// TestWhatIsClosedWithoutAMergeGoesBack: then the branch is what the account is to be.
func TestWhatIsClosedWithoutAMergeGoesBack(t *testing.T) {
	t.Parallel()
	q := early(t)
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	q.agrees(pull)
	q.bids(1_200_000)
	q.forge.Close(7)
	q.hears(7, "Not merged into main: it was closed", "as ordinary changes")
	q.comesTo("Trail runners", 1_250_000)
	q.p.end()
}

// TestWhatIsDeletedWhileNobodyLooksGoesBack: where the forge lists pull requests, and has none of its number, it is
// closed.
func TestWhatIsDeletedWhileNobodyLooksGoesBack(t *testing.T) {
	t.Parallel()
	q := early(t)
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	q.agrees(pull)
	q.dies()
	q.forge.Set()
	q.again()
	q.comesTo("Trail runners", 1_250_000)
	q.p.end()
}

// TestADaemonIsKilledBeforeAMerge: what it began is done once, and nothing of it is taken back by who begins anew.
func TestADaemonIsKilledBeforeAMerge(t *testing.T) {
	t.Parallel()
	q := early(t)
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	q.says(7, "adsync approve ", pull.Head[:12])
	q.judged(pull.Head, "pending", "needs approval: ") // who is faster than the plan has seen none
	reached, sent := make(chan bool, 1), atomic.Int64{}
	hold := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		r.Body = readCloser{bytes.NewReader(body.Bytes())}
		if strings.Contains(body.String(), `"validate_only":true`) || !strings.Contains(body.String(), "max_bid_micros") {
			return false
		}
		if sent.Add(1) > 1 {
			return false
		}
		q.account.server.ServeHTTP(httptest.NewRecorder(), r) // it is done, and nobody hears of it
		reached <- true
		<-r.Context().Done()
		return true
	}
	q.account.before.Store(&hold)
	q.forge.Review(githubtest.Review{Pull: 7, By: "bob", State: "APPROVED", Commit: pull.Head})
	select {
	case <-reached:
	case <-time.After(patience):
		t.Fatal("nothing is sent")
	}
	q.dies()
	q.again()
	q.judged(pull.Head, "success", "applied before the merge, and verified")
	q.bids(1_200_000)
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "in_sync")
	q.bids(1_200_000)
	q.p.end()
}

// TestABranchThatChangesTheSameFileWaits: where nobody knows what the merge will be, nothing is sent, neither what the
// branch says nor what takes back the pull request. Merged in whatever way, the branch has all of it.
func TestABranchThatChangesTheSameFileWaits(t *testing.T) {
	t.Parallel()
	q := early(t)
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	q.agrees(pull)
	q.save("bid: {max: 0.90}", "bid: {max: 0.85}", "Lower")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "held", "message", "pull request 7, which the account has before it")
	q.bids(1_200_000)
	if got := bidOf(t, q.account, "Day hikers"); got != 900_000 {
		t.Errorf("the branch's own bid is %d; want 900000, as it was", got)
	}
	q.dies() // who begins anew cannot plan, and sees the merge nevertheless
	q.again()
	q.p.until("msg", "run ended", "class", "held", "message", "pull request 7, which the account has before it")
	q.git("merge", "-q", "--squash", pull.Head)
	q.git("commit", "-q", "-m", "Squashed")
	q.git("push", "-q", q.upstream, "main")
	pull.Closed, pull.Merged = true, q.git("rev-parse", "HEAD")
	q.forge.Set(pull)
	push(t, q.at, "refs/heads/main")
	q.comesTo("Day hikers", 850_000, 1_200_000)
	q.bids(1_200_000)
	q.p.end()
}

// TestWhatIsClosedWhileNobodyLooksIsNotAppliedAgain: who begins anew asks the forge first.
func TestWhatIsClosedWhileNobodyLooksIsNotAppliedAgain(t *testing.T) {
	t.Parallel()
	q := early(t)
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	q.agrees(pull)
	q.dies()
	q.forge.Close(7)
	q.hints()
	q.again()
	q.p.until("msg", "run ended", "class", "applied")
	q.bids(1_250_000)
	q.hears(7, "Not merged into main: it was closed")
	if strings.Contains(q.p.said(), "which is applied before its merge") {
		t.Errorf("a run has what was closed:\n%s", q.p.said())
	}
	q.p.end()
}
