package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"adsync/internal/testing/syscalls"
)

var frozenCalls = flag.Int("frozen-calls", 1, "at how many writes of each thread an apply is frozen")

// TestFrozenAtAWrite freezes an apply at a write to a socket, of a commit or of a request, for half a lease to five.
// Another applies meanwhile, edited files. In the end the account is as the files say, with one of everything.
func TestFrozenAtAWrite(t *testing.T) {
	if !syscalls.Available() {
		t.Skip("strace may not trace here")
	}
	f := newFleet(t, 27)
	f.populate(2000)
	f.accounts = f.accounts[:1]
	h := f.accounts[0]
	frozen := 0
	for n := 1; n <= *frozenCalls; n++ {
		h.edit()
		c, said := f.command(h, "apply", "--yes")
		traced := syscalls.Under(c, filepath.Join(t.TempDir(), "calls"), "-e", "trace=write",
			"-e", fmt.Sprintf("inject=write:signal=SIGSTOP:when=%d", n))
		traced.Stdout, traced.Stderr = said, said
		traced.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		noError(t, traced.Start())
		ended := make(chan error, 1)
		go func() { ended <- traced.Wait() }()
		// each thread freezes the process once, and each time another may go on for as long
		for over := false; !over; {
			select {
			case <-ended:
				over = true
			case <-time.After(testLease/2 + time.Duration(f.random.Int64N(int64(testLease*9/2)))):
				frozen++
				h.edit()
				other, text := f.command(h, "apply", "--yes")
				_ = other.Run() // it may be kept out
				f.ended(other, text.String())
				noError(t, syscall.Kill(-traced.Process.Pid, syscall.SIGCONT))
			}
		}
		f.ended(traced, said.String())
		f.judge()
	}
	t.Logf("%d writes of each thread, %d waits for a process that is frozen or slow; %d doubled, %d lost, "+
		"second plan empty %d times\n  %s", *frozenCalls, frozen, f.sum.doubled, f.sum.lost, f.sum.empty,
		perKind(f.codes))
	if frozen == 0 || f.sum.doubled+f.sum.lost > 0 || f.sum.empty == 0 {
		t.Errorf("want freezes, none doubled, none lost, and empty second plans")
	}
}
