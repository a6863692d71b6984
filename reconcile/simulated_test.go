package reconcile_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/env"
	"adsync/state"
)

// latency is what a request takes on the way.
const latency = 50 * time.Millisecond

// simulation is an account, its files and an agent at an emulator in this
// process that enforces the published limits, an account and an address; all of
// it in a bubble of synctest, whose clock only waiting moves.
type simulation struct {
	*world
	*counter
	client *adsapi.Client
	jobs   *underWay
}

// takes is how long a job of so many operations takes; the service is asked with
// its id, so that two jobs may differ.
type takes func(id string, operations int) time.Duration

func always(d time.Duration) takes {
	return func(string, int) time.Duration { return d }
}

// drawn draws how long a job takes from its id, whatever it holds.
func drawn(least, most time.Duration) takes {
	return func(id string, _ int) time.Duration {
		h := fnv.New32a()
		_, _ = h.Write([]byte(id))
		return least + time.Duration(h.Sum32()%1000)*(most-least)/999
	}
}

// bySize takes least for an empty job and most for a full one.
func bySize(least, most time.Duration) takes {
	return func(_ string, operations int) time.Duration {
		return least + time.Duration(operations)*(most-least)/1000
	}
}

// underWay is when jobs were under way at the service.
type underWay struct {
	mu    sync.Mutex
	spans map[string]span // by job
}

type span struct{ from, to time.Time }

func (w *underWay) hook(f takes) *service.Hooks {
	return &service.Hooks{Job: func(job world_.Job) service.JobFault {
		from := time.UnixMilli(job.CreatedAt)
		to := from.Add(f(job.ID, job.Count))
		w.mu.Lock()
		defer w.mu.Unlock()
		w.spans[job.ID] = span{from, to}
		return service.JobFault{Hold: time.Now().Before(to)}
	}}
}

// total is for how long at least one job was under way.
func (w *underWay) total() (total time.Duration) {
	var until time.Time
	for _, s := range slices.SortedFunc(maps.Values(w.spans), func(a, b span) int { return a.from.Compare(b.from) }) {
		if s.from.Before(until) {
			s.from = until
		}
		if s.to.After(s.from) {
			total, until = total+s.to.Sub(s.from), s.to
		}
	}
	return total
}

func newSimulation(t *testing.T, jobs takes, change ...func(*emulator.Options)) *simulation {
	t.Helper()
	features := emulatortest.Account("acct", "k").Features
	features.MaxCampaigns, features.MaxAdGroups, features.MaxAds = 1<<30, 1<<30, 1<<30
	under := &underWay{spans: map[string]span{}}
	o := emulator.Options{
		Seed: 1, Accounts: []emulator.Account{{ID: "acct", Name: "Test",
			Currency: "USD", TimeZone: "America/New_York", Key: "k", Features: features}}, Hooks: under.hook(jobs),
	}
	for _, f := range change {
		f(&o)
	}
	server, err := emulator.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("close emulator: %v", err)
		}
	})
	store, err := state.NewMemory(state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &simulation{
		jobs: under, world: &world{t: t, desired: &resource.Snapshot{}, store: store}, counter: &counter{
			service: server, asked: map[string]int{}, latency: latency,
		},
	}
	if s.client, err = adsapi.New(adsapi.Config{BaseURL: "http://127.0.0.1/v1",
		Key: adsapi.NewSecret("k"), Transport: s.counter}); err != nil {
		t.Fatal(err)
	}
	s.agent = &reconcile.Agent{Env: env.Env{
		Service: s.client, Store: store, Schemas: kinds.All(),
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Sleep: asleep,
	}}
	return s
}

func asleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// account is how many of what.
type account struct {
	campaigns, groups, ads int
	hints                  int // of an ad group
}

func (a account) String() string {
	text := fmt.Sprintf("%d × %d × %d", a.campaigns, a.groups, a.ads)
	if a.hints > 0 {
		text += fmt.Sprintf(" with %d hints", a.hints)
	}
	return text
}

// fill writes an account into the files.
func (s *simulation) fill(a account) {
	var hints []string
	for i := range a.hints {
		hints = append(hints, fmt.Sprintf("people who look for shoes of the %dth kind", i))
	}
	for c := range a.campaigns {
		key := fmt.Sprintf("c%04d", c)
		s.write("campaign/"+key, map[string]any{
			"name": "Campaign " + key, "status": "paused",
			"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"US"},
		})
		for g := range a.groups {
			group := fmt.Sprintf("%s/g%04d", key, g)
			values := map[string]any{"name": "Group of " + group, "status": "active", "bid.max": 1_250_000}
			if hints != nil {
				values["context_hints"] = hints
			}
			s.write("ad_group/"+group, values)
			for n := range a.ads {
				s.write(fmt.Sprintf("ad/%s/a%04d", group, n), map[string]any{
					"status": "active", "title": "Shoes for mud", "body": "Light shoes.",
					"target_url": "https://shop.example/x", "image": "https://images.shop.example/x.jpg",
				})
			}
		}
	}
}

// applied plans and applies, and gives how long that took.
func (s *simulation) applied() (took time.Duration) {
	s.t.Helper()
	began := time.Now()
	policy := plan.DefaultPolicy()
	policy.ExposurePercent, policy.UpdatePercent = 1_000_000, 100
	view, err := s.agent.Plan(s.t.Context(), reconcile.Desired{Snapshot: s.desired, Policy: policy, Allow: s.allow})
	if err != nil {
		s.t.Fatal(err)
	}
	report, err := s.agent.Apply(s.t.Context(), view)
	if err != nil {
		s.t.Fatal(err)
	}
	if n := report.Count(state.OutcomeApplied); n != len(view.Plan.Applicable()) || n == 0 || report.Verified != n {
		s.t.Fatalf("%d applied, %d verified of %d; want all", n, report.Verified, len(view.Plan.Applicable()))
	}
	return time.Since(began)
}

func (c *counter) total() (n int) {
	for _, count := range c.asked {
		n += count
	}
	return n
}

func (c *counter) ofJobs() (n int) {
	for name, count := range c.asked {
		if strings.Contains(name, "bulk_mutation_jobs") {
			n += count
		}
	}
	return n
}

func (c *counter) String() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(c.asked)) {
		lines = append(lines, fmt.Sprintf("%d %s", c.asked[name], name))
	}
	return strings.Join(lines, ", ")
}
