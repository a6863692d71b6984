package reconcile_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/state"
)

// world is an account at an emulator, a state, and files.
type world struct {
	guarded bool // the guards are those of the default policy
	t       *testing.T
	service *emulatortest.Service
	store   state.Store
	agent   *reconcile.Agent
	desired *resource.Snapshot
	allow   []plan.Allowance
	images  map[string][]byte
	people  map[string]string // what is uploaded, by the digest of the list
	bulk    apply.Bulk
	said    []string // notices
	clock   sync.Mutex
	slept   time.Duration
	ctx     context.Context // of the process that plans; it ends where a test kills it
	also    func(*reconcile.Desired)
	keyLag  time.Duration // as of adsapi.Config
}

func newWorld(t *testing.T, change ...func(*emulator.Options)) *world {
	t.Helper()
	change = append([]func(*emulator.Options){func(o *emulator.Options) { o.Now = noon }}, change...)
	w := &world{
		t: t, ctx: t.Context(), service: emulatortest.Start(t, change...),
		desired: &resource.Snapshot{}, images: map[string][]byte{}, people: map[string]string{},
	}
	store, err := state.NewMemory(state.Options{Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	w.store = store
	w.agent = w.newAgent()
	return w
}

// hasty returns the world an agent that trusts every key at once, as if the service
// knew keys later than it is waited for.
func hasty(w *world) *world {
	w.keyLag = -1
	w.agent = w.newAgent()
	return w
}

func (w *world) newAgent() *reconcile.Agent {
	w.t.Helper()
	client, err := adsapi.New(adsapi.Config{
		BaseURL: w.service.BaseURL, Key: adsapi.NewSecret(w.service.Key), UserAgent: "test",
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6}, Now: w.now, Sleep: w.sleep, KeyLag: w.keyLag,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return &reconcile.Agent{
		Env: env.Env{
			Service: client, Store: w.store, Schemas: kinds.All(),
			Logger: slog.New(slog.DiscardHandler), Now: w.now, Sleep: w.sleep,
			InFlight: &env.InFlight{}, Notice: func(text string) { w.said = append(w.said, text) },
			People: func(digest string) (env.People, error) {
				return env.People{Content: []byte(w.people[digest]), As: "email_sha256"}, nil
			},
		},
		Options: apply.Options{
			Bulk:  w.bulk,
			Image: func(source string) (string, []byte, error) { return "image.png", w.images[source], nil },
		},
	}
}

// now and sleep are one clock for agent and service: who waits moves both, and
// what the service does by itself is done when the wait is over.
func (w *world) now() time.Time {
	w.clock.Lock()
	defer w.clock.Unlock()
	return noon().Add(w.slept)
}

var fromNoon = time.Since(time.Now().UTC().Truncate(24 * time.Hour).Add(17 * time.Hour))

// noon returns the time of a clock that stood at noon in New York when the tests
// began: no test runs across the midnight of its account, whenever it is started.
func noon() time.Time { return time.Now().Add(-fromNoon) }

func (w *world) sleep(ctx context.Context, d time.Duration) error {
	w.clock.Lock()
	defer w.clock.Unlock()
	w.slept += d
	w.service.Advance(w.t, d.Seconds())
	if err := w.service.World().Clock.Idle(w.t.Context()); err != nil {
		return err
	}
	return ctx.Err()
}

// write puts a resource into the files; attributes are canonical values as
// text, int (micros) or []string.
func (w *world) write(address string, attributes map[string]any) {
	w.t.Helper()
	a, ok := resource.ParseAddress(address)
	if !ok {
		w.t.Fatalf("address %q", address)
	}
	r := &resource.Resource{Address: a}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		r.Set(name, value(attributes[name]))
	}
	w.desired.Put(r)
}

func value(v any) resource.Value {
	switch v := v.(type) {
	case nil:
		return resource.Null()
	case int:
		return resource.Number(int64(v))
	case []string:
		return resource.List(v)
	}
	text := v.(string)
	if strings.HasPrefix(text, "sha256:") {
		return resource.Text(text).As("image.png")
	}
	return resource.Text(text)
}

// image puts a picture into the tree and gives its canonical value.
func (w *world) image(content []byte) string {
	sum := sha256.Sum256(content)
	source := "sha256:" + hex.EncodeToString(sum[:])
	w.images[source] = content
	return source
}

func (w *world) plan() *apply.View {
	w.t.Helper()
	view, err := w.agent.Plan(w.ctx, w.asks())
	if err != nil {
		w.t.Fatalf("plan: %v", err)
	}
	return view
}

// asks is what the files say and how they want to be treated.
func (w *world) asks() reconcile.Desired {
	policy := plan.DefaultPolicy()
	if !w.guarded {
		policy.ExposurePercent, policy.UpdatePercent = 1_000_000, 100 // what a plan holds is tested where plans are
	}
	desired := reconcile.Desired{Snapshot: w.desired, Policy: policy, Allow: w.allow}
	if w.also != nil {
		w.also(&desired)
	}
	return desired
}

func (w *world) apply() *apply.Report {
	w.t.Helper()
	report, err := w.agent.Apply(w.t.Context(), w.plan())
	if err != nil {
		w.t.Fatalf("apply: %v", err)
	}
	return report
}

// clean applies and holds that everything was applied and verified, and that
// the second plan is empty.
func (w *world) clean() *apply.Report {
	w.t.Helper()
	report := w.apply()
	for _, o := range report.Outcomes {
		if o.Outcome != state.OutcomeApplied || o.Message != "" {
			w.t.Errorf("%s %s: %s %s %s; want applied", o.Action, o.Address, o.Outcome, o.Code, o.Message)
		}
	}
	if report.Verified != report.Touched {
		w.t.Errorf("verified %d of %d", report.Verified, report.Touched)
	}
	if again := w.plan().Plan; len(again.Changes) != 0 {
		w.t.Errorf("second plan has %d changes; want none: %s", len(again.Changes), describe(again))
	}
	return report
}

func describe(p *plan.Plan) string {
	text := ""
	for _, c := range p.Changes {
		text += fmt.Sprintf("\n%s %s", c.Action, c.Address)
		for _, f := range c.Fields {
			text += fmt.Sprintf("\n  %s desired %v last %v live %v %s", f.Name, f.Desired, f.Last(), f.Live(), f.Cause)
		}
		for _, h := range c.Holds() {
			text += fmt.Sprintf("\n  held: %s %s", h.Hazard, h.Message)
		}
	}
	return text
}

// tree writes a campaign with an ad group and an ad.
func (w *world) tree(key, status string) {
	w.write("campaign/"+key, map[string]any{
		"name": "Campaign " + key, "status": status,
		"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"CA", "US"},
	})
	w.write("ad_group/"+key+"/g", map[string]any{
		"name": "Group of " + key, "status": "active",
		"bid.max": 1_250_000, "context_hints": []string{"people who run", "people who hike"},
	})
	w.write("ad/"+key+"/g/a", map[string]any{
		"name": "Ad of " + key, "status": "active", "title": "Shoes for mud", "body": "Light shoes.",
		"target_url": "https://shop.example/" + key, "image": "https://images.shop.example/" + key + ".jpg",
	})
}
