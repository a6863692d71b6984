package daemon

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// world is what a robot works on for thousands of days: files that change, a
// service that is away, a holder of the lock, people who stop and go on.
type world struct {
	mu      sync.Mutex
	random  *rand.Rand
	files   int // the newest version
	applied int
	away    bool
	pushed  time.Time // the first push nobody has looked at; zero: none
	slowest time.Duration
	full    time.Time
	gap     time.Duration // the longest without a full reading, while the service was there
}

// TestTenThousandDays: whatever comes, in whatever order, one run at a time, a
// push is looked at as soon as nothing goes on, the account is read in full every day,
// and once trouble is over the newest files are applied.
func TestTenThousandDays(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		w := &world{random: rand.New(rand.NewPCG(7, 7)), full: time.Now()}
		r := &robot{}
		r.work = func(_ context.Context, q Request) Result { return w.work(q) }
		a := accountOf("a", r)
		a.Every = time.Hour
		h := New(Options{Random: w.chance})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); h.Run(ctx, []Account{a}, nil) }()
		days := 10_000
		if testing.Short() { // the race detector is slow
			days = 500
		}
		for range days {
			w.day(h)
		}
		w.set(func() { w.away = false })
		_ = h.Order(ctx, "a", Resuming("anna", "", ""))
		pass(time.Hour)
		if w.applied != w.files {
			t.Errorf("version %d is applied an hour after all trouble was over; want %d", w.applied, w.files)
		}
		if r.twice {
			t.Error("two runs went on at a time")
		}
		if most := 15 * time.Minute; w.slowest > most {
			t.Errorf("a push waited %s for its run; want no longer than a run takes", w.slowest)
		}
		if most := 25 * time.Hour; w.gap > most {
			t.Errorf("the account was not read in full for %s; want %s at most", w.gap, most)
		}
		t.Logf("%d runs in %d days, %d versions; longest wait of a push %s", r.runs(), days, w.files, w.slowest)
		cancel()
		<-ended
	})
}

// set changes the world.
func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *world) chance() (c float64) {
	w.set(func() { c = w.random.Float64() })
	return c
}

// draw is a time below most, or a number below it.
func (w *world) draw(most int64) (n int64) {
	w.set(func() { n = w.random.Int64N(most) })
	return n
}

// day lets a day pass with a few things happening in it.
func (w *world) day(h *Hub) {
	for range 4 {
		pass(time.Duration(w.draw(int64(12 * time.Hour))))
		switch w.draw(8) {
		case 0, 1, 2:
			w.set(func() {
				w.files++
				if w.pushed.IsZero() {
					w.pushed = time.Now()
				}
			})
			_ = h.Wake("a", []Trigger{Push, Files}[w.draw(2)])
		case 3:
			w.set(func() { w.away = !w.away })
		case 4:
			_ = h.Order(context.Background(), "a", Suspending(Suspension{
				By: "bert", Until: time.Now().Add(time.Duration(w.draw(int64(6 * time.Hour)))),
			}))
		case 5:
			_ = h.Order(context.Background(), "a", Resuming("anna", "", ""))
		case 6:
			_ = h.Wake("a", Asked)
		}
	}
	synctest.Wait()
}

func (w *world) work(q Request) (r Result) {
	read := 0
	w.set(func() {
		if read = w.files; !w.pushed.IsZero() {
			w.slowest = max(w.slowest, time.Since(w.pushed))
			w.pushed = time.Time{}
		}
	})
	time.Sleep(time.Duration(w.draw(int64(10 * time.Minute))))
	trouble, mistake := w.draw(50) == 0, w.draw(2000) == 0
	class := []Class{Locked, Transient, Internal}[w.draw(3)]
	w.set(func() {
		switch {
		case w.away:
			w.full = time.Now() // nobody can read it
			r = Result{Class: Transient}
			return
		case trouble:
			r = Result{Class: class}
			return
		case mistake:
			panic("a mistake")
		}
		if q.Full {
			w.gap = max(w.gap, time.Since(w.full))
			w.full = time.Now()
		}
		switch {
		case q.PlanOnly:
			r = Result{Class: Suspended}
		case read == w.applied:
			r = Result{Class: InSync, Skipped: !slices.Contains(q.Triggers, Asked)}
		default:
			w.applied = read
			r = Result{Class: Applied}
		}
	})
	return r
}
