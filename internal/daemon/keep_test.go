package daemon

import (
	"context"
	"sync"
	"testing"
	"time"

	"adsync/internal/planview"
)

// brittle are orders and an archive that break off at one place, a few times.
type brittle struct {
	*paper
	at    string
	times int
}

func (b *brittle) breaks(at string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at == at && b.times > 0 {
		b.times--
		panic("a mistake")
	}
}

func (b *brittle) Suspension(now time.Time) *Suspension {
	b.breaks("orders")
	return b.paper.Suspension(now)
}

func (b *brittle) Take() Wishes { b.breaks("wishes"); return b.paper.Take() }

// counter counts what broke off.
type counter struct {
	mu    sync.Mutex
	broke map[string]int
	at    *brittle
}

func (c *counter) Ran(account string, _ Result, _ time.Duration) {
	if account == "bad" {
		c.at.breaks("metrics")
	}
}

func (c *counter) Broke(account, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broke[account+": "+what]++
	if account == "bad" {
		c.at.breaks("counting")
	}
}

// TestAPanicAnywhereOfAnAccountIsThatAccounts: wherever what goes on for one
// account breaks off, it is counted and begins anew, later each time, and no other
// account misses a run.
func TestAPanicAnywhereOfAnAccountIsThatAccounts(t *testing.T) {
	for _, at := range []string{"orders", "wishes", "metrics", "status", "watching", "a run", "counting"} {
		t.Run(at, func(t *testing.T) {
			b := &brittle{paper: &paper{}, at: at, times: 3}
			bad, good := &robot{}, &robot{}
			bad.work = func(context.Context, Request) Result {
				b.breaks("a run")
				if at == "counting" && bad.runs() < 4 {
					panic("another mistake")
				}
				return Result{Class: InSync}
			}
			a := accountOf("bad", bad)
			a.Orders, a.Shown = b, func(Status, *planview.Document) { b.breaks("status") }
			looks := 0
			a.Watch = []func(context.Context, func(Trigger)){func(ctx context.Context, _ func(Trigger)) {
				looks++
				b.breaks("watching")
				<-ctx.Done()
			}}
			c := &counter{broke: map[string]int{}, at: b}
			running(t, Options{Observer: c}, []Account{a, accountOf("good", good)}, func(h *Hub) {
				pass(10 * time.Second)
				if s, _ := h.Account("bad"); at == "wishes" && (s.State != Internal || s.Failures != 1 || s.Running) {
					t.Errorf("the account that broke off shows %+v; want that it did", s)
				}
				pass(10 * time.Minute)
				if s, _ := h.Account("bad"); s.State != InSync {
					t.Errorf("the account is %q, %q once it is over; want it to go on", s.State, s.Message)
				}
				if n := good.runs(); n < 10 {
					t.Errorf("the other account had %d runs in ten minutes; want 10", n)
				}
			})
			for _, gap := range good.gaps() {
				if gap > time.Minute+time.Second {
					t.Errorf("the other account waited %s for a run", gap)
				}
			}
			broke := 0
			for _, n := range c.broke {
				broke += n
			}
			if broke < 2 || b.times > 0 {
				t.Errorf("%v broke off, and %d times are to come; want them all, and counted", c.broke, b.times)
			}
			if at == "watching" && looks != 4 {
				t.Errorf("watching began %d times; want 4", looks)
			}
			if !ascending(bad.gaps()) && at == "metrics" {
				t.Errorf("the account ran after %v; want each attempt later than the one before", bad.gaps())
			}
		})
	}
}

// ascending reports whether the first three are each longer than the one before.
func ascending(gaps []time.Duration) bool {
	return len(gaps) > 2 && gaps[0] < gaps[1] && gaps[1] < gaps[2]
}
