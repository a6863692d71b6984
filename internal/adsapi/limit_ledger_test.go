package adsapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/testing/slots"
)

// processes makes the clients of accounts in several processes, all asked from one address.
func processes(t *testing.T, s *strict, ledger Ledger, each ...int) [][]*Client {
	t.Helper()
	all := make([][]*Client, len(each))
	for p, accounts := range each {
		address := NewAddress(Limits{}, nil, ledger)
		for i := range accounts {
			all[p] = append(all[p], clientOf(t, s, func(cfg *Config) {
				cfg.Key, cfg.Address = NewSecret(fmt.Sprintf("account-%d-%03d", p, i)), address
			}))
		}
	}
	return all
}

func newTwin() *slots.Ledger {
	return &slots.Ledger{Now: time.Now, Random: func() float64 { return 0.5 }}
}

// asked is a ledger that counts the questions to it.
type asked struct {
	Ledger
	mu                 sync.Mutex
	questions, permits int
}

func (a *asked) Take(
	ctx context.Context, endpoint string, waiting, recent int) (int, time.Duration, time.Duration, error) {
	permits, lasts, again, err := a.Ledger.Take(ctx, endpoint, waiting, recent)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.questions++
	a.permits += permits
	return permits, lasts, again, err
}

// 480 accounts in three processes look once a minute, as many as four fifths of the limits let one address ask: none
// is refused, and each is heard nearly every minute. The ledger is asked once for many looks, and little of what it
// permits is left to lapse.
func TestProcessesShareTheLimitsOfTheirAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ledger := newStrict(), &asked{Ledger: newTwin()}
		var group sync.WaitGroup
		const minutes = 30
		var mu sync.Mutex
		longest, looks := time.Duration(0), 0
		for _, clients := range processes(t, s, ledger, 300, 100, 80) {
			for i, c := range clients {
				group.Go(func() {
					time.Sleep(time.Duration(i) * time.Minute / time.Duration(len(clients)))
					for end := time.Now().Add(minutes * time.Minute); time.Now().Before(end); {
						began := time.Now()
						look(t.Context(), t, c, "/audit_logs")
						took := time.Since(began)
						mu.Lock()
						longest, looks = max(longest, took), looks+1
						mu.Unlock()
						time.Sleep(max(0, time.Minute-took))
					}
				})
			}
		}
		group.Wait()
		t.Logf("%d looks, %d a minute; the longest took %s; %d questions a minute, %d permits",
			looks, looks/minutes, longest, ledger.questions/minutes, ledger.permits)
		if s.refused > 0 || longest > time.Minute || looks < 465*minutes {
			t.Errorf("%d refused, the longest look took %s, %d looks a minute; want none, a minute at most, and 465",
				s.refused, longest, looks/minutes)
		}
		if ledger.questions > looks/4 || ledger.permits > looks*21/20 {
			t.Errorf("%d questions and %d permits for %d looks; want a quarter, and 1.05 of them at most",
				ledger.questions, ledger.permits, looks)
		}
	})
}

// What two processes ask for, however much, costs the accounts of another little.
func TestProcessesCostEachOtherLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStrict()
		all := processes(t, s, newTwin(), 40, 40, 5)
		ctx, stop := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for _, c := range slices.Concat(all[:2]...) { // they use up all there is
			for range 4 {
				group.Go(func() {
					for ctx.Err() == nil {
						_, _ = c.Get(ctx, "/audit_logs", nil)
					}
				})
			}
		}
		time.Sleep(90 * time.Second)
		longest := make([]time.Duration, len(all[2]))
		var others sync.WaitGroup
		for i, c := range all[2] {
			others.Go(func() {
				time.Sleep(time.Duration(i) * 7 * time.Second)
				for range 20 {
					began := time.Now()
					look(t.Context(), t, c, "/audit_logs")
					longest[i] = max(longest[i], time.Since(began))
					time.Sleep(time.Minute)
				}
			})
		}
		others.Wait()
		stop()
		group.Wait()
		t.Logf("the longest look took %s", slices.Max(longest))
		if most := slices.Max(longest); most > 30*time.Second || s.refused > 0 {
			t.Errorf("a look took %s, %d were refused; want half a minute at most, and none", most, s.refused)
		}
	})
}

