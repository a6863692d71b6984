package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/testing/pgtest"
	"adsync/internal/testing/syscalls"
	"adsync/state"
)

var (
	databaseAccounts = flag.Int("database-accounts", 3, "how many accounts have their states in one database")
	databaseKills    = flag.Int("database-kills", 8, "how many times a worker or that database is killed")
	promotions       = flag.Int("promotions", 1, "how many times a standby of it is promoted")
)

const (
	testLease        = time.Second // of a worker
	workersOfAccount = 2           // apply at once: while one is frozen, or waits for a lease, another is killed
	killsOfAFleet    = 60          // then it is of other accounts
)

// TestKilledWithItsDatabaseLeavesOneOfEverything has several processes apply files that change to a few accounts whose
// states are in one database. They are killed and frozen, the server is killed, and its standby is promoted. In the
// end each account has one of everything, as the files say, no campaign ever had a budget that no file asked for, and
// nothing is left to do.
func TestKilledWithItsDatabaseLeavesOneOfEverything(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 25)
	start := time.Now()
	for n := 0; f.strikes() < *databaseKills || f.promoted < *promotions; n++ {
		f.populate(n)
		f.live(min(killsOfAFleet, *databaseKills-f.strikes()),
			min(*promotions-f.promoted, 1+*promotions*killsOfAFleet/(*databaseKills+1)))
	}
	t.Logf("seed %d, %.0f s: %d kills of workers, %d of the server, %d freezes, %d promotions; %d doubled, %d lost, "+
		"second plan empty %d times; slowest apply after the faults %s\n  %s\n  %s", *killSeed,
		time.Since(start).Seconds(), f.killed.Load(), f.serverKills, f.frozen.Load(), f.promoted, f.sum.doubled,
		f.sum.lost, f.sum.empty, f.slowest.Round(time.Millisecond), &f.late, perKind(f.codes))
	if n := f.codes["exit 8 "+changedBack]; n > f.late.effective {
		t.Errorf("%d applies did not read back what they lowered, and %d stale writes had an effect; want no more",
			n, f.late.effective)
	}
	if f.sum.doubled+f.sum.lost > 0 || f.sum.empty == 0 {
		t.Errorf("%d doubled, %d lost, %d second plans empty; want 0, 0 and some",
			f.sum.doubled, f.sum.lost, f.sum.empty)
	}
	if f.late.left > 0 || f.late.effective == 0 && *databaseKills >= killsOfAFleet {
		t.Errorf("%s; want some with effect, and none left", &f.late)
	}
}

// fleet is accounts with their states in one database, and the processes that apply to them.
type fleet struct {
	t        *testing.T
	random   *rand.Rand
	accounts []*history
	server   *pgtest.Server
	database atomic.Pointer[string] // its address, for a process that begins now

	killed, frozen        atomic.Int64
	serverKills, promoted int
	slowest               time.Duration // from the end of all faults until an account is as its files say
	sum                   tally
	late                  staleWrites

	editing sync.Mutex

	mu    sync.Mutex
	codes map[string]int // how processes ended
}

// newFleet is one with a database and no accounts yet; what it draws is of the seed and of a stream of its own.
func newFleet(t *testing.T, stream uint64) *fleet {
	t.Helper()
	f := &fleet{t: t, random: rand.New(rand.NewPCG(*killSeed, stream)), codes: map[string]int{}}
	f.server = pgtest.Start(t, "fsync=off", "max_connections=100")
	f.server.Exec(t, "postgres", "CREATE DATABASE adsync")
	f.found("")
	f.witness()
	return f
}

// opened is its database, opened by this process.
func (f *fleet) opened() *state.Server {
	f.t.Helper()
	server, err := state.OpenServer(f.t.Context(), f.server.URL("adsync"), state.Options{})
	noError(f.t, err)
	return server
}

// found notes where the database is.
func (f *fleet) found(address string) {
	if address == "" {
		address = f.server.URL("adsync")
	}
	f.database.Store(&address)
}

// edit edits the files of an account.
func (f *fleet) edit(h *history) {
	f.editing.Lock()
	defer f.editing.Unlock()
	h.edit()
}

// turn edits all of an account, so that whoever has it next sends something newer.
func (f *fleet) turn(h *history) {
	f.editing.Lock()
	defer f.editing.Unlock()
	h.shop.turn()
	h.shop.write(h.t, h.dir)
}

// strikes is how many kills there were.
func (f *fleet) strikes() int { return int(f.killed.Load()) + f.serverKills }

