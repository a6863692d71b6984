package reconcile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/env"
	"adsync/state"
)

var stride = flag.Int("crash-stride", 7, "every how manieth effect of a run it is stopped at")

var errCrash = errors.New("the process is dead")

// catch counts the effects of a process and ends it at one of them: from then
// on nothing it does has an effect. Reads are none: to die before one is to die
// after the effect before it.
type crash struct {
	mu     sync.Mutex
	at     int    // 0 never
	first  string // or before the first effect of this name
	page   bool   // or before the second page of the results of a job
	count  int
	dead   bool
	cancel context.CancelFunc
}

// effect counts; false means that the process is dead.
func (c *crash) effect(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if (c.at != 0 && c.count >= c.at || c.first == name) && !c.dead {
		c.dead = true
		c.cancel()
	}
	return !c.dead
}

func (c *crash) isDead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

// turns ends the process where it turns to the second page of results.
func (c *crash) turns(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.page && !c.dead && isSecondPage(r) {
		c.dead = true
		c.cancel()
	}
}

// isSecondPage reports whether a request asks for results of a job behind the first
// page.
func isSecondPage(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "/bulk_mutation_jobs/") &&
		strings.HasSuffix(r.URL.Path, "/operations") && r.URL.Query().Get("after") != ""
}

// RoundTrip has three edges: before the send, after the service has acted but
// before its answer is here, and (the next effect) after the answer.
func (c *crash) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		if c.turns(r); c.isDead() {
			return nil, errCrash
		}
		return http.DefaultTransport.RoundTrip(r)
	}
	name := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v1")
	if strings.HasPrefix(r.Header.Get("Idempotency-Key"), "adsync-check") || validates(r) {
		name = "check"
	}
	if !c.effect("send " + name) {
		return nil, errCrash
	}
	response, err := http.DefaultTransport.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
	if !c.effect("answer of " + name) {
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

func (m mortal) write(name string, do func() error) error {
	if !m.crash.effect(name) {
		return errCrash
	}
	return do()
}

func (m mortal) Record(ctx context.Context, a []state.Applied) error {
	return m.write("record", func() error { return m.Store.Record(ctx, a) })
}

func (m mortal) Forget(ctx context.Context, a []resource.Address) error {
	return m.write("forget", func() error { return m.Store.Forget(ctx, a) })
}

func (m mortal) Advance(ctx context.Context, a []resource.Address) error {
	return m.write("advance", func() error { return m.Store.Advance(ctx, a) })
}

func (m mortal) RecordUnmade(ctx context.Context, u []state.NotCreated) error {
	return m.write("recordunmade", func() error { return m.Store.RecordNotCreated(ctx, u) })
}

func (m mortal) RecordSubmitted(ctx context.Context, at time.Time) error {
	return m.write("recordsubmitted", func() error { return m.Store.RecordSubmitted(ctx, at) })
}

func (m mortal) NextSequence(ctx context.Context) (n int64, err error) {
	err = m.write("nextsequence", func() error { n, err = m.Store.NextSequence(ctx); return err })
	return n, err
}

func (m mortal) Begin(ctx context.Context, s ...state.Step) error {
	return m.write("begin", func() error { return m.Store.Begin(ctx, s...) })
}

func (m mortal) Move(ctx context.Context, id string, to state.Point, u state.Update) error {
	return m.write("move "+string(to), func() error { return m.Store.Move(ctx, id, to, u) })
}

func (m mortal) Finish(ctx context.Context, id string, a []state.Applied, o []state.OperationOutcome) error {
	return m.write("finish", func() error { return m.Store.Finish(ctx, id, a, o) })
}

func (m mortal) RecordFile(ctx context.Context, source, id string) error {
	return m.write("recordfile", func() error { return m.Store.RecordFile(ctx, source, id) })
}

func (m mortal) RecordMove(ctx context.Context, move state.Move) error {
	return m.write("recordmove", func() error { return m.Store.RecordMove(ctx, move) })
}

func (m mortal) RecordCredits(ctx context.Context, credits []state.Credit) error {
	return m.write("recordcredits", func() error { return m.Store.RecordCredits(ctx, credits) })
}

func (m mortal) RecordReverted(ctx context.Context, reverted *resource.Snapshot) error {
	return m.write("recordreverted", func() error { return m.Store.RecordReverted(ctx, reverted) })
}

func (m mortal) RecordWaiting(ctx context.Context, waiting *resource.Snapshot) error {
	return m.write("recordwaiting", func() error { return m.Store.RecordWaiting(ctx, waiting) })
}

func (m mortal) RecordCapability(ctx context.Context, c resource.Capability, there bool) error {
	return m.write("recordcapability", func() error { return m.Store.RecordCapability(ctx, c, there) })
}

func (m mortal) RecordReport(ctx context.Context, run string, head []byte, report func(io.Writer) error) error {
	return m.write("recordreport", func() error { return m.Store.RecordReport(ctx, run, head, report) })
}

func (m mortal) Rename(ctx context.Context, renamed []state.Renamed) error {
	return m.write("rename", func() error { return m.Store.Rename(ctx, renamed) })
}

func (m mortal) Block(ctx context.Context, blocked []state.Blocked) error {
	return m.write("block", func() error { return m.Store.Block(ctx, blocked) })
}

func (m mortal) Unblock(ctx context.Context, addresses []resource.Address) error {
	return m.write("unblock", func() error { return m.Store.Unblock(ctx, addresses) })
}

func (m mortal) RecordRun(ctx context.Context, r state.Run) error {
	return m.write("recordrun", func() error { return m.Store.RecordRun(ctx, r) })
}

// through returns an agent whose requests go through a transport.
func (w *world) through(transport http.RoundTripper, store state.Store) *reconcile.Agent {
	w.t.Helper()
	return w.waiting(w.sleep, transport, store)
}

// waiting is through with a sleep of its own.
func (w *world) waiting(sleep func(context.Context, time.Duration) error,
	transport http.RoundTripper, store state.Store) *reconcile.Agent {
	w.t.Helper()
	client, err := adsapi.New(adsapi.Config{
		BaseURL: w.service.BaseURL, Key: adsapi.NewSecret(w.service.Key), UserAgent: "test", Transport: transport,
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6}, Now: w.now, Sleep: sleep,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	agent := w.newAgent()
	agent.Service, agent.Store, agent.Sleep = client, store, sleep
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
		w.write("campaign/"+key, map[string]any{
			"name": "Campaign " + key, "status": status,
			"bidding_type": "clicks", "budget.lifetime": budget, "targeting.countries": []string{"CA", "US"},
		})
	}
	campaign("low", "active", 60_000_000)
	campaign("high", "active", 120_000_000)
	campaign("stop", "paused", 100_000_000)
	campaign("sleeping", "active", 100_000_000)
	w.write("ad_group/low/g", map[string]any{
		"name": "Renamed", "status": "active", "bid.max": 1_250_000, "context_hints": []string{"people who run"},
	})
	w.tree("spring", "active")
	w.write("campaign/spring", map[string]any{
		"name": "Campaign spring", "status": "active", "bidding_type": "clicks", "budget.lifetime": 90_000_000,
		"targeting.countries": []string{"US"}, "tracking": "utm_source=chat", "description": "for spring",
	})
	w.write("ad/spring/g/local", map[string]any{
		"name": "Local", "status": "active", "title": "Local picture",
		"body": "Text.", "target_url": "https://shop.example/l", "image": w.image(testImage(w.t)),
	})
	w.write("ad_group/spring/more", map[string]any{
		"name": "More", "status": "active", "bid.max": 1_250_000, "description": "a follow-up",
	})
	w.write("ad_group/high/new", map[string]any{
		"name": "Beneath an older one", "status": "active", "bid.max": 1_250_000,
	})
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

// stopped recovers, plans and applies as a process that dies at an effect, and
// gives how many effects it had.
func (w *world) stopped(at int) int { return w.dies(&crash{at: at}, (*world).work) }

// dies runs a process that dies, or, where the crash is at nothing, does not.
func (w *world) dies(c *crash, process func(*world) error) int {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	c.cancel = cancel
	survivor := w.agent
	sleep := func(ctx context.Context, d time.Duration) error {
		if c.isDead() {
			return errCrash // the clock goes on without it
		}
		return w.sleep(ctx, d)
	}
	w.agent, w.ctx = w.waiting(sleep, c, mortal{w.store, c}), ctx
	err := process(w)
	w.agent, w.ctx = survivor, w.t.Context()
	switch {
	case !c.dead && err != nil:
		if invalid, ok := errors.AsType[*reconcile.InvalidError](err); ok {
			err = fmt.Errorf("%w: %v", err, invalid.Problems)
		}
		w.t.Fatalf("a process that nothing stopped: %v", err)
	case c.first != "" && !c.dead:
		w.t.Fatalf("no effect is named %q", c.first)
	case c.at != 0 && c.dead && err == nil && c.at < c.count:
		w.t.Errorf("the process reports success, though it died at effect %d", c.at)
	}
	return c.count
}

// work is what adsync apply does. Where it ends without an error, everything it
// set out to do is applied.
func (w *world) work() error {
	recovered, err := w.agent.Recover(w.ctx)
	if err != nil {
		return err
	}
	if len(recovered.Undecided) > 0 {
		return fmt.Errorf("undecided: %q", recovered.Undecided)
	}
	view, err := w.agent.Plan(w.ctx, w.asks())
	if err != nil {
		return err
	}
	report, err := w.agent.Apply(w.ctx, view)
	if err == nil && len(report.Outcomes) != report.Count(state.OutcomeApplied) {
		return fmt.Errorf("not everything is applied: %+v", report.Outcomes)
	}
	return err
}

// restarted is the process after one that died: what the journal left open is
// brought to its end, after the trust window where only reading back can.
func (w *world) restarted() {
	w.t.Helper()
	w.agent = w.newAgent()
	w.recovered()
}

// recovered is the recovery of the agent there is.
func (w *world) recovered() {
	w.t.Helper()
	for range 2 {
		recovered, err := w.agent.Recover(w.t.Context())
		if err != nil {
			w.t.Fatalf("recover: %v", err)
		}
		if len(recovered.Undecided) == 0 {
			return
		}
		if err := w.sleep(w.t.Context(), env.TrustWindow); err != nil {
			w.t.Fatal(err)
		}
	}
	w.t.Fatal("recovery leaves steps undecided after the trust window")
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

// exposures returns possible spend after every entry of W: the budgets of active
// campaigns.
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
					Daily    int64 `json:"daily_spend_limit_micros"`
				}
			}
			if err := json.Unmarshal(m.After, &c); err != nil {
				t.Fatal(err)
			}
			active[m.ResourceID] = 0
			if c.Status == "active" {
				active[m.ResourceID] = c.Budget.Lifetime + c.Budget.Daily
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

func (w *world) withinCeiling(path []int64, ceiling int64) {
	w.t.Helper()
	for i, spend := range path {
		if spend > ceiling {
			w.t.Errorf("possible spend is %d after change %d; want at most %d", spend, i, ceiling)
		}
	}
}
