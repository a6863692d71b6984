package reconcile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"

	"github.com/google/go-cmp/cmp"
)

var stride = flag.Int("crash-stride", 5, "every how manieth effect of an apply it is stopped at")

var errCrash = errors.New("the process is dead")

// crash counts the effects of a process and ends it at one of them: from then
// on nothing it does has an effect.
type crash struct {
	mu     sync.Mutex
	at     int // 0 never
	count  int
	dead   bool
	cancel context.CancelFunc
}

// effect counts; false means that the process is dead.
func (c *crash) effect() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if c.at != 0 && c.count >= c.at && !c.dead {
		c.dead = true
		c.cancel()
	}
	return !c.dead
}

// RoundTrip has three edges: before the send, after the service has acted but
// before its answer is here, and (the next effect) after the answer.
func (c *crash) RoundTrip(r *http.Request) (*http.Response, error) {
	if !c.effect() {
		return nil, errCrash
	}
	if r.Method == http.MethodGet {
		return http.DefaultTransport.RoundTrip(r)
	}
	response, err := http.DefaultTransport.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
	if !c.effect() {
		if err == nil {
			_ = response.Body.Close()
		}
		return nil, errCrash
	}
	return response, err
}

// mortal is a store whose process can die before each write.
type mortal struct {
	state.Store
	crash *crash
}

func (m mortal) write(do func() error) error {
	if !m.crash.effect() {
		return errCrash
	}
	return do()
}

func (m mortal) Record(ctx context.Context, a []state.Applied) error {
	return m.write(func() error { return m.Store.Record(ctx, a) })
}

func (m mortal) Forget(ctx context.Context, a []resource.Address) error {
	return m.write(func() error { return m.Store.Forget(ctx, a) })
}

func (m mortal) Advance(ctx context.Context, a []resource.Address) error {
	return m.write(func() error { return m.Store.Advance(ctx, a) })
}

func (m mortal) NextSequence(ctx context.Context) (n int64, err error) {
	err = m.write(func() error { n, err = m.Store.NextSequence(ctx); return err })
	return n, err
}

func (m mortal) Begin(ctx context.Context, s ...state.Step) error {
	return m.write(func() error { return m.Store.Begin(ctx, s...) })
}

func (m mortal) Move(ctx context.Context, id string, to state.Point, u state.Update) error {
	return m.write(func() error { return m.Store.Move(ctx, id, to, u) })
}

func (m mortal) Finish(ctx context.Context, id string, a []state.Applied, o []state.OperationOutcome) error {
	return m.write(func() error { return m.Store.Finish(ctx, id, a, o) })
}

func (m mortal) RecordFile(ctx context.Context, source, id string) error {
	return m.write(func() error { return m.Store.RecordFile(ctx, source, id) })
}

func (m mortal) RecordMove(ctx context.Context, move state.Move) error {
	return m.write(func() error { return m.Store.RecordMove(ctx, move) })
}

func (m mortal) RecordReverted(ctx context.Context, reverted *resource.Snapshot) error {
	return m.write(func() error { return m.Store.RecordReverted(ctx, reverted) })
}

func (m mortal) RecordWaiting(ctx context.Context, waiting *resource.Snapshot) error {
	return m.write(func() error { return m.Store.RecordWaiting(ctx, waiting) })
}

func (m mortal) RecordCapability(ctx context.Context, c resource.Capability, there bool) error {
	return m.write(func() error { return m.Store.RecordCapability(ctx, c, there) })
}

func (m mortal) RecordRun(ctx context.Context, r state.Run) error {
	return m.write(func() error { return m.Store.RecordRun(ctx, r) })
}

