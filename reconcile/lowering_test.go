package reconcile_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/state"
)

// N5, N8: where jobs get no usable answer, as the run asks what the account can do or
// preflights its creates, its pauses and decreases go out as requests all the same, and
// nothing else does. The next run does the rest.
func TestAPauseGoesOutWhereJobsGetNoAnswer(t *testing.T) {
	for _, row := range []struct {
		name  string
		known bool // that the account has jobs
		wide  bool // a new tree, so that the preflight asks
		way   line
	}{
		{"what the account can do, 503", false, false, status(503)},
		{"what the account can do, cut", false, false, func(*http.Request) (*http.Response, error) {
			return nil, errors.New("cut")
		}},
		{"the rehearsal tells both, 503", false, true, status(503)},
		{"the rehearsal, 503", true, true, status(503)},
		{"the rehearsal, a page of a proxy", true, true, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "<h1>Busy</h1>")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			for _, key := range []string{"stop", "low", "high"} {
				w.tree(key, "active")
			}
			w.clean()
			if !row.known {
				if err := w.sleep(t.Context(), 25*time.Hour); err != nil { // what the account can do is asked anew
					t.Fatal(err)
				}
			}
			w.desired.Get(address("campaign/stop")).Set("status", resource.Text("paused"))
			w.desired.Get(address("campaign/low")).Set("budget.lifetime", resource.Number(50_000_000))
			w.desired.Get(address("campaign/low")).Set("name", resource.Text("Low"))
			w.desired.Get(address("campaign/high")).Set("budget.lifetime", resource.Number(110_000_000))
			if row.wide {
				w.tree("new", "active")
			}
			jobs := 0
			agent := w.through(line(func(r *http.Request) (*http.Response, error) {
				if !posts(r, "bulk_mutation_jobs") {
					return send(r)
				}
				jobs++
				return row.way(r)
			}), w.store)
			report, err := agent.Apply(t.Context(), w.plan())
			if !errors.Is(err, adsapi.ErrUnavailable) || jobs == 0 {
				t.Fatalf("apply = %v after %d jobs; want unavailable, and jobs tried", err, jobs)
			}
			for _, o := range report.Outcomes {
				if want := o.Address.String() == "campaign/stop"; (o.Outcome == state.OutcomeApplied) != want ||
					want && !o.Verified {
					t.Errorf("%s is %s %q, verified %t; want only the pause applied in full, and verified",
						o.Address, o.Outcome, o.Message, o.Verified)
				}
			}
			live := w.plan().Live.Snapshot
			for at, want := range map[string]resource.Named{
				"campaign/stop": {Name: "status", Value: resource.Text("paused")},
				"campaign/low":  {Name: "budget.lifetime", Value: resource.Number(50_000_000)},
				"campaign/high": {Name: "budget.lifetime", Value: resource.Number(100_000_000)},
			} {
				if got := live.Get(address(at)).Value(want.Name); !got.Equal(want.Value) {
					t.Errorf("%s of %s is %v; want %v", want.Name, at, got, want.Value)
				}
			}
			if w.born()["campaign Campaign new"] != 0 {
				t.Error("a create went out")
			}
			if there, asked := known(t, w)[resource.BulkJobs]; asked && !there {
				t.Error("remembered that the account has no jobs; want that left as it was")
			}
			w.clean()
			w.eachOnce()
		})
	}
}

// A service that answers nothing gets no pause that nobody would hear of: the run ends
// as unavailable, and nothing is open.
func TestNoPauseGoesToAServiceThatAnswersNothing(t *testing.T) {
	w := newWorld(t)
	w.tree("stop", "active")
	w.clean()
	if err := w.sleep(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.desired.Get(address("campaign/stop")).Set("status", resource.Text("paused"))
	view, down, singles := w.plan(), false, 0
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if down = down || posts(r, "bulk_mutation_jobs"); !down {
			return send(r)
		}
		if r.Method == http.MethodPost && !posts(r, "bulk_mutation_jobs") {
			singles++
		}
		return answer(r, 503, refusal)
	}), w.store)
	report, err := agent.Apply(t.Context(), view)
	if !errors.Is(err, adsapi.ErrUnavailable) || singles != 0 || report.Count(state.OutcomeUnknown) != 0 {
		t.Errorf("apply = %v, %d requests, %d unknown; want unavailable, and nothing sent",
			err, singles, report.Count(state.OutcomeUnknown))
	}
	w.clean()
}

// What is replaced stays where its successor cannot be made.
func TestWhatIsReplacedStaysWhereJobsGetNoAnswer(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	if err := w.sleep(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	before := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	w.campaign("spring", "active", 100_000_000, "product_feed", "fd_test")
	w.permitAll("replace", "archives", "activates", "raises-spend")
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "bulk_mutation_jobs") {
			return answer(r, 503, refusal)
		}
		return send(r)
	}), w.store)
	view := w.plan()
	if len(view.Plan.Applicable()) == 0 {
		t.Fatalf("nothing to apply: %s", describe(view.Plan))
	}
	if _, err := agent.Apply(t.Context(), view); !errors.Is(err, adsapi.ErrUnavailable) {
		t.Fatalf("apply = %v; want unavailable", err)
	}
	if now := w.plan().Live.Snapshot.Get(address("campaign/spring")); now == nil ||
		now.ID != before || now.Value("status").Text() != "active" {
		t.Errorf("now %v; want %s as it was", now, before)
	}
}

func status(code int) line {
	return func(r *http.Request) (*http.Response, error) { return answer(r, code, refusal) }
}

func known(t *testing.T, w *world) map[resource.Capability]bool {
	t.Helper()
	known, err := w.store.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return known
}
