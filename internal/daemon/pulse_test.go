package daemon

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/planview"
)

// An account stands still once it gave no sign for ten minutes: neither a request,
// nor an effect, nor a wait that has an end. What moves, however slowly, does not,
// and no other account is taken for it.
func TestAnAccountThatHangsIsSaid(t *testing.T) {
	forever := func(ctx context.Context, _ Request) { <-ctx.Done() }
	for _, row := range []struct {
		name  string
		work  func(ctx context.Context, r Request)
		still time.Duration // from the beginning of its run on; 0: it does not
	}{
		{"hangs", forever, stillMost},
		{"hangs in a request, which has its own end",
			func(ctx context.Context, _ Request) { Away(ctx, 0, func() { <-ctx.Done() }) }, stillMost},
		{"hangs in a fetch that may take an hour", func(ctx context.Context,
			_ Request) {
			Away(ctx, time.Hour, func() { <-ctx.Done() })
		}, time.Hour + stillMost},
		{"hangs after its last effect", func(ctx context.Context, r Request) {
			time.Sleep(9 * time.Minute)
			r.Tell("outcome", nil)
			<-ctx.Done()
		}, 9*time.Minute + stillMost},
		{"hangs after its last request", func(ctx context.Context, _ Request) {
			time.Sleep(9 * time.Minute)
			Away(ctx, 0, func() { time.Sleep(time.Minute) })
			<-ctx.Done()
		}, 10*time.Minute + stillMost},
		{"has one goroutine that hangs, and one that ends", func(ctx context.Context, _ Request) {
			go Away(ctx, 0, func() { time.Sleep(time.Minute) })
			Away(ctx, 0, func() { <-ctx.Done() })
		}, time.Minute + stillMost},
		{"waits for an hour, as the service asked", func(ctx context.Context, _ Request) {
			Away(ctx, time.Hour, func() { time.Sleep(time.Hour) })
		}, 0},
		{"asks once in nine minutes", func(ctx context.Context, _ Request) {
			for range 20 {
				time.Sleep(9 * time.Minute)
				Away(ctx, 0, func() { time.Sleep(time.Second) })
			}
		}, 0},
		{"has one effect in nine minutes", func(_ context.Context, r Request) {
			for range 20 {
				time.Sleep(9 * time.Minute)
				r.Tell("outcome", nil)
			}
		}, 0},
		{"breaks off each time", func(context.Context, Request) { panic("a mistake") }, 0},
		{"has nothing to do", func(context.Context, Request) {}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			worker := &robot{work: func(ctx context.Context, r Request) Result {
				row.work(ctx, r)
				return Result{Class: InSync}
			}}
			running(t, Options{}, []Account{accountOf("shop", worker), accountOf("other", &robot{})}, func(h *Hub) {
				began := time.Now()
				for time.Since(began) < 4*time.Hour {
					pass(30 * time.Second)
					err := h.Alive()
					late := row.still > 0 && time.Since(began) > row.still
					if late != (err != nil) {
						t.Errorf("%s after its run began: %v; want it to stand still: %t", time.Since(began), err, late)
						return
					}
					if err != nil && (!strings.Contains(err.Error(), "shop stands still since ") ||
						strings.Contains(err.Error(), "other")) {
						t.Errorf("it is said as %q; want the account that does, and since when", err)
						return
					}
				}
			})
		})
	}
}

// What hangs beside a run is seen as well: before the first one, and behind the last.
func TestALoopThatHangsIsSaid(t *testing.T) {
	for _, at := range []string{"orders", "status"} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stuck := &stuckAt{paper: &paper{}, at: at, ended: make(chan struct{})}
				a := accountOf("shop", &robot{})
				a.Orders, a.Every = stuck, time.Hour
				a.Shown = func(s Status, _ *planview.Document) {
					if !s.Running {
						stuck.hang("status")
					}
				}
				h := New(Options{Random: func() float64 { return 0 }})
				ctx, cancel := context.WithCancel(t.Context())
				over := make(chan struct{})
				go func() { defer close(over); h.Run(ctx, []Account{a}, nil) }()
				pass(stillMost)
				if err := h.Alive(); err != nil {
					t.Errorf("after %s: %v; want it said later", stillMost, err)
				}
				pass(time.Second)
				if h.Alive() == nil {
					t.Errorf("after %s and a second nothing is said; want that it stands still", stillMost)
				}
				close(stuck.ended)
				cancel()
				<-over
			})
		})
	}
}

// stuckAt are orders that hang at one place.
type stuckAt struct {
	*paper
	at    string
	ended chan struct{}
}

func (s *stuckAt) hang(at string) {
	if s.at == at {
		<-s.ended
	}
}

func (s *stuckAt) Suspension(now time.Time) *Suspension {
	s.hang("orders")
	return s.paper.Suspension(now)
}

// An account of another configuration waits for the run of the one before to end;
// where that hangs, so does the account.
func TestARunThatHangsIsSaidThoughItsAccountChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		a := accountOf("shop", &robot{work: func(context.Context, Request) Result {
			<-release
			return Result{Class: Stopped}
		}})
		b := a
		b.Version = "another"
		h := New(Options{Random: func() float64 { return 0 }})
		ctx, cancel := context.WithCancel(t.Context())
		changes, over := make(chan []Account), make(chan struct{})
		go func() { defer close(over); h.Run(ctx, []Account{a}, changes) }()
		pass(5 * time.Minute)
		changes <- []Account{b}
		pass(stillMost)
		if err := h.Alive(); err != nil {
			t.Errorf("%s after its configuration changed: %v; want time for the run to end", stillMost, err)
		}
		pass(time.Second)
		if err := h.Alive(); err == nil {
			t.Error("the run before hangs, and nothing is said")
		}
		cancel()
		close(release)
		<-over
	})
}

// Who waits for a place does not stand still as long as places are given: a
// hundred accounts with one place may wait for half an hour.
func TestWhoWaitsForAPlaceDoesNotStandStill(t *testing.T) {
	var accounts []Account
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		accounts = append(accounts, accountOf(name, &robot{work: func(ctx context.Context, _ Request) Result {
			time.Sleep(9 * time.Minute)
			return Result{Class: InSync}
		}}))
	}
	running(t, Options{Places: 1, Patience: 9 * time.Minute}, accounts, func(h *Hub) {
		for range 5 * 60 {
			pass(time.Minute)
			if err := h.Alive(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	running(t, Options{Places: 1, Patience: 24 * time.Hour}, accounts[:2], func(h *Hub) { // no place is ever given back
		_ = h.places.take(context.Background())
		pass(time.Hour)
		if h.Alive() == nil {
			t.Error("nobody has had a place for an hour, and nothing is said")
		}
		h.places.give()
	})
}
