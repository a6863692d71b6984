package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/comments"
	"adsync/internal/figures"
	"adsync/internal/icons"
	"adsync/internal/orders"
	"adsync/internal/outside"
	"adsync/internal/runview"
)

// robot is a Worker that ends as the test says, and notes when it was asked.
type robot struct {
	work func(ctx context.Context, r Request) Result

	mu       sync.Mutex
	requests []Request
	at       []time.Time
	running  int
	twice    bool
}

func (r *robot) Run(ctx context.Context, request Request) Result {
	r.mu.Lock()
	r.requests, r.at = append(r.requests, request), append(r.at, time.Now())
	r.running++
	r.twice = r.twice || r.running > 1
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.running--
		r.mu.Unlock()
	}()
	if r.work == nil {
		return Result{Class: InSync}
	}
	return r.work(ctx, request)
}

func (r *robot) runs() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.requests)
}

func (r *robot) last() Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests[len(r.requests)-1]
}

// gaps are the times between runs.
func (r *robot) gaps() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var gaps []time.Duration
	for i := 1; i < len(r.at); i++ {
		gaps = append(gaps, r.at[i].Sub(r.at[i-1]))
	}
	return gaps
}

// always ends every run in a class.
func always(class Class) func(context.Context, Request) Result {
	return func(context.Context, Request) Result { return Result{Class: class} }
}

// paper are orders and archive in memory.
type paper struct {
	mu         sync.Mutex
	suspension *Suspension
	approvals  []Approval
	points     []Point
	wishes     Wishes
}

func (p *paper) Suspension(now time.Time) *Suspension {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.suspension; s != nil && (s.Until.IsZero() || now.Before(s.Until)) {
		return s
	}
	return nil
}

func (p *paper) Suspend(s Suspension) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.suspension = &s
	return nil
}

func (p *paper) Resume(orders.Ordered) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.suspension = nil
	return nil
}

func (p *paper) Pauses() ([]orders.StandingPause, error) { return nil, nil }
func (p *paper) Pause(orders.Pause) error                { return nil }
func (p *paper) GoOn(string, orders.GoOn) error          { return orders.ErrNoPause }

func (p *paper) Approvals() ([]Approval, error) { return p.approvals, nil }
func (p *paper) Approve(a Approval) error       { p.approvals = append(p.approvals, a); return nil }

func (p *paper) leave(w Wishes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wishes = w
}

func (p *paper) Take() (wishes Wishes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wishes, p.wishes = p.wishes, wishes
	return wishes
}

func (p *paper) Runs(context.Context) ([]runview.Head, error) { return nil, nil }
func (p *paper) Report(context.Context, string) (*runview.Document, error) {
	return nil, errors.New("none")
}
func (p *paper) Figures() figures.Kept { return figures.Kept{} }

func (p *paper) Outside() outside.Kept   { return outside.Kept{} }
func (p *paper) Icons() icons.Kept       { return icons.Kept{} }
func (p *paper) Comments() comments.Kept { return comments.Kept{} }
func (p *paper) Settings(context.Context, []string) (map[string]map[string]Setting, error) {
	return nil, nil
}

func (p *paper) Touched(context.Context, time.Time) ([]Touched, error) { return nil, nil }

func (p *paper) Ordered() ([]Ordered, error) { return nil, nil }

func (p *paper) Exposures() ([]Point, error) { return p.points, nil }
func (p *paper) Expose(point Point) error    { p.points = append(p.points, point); return nil }

func accountOf(name string, w Worker) Account {
	p := &paper{}
	return Account{Name: name, Worker: w, Orders: p, Archive: p, Every: time.Minute, Full: 24 * time.Hour}
}

// running runs a hub of accounts on a clock that only the test moves, until the
// test is over.
func running(t *testing.T, o Options, accounts []Account, test func(h *Hub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Random = func() float64 { return 0 }
		h := New(o)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); h.Run(ctx, accounts, nil) }()
		synctest.Wait()
		test(h)
		cancel()
		<-ended
	})
}

func pass(d time.Duration) { time.Sleep(d); synctest.Wait() }

func one(t *testing.T, r *robot, test func(h *Hub)) {
	t.Helper()
	running(t, Options{}, []Account{accountOf("a", r)}, test)
}

