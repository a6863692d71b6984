package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestACommitDoesNotWaitForTheNextAttempt: after a key that was refused the next
// attempt is made in 10 minutes. A commit, which only asking for it shows, begins a run
// at once, so that a pause in it is not late.
func TestACommitDoesNotWaitForTheNextAttempt(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git",
			append([]string{"-C", work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "The campaigns")
	refused := func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusUnauthorized); return true }
	s.before.Store(&refused)
	conf := t.TempDir()
	saveFile(t, filepath.Join(conf, "daemon.yaml"), fmt.Sprintf("listen: none\nevery: "+
		"1s\noperator: %s\nstate: states\naccounts:\n- {name: shop, git: {url: %s, ref: main}}\n", operator, work))
	p := startDaemon(t, s, "--config", filepath.Join(conf, "daemon.yaml"))
	p.until("msg", "run ended", "class", "credentials")
	s.before.Store(nil)
	saveEdit(t, work, "bid: {max: 1.25}", "bid: {max: 1.20}")
	git("commit", "-q", "-a", "-m", "Lower")
	if line := p.until("msg", "run ended", "class", "applied"); fmt.Sprint(line["woken"]) != "[poll]" {
		t.Errorf("the run was woken by %v; want poll", line["woken"])
	}
	if bid := bidOf(t, s, "Trail runners"); bid != 1_200_000 {
		t.Errorf("the bid is %d; want 1,200,000", bid)
	}
	p.end()
}
