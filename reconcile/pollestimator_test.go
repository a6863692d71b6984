package reconcile_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/env"
	"adsync/state"
)

// counter answers from the emulator in this process, without lists where the
// test wants none, and counts.
type counter struct {
	service  http.Handler
	unlisted bool
	latency  time.Duration

	mu      sync.Mutex
	asked   map[string]int // by endpoint
	limited int            // answers of 429
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	at := strings.TrimPrefix(r.URL.Path, "/v1/")
	segments := strings.Split(at, "/")
	if len(segments) > 1 && segments[0] != "ad_account" {
		segments[1] = "{id}"
	}
	time.Sleep(c.latency)
	answer := httptest.NewRecorder()
	if list := c.unlisted && r.Method == http.MethodGet &&
		(at == "campaigns" || at == "ad_groups" || at == "ads"); list {
		answer.WriteHeader(http.StatusNotFound)
	} else {
		request := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), r.Body)
		request.Header = r.Header
		c.service.ServeHTTP(answer, request)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[r.Method+" "+path.Join(segments...)]++
	if answer.Code == http.StatusTooManyRequests {
		c.limited++
	}
	return answer.Result(), nil
}

// Of is how often an endpoint was asked, while a run goes on.
func (c *counter) Of(endpoint string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[endpoint]
}

// dictated is the least time in which that many requests fit into the share of
// the limits adsync allows itself: 480 a minute an endpoint, 960 in all, and
// 8 submissions in 10 s.
func (c *counter) dictated() time.Duration {
	total, least := 0, time.Duration(0)
	windows := func(n, size int, window time.Duration) time.Duration {
		return time.Duration(math.Ceil(float64(n)/float64(size))-1) * window
	}
	for endpoint, n := range c.asked {
		total += n
		least = max(least, windows(n, 480, time.Minute))
		if endpoint == "POST bulk_mutation_jobs" {
			least = max(least, windows(n, 8, 10*time.Second))
		}
	}
	return max(least, windows(total, 960, time.Minute))
}

// Performance: a full create of 1,500 with a service that enforces its limits
// meets no 429, and takes what the limits dictate: nothing where there are lists,
// and the reading back one by one where there are none.
func TestFullCreateTakesWhatTheLimitsDictate(t *testing.T) {
	for _, tc := range []struct {
		name     string
		unlisted bool
	}{
		{name: "with lists"},
		{name: "without lists", unlisted: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, took, jobs := fullCreate(t, 500, tc.unlisted)
				if c.limited != 0 {
					t.Errorf("%d answers were 429; want none", c.limited)
				}
				least := c.dictated()
				if most := least + least/20 + jobs; took > most || jobs > 10*time.Second {
					t.Errorf("it took %s, of them %s for jobs; want at most "+
						"%s, 1.05 × the %s that the limits dictate and the jobs: %v", took, jobs, most, least, c.asked)
				}
				t.Logf("%s for requests %v; the limits dictate %s, jobs take %s", took, c.asked, least, jobs)
			})
		})
	}
}

// fullCreate makes n trees in an account at an emulator that enforces its limits.
// jobs is the time that was slept outside the client.
func fullCreate(t *testing.T, n int, unlisted bool) (c *counter, took, jobs time.Duration) {
	t.Helper()
	service, err := emulator.Open(emulator.Options{
		Seed: 1, Accounts: []emulator.Account{emulatortest.Account("acct", "k")},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	store, err := state.NewMemory(state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c = &counter{service: service, unlisted: unlisted, asked: map[string]int{}}
	client, err := adsapi.New(adsapi.Config{BaseURL: "http://127.0.0.1/v1", Key: adsapi.NewSecret("k"), Transport: c})
	if err != nil {
		t.Fatal(err)
	}
	agent := &reconcile.Agent{Env: env.Env{
		Service: client, Store: store, Schemas: kinds.All(), Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	}}
	var slept atomic.Int64 // by jobs side by side
	agent.Sleep = func(ctx context.Context, d time.Duration) error {
		slept.Add(int64(d))
		time.Sleep(d)
		return ctx.Err()
	}
	w := &world{t: t, desired: &resource.Snapshot{}}
	for i := range n {
		w.tree(fmt.Sprint("t", i), "active")
	}
	start := time.Now()
	policy := plan.DefaultPolicy()
	policy.ExposurePercent = 1_000_000
	view, err := agent.Plan(t.Context(), reconcile.Desired{Snapshot: w.desired, Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	report, err := agent.Apply(t.Context(), view)
	if err != nil || report.Count(state.OutcomeApplied) != 3*n || report.Verified != 3*n {
		t.Fatalf("apply: %v, %d applied, %d verified; want %d",
			err, report.Count(state.OutcomeApplied), report.Verified, 3*n)
	}
	took = time.Since(start)
	return c, took, time.Duration(slept.Load())
}