func TestWhatEachClassWaitsFor(t *testing.T) {
	minute := time.Minute
	for _, row := range []struct {
		class Class
		want  []time.Duration // between the first runs, with nothing happening
	}{
		{InSync, []time.Duration{minute, minute, minute}},
		{Applied, []time.Duration{minute, minute, minute}},
		{Held, []time.Duration{minute, minute, minute}},
		{Partial, []time.Duration{minute, minute, minute}},
		{Undecided, []time.Duration{minute, minute, minute}},
		{Input, []time.Duration{minute, minute, minute}},
		{Suspended, []time.Duration{minute, minute, minute}},
		{Transient, []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}},
		{Internal, []time.Duration{30 * time.Second, minute, 2 * minute}},
		{Locked, []time.Duration{15 * time.Second, 30 * time.Second, minute}},
		{Credentials, []time.Duration{10 * minute, 10 * minute, 10 * minute}},
		{Misplaced, []time.Duration{10 * minute, 10 * minute, 10 * minute}},
	} {
		t.Run(string(row.class), func(t *testing.T) {
			r := &robot{work: always(row.class)}
			one(t, r, func(h *Hub) {
				pass(time.Hour)
				if gaps := r.gaps(); len(gaps) < 3 || !slices.Equal(gaps[:3], row.want) {
					t.Errorf("after runs that end %s the loop waits %v; want %v",
						row.class, gaps[:min(3, len(gaps))], row.want)
				}
			})
		})
	}
}

func TestTheLongestPauses(t *testing.T) {
	for class, most := range map[Class]time.Duration{
		Transient: 15 * time.Minute, Internal: 15 * time.Minute, Locked: 2 * time.Minute,
	} {
		r := &robot{work: always(class)}
		one(t, r, func(h *Hub) {
			pass(12 * time.Hour)
			gaps := r.gaps()
			if got := slices.Max(gaps); got != most || gaps[len(gaps)-1] != most {
				t.Errorf("%s: the longest pause is %s, the last %s; want %s", class, got, gaps[len(gaps)-1], most)
			}
			if s, _ := h.Account("a"); s.Failures != r.runs() {
				t.Errorf("%s: %d failures in a row after %d runs", class, s.Failures, r.runs())
			}
		})
	}
}

// TestWhatWakesALoop: in every state, files and pushes begin a run at once, and
// what a person orders as well; nothing else does.
func TestWhatWakesALoop(t *testing.T) {
	for _, class := range []Class{InSync, Held, Input, Transient, Locked, Credentials, Misplaced, Internal} {
		for _, trigger := range []Trigger{Files, Push, Asked, Approved, Continued} {
			r := &robot{work: always(class)}
			one(t, r, func(h *Hub) {
				if err := h.Wake("a", trigger); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if r.runs() != 2 || !slices.Equal(r.last().Triggers, []Trigger{trigger}) {
					t.Errorf("%s: %d runs after %s, by %v; want a second one by it at once",
						class, r.runs(), trigger, r.last().Triggers)
				}
			})
		}
	}
}

// TestWhatTheServiceAskedForHolds: nothing but a person begins a run before.
func TestWhatTheServiceAskedForHolds(t *testing.T) {
	r := &robot{work: func(context.Context, Request) Result { return Result{Class: Transient, After: 7 * time.Minute} }}
	one(t, r, func(h *Hub) {
		_ = h.Wake("a", Files)
		_ = h.Wake("a", Push)
		pass(7*time.Minute - time.Second)
		if r.runs() != 1 {
			t.Errorf("%d runs within the seven minutes the service asked for; want the first alone", r.runs())
		}
		pass(time.Second)
		if want := []Trigger{Files, Push, Retried}; r.runs() != 2 || !slices.Equal(r.last().Triggers, want) {
			t.Errorf("%d runs after the seven minutes, the last by %v; want one more, by %v",
				r.runs(), r.last().Triggers, want)
		}
		_ = h.Wake("a", Asked)
		synctest.Wait()
		if r.runs() != 3 {
			t.Error("a person asked, and had to wait")
		}
	})
}

