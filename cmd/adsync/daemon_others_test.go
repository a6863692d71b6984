package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
)

// TestADaemonHoldsRewrittenHistory, G3: nothing is sent for a branch that was
// rewritten until somebody names its commit.
func TestADaemonHoldsRewrittenHistory(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git",
			append([]string{"-C", work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "The campaigns")
	conf := t.TempDir()
	saveFile(t, filepath.Join(conf, "daemon.yaml"), fmt.Sprintf("listen: none\nevery: "+
		"1s\noperator: %s\nstate: states\naccounts:\n- {name: shop, git: {url: %s, ref: main}}\n", operator, work))
	p := startDaemon(t, s, "--config", filepath.Join(conf, "daemon.yaml"))
	p.until("msg", "run ended", "class", "applied")
	p.until("msg", "run ended", "class", "in_sync")
	saveEdit(t, work, "bid: {max: 1.25}", "bid: {max: 1.20}")
	git("commit", "-q", "-a", "--amend", "-m", "Another past")
	line := p.until("msg", "run ended", "class", "held")
	commit := git("rev-parse", "HEAD")
	if !strings.Contains(fmt.Sprint(line["message"]), "adsync reconcile --accept-commit "+commit[:12]) {
		t.Errorf("the message is %v; want the command that accepts %s", line["message"], commit)
	}
	if bid := bidOf(t, s, "Trail runners"); bid != 1_250_000 {
		t.Errorf("the bid is %d before anybody accepted the commit; want it as it was", bid)
	}
	if out, err := s.command("reconcile", "--wait", "--accept-commit",
		commit, "--state", filepath.Join(conf, "states", "shop", "state")).CombinedOutput(); err != nil {
		t.Errorf("reconcile --accept-commit: %v\n%s", err, out)
	}
	if bid := bidOf(t, s, "Trail runners"); bid != 1_200_000 {
		t.Errorf("the bid is %d after the commit was accepted; want 1,200,000", bid)
	}
	p.end()
}

// TestADaemonSeesWhatOthersChange by the audit log, and holds it as drift.
func TestADaemonSeesWhatOthersChange(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	p := startDaemon(t, s, daemonArgs(dir, operator)...)
	p.until("msg", "run ended", "class", "applied")
	p.until("msg", "run ended", "class", "in_sync")
	askService(t, s, http.MethodPost, "/ad_groups/"+groupOf(t, s, "Trail runners").ID,
		`{"name": "Somebody else's name"}`, nil)
	line := p.until("msg", "run ended", "class", "held")
	if fmt.Sprint(line["woken"]) != "[poll]" || fmt.Sprint(line["held"]) != "1" {
		t.Errorf("what others changed was found by %v, and holds %v; want one change, by looking",
			line["woken"], line["held"])
	}
	p.end()
}

type adGroup struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Bidding struct {
		Max int64 `json:"max_bid_micros"`
	} `json:"bidding_config"`
}

func groupOf(t *testing.T, s *service, name string) adGroup {
	t.Helper()
	var list struct {
		Data []adGroup `json:"data"`
	}
	askService(t, s, http.MethodGet, "/ad_groups?limit=100", "", &list)
	for _, g := range list.Data {
		if g.Name == name {
			return g
		}
	}
	t.Fatalf("the account has no ad group %q", name)
	return adGroup{}
}

func bidOf(t *testing.T, s *service, name string) int64 {
	t.Helper()
	return groupOf(t, s, name).Bidding.Max
}

// askService is a request of somebody else, with adsync's key.
func askService(t *testing.T, s *service, method, path, body string, into any) {
	t.Helper()
	askServiceAs(t, s, canaryKey, method, path, body, into)
}

// strangerKey is a key of the account that adsync does not have.
const strangerKey = "sk-a-stranger"

func askServiceAs(t *testing.T, s *service, key, method, path, body string, into any) {
	t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	noError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	noError(t, err)
	if answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %s: %s", method, path, answer.Status, content)
	}
	if into != nil {
		noError(t, json.Unmarshal(content, into))
	}
}

// TestC11AnApplyBesideADaemon meets the lock while a run goes on, and says whose it
// is. A daemon that is told to end in the middle ends with 0, and what it left
// open is ended by whoever comes next.
func TestC11AnApplyBesideADaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	reached, release := make(chan bool, 1), make(chan bool)
	var once sync.Once
	hold := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/bulk_mutation_jobs") {
			once.Do(func() {
				reached <- true
				select {
				case <-release:
				case <-r.Context().Done():
				}
			})
		}
		return false
	}
	s.before.Store(&hold)
	p := startDaemon(t, s, daemonArgs(dir, operator)...)
	<-reached
	out, err := s.command("apply", "--yes", dir).CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != console.ExitLocked ||
		!strings.Contains(string(out), "(adsync daemon, version") {
		t.Errorf("apply beside the run of a daemon: %v; want %d, and who has the state:\n%s",
			err, console.ExitLocked, out)
	}
	noError(t, p.c.Process.Signal(syscall.SIGTERM))
	close(release)
	select {
	case err := <-p.ended:
		noError(t, err)
	case <-time.After(40 * time.Second):
		t.Fatal("the daemon did not end within 40 s of SIGTERM")
	}
	if out, err := s.command("apply", "--yes", dir).CombinedOutput(); err != nil {
		t.Errorf("apply after the daemon: %v\n%s", err, out)
	}
	if out, err := s.command("plan", "--detailed-exitcode", dir).CombinedOutput(); err != nil {
		t.Errorf("the account is not what the files say: %v\n%s", err, out)
	}
}
