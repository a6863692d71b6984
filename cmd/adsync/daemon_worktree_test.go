package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestG22ADaemonSaysWhatIsNotCommitted: a folder in a work tree is a folder, and the
// log, status and the API say how many of its files are not committed.
func TestG22ADaemonSaysWhatIsNotCommitted(t *testing.T) {
	t.Parallel() // it mostly waits
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C",
			dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "The campaigns")
	conf := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, conf, fmt.Sprintf("listen: none\n"+
		"every: 1s\nsettle: 100ms\noperator: %s\naccounts: [{name: shop, folder: %s}]\n", operator, dir))
	p := startDaemon(t, s, "--config", conf)
	p.until("msg", "is in a git work tree: its files count as they are")
	p.until("msg", "run ended", "class", "applied")
	saveEdit(t, dir, "bid: {max: 1.25}", "bid: {max: 1.20}")
	line := p.until("msg", "run ended", "class", "applied")
	commit := git("rev-parse", "HEAD")
	if line["commit"] != commit {
		t.Errorf("the run is of commit %v; want %s, which is there", line["commit"], commit)
	}
	// It is said in the status, by each way to find it, until it is committed.
	said := func(args ...string) (commit string, uncommitted int) {
		t.Helper()
		c := s.command(append([]string{"status", "-o", "json"}, args...)...)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("status %v: %v\n%s", args, err, out)
		}
		var d struct {
			Daemon struct {
				Commit      string
				Uncommitted int
			}
		}
		noError(t, json.Unmarshal(out, &d))
		return d.Daemon.Commit, d.Daemon.Uncommitted
	}
	for _, args := range [][]string{{dir}, {"--account", "shop", "--config", conf},
		{"--state", filepath.Join(dir, ".adsync")}} {
		if at, n := said(args...); at != commit || n != 1 {
			t.Errorf("status %v: %d files are not as %q has them; want 1, and %s", args, n, at, commit)
		}
	}
	git("commit", "-q", "-a", "-m", "Another bid")
	commit = git("rev-parse", "HEAD")
	looks := time.NewTicker(200 * time.Millisecond)
	defer looks.Stop()
	for began := time.Now(); ; <-looks.C {
		at, n := said(dir)
		if at == commit && n == 0 {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("a minute after the commit status says %q and %d; want %s and none", at, n, commit)
		}
	}
	p.end()
}
