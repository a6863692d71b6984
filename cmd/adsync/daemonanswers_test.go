package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestADaemonAnswersIntoGit: what became of a run is committed to the branch for
// results, and what somebody changed at the service is proposed on a branch of its own
// with the edited files. The branch that is read stays as it is, and merging what is
// proposed ends the drift.
func TestADaemonAnswersIntoGit(t *testing.T) {
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	p, at, _ := r.serveFrom(s, operator, "  webhook: {secret: {env: HOOK}}\n  push_results: adsync/results\n  propose_drift: true\n")
	p.until("msg", "run ended", "class", "applied")
	main := r.git("-C", r.upstream, "rev-parse", "main")
	if files := r.git("-C", r.upstream, "ls-tree", "-r", "--name-only", "adsync/results"); !strings.Contains(files, "/run-000001/results.json") || !strings.Contains(files, "/run-000001/results.csv") {
		t.Errorf("the branch for results has\n%s\nwant results.json and results.csv of the run", files)
	}
	if log := r.git("-C", r.upstream, "log", "-1", "--format=%B", "adsync/results"); !strings.Contains(log, "Run: run-000001") || !strings.Contains(log, "Commit: "+main) {
		t.Errorf("its commit says\n%s\nwant run and commit", log)
	}

	askService(t, s, http.MethodPost, "/ad_groups/"+groupOf(t, s, "Trail runners").ID, `{"name": "Runners by hand"}`, nil)
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
	if diff := r.git("-C", r.upstream, "diff", "main", proposed); !strings.Contains(diff, "+    name: Runners by hand") {
		t.Errorf("what is proposed changes\n%s\nwant the name", diff)
	}
	if now := r.git("-C", r.upstream, "rev-parse", "main"); now != main {
		t.Errorf("the branch that is read is at %s; want %s", now, main)
	}
	r.git("-C", r.upstream, "update-ref", "refs/heads/main", proposed)
	push(t, at, "refs/heads/main")
	p.until("msg", "run ended", "class", "applied", "message", "1 applied; verified 0/0") // recorded: both sides are alike
	if strings.Contains(p.said(), "adsync-results-") {
		t.Error("the log names a folder that was only for the push")
	}
	p.end()
}
