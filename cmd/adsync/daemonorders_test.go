package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/orders"
)

// TestOrdersReachADaemon: a file STOP beside its configuration has nothing sent by
// the daemon and by a person beside it; reconcile asks it and ends as it did; what
// pause-all pauses it does not start again.
func TestOrdersReachADaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	var changes atomic.Int64
	count := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			changes.Add(1)
		}
		return false
	}
	s.before.Store(&count)
	conf := t.TempDir()
	saveFile(t, filepath.Join(conf, "daemon.yaml"),
		"listen: none\nevery: 1h\nsettle: 200ms\noperator: "+operator+"\naccounts:\n- {name: shop, folder: "+dir+"}\n")
	stop := filepath.Join(conf, orders.StopName)
	saveFile(t, stop, "")
	run := func(want int, args ...string) string {
		t.Helper()
		c := s.command(args...)
		out, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != want {
			t.Fatalf("adsync %s: code %d; want %d\n%s", strings.Join(args, " "), code, want, out)
		}
		return string(out)
	}
	p := startDaemon(t, s, "--config", filepath.Join(conf, "daemon.yaml"))
	p.until("msg", "run ended", "class", "suspended")
	if out := run(console.ExitRefused, "apply", "--yes", dir); !strings.Contains(out, stop+" lies there") {
		t.Errorf("apply beside the daemon says\n%s\nwant the file", out)
	}
	run(console.ExitRefused, "reconcile", "--wait", dir)
	if n := changes.Load(); n != 0 {
		t.Fatalf("%d requests change something while STOP lies there; want none", n)
	}
	noError(t, os.Remove(stop))
	run(console.ExitDone, "reconcile", "--wait", dir)
	if changes.Load() == 0 {
		t.Fatal("nothing was applied once STOP was gone")
	}
	run(console.ExitDone, "pause-all", "--yes", dir)
	run(console.ExitDone, "resume", dir)
	p.until("msg", "run ended", "class", "applied") // of before
	run(console.ExitRefused, "reconcile", "--full", "--wait", dir)
	r, err := http.NewRequest(http.MethodGet, s.url+"/campaigns?limit=500", nil)
	noError(t, err)
	r.Header.Set("Authorization", "Bearer "+canaryKey)
	answer, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer answer.Body.Close()
	campaigns, err := io.ReadAll(answer.Body)
	noError(t, err)
	if !strings.Contains(string(campaigns), `"status":"paused"`) ||
		strings.Contains(string(campaigns), `"status":"active"`) {
		t.Errorf("what pause-all paused runs again:\n%s", campaigns)
	}
	p.end()
}

// What the service refused for good is sent once more where a person asks for it by
// its address, and who did is kept; another refusal ends that.
func TestReconcileAsksAgainForWhatWasRefused(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	var refuse atomic.Bool
	var jobs atomic.Int64
	before := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet || !refuse.Load() {
			return false
		}
		jobs.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"error": {"message": "title may not shout", "code": "policy_violation"}}`)
		return true
	}
	s.before.Store(&before)
	run := func(want int, args ...string) string {
		t.Helper()
		c := s.command(args...)
		out, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != want {
			t.Fatalf("adsync %s: code %d; want %d\n%s", strings.Join(args, " "), code, want, out)
		}
		return string(out)
	}
	p := startDaemon(t, s, "--listen", "none", "--settle", "200ms", "--every", "1h", "--operator", operator, dir)
	p.until("msg", "run ended", "class", "applied")
	refuse.Store(true)
	saveEdit(t, dir, "Shoes for muddy trails", "Shoes for MUD")
	p.until("msg", "run ended", "class", "partial")
	run(console.ExitRefused, "reconcile", "--wait", dir) // held: not sent again
	const ad = "ad/spring-launch/runners/hero-a"
	if out := run(console.ExitUsage, "reconcile", "--retry",
		"ad/spring-launch/runners/none", dir); !strings.Contains(out, ad) {
		t.Errorf("asked again for what nobody refused:\n%s\nwant %s named", out, ad)
	}
	told := jobs.Load()
	run(console.ExitPartial, "reconcile", "--retry", ad, "--note", "they say it is fine", "--wait", dir)
	if jobs.Load() == told {
		t.Fatal("it was not sent again")
	}
	told = jobs.Load()
	run(console.ExitRefused, "reconcile", "--wait", dir)
	if jobs.Load() != told {
		t.Fatal("it was sent again after the other refusal, and nobody asked for that")
	}
	refuse.Store(false)
	run(console.ExitDone, "reconcile", "--retry", ad, "--wait", dir)
	kept, err := (&session.Lease{Place: orders.Folder(filepath.Join(dir, ".adsync"))}).Approvals()
	noError(t, err)
	if len(kept) != 2 || kept[0].By == "" || kept[0].Note != "they say it is fine" ||
		kept[0].Time.IsZero() || !strings.HasPrefix(kept[0].Allow[0], "refused="+ad+"=") {
		t.Errorf("kept is %+v; want two, with who, when and why", kept)
	}
	p.end()
}
