package sim

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/testing/twin"
	"adsync/state"
)

// What an interleaving has beside its workers.
const (
	withLosses = 1 << iota // promotions may lose commits
	withPeople             // somebody edits the account while a worker is frozen
)

// interleave has all workers run again and again, with one step at a time: each question to the database and each
// request to the service is one. Who goes on is drawn, and what happens to it: it freezes, and its lease ends; it dies;
// its line is cut; a standby is promoted; two own the account at once; the files change. In the end everybody comes to
// the end of its run.
func (w *world) interleave(a action) {
	g := &gate{
		sharing: w.shared, draw: drawer{rand.New(rand.NewPCG(w.seed, uint64(a.Value)))},
		arrivals: make(chan *step, 1000), done: make(chan struct{}), frozen: map[*worker]time.Time{},
		loses: a.What&withLosses != 0, people: a.What&withPeople != 0,
	}
	var all sync.WaitGroup
	for _, k := range w.shared.workers {
		k.gate = g
		g.working.Add(1)
		all.Go(func() { defer g.working.Add(-1); g.work(k) })
	}
	g.run(a.Target)
	close(g.done)
	all.Wait()
	for _, k := range w.shared.workers {
		k.gate = nil
		k.close(false)
	}
	if g.lost && !g.sharing.accept(time.Hour) {
		w.wrong = errors.New("a loss cannot be accepted: the state is held for an hour")
	}
}

// gate is where every step of every worker waits for its turn.
type gate struct {
	sharing  *sharing
	draw     drawer
	arrivals chan *step
	done     chan struct{} // closed: nobody waits
	working  atomic.Int64
	over     atomic.Bool // nobody begins another run
	noticed  atomic.Bool // that commits were lost, or may have been
	loses    bool        // promotions may lose commits
	people   bool        // somebody edits the account

	waiting []*step
	frozen  map[*worker]time.Time // until when
	behind  *twin.Moment          // what a standby has that hears of nothing
	since   time.Time             // beside it: when that was
	lost    bool                  // commits were, and nobody has accepted that
}

// step is one that waits.
type step struct {
	worker *worker
	what   string
	ctx    context.Context
	turn   chan fate
}

func (g *gate) wait(ctx context.Context, k *worker, what string) fate {
	s := &step{worker: k, what: what, ctx: ctx, turn: make(chan fate, 1)}
	select {
	case g.arrivals <- s:
	case <-g.done:
		return passes
	}
	over := ctx.Done()
	if writes(s) { // a process that is frozen has a write under way
		over = nil
	}
	select {
	case how := <-s.turn:
		return how
	case <-over:
	case <-g.done:
	}
	return passes
}

// work is the runs of one worker, as a daemon makes them.
func (g *gate) work(k *worker) {
	s, w := g.sharing, g.sharing.world
	for n := 0; n == 0 || !g.over.Load(); n++ {
		p, agent, err := s.begin(k, false, death{}, cut{})
		switch {
		case err == nil:
			w.run(p, agent, 0)
			w.count("run of a worker")
		case errors.Is(err, state.ErrLost):
			w.count("loss noticed")
			g.noticed.Store(true)
		}
		w.remark(err)
		if dead := k.running(); dead != nil && dead.ended() {
			w.count("worker killed")
			k.close(true)
		}
		time.Sleep(time.Duration(1+(n*7+k.number*3)%10) * time.Second)
	}
}

// run lets so many steps meet what is drawn, and then all others pass.
func (g *gate) run(steps int) {
	for n := 0; ; n++ {
		synctest.Wait()
		g.gather()
		switch ready := g.ready(); {
		case g.working.Load() == 0:
			return
		case len(ready) == 0:
			g.await()
		case n < steps:
			g.strike(ready)
		case n == steps || !g.over.Load():
			g.calm()
		default:
			g.release(ready[g.draw.IntN(len(ready))], passes)
		}
	}
}

// calm ends all that is wrong.
func (g *gate) calm() {
	g.over.Store(true)
	clear(g.frozen)
	if g.lost {
		g.accepted()
	}
}

