package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
)

// TestADaemonAnswersIntoGit: what became of a run is committed to the branch for
// results, and what somebody changed at the service is proposed on a branch of its own
// with the edited files. The branch that is read stays as it is, and merging what is
// proposed ends the drift.
func TestADaemonAnswersIntoGit(t *testing.T) {
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	p, at, _ := r.serveFrom(s,
		operator, "  webhook: {secret: {env: HOOK}}\n  push_results: adsync/results\n  propose_drift: true\n")
	p.until("msg", "run ended", "class", "applied")
	main := r.git("-C", r.upstream, "rev-parse", "main")
	if files := r.git("-C", r.upstream, "ls-tree", "-r", "--name-only", "adsync/results"); !strings.Contains(files,
		"/run-000001/results.json") || !strings.Contains(files, "/run-000001/results.csv") {
		t.Errorf("the branch for results has\n%s\nwant results.json and results.csv of the run", files)
	}
	if log := r.git("-C", r.upstream, "log", "-1", "--format=%B",
		"adsync/results"); !strings.Contains(log, "Run: run-000001") || !strings.Contains(log, "Commit: "+main) {
		t.Errorf("its commit says\n%s\nwant run and commit", log)
	}

	askService(t, s, http.MethodPost, "/ad_groups/"+groupOf(t, s, "Trail runners").ID,
		`{"name": "Runners by hand"}`, nil)
	push(t, at, "refs/heads/main")
	p.until("msg", "run ended", "class", "held")
	branches := r.git("-C", r.upstream, "branch", "--format=%(refname:short)")
	proposed := ""
	for _, b := range strings.Fields(branches) {
		if strings.HasPrefix(b, "adsync/drift-") {
			proposed = b
		}
	}
	if proposed == "" || len(strings.Fields(branches)) != 3 {
		t.Fatalf("branches are\n%s\nwant main, the results and one proposal", branches)
	}
	if diff := r.git("-C", r.upstream, "diff", "main",
		proposed); !strings.Contains(diff, "+    name: Runners by hand") {
		t.Errorf("what is proposed changes\n%s\nwant the name", diff)
	}
	if now := r.git("-C", r.upstream, "rev-parse", "main"); now != main {
		t.Errorf("the branch that is read is at %s; want %s", now, main)
	}
	r.git("-C", r.upstream, "update-ref", "refs/heads/main", proposed)
	push(t, at, "refs/heads/main")
	// recorded: both sides are alike
	p.until("msg", "run ended", "class", "applied", "message", "1 applied; verified 0/0")
	if strings.Contains(p.said(), "adsync-results-") {
		t.Error("the log names a folder that was only for the push")
	}
	p.end()
}

// TestResultsThatCouldNotBePushedAreLater: they wait in the state, also while the daemon
// is not there, and are pushed in the order of their runs once the repository takes
// them, whether anything else is to be done or not.
func TestResultsThatCouldNotBePushedAreLater(t *testing.T) {
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	r.git("-C", r.upstream, "config", "http.receivepack", "false")
	p, at, states := r.serveFrom(s, operator, "  webhook: {secret: {env: HOOK}}\n  push_results: adsync/results\n")
	p.until("msg", "run ended", "class", "applied", "message", "the results of 1 run wait in the state")
	saveEdit(t, work, "bid: {max: 1.25}", "bid: {max: 1.20}")
	r.git("commit", "-q", "-a", "-m", "Lower")
	r.git("push", "-q", r.upstream, "main") // a path, which the server does not see
	push(t, at, "refs/heads/main")
	second := fmt.Sprint(p.until("msg", "run ended",
		"class", "applied", "message", "the results of 2 runs wait in the state")["run"])
	p.end()
	left := filepath.Join(states, "shop", "state", unpushedName, unpushedPartial+"1")
	noError(t, os.Mkdir(left, 0o700)) // by a process that was killed

	r.git("-C", r.upstream, "config", "http.receivepack", "true")
	p = startDaemon(t, s, "--config", filepath.Join(filepath.Dir(states), "daemon.yaml"))
	p.until("msg", "run ended", "class", "in_sync")
	p.end()
	if log := r.git("-C", r.upstream, "log", "--reverse", "--format=%(trailers:key=Run,valueonly,separator=%x2C)",
		"adsync/results"); strings.Join(strings.Fields(log), " ") != "run-000001 "+second {
		t.Errorf("the branch for results has commits of %q; want run-000001 and %s", log, second)
	}
	if files := r.git("-C", r.upstream, "ls-tree", "-r", "--name-only",
		"adsync/results"); strings.Count(files, "/results.json") != 2 || strings.Contains(files, messageName) {
		t.Errorf("the branch for results has\n%s\nwant the results of two runs", files)
	}
	if runs, err := unpushedOf(filepath.Join(states, "shop", "state")).runs(); err != nil || len(runs) != 0 {
		t.Errorf("%v wait still: %v", runs, err)
	}
}

// TestWhenAllWasEqualOutlivesADaemon: a restart while something is held does not look as
// if files and account had never been equal.
func TestWhenAllWasEqualOutlivesADaemon(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	folder := orders.Folder(t.TempDir())
	first := &attendant{folder: folder, say: orders.Daemon{Account: "shop"}}
	noError(t, first.attend(func(time.Duration) {}))
	applied := daemon.Revision{Commit: "81d2e0c5a2b3c4d5e6f708192a3b4c5d6e7f8091", Content: "c0ffee"}
	first.shown(daemon.Status{State: daemon.InSync, Good: now, Applied: applied})
	noError(t, first.end())
	if got := folder.Equal(now.Add(time.Hour)); !got.At.Equal(now) || got.Revision != applied {
		t.Errorf("last equal %+v; want %s at %+v", got, now, applied)
	}
	if got := folder.Equal(now.Add(-time.Hour)); got != (orders.Equal{}) {
		t.Errorf("last equal %+v, by a clock that was put back; want nothing known", got)
	}
	noError(t, os.WriteFile(filepath.Join(string(folder), "equal.json"), []byte("\"2026-11-23T11:00:00Z\"\n"), 0o600))
	if got := folder.Equal(now); !got.At.Equal(now.Add(-time.Hour)) {
		t.Errorf("last equal %+v, as an earlier adsync wrote it; want an hour ago", got)
	}
}

// TestOnlySoManyResultsWait: of a repository that takes none, the newest stay.
func TestOnlySoManyResultsWait(t *testing.T) {
	u := unpushed(t.TempDir())
	for i := range unpushedMost + 2 {
		noError(t, os.Mkdir(filepath.Join(string(u), fmt.Sprintf("run-%06d", i+1)), 0o700))
	}
	waiting, err := u.runs()
	noError(t, err)
	if entries, _ := os.ReadDir(string(u)); len(waiting) != unpushedMost ||
		waiting[0] != "run-000003" || len(entries) != unpushedMost {
		t.Errorf("%d wait, the first %s, and %d lie there; want the newest %d",
			len(waiting), waiting[0], len(entries), unpushedMost)
	}
}
