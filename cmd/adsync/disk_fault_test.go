package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/testing/syscalls"
)

var applyDiskFaults = flag.Int("apply-disk-faults", 8, "at every how manieth fsync of a thread of apply the disk fails")

// TestApplyStopsAtAFailedFsync has the real command run into an fsync that
// fails, once and from then on, at one after the other: what comes after it
// changes nothing at the service, and the next apply ends it, with one of
// everything (faults.md S10, invariant 3).
func TestApplyStopsAtAFailedFsync(t *testing.T) {
	t.Parallel()
	if !syscalls.Available() {
		t.Run("without tracing", func(t *testing.T) { newDiskHistory(t).everyFsyncFails() })
		return
	}
	failed, changed := 0, 0
	for _, count := range []string{"%d", "%d+"} {
		for n := 1; ; n += *applyDiskFaults {
			h := newDiskHistory(t)
			hit, sent := h.fsyncFails(fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when="+count, n))
			if !hit {
				break
			}
			failed++
			if sent {
				changed++
			}
		}
	}
	// which thread makes a call is not ours to say
	t.Logf("%d faults, %d of them after something was sent", failed, changed)
	if failed < 4 {
		t.Errorf("%d faults; want some at the start and some later", failed)
	}
	t.Run("the folder alone", func(t *testing.T) { newDiskHistory(t).folderFails() })
	t.Run("without tracing", func(t *testing.T) { newDiskHistory(t).everyFsyncFails() })
}

// newDiskHistory is a history whose apply sends one request after the other: an
// upload, a job, a follow-up, and what activates.
func newDiskHistory(t *testing.T) *history {
	t.Helper()
	h := newHistory(t, rand.New(rand.NewPCG(1, 1)), generous)
	h.shop.campaigns = []*shopCampaign{{ward: "C1",
		status: "active", budget: 50, tracking: "utm_source=chat", groups: []*shopGroup{
			{ward: "C1-G1", bid: 100, ads: []*shopAd{{ward: "C1-G1-A1", status: "active", picture: true}}},
		}}}
	h.shop.write(t, h.dir)
	return h
}

// fsyncFails runs apply into a fault; hit is false where it ended before. Sent
// says that the service had been asked to change something by then.
func (h *history) fsyncFails(inject string) (hit, sent bool) {
	h.t.Helper()
	c, said := h.command("apply", "--yes")
	log := filepath.Join(h.t.TempDir(), "calls")
	traced := syscalls.Under(c, log, "-e", inject)
	failure := traced.Run()
	calls, err := syscalls.Read(log)
	noError(h.t, err)
	folder := filepath.Join(h.dir, ".adsync")
	stops, results := false, false
	// the folder's own fsync after that of what is known of reviews may be the first to fail of its thread
	reviews := strings.Contains(said.String(), "the reviews could not be kept: sync "+folder+": ")
	for _, call := range calls {
		switch {
		case call.Injected && !stops && strings.HasPrefix(filepath.Base(call.Path), ".review.json"):
			reviews = true // what is known of them is no part of the state, and kept after the run
		case call.Injected && (call.Path == folder || filepath.Dir(call.Path) == folder):
			// SQLite fsyncs the folder too and says nothing. Where the kernel fails
			// it, our own descriptor of the folder is told; where a test does, once,
			// it is not.
			hit = true
			stops = stops || call.Path != folder || strings.HasSuffix(inject, "+")
		case call.Injected && !stops:
			results = true // a result copy, which comes last: the state had no part in how the run ended
		case changes(call) && stops:
			h.t.Fatalf("%s: sent after an fsync had failed: %.60q\n%s", inject, call.Data, said)
		case changes(call):
			sent = true
		}
	}
	if reviews && !strings.Contains(said.String(), "the reviews could not be kept: ") {
		h.t.Errorf("%s: it says %q; want that the reviews could not be kept", inject, said.String())
	}
	if stops && !results && !reviews && failure != nil {
		h.explained(inject, traced.ProcessState.ExitCode(), said.String(), sent)
	}
	h.finish()
	h.check()
	return hit, sent
}

// explained holds how a run ends whose disk failed.
func (h *history) explained(fault string, code int, said string, sent bool) {
	h.t.Helper()
	// an upload alone changes nothing
	want := map[int]bool{console.ExitUsage: true, console.ExitPartial: sent, console.ExitUnknown: sent}
	if !want[code] || !strings.Contains(said, "ADS3006") {
		h.t.Errorf("%s: exit code %d, and it says %q; want 4, or 8 or 9 once something was sent, and ADS3006",
			fault, code, said)
	}
}

// folderFails has every fsync of the folder fail from one on, where the state is
// there and SQLite makes its log anew: it says nothing of that.
func (h *history) folderFails() {
	h.t.Helper()
	h.finish()
	hits := 0
	for n := 1; hits < 3 && n <= 6; n++ { // which thread makes a call is not ours to say
		h.shop.addGroup(h.shop.campaigns[0])
		h.shop.write(h.t, h.dir)
		before, log := h.created(), filepath.Join(h.t.TempDir(), "calls")
		c, said := h.command("apply", "--yes")
		failure := syscalls.Under(c, log, "-P", filepath.Join(h.dir, ".adsync"),
			"-e", fmt.Sprintf("inject=fsync:error=EIO:when=%d+", min(n, 2))).Run()
		calls, err := syscalls.Read(log)
		noError(h.t, err)
		hit := 0
		for _, call := range calls {
			if call.Injected {
				hit++
			}
		}
		hits += hit
		if after := h.created(); hit > 0 && (failure == nil || len(after) != len(before)) {
			h.t.Errorf("fsyncs of the folder from the %d. on fail: %v, %d created; want an error, and none\n%s",
				n, failure, len(after)-len(before), said)
		}
		h.finish()
		h.check()
	}
	if hits < 2 {
		h.t.Errorf("%d fsyncs failed; want one as the state is opened, and one after it", hits)
	}
}

// changes reports whether a call sends a request that changes something.
func changes(c syscalls.Call) bool {
	method, path, _ := strings.Cut(string(c.Data[:min(len(c.Data), 64)]), " ")
	return c.Name == "write" && (method == "POST" || method == "PATCH" || method == "DELETE") &&
		strings.HasPrefix(path, "/v1/") && !bytes.Contains(c.Data, []byte(`"validate_only":true`))
}

// everyFsyncFails needs no tracing: the kernel refuses every fsync of apply.
func (h *history) everyFsyncFails() {
	h.t.Helper()
	c, said := h.command("apply", "--yes")
	c.Env = append(c.Env, withoutSync+"=1")
	h.sendsNothing("every fsync", c, said)
	h.finish()
	h.check()
}

// TestApplyOnAStateItCannotWriteSendsNothing has apply begin on a folder that is
// read-only, and on a disk that is full (faults.md S9, S18).
func TestApplyOnAStateItCannotWriteSendsNothing(t *testing.T) {
	t.Parallel()
	t.Run("a folder where nobody can make a file", func(t *testing.T) {
		h := newDiskHistory(t)
		folder := filepath.Join(h.dir, ".adsync")
		noError(t, os.Symlink("/proc", folder))
		c, said := h.command("apply", "--yes")
		h.sendsNothing("a folder of the kernel", c, said)
		noError(t, os.Remove(folder))
		h.finish()
		h.check()
	})
	if !syscalls.Available() {
		return
	}
	for name, inject := range map[string]string{ // the last three: what the look before the first write tries
		"a full disk":                        "inject=pwrite64,write,ftruncate:error=ENOSPC",
		"a full disk, no file any more":      "inject=openat:error=ENOSPC",
		"a file system that is read-only":    "inject=openat,renameat,unlinkat:error=EROFS",
		"a disk that makes nothing durable":  "inject=fsync:error=EIO:when=1",
		"a file system that renames nothing": "inject=renameat,renameat2:error=EXDEV",
		"a file system that locks nothing":   "inject=flock:error=ENOLCK",
	} {
		t.Run(name, func(t *testing.T) {
			h := newDiskHistory(t)
			folder := filepath.Join(h.dir, ".adsync")
			noError(t, os.MkdirAll(folder, 0o700))
			options := []string{"-e", inject}
			for _, file := range []string{"lock", "probe.new", "state.db.new", "state.db.new-journal"} {
				options = append(options, "-P", filepath.Join(folder, file))
			}
			c, said := h.command("apply", "--yes")
			h.sendsNothing(name, syscalls.Under(c, filepath.Join(t.TempDir(), "calls"), options...), said)
			h.finish()
			h.check()
		})
	}
}

// sendsNothing runs an apply that cannot begin.
func (h *history) sendsNothing(fault string, c *exec.Cmd, said *bytes.Buffer) {
	h.t.Helper()
	failure := c.Run()
	if n := len(h.created()); failure == nil || n != 0 {
		h.t.Fatalf("%s: %v, %d created; want an error, and none\n%s", fault, failure, n, said)
	}
	h.explained(fault, c.ProcessState.ExitCode(), said.String(), false)
}