// populate begins with accounts that have nothing yet; every other one has no bulk jobs, so that each of its updates is
// a request without a key.
func (f *fleet) populate(n int) {
	f.accounts = nil
	for i := range *databaseAccounts {
		id := fmt.Sprintf("adacct_kills_%d_%d", n, i)
		h := newHistoryOf(f.t, rand.New(rand.NewPCG(*killSeed, uint64(1000*n+i))), generous, id,
			[]string{"", "0s"}[i%2])
		h.before.emulator = &sender{h, h.before}
		h.env = append(h.env, atClock+"=", "ADSYNC_DATABASE_LEASE="+testLease.String())
		h.edit()
		f.accounts = append(f.accounts, h)
	}
}

// live strikes for so many times while workers apply, edits between, and judges what came of it.
func (f *fleet) live(kills, promotions int) {
	f.t.Helper()
	kills += f.strikes()
	promotions += f.promoted
	for f.strikes() < kills || f.promoted < promotions {
		stop := make(chan struct{})
		var workers sync.WaitGroup
		for range workersOfAccount * len(f.accounts) {
			random := rand.New(rand.NewPCG(f.random.Uint64(), 0))
			workers.Go(func() { f.work(random, stop) })
		}
		for range 3 + f.random.IntN(4) {
			time.Sleep(time.Duration(200+f.random.IntN(1500)) * time.Millisecond) // while they work
			f.edit(f.accounts[f.random.IntN(len(f.accounts))])
			switch {
			case f.promoted < promotions && f.random.IntN(3) == 0:
				f.promote()
			case f.random.IntN(2) == 0:
				f.server.Kill()
				f.serverKills++
				f.server.Run(f.t)
			}
		}
		close(stop)
		workers.Wait()
		f.judge()
		for _, h := range f.accounts {
			h.edit()
		}
	}
}

// promote has a standby take the place of a server that is killed. It has all that was acknowledged, as each commit
// waited for it; a person looks, and says so.
func (f *fleet) promote() {
	f.t.Helper()
	standby := f.server.Standby(f.t, "fsync=off", "max_connections=100")
	f.server.Exec(f.t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
	f.server.Exec(f.t, "postgres", "SELECT pg_reload_conf()")
	f.found(f.server.URL("adsync", standby))
	standby.AwaitReplay(f.t, f.server)
	time.Sleep(time.Duration(100+f.random.IntN(1000)) * time.Millisecond) // under load
	f.server.Kill()
	standby.Promote(f.t)
	f.server.Remove()
	f.server = standby
	f.promoted++
	f.found("")
	f.accept()
}

// accept says of each account that its state is whole, as `adsync state accept` does.
func (f *fleet) accept() {
	f.t.Helper()
	server := f.opened()
	defer server.Close()
	for _, h := range f.accounts {
		for until := time.Now().Add(time.Minute); ; {
			_, err := server.Accept(f.t.Context(), h.account, "a test", state.Options{}, nil)
			if err == nil || errors.Is(err, state.ErrNone) {
				break
			}
			if time.Now().After(until) {
				f.t.Fatalf("accept %s: %v", h.account, err)
			}
			time.Sleep(50 * time.Millisecond) // until the lease of who held it has ended
		}
	}
}

// work runs apply after apply, each with a fate of its own.
func (f *fleet) work(random *rand.Rand, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
			f.apply(f.accounts[random.IntN(len(f.accounts))], random)
		}
	}
}

// apply is one process, with a fate of its own: at a request, or at any time, it is killed, or frozen for half a lease
// to five. What it had sent may arrive as it wakes; or it is frozen between its look at the lease and what it sends.
func (f *fleet) apply(h *history, random *rand.Rand) {
	before := &executioner{strike: (*os.Process).Kill}
	before.emulator = &sender{h, before}
	line := httptest.NewServer(before)
	defer line.Close()
	c, said := f.command(h, "apply", "--yes")
	c.Env = append(c.Env, session.EnvBaseURL+"="+line.URL+"/v1")
	at := drawMoment(random)
	pause := testLease/2 + time.Duration(random.Int64N(int64(testLease*9/2)))
	freeze, turned := f.freezing(pause), random.IntN(3) == 0
	freezeTurned := func(p *os.Process) error {
		if turned {
			f.turn(h)
		} else {
			f.edit(h)
		}
		return freeze(p)
	}
	anyTime := false
	began := func() {}
	switch random.IntN(14) {
	case 0, 1, 6, 7:
		at = moment{n: random.IntN(3), changing: true, edge: onItsWay, afterward: pause}
		before.strike = freezeTurned
	case 2:
		before.strike = freeze
	case 3, 4:
		before.strike, anyTime = freeze, true
	case 5:
		at.n = never
		c, began = syscalls.Stopping(c, lookAtTheLease, 1+random.IntN(looksAtTheLease), func() {
			f.turn(h)
			f.frozen.Add(1)
			time.AfterFunc(pause, func() { _ = c.Process.Signal(syscall.SIGCONT) })
		})
	default:
		anyTime = random.IntN(2) == 0
	}
	if anyTime {
		at.n = never
	}
	if err := before.start(c, at); err != nil {
		f.t.Errorf("start apply: %v", err)
		return
	}
	began()
	if anyTime {
		after := time.Duration(random.Int64N(int64(time.Second)))
		defer time.AfterFunc(after, func() { _ = before.strike(c.Process) }).Stop()
	}
	_ = c.Wait() // its code is looked at
	f.ended(c, said.String())
}

