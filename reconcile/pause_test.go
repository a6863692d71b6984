package reconcile_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
)

// pauseAll is what adsync pause-all does.
func (w *world) pauseAll() (*apply.Report, error) {
	view, err := w.agent.PlanPauses(w.ctx, reconcile.Everything)
	if err != nil {
		return nil, err
	}
	return w.agent.Apply(w.ctx, view)
}

// delivering are the campaigns that deliver now, by name.
func (w *world) delivering() string {
	var names []string
	for r := range w.plan().Live.Snapshot.All() {
		if r.Address.Kind == "campaign" && r.Value("status").Text() == "active" {
			names = append(names, r.Value("name").Text())
		}
	}
	return strings.Join(names, ", ")
}

// Invariant 11: what pause-all paused is somebody's pause, and stays one wherever
// its process dies: no later plan starts it again, whatever the files ask for, the
// policy reverts and the operator allows.
func TestWhatPauseAllPausedIsNotStartedByAPlan(t *testing.T) {
	begin := func(t *testing.T) *world {
		w := newWorld(t)
		w.tree("one", "active")
		w.tree("two", "active")
		w.tree("asleep", "paused")
		w.clean()
		w.service.Must(t, http.MethodPost, "/campaigns", map[string]any{
			"name": "A foreign one", "status": "active",
			"bidding_type": "clicks", "budget": map[string]any{"lifetime_spend_limit_micros": 100_000_000},
			"targeting": map[string]any{"locations": map[string]any{"countries": []string{"US"}}},
		})
		w.permitAll("activates", "raises-spend")
		w.also = func(d *reconcile.Desired) { d.Policy.Drift = plan.Revert }
		return w
	}
	process := func(w *world) error {
		report, err := w.pauseAll()
		if err == nil && (report.Count("applied") != 3 || report.Verified != 3) {
			return fmt.Errorf("%d applied, %d verified; want 3", report.Count("applied"), report.Verified)
		}
		return err
	}
	whole := begin(t)
	record, err := whole.store.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	effects := whole.dies(&crash{}, process)
	if left := whole.delivering(); left != "" {
		t.Fatalf("%s still delivers", left)
	}
	for at := range effects + 1 {
		t.Run(fmt.Sprintf("effect %d of %d", at, effects), func(t *testing.T) {
			t.Parallel()
			w := begin(t)
			w.dies(&crash{at: at}, process)
			w.restarted()
			if _, err := w.pauseAll(); err != nil {
				t.Fatal(err)
			}
			view := w.plan()
			if n := len(view.Plan.Applicable()); n != 0 {
				t.Errorf("the next plan changes %d resources; want none: %s", n, describe(view.Plan))
			}
			w.apply()
			if left := w.delivering(); left != "" {
				t.Errorf("%s delivers after the next apply", left)
			}
			now, err := w.store.Last(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if now.Len() != record.Len() ||
				now.Get(resource.Address{Kind: "campaign", Key: "one"}).Value("status").Text() != "active" {
				t.Errorf("the record holds %d resources, and %v of campaign/one; want %d, and the wish of the files",
					now.Len(), now.Get(resource.Address{Kind: "campaign", Key: "one"}).Value("status"), record.Len())
			}
		})
	}
}

// tally counts what a process sends.
type tally struct {
	mu      sync.Mutex
	reads   int
	changes int
}

func (c *tally) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	if r.Method == http.MethodGet {
		c.reads++
	} else {
		c.changes++
	}
	c.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// Campaigns are paused with a request that changes something for each thousand of
// them (docs/operate/operations.md: 5 and 27 that read for 5,000).
func TestPauseAllOfALargeAccount(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	w := newWorld(t)
	const campaigns = 2000
	for i := range campaigns {
		w.campaign(fmt.Sprintf("c%04d", i), "active", 100_000_000)
	}
	w.permitAll("activates", "raises-spend")
	if report := w.apply(); report.Count("applied") != campaigns {
		t.Fatalf("%d applied; want %d", report.Count("applied"), campaigns)
	}
	sent := &tally{}
	w.agent = w.through(sent, w.store)
	report, err := w.pauseAll()
	if err != nil || report.Count("applied") != campaigns || report.Verified != campaigns {
		t.Fatalf("%v, %d applied, %d verified; want %d", err, report.Count("applied"), report.Verified, campaigns)
	}
	t.Logf("%d requests that change something, %d that read", sent.changes, sent.reads)
	if sent.changes != 2 || sent.reads > 20 {
		t.Errorf("%d requests that change something, %d that read; want 2, and 20 at most", sent.changes, sent.reads)
	}
}

// Where jobs stand still, few campaigns are paused all the same, and at once.
func TestPauseAllDoesNotWaitForJobs(t *testing.T) {
	w := newWorld(t)
	w.tree("one", "active")
	w.tree("two", "active")
	w.clean()
	w.service.SetHooks(&service.Hooks{Job: func(world_.Job) service.JobFault { return service.JobFault{Hold: true} }})
	before := w.slept
	report, err := w.pauseAll()
	if err != nil || report.Count("applied") != 2 || report.Verified != 2 {
		t.Fatalf("%v, %d applied, %d verified; want 2", err, report.Count("applied"), report.Verified)
	}
	if took := w.slept - before; took > time.Minute {
		t.Errorf("it took %s; want a minute at most", took)
	}
}
