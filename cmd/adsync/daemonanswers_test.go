package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/state/kv"
)

// TestADaemonAnswersIntoGit: what became of a run is committed to the branch for
// results, and what somebody changed at the service is proposed on a branch of its own
// with the edited files. The branch that is read stays as it is, and merging what is
// proposed ends the drift.
func TestADaemonAnswersIntoGit(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	beside := kv.Folder{Dir: filepath.Join(states, "shop", "state")}
	left := "unpushed/run-000009/files/results/left/results.json"
	noError(t, beside.Put(left, nil)) // by a process that was killed

	r.git("-C", r.upstream, "config", "http.receivepack", "true")
	p = startDaemon(t, s, "--config", filepath.Join(filepath.Dir(states), "daemon.yaml"))
	p.until("msg", "run ended", "class", "in_sync")
	p.end()
	if log := r.git("-C", r.upstream, "log", "--reverse", "--format=%(trailers:key=Run,valueonly,separator=%x2C)",
		"adsync/results"); strings.Join(strings.Fields(log), " ") != "run-000001 "+second {
		t.Errorf("the branch for results has commits of %q; want run-000001 and %s", log, second)
	}
	if files := r.git("-C", r.upstream, "ls-tree", "-r", "--name-only",
		"adsync/results"); strings.Count(files, "/results.json") != 2 || strings.Contains(files, "message") {
		t.Errorf("the branch for results has\n%s\nwant the results of two runs", files)
	}
	if wait, err := beside.Names("unpushed/"); err != nil || !slices.Equal(wait, []string{left}) {
		t.Errorf("%v wait still: %v", wait, err)
	}
}
