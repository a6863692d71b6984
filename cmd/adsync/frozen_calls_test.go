package main

import (
	"flag"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/testing/syscalls"
)

var frozenCalls = flag.Int("frozen-calls", 3, "at how many system calls an apply is frozen; 0: at each that it makes "+
	"from its first request that is no reading on")

// roundsOfAFleet is after how many rounds the accounts are other ones: what is edited grows.
const roundsOfAFleet = 8

// TestFrozenAtASystemCall freezes an apply as it comes back from a system call, of a commit or of a request, for half a
// lease to five. Others apply meanwhile, edited files. In the end the account is as the files say, with one of
// everything.
func TestFrozenAtASystemCall(t *testing.T) {
	t.Parallel()
	if !syscalls.Available() {
		t.Skip("strace may not trace here")
	}
	f := newFleet(t, 27)
	f.populate(2000)
	calls := f.callsOfAnApply(f.accounts[1]) // it has bulk jobs, and so validates before it begins
	all := len(calls)
	f.random.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	if *frozenCalls > 0 {
		calls = calls[:min(*frozenCalls, len(calls))]
	}
	rounds, start := 0, time.Now()
	for batch := range slices.Chunk(calls, len(f.accounts)) {
		if rounds++; rounds%roundsOfAFleet == 0 {
			f.populate(2000 + rounds)
		}
		var applies sync.WaitGroup
		for i, call := range batch {
			h, random := f.accounts[i], rand.New(rand.NewPCG(f.random.Uint64(), 0))
			h.edit()
			applies.Go(func() { f.freezeAt(h, call, random) })
		}
		applies.Wait()
		f.judge()
	}
	t.Logf("seed %d, %.0f s: %d of %d calls, %d freezes; %d doubled, %d lost, second plan empty %d times\n  %s\n  %s",
		*killSeed, time.Since(start).Seconds(), len(calls), all, f.frozen.Load(), f.sum.doubled, f.sum.lost,
		f.sum.empty, &f.late, perKind(f.codes))
	if f.sum.doubled+f.sum.lost+f.late.left > 0 || f.sum.empty == 0 {
		t.Errorf("want none doubled, none lost, none left, and empty second plans")
	}
}

// callsOfAnApply are the system calls of an apply from the first request on that is no reading.
func (f *fleet) callsOfAnApply(h *history) []syscalls.Nth {
	f.t.Helper()
	h.edit()
	c, said := f.command(h, "apply", "--yes")
	log := filepath.Join(f.t.TempDir(), "calls")
	c = syscalls.Listing(c, log)
	if err := c.Run(); err != nil {
		f.t.Fatalf("apply: %v\n%s", err, said)
	}
	calls, err := syscalls.From(log, "POST /v1/")
	noError(f.t, err)
	if len(calls) == 0 {
		f.t.Fatal("an apply makes no system calls; want some behind its first request that is no reading")
	}
	return calls
}

// freezeAt freezes an apply at a system call of each of its threads.
func (f *fleet) freezeAt(h *history, at syscalls.Nth, random *rand.Rand) {
	before := &executioner{}
	before.emulator = &sender{h, before}
	line := httptest.NewServer(before)
	defer line.Close()
	c, said := f.command(h, "apply", "--yes")
	c.Env = append(c.Env, session.EnvBaseURL+"="+line.URL+"/v1")
	stopped := make(chan struct{}, 1000)
	c, began := syscalls.Stopping(c, at.Name, at.N, func() { stopped <- struct{}{} })
	if err := before.start(c, moment{n: never}); err != nil {
		f.t.Errorf("start apply: %v", err)
		return
	}
	began()
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // its code is looked at
		close(ended)
	}()
	for {
		select {
		case <-ended:
			f.ended(c, said.String())
			return
		case <-stopped:
			f.frozen.Add(1)
			wake := time.After(testLease/2 + time.Duration(random.Int64N(int64(testLease*9/2))))
			f.edit(h)
			f.others(h, wake)
			_ = c.Process.Signal(syscall.SIGCONT)
		}
	}
}

// others apply to an account, again and again.
func (f *fleet) others(h *history, until <-chan time.Time) {
	for {
		other, text := f.command(h, "apply", "--yes")
		_ = other.Run() // it may be kept out
		f.ended(other, text.String())
		select {
		case <-until:
			return
		default:
		}
	}
}