// lookAtTheLease is the system call by which a process asks the clock that counts sleep: before each request, before
// each write to a socket of the service, and at each heartbeat.
const (
	lookAtTheLease  = "clock_gettime"
	looksAtTheLease = 30 // a thread of an apply makes, or fewer
)

// Two processes of one account are told different things, such as where the service is: neither is told the other's.
func TestProcessesOfAnAccountAreToldApart(t *testing.T) {
	h := &history{dir: t.TempDir(), env: make([]string, 1, 8)}
	first, _ := h.command("apply")
	second, _ := h.command("apply")
	first.Env = append(first.Env, "first")
	second.Env = append(second.Env, "second")
	if first.Env[1] != "first" {
		t.Errorf("the first process is told %q; want what is its own", first.Env[1])
	}
}

// never is after more requests than a process makes.
const never = 1 << 30

// freezing stops a process for a while.
func (f *fleet) freezing(pause time.Duration) func(*os.Process) error {
	return func(p *os.Process) error {
		err := p.Signal(syscall.SIGSTOP)
		if err == nil {
			f.frozen.Add(1)
			time.AfterFunc(pause, func() { _ = p.Signal(syscall.SIGCONT) })
		}
		return err
	}
}

// command is a process of an account whose state is in the database as it is now; it says all into one buffer.
func (f *fleet) command(h *history, args ...string) (*exec.Cmd, *bytes.Buffer) {
	c, said := h.command(args...)
	c.Env = append(c.Env, "ADSYNC_DATABASE="+*f.database.Load())
	c.Stdout = said
	return c, said
}

// changedBack is why an apply is done in part where a stale write changed back what it had lowered, before it read that
// again: what counts on the money waits for the next apply.
const changedBack = "decrease of it is not confirmed"

// changedSince is why another is: a stale write came between its plan and its write.
const changedSince = "it was changed since the plan was made"

// ended holds that a process ended as it may: done, killed, or kept from its account.
func (f *fleet) ended(c *exec.Cmd, said string) {
	code := c.ProcessState.ExitCode()
	how := fmt.Sprintf("exit %d", code)
	switch {
	case code == -1:
		f.killed.Add(1)
		how = "killed"
	case code != 0:
		said := whileItWaited.ReplaceAllString(said, "")
		words := strings.Join(strings.Fields(said), " ") // a report breaks its lines anywhere
		how += " " + one(words, "in use", "nothing more is sent", "went back in time, perhaps",
			"state database does not answer", changedBack, changedSince)
	}
	if strings.HasSuffix(how, " ") {
		f.t.Errorf("apply ended with %d and does not say why:\n%s", code, said)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.codes[how]++
}

// whileItWaited is what a process says while another one has its account: no reason to end.
var whileItWaited = regexp.MustCompile(`(?m)^.*in use by process .*(waiting until|waited for).*$`)

// one returns which of the parts a text has, "" where it has none.
func one(text string, parts ...string) string {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return part
		}
	}
	return ""
}

// finish lets apply come to its end. A machine that is busy enough ends a lease of a second by itself.
func (f *fleet) finish(h *history) {
	f.t.Helper()
	for until := time.Now().Add(time.Minute); ; {
		c, said := f.command(h, "apply", "--yes")
		err := c.Run()
		if err == nil {
			return
		}
		if c.ProcessState.ExitCode() != console.ExitLocked || time.Now().After(until) {
			f.t.Fatalf("apply of %s after the faults: %v\n%s", h.account, err, said)
		}
	}
}

// judge has every account come to what its files say, and looks at what the service did.
func (f *fleet) judge() {
	f.t.Helper()
	for _, h := range f.accounts {
		start := time.Now()
		f.finish(h)
		f.slowest = max(f.slowest, time.Since(start))
		h.env = append(h.env, "ADSYNC_DATABASE="+*f.database.Load())
		var sum staleWrites
		late, last := h.late(f.owners(h.account), &sum)
		if paused := h.latePauses(late, last); len(paused) > 0 {
			sum.paused = len(paused)
			f.restart(h, paused)
		}
		h.check()
		for _, m := range late {
			h.judgeLate(&sum, m, h.newest(m.ResourceID))
		}
		f.late.add(sum)
		f.sum.add(h.tally)
		*h.tally = tally{}
	}
}