// through gives an agent whose requests go through a transport.
func (w *world) through(transport http.RoundTripper, store state.Store) *reconcile.Agent {
	w.t.Helper()
	client, err := adsapi.New(adsapi.Config{
		BaseURL: w.service.BaseURL, Key: adsapi.NewSecret(w.service.Key), UserAgent: "test", Transport: transport,
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6}, Now: w.now, Sleep: w.sleep,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	agent := w.newAgent()
	agent.Service, agent.Store = client, store
	return agent
}

// before and after are an account and what the files ask of it next: creates
// with follow-ups and an upload, updates, a pause, a decrease, a raise and an
// activation.
func (w *world) before() {
	for _, key := range []string{"low", "high", "stop"} {
		w.tree(key, "active")
	}
	w.tree("sleeping", "paused")
}

func (w *world) after() {
	campaign := func(key, status string, budget int) {
		w.write("campaign/"+key, map[string]any{"name": "Campaign " + key, "status": status, "bidding_type": "clicks", "budget.lifetime": budget, "targeting.countries": []string{"CA", "US"}})
	}
	campaign("low", "active", 60_000_000)
	campaign("high", "active", 120_000_000)
	campaign("stop", "paused", 100_000_000)
	campaign("sleeping", "active", 100_000_000)
	w.write("ad_group/low/g", map[string]any{"name": "Renamed", "status": "active", "bid.max": 1_250_000, "context_hints": []string{"people who run"}})
	w.tree("spring", "active")
	w.write("campaign/spring", map[string]any{"name": "Campaign spring", "status": "active", "bidding_type": "clicks", "budget.lifetime": 90_000_000, "targeting.countries": []string{"US"}, "tracking": "utm_source=chat", "description": "for spring"})
	w.write("ad/spring/g/local", map[string]any{"name": "Local", "status": "active", "title": "Local picture", "body": "Text.", "target_url": "https://shop.example/l", "image": w.image(testImage(w.t))})
	w.write("ad_group/spring/more", map[string]any{"name": "More", "status": "active", "bid.max": 1_250_000, "description": "a follow-up"})
	w.write("ad_group/high/new", map[string]any{"name": "Beneath an older one", "status": "active", "bid.max": 1_250_000})
	w.permit()
}

// permit allows what the stories here ask for.
func (w *world) permit() {
	for _, text := range []string{"activates", "raises-spend=1000/life", "restarts-review"} {
		if allowance, err := plan.ParseAllowance(text); err == nil {
			w.allow = append(w.allow, allowance)
		}
	}
}

// stopped plans and applies as a process that dies at an effect, and gives how
// many effects it had.
func (w *world) stopped(at int) int {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	c := &crash{at: at, cancel: cancel}
	agent := w.through(c, mortal{w.store, c})
	view := w.plan()
	report, err := agent.Apply(ctx, view)
	switch {
	case at == 0 && (err != nil || len(report.Outcomes) != report.Count(state.OutcomeApplied)):
		w.t.Fatalf("apply: %v %+v", err, report.Outcomes)
	case at != 0 && c.dead && err == nil && at < c.count:
		w.t.Errorf("apply reports success, though it died at effect %d", at)
	}
	return c.count
}

// mutation is what a test reads of an entry of W.
type mutation struct {
	Action, Resource string
	ResourceID       string          `json:"resource_id"`
	Key              string          `json:"idempotency_key"`
	OperationKey     string          `json:"operation_key"`
	After            json.RawMessage `json:"after"`
}

func (w *world) mutations() []mutation {
	w.t.Helper()
	var log []mutation
	after := 0
	for {
		var page struct {
			Data []struct {
				Seq int `json:"seq"`
				mutation
			} `json:"data"`
		}
		body := w.service.Must(w.t, "GET", fmt.Sprintf("/_emulator/mutations?after=%d", after), nil).Body
		if err := json.Unmarshal(body, &page); err != nil {
			w.t.Fatalf("%v: %s", err, body)
		}
		for _, m := range page.Data {
			log = append(log, m.mutation)
			after = m.Seq
		}
		if len(page.Data) == 0 || !bytes.Contains(body, []byte(`"has_more":true`)) {
			return log
		}
	}
}

// exposures gives possible spend after every entry of W: the lifetime budgets
// of active campaigns.
func exposures(t *testing.T, log []mutation) []int64 {
	t.Helper()
	active := map[string]int64{}
	var path []int64
	for _, m := range log {
		if m.Resource == "campaign" {
			var c struct {
				Status string
				Budget struct {
					Lifetime int64 `json:"lifetime_spend_limit_micros"`
				}
			}
			if err := json.Unmarshal(m.After, &c); err != nil {
				t.Fatal(err)
			}
			active[m.ResourceID] = 0
			if c.Status == "active" {
				active[m.ResourceID] = c.Budget.Lifetime
			}
		}
		var sum int64
		for _, spend := range active {
			sum += spend
		}
		path = append(path, sum)
	}
	return path
}

// picture is the live account by address, ids and times left out.
func (w *world) picture() string {
	var lines []string
	for r := range w.plan().Live.Snapshot.All() {
		line := r.Address.String()
		for _, a := range r.Attributes {
			if a.Name != "image" {
				line += fmt.Sprintf(" %s=%s", a.Name, a.Value)
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (w *world) creates(log []mutation) map[string]int {
	born := map[string]int{}
	for _, m := range log {
		if m.Action == "create" && m.Resource != "file" {
			var named struct{ Name string }
			_ = json.Unmarshal(m.After, &named)
			born[m.Resource+" "+named.Name]++
		}
	}
	return born
}

// S1 to S8, invariants 1, 9 and 27: wherever an apply dies, the next one ends
// where the first would have, everything is made once, and possible spend never
// passes the larger of what it was and what the files ask for.
func TestCrashAtEveryEffect(t *testing.T) {
	whole := newWorld(t)
	whole.before()
	whole.clean()
	started := len(whole.mutations())
	whole.after()
	effects := whole.stopped(0)
	want := whole.picture()
	path := exposures(t, whole.mutations())
	born := whole.creates(whole.mutations())
	ceiling := max(path[started-1], path[len(path)-1])
	whole.withinCeiling(path[started:], ceiling)
	t.Logf("%d effects", effects)
	for at := 1; at <= effects; at += *stride {
		t.Run(fmt.Sprintf("effect %d", at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.before()
			w.clean()
			w.after()
			w.stopped(at)
			w.agent = w.newAgent()
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatalf("recover: %v", err)
			}
			w.clean()
			if got := w.picture(); got != want {
				t.Errorf("account is\n%s\nwant\n%s", got, want)
			}
			log := w.mutations()
			if diff := cmp.Diff(born, w.creates(log)); diff != "" {
				t.Errorf("creates by name (-run that was never stopped +this one):\n%s", diff)
			}
			w.t = t
			w.withinCeiling(exposures(t, log)[started:], ceiling)
			if open, err := w.store.Open(t.Context()); err != nil || len(open) != 0 {
				t.Errorf("%d steps are open at the end, %v; want none", len(open), err)
			}
		})
	}
}

func (w *world) withinCeiling(path []int64, ceiling int64) {
	w.t.Helper()
	for i, spend := range path {
		if spend > ceiling {
			w.t.Errorf("possible spend is %d after change %d; want at most %d", spend, i, ceiling)
		}
	}
}