// gather takes the steps that have come, in an order that does not depend on who came first, and forgets those that
// nobody waits for any more.
func (g *gate) gather() {
	for {
		select {
		case s := <-g.arrivals:
			g.waiting = append(g.waiting, s)
			continue
		default:
		}
		break
	}
	g.waiting = slices.DeleteFunc(g.waiting, func(s *step) bool { return s.ctx.Err() != nil && !writes(s) })
	slices.SortStableFunc(g.waiting, func(a, b *step) int {
		return cmp.Or(cmp.Compare(a.worker.number, b.worker.number), strings.Compare(a.what, b.what))
	})
}

func (g *gate) ready() (ready []*step) {
	for _, s := range g.waiting {
		if !time.Now().Before(g.frozen[s.worker]) {
			ready = append(ready, s)
		}
	}
	return ready
}

// await lets time pass until a step comes, or a worker thaws.
func (g *gate) await() {
	wait := time.Minute
	for _, until := range g.frozen {
		if left := time.Until(until); left > 0 {
			wait = min(wait, left)
		}
	}
	select {
	case s := <-g.arrivals:
		g.waiting = append(g.waiting, s)
	case <-time.After(wait):
	}
}

func (g *gate) release(s *step, how fate) {
	w := g.sharing.world
	if how != passes {
		w.count("step that " + string(how))
	}
	if writes(s) && s.worker.late() && how != dies && how != cutBefore {
		w.count("stale write sent")
	}
	g.waiting = slices.DeleteFunc(g.waiting, func(one *step) bool { return one == s })
	s.turn <- how
}

// strike has something happen, and a step go on.
func (g *gate) strike(ready []*step) {
	w, s := g.sharing.world, ready[g.draw.IntN(len(ready))]
	if i := slices.IndexFunc(ready, writes); i >= 0 && g.draw.once(6) {
		g.freeze(ready[i])
		return
	}
	switch n := g.draw.IntN(1000); {
	case n < 20:
		g.freeze(s)
		return
	case n < 42:
		g.release(s, []fate{dies, diesAfter}[g.draw.IntN(2)])
		return
	case n < 62:
		g.release(s, []fate{cutBefore, cutAfter}[g.draw.IntN(2)])
		return
	case n < 70:
		g.edit()
		g.byHand(2)
	case n < 74:
		w.count("promotion that lost nothing")
		g.sharing.database.PromoteWhole()
	case n < 78 && g.loses:
		g.fallBehind()
	case n < 82 && g.noticed.Load():
		g.accepted()
		return
	case n < 84:
		w.count("two owners forced")
		g.sharing.database.EndLeases()
	case n < 100:
		time.Sleep(time.Duration(g.draw.Int64N(int64(leaseTaken / 3))))
		return
	}
	g.release(s, passes)
}

// writes reports whether a step is a request that changes something, behind the last look at the lease.
func writes(s *step) bool { return strings.HasPrefix(s.what, "request POST") }

// freeze stops a worker for half a lease to five. Meanwhile the files may come to say something else, and somebody may
// edit the account.
func (g *gate) freeze(s *step) {
	for range g.draw.IntN(4) {
		g.edit()
	}
	g.byHand(3)
	g.sharing.world.count("worker frozen")
	g.frozen[s.worker] = time.Now().Add(leaseTaken/2 + time.Duration(g.draw.Int64N(int64(leaseTaken*9/2))))
}

// fallBehind has a standby hear of nothing from now on, or promotes the one that does.
func (g *gate) fallBehind() {
	switch {
	case g.lost:
	case g.behind == nil:
		m := g.sharing.database.Moment()
		g.behind, g.since = &m, time.Now()
	default:
		g.sharing.world.count("promotion that lost commits")
		g.sharing.losses = append(g.sharing.losses, span{g.since, time.Now()})
		g.sharing.database.Promote(*g.behind)
		g.sharing.world.forget()
		g.behind, g.lost = nil, true
	}
}

