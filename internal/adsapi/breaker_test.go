package adsapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// crowd lets workers read at once, each its own resource, and gives the errors.
func crowd(c *Client, ctx context.Context, workers int) []error {
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { _, errs[i] = c.Get(ctx, "/ad_account", nil) })
	}
	group.Wait()
	return errs
}

func TestBreakerKeepsTheAccountStillAndOneRequestAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := &wire{answers: []answer{status(503)}}
		var said []string
		var mu sync.Mutex
		c := clientOf(t, w, func(cfg *Config) {
			cfg.Waiting = func(why string, wait time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, fmt.Sprintf("%s: %s", why, wait))
			}
		})
		time.AfterFunc(20*time.Second, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.answers = []answer{okRecord}
		})
		for i, err := range crowd(c, t.Context(), 12) {
			if err != nil {
				t.Errorf("request %d = %v; want success, as the service came back within the patience", i, err)
			}
		}
		quiet, busy := 0, 0
		for _, s := range w.requests() {
			if at := s.at.Sub(start); at > time.Second && at < 15*time.Second {
				quiet++
			} else if at >= 15*time.Second && at < 40*time.Second {
				busy++
			}
		}
		if quiet != 0 || busy != 1 {
			t.Errorf("%d requests while open, %d as it was half open; want 0 and 1", quiet, busy)
		}
		if len(said) != 2 || !strings.HasPrefix(said[0], "the service keeps failing: 16.875s") {
			t.Errorf("a person was told %q; want each of the two rests once", said)
		}
	})
}

func TestBreakerGivesUpAndAsksAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := &wire{answers: []answer{status(503)}}
		c := clientOf(t, w)
		for i, err := range crowd(c, t.Context(), 12) {
			if !errors.Is(err, ErrUnavailable) {
				t.Errorf("request %d = %v; want unavailable", i, err)
			}
		}
		if took := time.Since(start); took > 3*time.Minute {
			t.Errorf("gave up after %s; want at most 3m", took)
		}
		before := len(w.requests())
		_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns/c1/pause"})
		if !errors.Is(err, ErrUnavailable) || AppliedOf(err) != Never ||
			len(w.requests()) != before || !strings.Contains(err.Error(), "requests in a row got no usable answer") {
			t.Errorf("a request after giving up = %v, applied %s, %d sent; want a refusal at once, nothing sent",
				err, AppliedOf(err), len(w.requests())-before)
		}
		time.Sleep(longestRest * 2)
		w.answers = []answer{okRecord}
		if _, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns/c1/pause"}); err != nil {
			t.Errorf("a request once the service is back = %v; want success", err)
		}
	})
}

// A mutation whose answer was lost before the breaker opened stays unknown,
// however the call ends.
func TestBreakerKeepsTheUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, &wire{answers: []answer{status(502)}})
		var group sync.WaitGroup
		for i := range 12 {
			group.Go(func() {
				_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns", Key: fmt.Sprint(i), Body: []byte(`{}`)})
				if e := asError(t, err); e.Attempts > 0 && e.Applied() != Unknown || !errors.Is(err, ErrUnavailable) {
					t.Errorf("create %d = %v, applied %s after %d attempts; want unknown",
						i, err, e.Applied(), e.Attempts)
				}
			})
		}
		group.Wait()
	})
}

func TestRefusalsDoNotOpenTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := &wire{answers: []answer{status(422)}}
		c := clientOf(t, w)
		for range 5 * tripsAfter {
			if _, err := c.Mutate(t.Context(), Mutation{Path: "/ads", Key: "k"}); errors.Is(err, ErrUnavailable) {
				t.Fatal(err)
			}
		}
		if len(w.requests()) != 5*tripsAfter || time.Since(start) != 0 {
			t.Fatalf("%d requests in %s; want %d at once", len(w.requests()), time.Since(start), 5*tripsAfter)
		}
	})
}

func TestStoppedWhileTheBreakerIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, &wire{answers: []answer{status(503)}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for _, err := range crowd(c, ctx, 12) {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error = %v; want the end of the context", err)
			}
		}
	})
}

// Invariant 21: a service that fails half of the time is not asked for ever.
func TestRetriesShareOneBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		const calls = 400
		for range calls {
			w.answers = append(w.answers, status(503), okRecord)
		}
		c := clientOf(t, w)
		failures := 0
		for range calls {
			if _, err := c.Get(t.Context(), "/ad_account", nil); err != nil {
				failures++
				if !strings.Contains(err.Error(), "too many requests had to be repeated") {
					t.Fatalf("error = %v; want it to say why it ended", err)
				}
			}
		}
		retries := len(w.requests()) - calls
		if retries > spareRetries+calls/10 || retries < spareRetries {
			t.Errorf("%d retries of %d requests; want at most %d and one in ten", retries, calls, spareRetries)
		}
		if failures == 0 {
			t.Error("no request failed; the budget never ended")
		}
	})
}

// N8: a 429 stops the account, not one worker, even when it names no time.
func TestLimitedWithoutRetryAfterStopsTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answers: []answer{status(429), okRecord}}
		c := clientOf(t, w)
		var group sync.WaitGroup
		start := time.Now()
		group.Go(func() { _, _ = c.Get(t.Context(), "/ad_account", nil) })
		synctest.Wait()
		_, _ = c.Get(t.Context(), "/me", nil)
		group.Wait()
		for i, s := range w.requests()[1:] {
			if at := s.at.Sub(start); at < time.Second {
				t.Errorf("request %d went out %s after the 429; want all to wait a second", i+2, at)
			}
		}
	})
}
