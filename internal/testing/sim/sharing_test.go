package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/testing/oracle"
	"adsync/internal/testing/twin"
	"adsync/reconcile"
	"adsync/state"
	"adsync/state/postgres"
)

// sharing is one state in a database, for all workers of the first agent.
type sharing struct {
	world    *world
	database *twin.Database
	workers  []*worker
	losses   []span // from when until when nothing was kept
}

// span is a time whose commits were lost.
type span struct{ from, to time.Time }

// lost reports whether what was written at a moment was lost later.
func (s *sharing) lost(at time.Time) bool {
	return s != nil && slices.ContainsFunc(s.losses, func(l span) bool { return !at.Before(l.from) && !at.After(l.to) })
}

// worker is a process that shares the state, and the one that begins where it was killed.
type worker struct {
	number int
	world  *world
	gate   *gate // nil: workers go one after the other
	lease  time.Duration

	mu      sync.Mutex
	line    fate     // what the line to the database does to the commit that comes
	current *process // its run
	valid   func() error
	process *twin.Process
	server  *state.Server
	stop    context.CancelFunc // kills it
}

// fate is what becomes of a step of a worker.
type fate string

const (
	passes     fate = ""
	cutBefore  fate = "is cut before it takes effect"
	cutAfter   fate = "takes effect, and its answer is lost"
	dies       fate = "kills its process"
	diesAfter  fate = "takes effect, and kills its process"
	leaseTaken      = 30 * time.Second
)

func (w *world) share(workers int) *sharing {
	s := &sharing{world: w, database: twin.New(time.Now)}
	w.history.Versions = map[int][]oracle.Version{} // those of a state of its own
	for i := range workers {
		s.workers = append(s.workers, &worker{number: i, world: w, lease: leaseTaken})
	}
	return s
}

// open has the worker's server begin, where it does not run.
func (k *worker) open(d *twin.Database) *state.Server {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.server == nil {
		ctx, stop := context.WithCancel(k.world.ctx)
		k.stop = stop
		k.process = d.Open(ctx, postgres.Options{
			Host: "sim", PID: k.number + 1, Command: "adsync daemon", Lease: k.lease,
		}, k.carry)
		k.server = state.NewServer(k.process)
	}
	return k.server
}

// closes ends the server: it gives back what it holds, or is killed.
func (k *worker) close(killed bool) {
	k.mu.Lock()
	process, stop := k.process, k.stop
	k.process, k.server = nil, nil
	k.mu.Unlock()
	if process == nil {
		return
	}
	if !killed {
		_ = process.Close() // the line may be cut
	}
	stop()
}

// carry is the line to the database. What is asked of a state that is open is decided before, in meets: a step that
// waits here holds nobody up.
func (k *worker) carry(ctx context.Context, what string, ask func() error) error {
	how := k.drawn(what)
	if !slices.Contains([]string{"commit", "read", "all", "owned"}, what) {
		how = k.meets(ctx, "database "+what)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case how == cutBefore || how == dies:
		return twin.ErrCut
	}
	err := ask()
	if how == diesAfter {
		k.kill()
	}
	if how == cutAfter || how == diesAfter {
		return errors.Join(twin.ErrCut, tookEffect(err))
	}
	return err
}

// tookEffect marks an answer that was lost and that would have been good.
func tookEffect(err error) error {
	if err != nil {
		return nil
	}
	return errTook
}

var errTook = errors.New("it took effect")

// drawn takes what was drawn for the commit that comes.
func (k *worker) drawn(what string) (how fate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if what == "commit" {
		how, k.line = k.line, passes
	}
	return how
}

// meets has a step wait until it is the worker's turn.
func (k *worker) meets(ctx context.Context, what string) fate {
	if k == nil || k.gate == nil {
		return passes
	}
	how := k.gate.wait(ctx, k, what)
	if how == dies {
		k.kill()
	}
	return how
}

// kill ends the run of a worker, and with it the process.
func (k *worker) kill() {
	if p := k.running(); p != nil {
		p.die()
	}
}

func (k *worker) running() *process {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current
}

func (k *worker) runs(p *process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current, k.valid = p, nil
}

// holds notes by what a worker may send.
func (k *worker) holds(valid func() error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.valid = valid
}

// late reports whether a worker may send nothing any more.
func (k *worker) late() bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.valid != nil && k.valid() != nil
}

// commits is a step that writes the state: it waits for its turn before, and may end its process behind it.
func (p *process) commits() (after func()) {
	how := p.worker.meets(p.ctx, "commit")
	if p.worker != nil {
		p.worker.mu.Lock()
		p.worker.line = how
		p.worker.mu.Unlock()
	}
	if how == diesAfter {
		return p.die
	}
	return func() {}
}

var errNoState = errors.New("the state could not be opened")

// start begins a process that shares the state. It waits until nobody has the state.
func (s *sharing) start(readOnly bool, d death, c cut) (*process, *reconcile.Agent) {
	k := s.workers[(s.world.processes*7+int(s.world.seed%5))%len(s.workers)]
	for range 1000 {
		p, agent, err := s.begin(k, readOnly, d, c)
		if err == nil {
			inner := p.left
			p.left = func() {
				inner()
				k.close(p.ended())
			}
			return p, agent
		}
		s.world.remark(err)
		if errors.Is(err, state.ErrLost) {
			s.accept(time.Minute)
		}
		time.Sleep(time.Second)
	}
	panic(fmt.Errorf("%w within 1000 seconds", errNoState))
}