// TestC10TriggersOfARunGoOnAreOneRunAfterIt: two merges within an apply, told of
// by webhook and by poll, are one run once it has ended.
func TestC10TriggersWhileARunGoesOnAreOneRunAfterIt(t *testing.T) {
	r := &robot{}
	r.work = func(ctx context.Context, _ Request) Result {
		if r.runs() == 1 {
			time.Sleep(10 * time.Minute)
		}
		return Result{Class: Applied}
	}
	one(t, r, func(h *Hub) {
		for range 5 {
			_ = h.Wake("a", Push)
			_ = h.Wake("a", Files)
			pass(time.Minute)
		}
		if r.runs() != 1 {
			t.Fatalf("%d runs while the first goes on", r.runs())
		}
		pass(5 * time.Minute)
		if r.runs() != 2 || r.twice || !slices.Contains(r.last().Triggers, Push) ||
			!slices.Contains(r.last().Triggers, Files) {
			t.Errorf("%d runs, two at a time: %t, the last by %v; want one more, by all of it",
				r.runs(), r.twice, r.last().Triggers)
		}
	})
}

func TestAFreezeWindowThatEndsWakesTheLoop(t *testing.T) {
	r := &robot{}
	r.work = func(context.Context, Request) Result {
		if r.runs() == 1 {
			return Result{Class: Held, Until: time.Now().Add(90 * time.Second)}
		}
		return Result{Class: InSync}
	}
	account := accountOf("a", r)
	account.Every = time.Hour
	running(t, Options{}, []Account{account}, func(h *Hub) {
		pass(90 * time.Second)
		if r.runs() != 2 {
			t.Errorf("%d runs as the window ends; want a second one", r.runs())
		}
	})
}

// TestAStatusSaysWhatItsRunDoes: in the words that it gave last, and nothing once it has ended.
func TestAStatusSaysWhatItsRunDoes(t *testing.T) {
	one(t, &robot{work: func(_ context.Context, r Request) Result {
		r.Tell("outcome", map[string]any{"says": "applying 1 of 2: Boots"})
		r.Tell("outcome", map[string]any{"says": "applying 2 of 2: Hats"})
		r.Tell("wave", map[string]any{"wave": "start"})
		time.Sleep(10 * time.Second)
		return Result{Class: Applied}
	}}, func(h *Hub) {
		for _, want := range []string{"applying 2 of 2: Hats", ""} {
			if s, _ := h.Account("a"); s.Doing != want || s.Running != (want != "") {
				t.Errorf("it does %q (running: %v); want %q", s.Doing, s.Running, want)
			}
			pass(10 * time.Second)
		}
	})
}

// TestARunThatBreaksOffEndsAlone: the loop of the account, and those of others,
// go on; what it broke off with is logged without what is secret.
func TestARunThatBreaksOffEndsAlone(t *testing.T) {
	bad, good := &robot{work: func(context.Context, Request) Result { panic("no key-123 here") }}, &robot{}
	var log strings.Builder
	redact := func(text string) string { return strings.ReplaceAll(text, "loop_test.go", "[redacted]") }
	running(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Redact: redact},
		[]Account{accountOf("bad", bad), accountOf("good", good)}, func(h *Hub) {
			pass(10 * time.Minute)
			if bad.runs() < 3 || good.runs() < 10 {
				t.Errorf("%d and %d runs in ten minutes; want the loops to go on", bad.runs(), good.runs())
			}
			if s, _ := h.Account("bad"); s.State != Internal || !strings.Contains(s.Message, "a panic of type string") {
				t.Errorf("the account that breaks off shows %q, %q", s.State, s.Message)
			}
		})
	if text := log.String(); strings.Contains(text, "key-123") ||
		strings.Contains(text, "loop_test.go") || !strings.Contains(text, "TestARunThatBreaksOffEndsAlone") {
		t.Errorf("the log of what broke off has the secret, or no stack:\n%s", text)
	}
}

