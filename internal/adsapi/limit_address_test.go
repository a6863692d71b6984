package adsapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// strict is a service that enforces the published limits, for each account and for
// the one address all of them ask from, and takes its time.
type strict struct {
	mu      sync.Mutex
	sent    map[string][]time.Time // by who and what
	refused int
	slow    map[string]time.Duration // accounts that are answered late
}

func newStrict() *strict {
	return &strict{sent: map[string][]time.Time{}, slow: map[string]time.Duration{}}
}

func (s *strict) RoundTrip(r *http.Request) (*http.Response, error) {
	account := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	time.Sleep(50 * time.Millisecond)
	status := s.admit(account, r.URL.Path)
	if late := s.slow[account]; late > 0 {
		time.Sleep(late)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"object":"list","data":[],"has_more":false}`)), Request: r,
	}, nil
}

func (s *strict) admit(account, path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	names := map[string]int{account: 1200, account + path: 600, "all": 1200, "all" + path: 600}
	for name, most := range names {
		for len(s.sent[name]) > 0 && !s.sent[name][0].After(now.Add(-time.Minute)) {
			s.sent[name] = s.sent[name][1:]
		}
		if len(s.sent[name]) >= most {
			s.refused++
			return http.StatusTooManyRequests
		}
	}
	for name := range names {
		s.sent[name] = append(s.sent[name], now)
	}
	return http.StatusOK
}

// fleet makes the clients of many accounts at one address.
func fleet(t *testing.T, s *strict, accounts int) []*Client {
	t.Helper()
	address := NewAddress(Limits{}, nil, nil)
	clients := make([]*Client, accounts)
	for i := range clients {
		clients[i] = clientOf(t, s, func(cfg *Config) {
			cfg.Key, cfg.Address = NewSecret(fmt.Sprintf("account-%03d", i)), address
		})
	}
	return clients
}

// look asks for one page.
func look(ctx context.Context, t *testing.T, c *Client, path string) {
	t.Helper()
	if _, err := c.Get(ctx, path, nil); err != nil {
		t.Errorf("Get %s = %v", path, err)
	}
}

// performance.md: 300 accounts of one address in which nothing happens look at their
// audit logs, pass after pass, as fast as four fifths of the limits let them: a pass
// is 30 s, as by the whole limits, while what was not used before lasts, and 37.5 s after
// that. None is refused, and every account is heard every minute.
func TestAFleetSharesTheLimitsOfItsAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := newStrict(), time.Now()
		var group sync.WaitGroup
		const accounts, passes = 300, 20
		longest := make([]time.Duration, accounts)
		for i, c := range fleet(t, s, accounts) {
			group.Go(func() {
				for range passes {
					asked := time.Now()
					look(t.Context(), t, c, "/audit_logs")
					longest[i] = max(longest[i], time.Since(asked))
				}
			})
		}
		group.Wait()
		took, least := time.Since(began), DefaultLimits().LeastOf(accounts*passes)
		if s.refused > 0 || took > least+least/20 {
			t.Errorf("%d refused, %d passes of %d accounts in %s; want none, in 1.05 of %s at most",
				s.refused, passes, accounts, took, least)
		}
		if most := slices.Max(longest); most > time.Minute+time.Second {
			t.Errorf("an account waited %s for a look; want every one heard every minute", most)
		}
		t.Logf("%d passes in %s, %s each", passes, took, took/passes)
	})
}

// A full refresh of all is 9,000 pages: 7.5 minutes by the limits, 9 by four fifths
// of them.
func TestAFleetIsReadWhole(t *testing.T) {
	if testing.Short() {
		return
	}
	synctest.Test(t, func(t *testing.T) {
		s, began := newStrict(), time.Now()
		var group sync.WaitGroup
		for _, c := range fleet(t, s, 300) {
			for _, list := range []string{"/campaigns", "/ad_groups", "/ads"} {
				group.Go(func() {
					for range 10 {
						look(t.Context(), t, c, list)
					}
				})
			}
		}
		group.Wait()
		if took, least := time.Since(began), 9*time.Minute; s.refused > 0 || took > least+least/20 {
			t.Errorf("%d refused, read in %s; want none, in 1.05 of %s at most", s.refused, took, least)
		}
		t.Logf("read in %s", time.Since(began))
	})
}

// What one account asks for, and how late it is answered, costs the others nothing:
// they come in turn, however much it has waiting.
func TestOneAccountCostsTheOthersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStrict()
		clients := fleet(t, s, 100)
		s.slow["account-001"] = 20 * time.Second
		ctx, stop := context.WithCancel(t.Context())
		var group, others sync.WaitGroup
		for range 40 { // workers of one account, which use up all there is
			group.Go(func() {
				for ctx.Err() == nil {
					_, _ = clients[0].Get(ctx, "/campaigns", nil)
					_, _ = clients[0].Get(ctx, "/ads", nil)
				}
			})
		}
		group.Go(func() {
			for ctx.Err() == nil {
				_, _ = clients[1].Get(ctx, "/audit_logs", nil)
			}
		})
		time.Sleep(90 * time.Second)
		longest := make([]time.Duration, len(clients))
		for i, c := range clients[2:] {
			others.Go(func() {
				for range 3 {
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
		if most := slices.Max(longest); most > time.Minute+time.Second || s.refused > 0 {
			t.Errorf("an account waited %s for "+
				"a look, %d were refused; want at most until the next place comes free, and none", most, s.refused)
		}
		t.Logf("the longest look took %s", slices.Max(longest))
	})
}

// Who gives up, or is held back by its own account, leaves its turn to others.
func TestWhoGivesUpLeavesTheRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStrict()
		clients := fleet(t, s, 3)
		for range 480 {
			look(t.Context(), t, clients[0], "/audit_logs")
		}
		gone, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() { _, _ = clients[1].Get(gone, "/audit_logs", nil) })
		}
		synctest.Wait()
		cancel()
		time.Sleep(2 * time.Minute)
		began := time.Now()
		look(t.Context(), t, clients[2], "/audit_logs")
		group.Wait()
		if took := time.Since(began); took > time.Second || len(clients[2].limiter.address.waiting) > 0 {
			t.Errorf("a look took %s with %d in the row; want nobody before it",
				took, len(clients[2].limiter.address.waiting))
		}
	})
}
