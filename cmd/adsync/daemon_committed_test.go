package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestACommittedStopStopsTheDaemon: whoever can push may stop a daemon that follows the
// branch, and lets it go on with the commit that takes the file away.
func TestACommittedStopStopsTheDaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	git := func(args ...string) {
		t.Helper()
		as := []string{"-C", work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}
		if out, err := exec.Command("git", append(as, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "The campaigns")
	conf := t.TempDir()
	text := "listen: none\nevery: 1s\noperator: " +
		"%s\nstate: states\naccounts:\n- {name: shop, git: {url: %s, ref: main}}\n"
	saveFile(t, filepath.Join(conf, "daemon.yaml"), fmt.Sprintf(text, operator, work))
	p := startDaemon(t, s, "--config", filepath.Join(conf, "daemon.yaml"))
	p.until("msg", "run ended", "class", "applied")
	before := bidOf(t, s, "Trail runners")

	must(t, os.MkdirAll(filepath.Join(work, ".adsync"), 0o755))
	saveFile(t, filepath.Join(work, ".adsync", "STOP"), "the landing page is down\n")
	saveEdit(t, work, "bid: {max: 1.25}", "bid: {max: 1.20}")
	git("add", "-f", ".adsync/STOP")
	git("commit", "-q", "-a", "-m", "Stop, and lower")
	p.until("msg", "run ended", "class", "suspended")
	if bid := bidOf(t, s, "Trail runners"); bid != before {
		t.Errorf("under a committed STOP the bid is %d; want %d, as it was", bid, before)
	}
	git("rm", "-q", ".adsync/STOP")
	git("commit", "-q", "-m", "Go on")
	p.until("msg", "run ended", "class", "applied")
	if bid := bidOf(t, s, "Trail runners"); bid != 1_200_000 {
		t.Errorf("without it the bid is %d; want 1,200,000", bid)
	}
	p.end()
}
