package state

import (
	"bytes"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/testing/syscalls"
)

var diskFaults = flag.Int("disk-faults", 9, "at every how manieth call of a writer the disk fails")

// writerSteps is how many steps a writer takes where the disk fails.
const writerSteps = 3

// stateFiles are those of a state, with the names they have while they are made.
var stateFiles = []string{
	".", databaseName, databaseName + "-wal", databaseName + ".new",
	databaseName + ".new-wal", databaseName + ".new-journal",
	markName, markName + ".new", probeName, probeName + ".new",
}

// S9, S10: at call after call the disk is full for good, or an fsync of a file or
// of the folder fails once. The store acknowledges nothing that is not there, does
// nothing after it, and what was acknowledged is found by the next process.
func TestDiskThatFailsAtAnyCallStopsTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	if !syscalls.Available() {
		t.Run("without tracing", fsyncFailsFromNowOn)
		return
	}
	for _, fault := range []struct {
		calls, failure, count string
		harmless              bool // some of the calls are not needed
	}{
		{"fsync,fdatasync", "EIO", "%d", false},
		{"pwrite64,write,ftruncate", "ENOSPC", "%d+", false},
		{"pwrite64", "EIO", "%d", false},
		{"renameat,renameat2,rename", "EIO", "%d", false},
		{"open,openat", "ENOSPC", "%d+", true},
	} {
		t.Run(fault.calls+" "+fault.failure, func(t *testing.T) {
			hit := 0
			for n := 1; ; n += *diskFaults {
				inject := fmt.Sprintf("inject=%s:error=%s:when="+fault.count, fault.calls, fault.failure, n)
				if !diskFails(t, inject, fault.harmless) {
					break
				}
				hit++
			}
			if hit == 0 {
				t.Error("no call failed; want some")
			}
		})
	}
	t.Run("without tracing", fsyncFailsFromNowOn)
}

// diskFails runs a writer into a fault; false when it ended before.
func diskFails(t *testing.T, inject string, harmless bool) bool {
	t.Helper()
	dir, log := filepath.Join(memoryFolder(t), "state"), filepath.Join(t.TempDir(), "calls")
	options := []string{"-e", inject}
	for _, name := range stateFiles {
		options = append(options, "-P", filepath.Join(dir, name))
	}
	a := newAcknowledged()
	complaint := a.run(t, syscalls.Under(steps(dir, writerSteps), log, options...))
	calls, err := syscalls.Read(log)
	must(t, err)
	injected := 0
	for _, c := range calls {
		if c.Injected {
			injected++
			// SQLite goes on where the folder of its log fails; the mark tells a log that went
			harmless = harmless || c.Path == dir
		}
	}
	if injected == 0 {
		return false
	}
	// only the checkpoint at its close failed: the log stays
	whole := a.taken == writerSteps && len(a.bound) == writerSteps
	if complaint == "" && (whole || harmless && len(a.closed) > 0) {
		complaint = "nothing: it went on to its end"
	}
	a.stopped(t, inject, complaint, dir)
	return true
}

// stopped holds that a writer ended with a reason, and what it had acknowledged
// against the state the next one finds.
func (a *acknowledged) stopped(t *testing.T, fault, complaint, dir string) {
	t.Helper()
	if complaint == "" || strings.Contains(complaint, "want ErrSuspect") || strings.Contains(complaint, "panic") {
		t.Errorf("%s: the writer ended with %q; want a reason, and no write after it", fault, complaint)
	}
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatalf("%s: the next process: %v", fault, err)
	}
	if a.lineage != "" && s.Header().Lineage != a.lineage {
		t.Errorf("%s: lineage went from %s to %s, want one for ever", fault, a.lineage, s.Header().Lineage)
	}
	a.check(t, s)
	must(t, s.Close())
}

// run takes down what a writer says, and gives what it complains of.
func (a *acknowledged) run(t *testing.T, c *exec.Cmd) (complaint string) {
	t.Helper()
	var said, complains bytes.Buffer
	c.Stdout, c.Stderr = &said, &complains
	_ = c.Run() // how it ended is told by what it says
	for line := range strings.Lines(said.String()) {
		a.note(t, strings.TrimSpace(line))
	}
	return complains.String()
}

// fsyncFailsFromNowOn needs no tracing: the kernel refuses every fsync of the
// writer after its second step.
func fsyncFailsFromNowOn(t *testing.T) {
	dir, a := filepath.Join(t.TempDir(), "state"), newAcknowledged()
	c := steps(dir, 9)
	c.Env = append(c.Env, "ADSYNC_STATE_SYNC_FAILS_AFTER=2")
	complaint := a.run(t, c)
	if len(a.begun) != 2 || !strings.Contains(complaint, ErrSuspect.Error()) {
		t.Errorf("%d steps were begun, and the writer says %q; want 2 and %q", len(a.begun), complaint, ErrSuspect)
	}
	a.stopped(t, "every fsync", complaint, dir)
}