// begin is one process of a worker, from the moment at which it has the state.
func (s *sharing) begin(k *worker, readOnly bool, d death, c cut) (*process, *reconcile.Agent, error) {
	w := s.world
	p := w.process(0, readOnly, d)
	p.worker = k
	k.runs(p)
	server := k.open(s.database)
	var store state.Store
	var err error
	if readOnly {
		store, err = server.OpenReadOnly(p.ctx, account)
	} else {
		store, err = server.Open(p.ctx, account, state.Options{
			Now: time.Now, Random: w.random, Sleep: func(d time.Duration) { _ = sleep(p.ctx, d) },
		})
	}
	if err != nil {
		p.end()
		return nil, nil, err
	}
	w.mu.Lock()
	p.commit = len(w.history.Commits) - 1 // files are read once the account is there: it may have been waited for
	w.mu.Unlock()
	var config adsapi.Config
	if lease, leased := store.(state.Lease); leased {
		config.Lease = lease.Valid
		k.holds(lease.Valid)
		if lease.TakenOver() {
			w.count("takeover")
		}
	}
	p.disk = w.disks[0].of(p)
	p.disk.Store = store
	p.left = func() {
		if !p.ended() {
			_ = store.Close()
		}
	}
	return p, w.agent(p, config, c), nil
}

// forget is what a loss of commits comes to: the serial goes back.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history.Versions, w.history.Forgot = map[int][]oracle.Version{}, true
	w.history.Alone = false // what was lost looks like another's
}

// both has two workers run at once: one waits until the other has given the state back, or is dead.
func (s *sharing) both(a action) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p, agent := s.start(false, a.Death, cut{})
		s.world.run(p, agent, 0)
	}()
	p, agent := s.start(false, death{}, a.Cut)
	s.world.run(p, agent, 0)
	<-done
}

// accept is adsync state accept: a person says that the state is whole, as of now, and what the audit log tells is put
// into it; false where a worker has it for so long.
func (s *sharing) accept(within time.Duration) bool {
	ctx, stop := context.WithCancel(s.world.ctx)
	defer stop()
	d := s.database.Open(ctx, postgres.Options{Host: "person"}, nil)
	defer d.Close()
	server := state.NewServer(d)
	for until := time.Now().Add(within); time.Now().Before(until); {
		var silent error
		_, err := server.Accept(ctx, account, "a person", state.Options{Now: time.Now},
			func(store state.Store) (found string, err error) {
				found, silent = s.recollect(store)
				return found, silent
			})
		switch {
		case silent != nil: // the service does not say, and nothing is accepted
			s.world.remark(silent)
		case err == nil:
			s.world.count("loss accepted")
			return true
		case errors.Is(err, state.ErrNone):
			return true
		case !errors.Is(err, state.ErrLocked):
			panic(fmt.Errorf("accept: %w", err))
		}
		time.Sleep(time.Second)
	}
	return false
}

// recollect finds again what was done, and is lost.
func (s *sharing) recollect(store state.Store) (string, error) {
	w := s.world
	p := w.process(0, true, death{})
	defer p.end()
	p.disk = w.disks[0].of(p)
	p.disk.Store = store
	found, err := reconcile.Recollect(p.ctx, w.agent(p, adsapi.Config{}, cut{}), w.desired(p).Snapshot)
	if err != nil {
		return "", err
	}
	w.tally.add("recollected at an accept", len(found.Taken))
	w.tally.add("left to people at an accept", len(found.Left))
	w.said(found.String())
	return found.String(), nil
}

func (s *sharing) close() {
	for _, k := range s.workers {
		k.close(false)
	}
}

// Invariants 1 to 26 of histories in which each run is of one of two or three workers that share the state: they die
// with what they hold, and wait for each other.
func TestHistoriesOfWorkers(t *testing.T) {
	all, began := newTally(), time.Now()
	for n := range uint64(max(*histories/3, 1)) {
		s := ofWorkers(*seed + n)
		bad := play(t, s, all)
		if bad == nil {
			continue
		}
		all.add("violation", 1)
		s, bad = shrink(s, bad, func(s script) error { return play(t, s, newTally()) })
		t.Errorf("history %d of workers: %v\n%s", *seed+n, bad, s)
		if all.Counts["violation"] >= *failures {
			break
		}
	}
	t.Logf("%d histories in %s\n%s", all.Counts["history"], time.Since(began).Round(time.Second), all)
	for what, most := range map[string]int{"takeover": 20, "crash": 20, "action both": 20} {
		if all.Counts[what] == 0 && *histories/3 >= most {
			t.Errorf("%s never happened", what)
		}
	}
}

// ofWorkers is the history of a number, every third one under guards or with wrong cells.
func ofWorkers(number uint64) script {
	var s script
	switch number % 6 {
	case 0:
		s = underGuards(number)
	case 1:
		s = withSpoiledCells(number)
	default:
		s = drawScript(number)
	}
	s.Workers, s.Disk = 2+int(number%2), false
	for i := range s.Actions {
		s.Actions[i].Agent = 0
	}
	return s
}