// accepted is a person who looked at the account and goes on with what there is.
func (g *gate) accepted() {
	done := make(chan struct{})
	whole := false
	go func() { defer close(done); whole = g.sharing.accept(2 * time.Minute) }()
	for ended := false; !ended; { // leases end meanwhile, and whoever waits for its turn goes on
		synctest.Wait()
		g.gather()
		for _, s := range g.ready() {
			g.release(s, passes)
		}
		select {
		case <-done:
			ended = true
		case <-time.After(time.Second):
		}
	}
	g.lost = g.lost && !whole
	g.noticed.Store(false)
}

// edit changes the files, as somebody does while workers run.
func (g *gate) edit() {
	w := g.sharing.world
	w.count("edit between steps")
	w.collect()
	f := w.files()
	target, what, value := g.draw.IntN(21), g.draw.IntN(21), g.draw.IntN(61)
	if g.loses {
		what %= 2 // no name: what a state lost is known by it
	}
	edit(f, target, what, value)
	w.commit(f)
}

// byHand is what somebody does at the account, less often than so many times.
func (g *gate) byHand(most int) {
	if !g.people {
		return
	}
	for range g.draw.IntN(most) {
		a := action{Target: g.draw.IntN(21), What: g.draw.IntN(9), Value: g.draw.IntN(61)}
		if g.loses && a.What >= 3 && a.What <= 6 {
			a.What = 7 // no name: what a state lost is known by it
		}
		g.sharing.world.count("edit by hand between steps")
		time.Sleep(2 * time.Second) // as of any edit by hand
		g.sharing.world.foreign(a)
	}
}

// drawInterleaving draws files, and workers that apply them in whatever order.
func drawInterleaving(number uint64) script {
	d := drawer{rand.New(rand.NewPCG(number, 0x77656176))}
	s := script{Seed: number, Workers: 2 + d.IntN(2)}
	if d.once(2) {
		s.Points = d.Uint64()>>1 | 1
	}
	for range 3 + d.IntN(5) {
		s.Actions = append(s.Actions, action{Do: "add", What: d.IntN(21), Value: d.IntN(61)})
	}
	what, with := 21, 0
	if d.once(5) {
		what, with = 2, withLosses // no name is edited: what a state lost is known by it
	}
	// beside what is drawn of a number, so that it stays
	if (drawer{rand.New(rand.NewPCG(number, 0x70656f706c65))}).once(3) {
		with |= withPeople
	}
	for range 1 + d.IntN(2) {
		s.Actions = append(s.Actions,
			action{Do: "interleave", Target: 100 + d.IntN(300), Value: d.IntN(1 << 30), What: with},
			action{Do: "edit", Target: d.IntN(21), What: d.IntN(what), Value: d.IntN(61)})
	}
	return s
}

// Invariants 1 to 26, of two and three workers that share the state: nothing is made twice and nothing lost, and in
// the end the account is what the files say and nothing is left to do.
func TestInterleavings(t *testing.T) {
	all, began := newTally(), time.Now()
	for n := range uint64(*interleavings) {
		s := drawInterleaving(*seed + n)
		bad := play(t, s, all)
		if bad == nil {
			continue
		}
		all.add("violation", 1)
		s, bad = shrink(s, bad, func(s script) error { return play(t, s, newTally()) })
		t.Errorf("interleaving %d: %v\n%s", *seed+n, bad, s)
		if all.Counts["violation"] >= *failures {
			break
		}
	}
	t.Logf("%d interleavings in %s\n%s", all.Counts["history"], time.Since(began).Round(time.Second), all)
	if all.Counts["history"] < 100 {
		return
	}
	for _, what := range []string{
		"worker frozen", "worker killed", "stale write sent", "takeover", "two owners forced",
		"promotion that lost nothing", "promotion that lost commits", "edit between steps",
		"edit by hand between steps", "stale write that took effect", "stale write: put right",
	} {
		if all.Counts[what] == 0 {
			t.Errorf("%s never happened", what)
		}
	}
}