// A burst after a pause goes at once, as that of a single process does.
func TestABurstGoesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ledger := newStrict(), &asked{Ledger: newTwin()}
		began := time.Now()
		var group sync.WaitGroup
		for _, c := range processes(t, s, ledger, 400)[0] {
			group.Go(func() { look(t.Context(), t, c, "/campaigns") })
		}
		group.Wait()
		if took := time.Since(began); took > time.Second || s.refused > 0 || ledger.questions > 16 {
			t.Errorf("400 requests took %s, %d were refused, %d questions; want a second at most, none, 16",
				took, s.refused, ledger.questions)
		}
	})
}

// away is a ledger that gives no answer.
type away struct{ err error }

func (a away) Take(ctx context.Context, _ string, _, _ int) (int, time.Duration, time.Duration, error) {
	time.Sleep(time.Second)
	return 0, 0, 0, a.err
}

// What cannot be counted is not sent: all that wait hear why, at once.
func TestWhatCannotBeCountedIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cause, began := newStrict(), errors.New("the database does not answer"), time.Now()
		var group sync.WaitGroup
		for _, c := range processes(t, s, away{cause}, 50)[0] {
			group.Go(func() {
				_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{}`)})
				if !errors.Is(err, cause) || !errors.Is(err, ErrUnavailable) || AppliedOf(err) != Never {
					t.Errorf("Mutate() = %v; want that of the ledger, surely not done", err)
				}
			})
		}
		group.Wait()
		if took := time.Since(began); len(s.sent) > 0 || took > 2*time.Second {
			t.Errorf("%d windows were used, in %s; want none, and all told within two seconds", len(s.sent), took)
		}
	})
}

// Who gives up while it asks leaves the others to ask for themselves.
func TestWhoGivesUpAskingHurtsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStrict()
		clients := processes(t, s, slow{newTwin()}, 2)[0]
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := clients[0].Get(ctx, "/ads", nil); !errors.Is(err, context.Canceled) {
				t.Errorf("Get() of who gave up = %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() { look(t.Context(), t, clients[1], "/ads") })
		synctest.Wait()
		cancel()
		group.Wait()
	})
}

// slow is a ledger that needs a second for an answer.
type slow struct{ Ledger }

func (l slow) Take(
	ctx context.Context, endpoint string, waiting, recent int) (int, time.Duration, time.Duration, error) {
	select {
	case <-ctx.Done():
		return 0, 0, 0, ctx.Err()
	case <-time.After(time.Second):
		return l.Ledger.Take(ctx, endpoint, waiting, recent)
	}
}

// few permits many at once, for a second.
type few struct{ asked int }

func (f *few) Take(context.Context, string, int, int) (int, time.Duration, time.Duration, error) {
	f.asked++
	return 10, time.Second, 0, nil
}

// A permit that has lapsed is used no more, also where the machine slept meanwhile.
func TestAPermitLapses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ledger := newStrict(), &few{}
		c := processes(t, s, ledger, 1)[0][0]
		for _, row := range []struct {
			after time.Duration
			asked int
		}{{0, 1}, {900 * time.Millisecond, 1}, {200 * time.Millisecond, 2}, {0, 2}} {
			time.Sleep(row.after)
			look(t.Context(), t, c, "/ads")
			if ledger.asked != row.asked {
				t.Errorf("%s later the ledger was asked %d times; want %d", row.after, ledger.asked, row.asked)
			}
		}
	})
	asked := time.Now()
	g := grant{left: 1, asked: asked, lasts: time.Second}
	slept := asked.Round(0).Add(2 * time.Second) // by the wall alone
	if g.lapsed(asked.Add(900*time.Millisecond)) || !g.lapsed(asked.Add(time.Second)) || !g.lapsed(slept) {
		t.Error("a permit lapses a second after it was asked for, by either clock")
	}
}
