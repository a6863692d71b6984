package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/state"
)

// commit commits the files of all accounts and pushes them into ads.git.
func (a *agency) commit(message string) {
	a.t.Helper()
	for _, line := range []string{"add .", "commit -q -m " + message, "push -q ../ads.git HEAD:main"} {
		who := []string{"-C", a.dir, "-c", "user.name=Eve", "-c", "user.email=eve@example.com"}
		c := exec.Command("git", append(who, strings.Fields(line)...)...)
		if said, err := c.CombinedOutput(); err != nil {
			a.t.Fatalf("git %s: %v\n%s", line, err, said)
		}
	}
}

// renames counts how often the campaign of an account got another name.
func (a *agency) renames(i int) (n int) {
	a.t.Helper()
	request, err := http.NewRequest(http.MethodGet, a.url+"/audit_logs?limit=100", nil)
	noError(a.t, err)
	request.Header.Set("Authorization", "Bearer "+a.key(i))
	answer, err := http.DefaultClient.Do(request)
	noError(a.t, err)
	defer answer.Body.Close()
	var log struct {
		Data []struct {
			Type string `json:"audit_log_type"`
		}
	}
	noError(a.t, json.NewDecoder(answer.Body).Decode(&log))
	for _, entry := range log.Data {
		if entry.Type == "update_campaign" {
			n++
		}
	}
	return n
}

// TestADaemonThatTakesOverReadsTheNewestCommit: a list of the branches that is a few seconds old does for a daemon's
// own accounts. For one that another daemon had it may be older than what that applied, and would take it back.
func TestADaemonThatTakesOverReadsTheNewestCommit(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 4)
	repository := filepath.Join(a.dir, "..", "ads.git")
	for _, args := range [][]string{{"init", "-q", "--bare", repository}, {"init", "-q", a.dir}} {
		noError(t, exec.Command("git", args...).Run())
	}
	a.commit("Spring")
	started := func(name string) *process {
		var settings strings.Builder
		fmt.Fprintf(&settings, "listen: none\nevery: 1m\nstate: ../state-%s\n", name)
		fmt.Fprintf(&settings, "database: {env: TEST_DATABASE}\naccounts:\n")
		for i := range a.accounts {
			fmt.Fprintf(&settings, "  - {name: shop-%d, id: %s, operator: operator-%d.yaml,\n", i, a.id(i), i)
			fmt.Fprintf(&settings, "    git: {url: %q, ref: main, path: shop-%d}}\n", repository, i)
		}
		saveFile(t, filepath.Join(a.dir, name+".yaml"), settings.String())
		return startDaemonWith(t, a.environment(), "--config", filepath.Join(a.dir, name+".yaml"))
	}
	server, err := state.OpenServer(t.Context(), a.database, state.Options{Command: "test"})
	noError(t, err)
	defer server.Close()
	first, second := started("first"), started("second")
	a.shares(server, 2)
	a.await("Spring", 4)

	a.edit("Summer")
	a.commit("Summer")
	for i := range a.accounts {
		for began := time.Now(); ; time.Sleep(100 * time.Millisecond) { // an account may be between the two
			holding, err := server.AttendedBy(t.Context(), a.id(i))
			noError(t, err)
			if holding.Held && holding.Holder.PID != first.c.Process.Pid {
				break
			}
			said, err := a.tries("reconcile", "--wait", "--account", fmt.Sprintf("shop-%d", i),
				"--config", filepath.Join(a.dir, "first.yaml"))
			if err == nil {
				break
			}
			if !strings.Contains(said, "no daemon looks after the account") || time.Since(began) > time.Minute {
				t.Fatalf("%v\n%s", err, said)
			}
		}
	}
	first.end()
	a.await("Summer", 4)
	for i := range a.accounts {
		if n := a.renames(i); n != 1 {
			t.Errorf("the campaign of account %d got another name %d times, want once", i, n)
		}
	}
	second.end()
}
