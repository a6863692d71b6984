package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/branchtest"
)

var branchKills = flag.Int("branch-kills", 6, "how many times the apply of a runner that forgets is killed")

// killsOfARepository is how often apply is killed on one branch.
const killsOfARepository = 25

// TestKilledRunnerLeavesOneOfEverything kills apply with SIGKILL, at a request or while it pushes, where the state lies
// on a git branch and every run is that of a runner that has nothing but the branch. In the end the mutation log has
// one create of everything, the account shows what the files say, and nothing is left to do.
func TestKilledRunnerLeavesOneOfEverything(t *testing.T) {
	t.Parallel()
	var sum tally
	start := time.Now()
	t.Run("repository", func(t *testing.T) {
		for n := 0; n*killsOfARepository < *branchKills; n++ {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				h := newHistory(t, rand.New(rand.NewPCG(*killSeed, uint64(1000+n))), generous)
				h.forgets()
				h.live(min(killsOfARepository, *branchKills-n*killsOfARepository))
				sum.add(h.tally)
			})
		}
	})
	t.Logf("seed %d: %s; %.2f s a kill", *killSeed, &sum, time.Since(start).Seconds()/float64(max(sum.kills, 1)))
	if sum.kills < *branchKills || sum.empty == 0 {
		t.Errorf("%d kills and %d empty second plans; want %d, and one at least", sum.kills, sum.empty, *branchKills)
	}
}

// forgets puts the state of a history on a branch, and has each run begin with nothing else.
func (h *history) forgets() {
	h.t.Helper()
	h.bare = filepath.Join(filepath.Dir(h.dir), "shop.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", h.bare).CombinedOutput(); err != nil {
		h.t.Fatalf("git init: %v\n%s", err, out)
	}
	h.env = append(h.env, "ADSYNC_STATE_BRANCH=adsync/state", "ADSYNC_STATE_REPOSITORY="+h.bare,
		"ADSYNC_STATE_KEY="+branchtest.Key)
	h.before.emulator = h.onlyPushed(h.service)
	h.shop.edit()
	h.shop.write(h.t, h.dir)
	h.tried("state", "begin")
}

// onlyPushed holds that the branch has the bytes of whatever changes something when it arrives.
func (h *history) onlyPushed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if couldChange(r, body) && strings.HasPrefix(r.URL.Path, "/v1/") && r.URL.Path != "/v1/upload" {
			sum := fmt.Sprintf("%x", sha256.Sum256(body))
			err := exec.Command("git", "--git-dir="+h.bare, "grep", "-q", sum, "adsync/state", "--", "step").Run()
			if err != nil {
				h.t.Errorf("%s %s arrived, and the branch does not have its bytes (%v): %s",
					r.Method, r.URL.Path, err, body)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// tried runs a command that must end well.
func (h *history) tried(args ...string) {
	h.t.Helper()
	if out, err := h.run(args...); err != nil {
		h.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// run runs a command, and returns all that it says.
func (h *history) run(args ...string) (said string, err error) {
	c := exec.Command(os.Args[0], append(args, h.dir)...)
	c.Env = h.env
	out, err := c.CombinedOutput()
	return string(out), err
}

var ownerOf = regexp.MustCompile(`"owner": "([0-9a-f]+)"`)

// newRunner takes away what the run before has left on its disk, and its lock, as it is surely dead.
func (h *history) newRunner() {
	h.t.Helper()
	noError(h.t, os.RemoveAll(filepath.Join(h.dir, ".adsync")))
	head, err := exec.Command("git", "--git-dir="+h.bare, "show", "adsync/state:head.json").Output()
	noError(h.t, err)
	owner := ownerOf.FindSubmatch(head)
	if owner == nil {
		return
	}
	// git outlives the run that was killed, and may still write the branch
	late := time.Now().Add(patience)
	for out, err := h.run("unlock", "--owner", string(owner[1])); err != nil; time.Sleep(50 * time.Millisecond) {
		if !strings.Contains(out, "locked by somebody who writes to it") || time.Now().After(late) {
			h.t.Fatalf("unlock: %v\n%s", err, out)
		}
		out, err = h.run("unlock", "--owner", string(owner[1]))
	}
}