// TestNoAccountWaitsForAnother: one hangs for hours, wherever it does, and 99 go
// on as ever.
func TestNoAccountWaitsForAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, row := range []struct {
		name string
		hang func(ctx context.Context)
		late time.Duration // the most another account may wait for it, once
	}{
		{"while it waits for the network", func(ctx context.Context) { Away(ctx, 0, func() { <-ctx.Done() }) },
			time.Second},
		{"in a place nobody thought of", func(ctx context.Context) { <-ctx.Done() }, 40 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			stuck := &robot{work: func(ctx context.Context, _ Request) Result {
				row.hang(ctx)
				return Result{Class: Stopped}
			}}
			accounts := []Account{accountOf("stuck", stuck)}
			robots := []*robot{}
			for i := range 99 {
				r := &robot{work: func(context.Context, Request) Result {
					time.Sleep(10 * time.Millisecond)
					return Result{Class: InSync}
				}}
				robots = append(robots, r)
				accounts = append(accounts, accountOf(fmt.Sprintf("a%02d", i), r))
			}
			running(t, Options{Places: 1}, accounts, func(h *Hub) {
				began := time.Now()
				pass(6 * time.Hour)
				for i, r := range robots {
					late := max(slices.Max(r.gaps())-time.Minute, r.at[0].Sub(began))
					if r.runs() < 6*60-2 || late > row.late+2*time.Second {
						t.Errorf("account %d had %d runs in six hours, once %s late", i, r.runs(), late)
					}
				}
			})
			if stuck.runs() != 1 {
				t.Errorf("the account that hangs had %d runs", stuck.runs())
			}
		})
	}
}

// TestAWishIsAnsweredByTheRunThatTakesIt, also where that was woken by the clock before anybody heard of the wish: as a
// run that a person asked for, which is no look for other files alone.
func TestAWishIsAnsweredByTheRunThatTakesIt(t *testing.T) {
	r := &robot{work: always(InSync)}
	a := accountOf("a", r)
	running(t, Options{}, []Account{a}, func(h *Hub) {
		a.Orders.(*paper).leave(Wishes{Why: []Trigger{Approved, Asked, Approved}})
		pass(time.Minute)
		if got, want := r.last().Triggers, []Trigger{Approved, Asked, Poll}; !slices.Equal(got, want) {
			t.Errorf("the run that took the wishes answered %v; want %v", got, want)
		}
		if s, _ := h.Account("a"); !slices.Contains(s.Woken, Asked) {
			t.Errorf("the page says that %v woke it; want what was wished, too", s.Woken)
		}
		pass(time.Minute)
		if got := r.last().Triggers; !slices.Equal(got, []Trigger{Poll}) {
			t.Errorf("the run after answered %v; want a wish answered once", got)
		}
	})
}

// TestAFullReadingComesDaily, and again soon where it failed.
func TestAFullReadingComesDaily(t *testing.T) {
	var full atomic.Int32
	r := &robot{}
	r.work = func(_ context.Context, q Request) Result {
		if q.Full {
			full.Add(1)
		}
		if q.Full && full.Load() == 1 {
			return Result{Class: Transient}
		}
		return Result{Class: InSync}
	}
	one(t, r, func(h *Hub) {
		pass(24*time.Hour + time.Minute)
		if full.Load() != 2 {
			t.Errorf("the account was read in full %d times in a day; want once, and once more as that failed",
				full.Load())
		}
		pass(10 * 24 * time.Hour)
		if full.Load() != 12 {
			t.Errorf("the account was read in full %d times in eleven days; want 12", full.Load())
		}
	})
}

func TestASuspensionIsPlannedAndEnds(t *testing.T) {
	r := &robot{work: func(_ context.Context, q Request) Result {
		if q.PlanOnly {
			return Result{Class: Suspended}
		}
		return Result{Class: InSync}
	}}
	one(t, r, func(h *Hub) {
		noError(t, h.Order(context.Background(), "a", Suspending(Suspension{
			By: "anna", Since: time.Now(), Until: time.Now().Add(90 * time.Second),
		})))
		synctest.Wait()
		if s, _ := h.Account("a"); !r.last().PlanOnly ||
			s.State != Suspended || s.Suspended == nil || s.Suspended.By != "anna" {
			t.Errorf("after suspend: plan only %t, state %s, suspension %v", r.last().PlanOnly, s.State, s.Suspended)
		}
		pass(90 * time.Second)
		if s, _ := h.Account("a"); r.last().PlanOnly ||
			s.State != InSync || s.Suspended != nil || !slices.Contains(r.last().Triggers, Continued) {
			t.Errorf("after its end: plan only %t, state %s, suspension %v, woken by %v",
				r.last().PlanOnly, s.State, s.Suspended, r.last().Triggers)
		}
		noError(t, h.Order(context.Background(), "a", Suspending(Suspension{By: "anna"})))
		synctest.Wait()
		noError(t, h.Order(context.Background(), "a", Resuming("bert", "", "")))
		synctest.Wait()
		if r.last().PlanOnly {
			t.Error("after resume the account is planned only")
		}
	})
}
