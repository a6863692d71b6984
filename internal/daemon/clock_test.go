package daemon

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"adsync/internal/planview"
)

// wall is the clock of a machine that a test sets. What passes by its other clock,
// by which timers go, is for the test to say (pass): a clock that is set leaves it
// alone, and a machine that sleeps has it stand still.
type wall struct{ off atomic.Int64 }

func (w *wall) set(by time.Duration) { w.off.Add(int64(by)) }

type readings struct {
	wall uint64
	ext  int64
	loc  *time.Location
}

// now has both readings, as time.Now has outside of a bubble. No function of package
// time makes one, so that this knows how it lays a Time out.
func (w *wall) now() time.Time {
	passed := time.Now()
	shown := passed.Add(time.Duration(w.off.Load()))
	const both = 1 << 63
	of1885 := shown.Unix() - time.Date(1885, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	t := time.Now()
	*(*readings)(unsafe.Pointer(&t)) = readings{both | uint64(of1885)<<30 | uint64(shown.Nanosecond()),
		passed.UnixNano(), time.Local}
	return t
}

func TestTheClockOfATestHasTwoReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wall{}
		before := w.now()
		for _, by := range []time.Duration{8 * time.Hour, -24 * time.Hour} {
			w.set(by)
			time.Sleep(time.Second)
		}
		after := w.now()
		if !after.Equal(time.Now().Add(-16 * time.Hour)) {
			t.Errorf("it shows %s; want 16h before %s", after, time.Now())
		}
		if after.Sub(before) != 2*time.Second || after.Round(0).Sub(before.Round(0)) != 2*time.Second-16*time.Hour {
			t.Errorf("%s by one clock, %s by the other; want 2s and -15h59m58s",
				after.Sub(before), after.Round(0).Sub(before.Round(0)))
		}
	})
}

// jumping runs one account on a clock that is set.
func jumping(t *testing.T, r *robot, every time.Duration, test func(w *wall, h *Hub, a Account)) {
	t.Helper()
	w, account := &wall{}, accountOf("a", r)
	account.Every = every
	running(t, Options{Now: w.now}, []Account{account}, func(h *Hub) { test(w, h, account) })
}

// F18, S19, N20: a clock that is set, and a machine that slept for hours, hold up
// no look, and have none made twice.
func TestAClockThatJumpsHoldsUpNoLook(t *testing.T) {
	for _, by := range []time.Duration{8 * time.Hour, -8 * time.Hour, 400 * 24 * time.Hour, -400 * 24 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			r := &robot{}
			jumping(t, r, time.Minute, func(w *wall, h *Hub, _ Account) {
				pass(10*time.Minute + 30*time.Second)
				before := r.runs()
				w.set(by)
				pass(10 * time.Minute)
				if n := r.runs() - before; n < 10 || n > 11 || slices.Max(r.gaps()) > time.Minute {
					t.Errorf("%d looks in ten minutes, %s apart at the most; want one a minute",
						n, slices.Max(r.gaps()))
				}
				if err := h.Alive(); err != nil {
					t.Errorf("Alive() = %v", err)
				}
			})
		})
	}
}

// A machine that wakes looks soon, however seldom it is to look, and reads the whole
// account where a day has passed.
func TestAMachineThatSleptLooksSoon(t *testing.T) {
	r := &robot{}
	jumping(t, r, 6*time.Hour, func(w *wall, _ *Hub, _ Account) {
		pass(time.Hour)
		before := r.runs()
		w.set(8 * time.Hour)
		pass(dozeMost)
		if r.runs() != before+1 || !slices.Contains(r.last().Triggers, Poll) || r.last().Full {
			t.Errorf("%d runs in the ten minutes after eight hours of sleep, the last by %v, full %t; want one look",
				r.runs()-before, r.last().Triggers, r.last().Full)
		}
		w.set(16 * time.Hour)
		pass(dozeMost)
		if r.runs() != before+2 || !r.last().Full {
			t.Errorf("%d runs a day after the first, the last full %t; want the whole account read",
				r.runs()-before, r.last().Full)
		}
		pass(time.Hour)
		if r.runs() != before+2 {
			t.Errorf("%d runs in the hour after; want none", r.runs()-before-2)
		}
	})
}

// N1, N20: what the service asked for is kept, whatever the clock says.
func TestAClockThatJumpsBreaksNoRetryAfter(t *testing.T) {
	for _, by := range []time.Duration{8 * time.Hour, -8 * time.Hour} {
		r := &robot{work: func(context.Context, Request) Result {
			return Result{Class: Transient, After: 7 * time.Minute}
		}}
		jumping(t, r, time.Minute, func(w *wall, h *Hub, _ Account) {
			w.set(by)
			_ = h.Wake("a", Push)
			pass(7*time.Minute - time.Second)
			if r.runs() != 1 {
				t.Errorf("%d runs within the seven "+
					"minutes the service asked for, the clock set by %s; want the first alone", r.runs(), by)
			}
			pass(time.Second)
			if r.runs() != 2 {
				t.Errorf("%d runs after the seven minutes, the clock set by %s; want 2", r.runs(), by)
			}
		})
	}
}

// A freeze window and a suspension end when the clock on the wall says so: where it
// was put on within ten minutes, where it was put back that much later.
func TestWindowsAndSuspensionsEndByTheWall(t *testing.T) {
	for by, want := range map[time.Duration]time.Duration{2 * time.Hour: dozeMost, -2 * time.Hour: 3 * time.Hour} {
		var until time.Time
		w := &wall{}
		r := &robot{}
		r.work = func(_ context.Context, q Request) Result {
			if now := w.now().Round(0); now.Before(until) {
				return Result{Class: Held, Until: until}
			}
			return Result{Class: map[bool]Class{true: Suspended, false: InSync}[q.PlanOnly]}
		}
		account := accountOf("a", r)
		account.Every = 24 * time.Hour
		running(t, Options{Now: w.now}, []Account{account}, func(h *Hub) {
			for _, hold := range []func(){
				func() { until = w.now().Round(0).Add(time.Hour); _ = h.Wake("a", Asked) },
				func() {
					noError(t, h.Order(context.Background(), "a", Suspending(Suspension{
						By: "anna", Until: w.now().Round(0).Add(time.Hour),
					})))
				},
			} {
				hold()
				synctest.Wait()
				if s, _ := h.Account("a"); s.State == InSync {
					t.Fatal("nothing is held")
				}
				w.set(by)
				pass(want - 2*time.Minute)
				if s, _ := h.Account("a"); by < 0 && s.State == InSync {
					t.Errorf("set by %s, it is over %s later; want after %s", by, want-2*time.Minute, want)
				}
				pass(3 * time.Minute)
				if s, _ := h.Account("a"); s.State != InSync {
					t.Errorf("set by %s, it stands %s later: %s; want it over after %s",
						by, want+time.Minute, s.State, want)
				}
			}
		})
	}
}

// The chart of possible spend goes on where the clock was put back.
func TestExposureIsKeptAfterTheClockWasPutBack(t *testing.T) {
	r := &robot{work: func(context.Context, Request) Result {
		return Result{Class: InSync, Plan: &planview.Document{PlanHash: "h1"}}
	}}
	jumping(t, r, time.Minute, func(w *wall, _ *Hub, a Account) {
		w.set(-8 * time.Hour)
		pass(2 * time.Minute)
		points, _ := a.Archive.Exposures()
		if len(points) != 2 || !points[1].Time.Before(points[0].Time) {
			t.Errorf("%d points are kept; want one before the clock was put back, and one after", len(points))
		}
	})
}
