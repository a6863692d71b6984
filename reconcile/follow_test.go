package reconcile_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/state"
)

// B2: a job that does not end is asked for ever more seldom, and by its size at
// most so long. What does not depend on it goes on; its outcomes name the job.
func TestStuckJobLetsTheRestGoOn(t *testing.T) {
	w := newWorld(t)
	w.tree("old", "paused")
	w.clean()
	w.service.SetHooks(&service.Hooks{Job: func(job world_.Job) service.JobFault {
		return service.JobFault{Hold: !job.ValidateOnly && job.Count > 1}
	}})
	polls := 0
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/bulk_mutation_jobs/") {
			polls++
		}
		return send(r)
	}), w.store)
	w.tree("new", "active")
	w.write("campaign/old", map[string]any{
		"name": "Campaign old", "status": "active",
		"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"CA", "US"},
	})
	before := w.slept
	report := w.apply()
	got := outcomes(report)
	if got["campaign/old"] != state.OutcomeApplied || got["campaign/new"] != state.OutcomeUnknown {
		t.Errorf("outcomes are %v; want the other campaign activated, and the tree of the stuck job unknown", got)
	}
	if waited := w.slept - before; waited < 15*time.Minute || waited > 18*time.Minute || polls > 200 {
		t.Errorf("waited %s with %d requests; want little "+
			"over a quarter of an hour for three operations, and few requests", waited, polls)
	}
	for _, o := range report.Outcomes {
		if o.Outcome == state.OutcomeUnknown &&
			(!strings.Contains(o.Message, "blkmtnjob_") || !strings.Contains(o.Message, "not sent again")) {
			t.Errorf("%s says %q; want the job and that it was not sent again", o.Address, o.Message)
		}
	}
}

// B3: results that never come whole are none. The creates are asked for once
// more under their keys, and then looked for; nothing is doubled, nothing lost.
func TestResultsThatNeverComeWhole(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	cut := func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if err == nil && strings.HasSuffix(r.URL.Path, "/operations") {
			return answered(response, `"complete":true`, `"complete":false`), nil
		}
		return response, err
	}
	w.agent = w.through(line(cut), w.store)
	report := w.apply()
	if n := report.Count(state.OutcomeUnknown); n != 3 {
		t.Errorf("%d outcomes are unknown; want all three: %v", n, outcomes(report))
	}
	if status := w.live("campaign/spring", "status"); status != `"paused"` {
		t.Errorf("the campaign is %s; want it paused while nothing is known", status)
	}
	w.agent = w.through(line(cut), w.store)
	recovered, err := w.agent.Recover(t.Context())
	if err != nil || len(recovered.Undecided) > 0 {
		t.Fatalf("recover: %+v, %v; want it decided by reading back", recovered, err)
	}
	w.agent = w.newAgent()
	w.clean()
	w.once("Group of spring")
}

// B4: a second page that is missing, or leads back to the first, is no result.
func TestSecondPageOfResults(t *testing.T) {
	for name, page := range map[string]string{
		"missing":     "",
		"in a circle": "?limit=100",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, letter := range "abcdefghijklmnopqrstuvwxyz1234567890" {
				key := string(letter)
				w.tree("t"+key, "paused")
			}
			broken := 0
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if r.URL.Query().Get("after") == "" || !strings.HasSuffix(r.URL.Path, "/operations") || broken > 2 {
					return send(r)
				}
				broken++
				if page == "" {
					return answer(r, 404, refusal)
				}
				back := r.Clone(r.Context())
				back.URL.RawQuery = page[1:]
				return send(back)
			}), w.store)
			w.apply()
			if broken == 0 {
				t.Fatal("no second page was asked for")
			}
			w.agent = w.newAgent()
			w.converge()
			if n := w.plan().Live.Snapshot.Len(); n != 36*3 {
				t.Errorf("%d resources are live; want %d", n, 36*3)
			}
		})
	}
}
