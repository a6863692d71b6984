package reconcile_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
)

// Invariant 5: a job that cannot be asked for any more may still do what it was sent
// for. Until nobody's job runs that long its updates are unknown, but for pauses, which
// go again.
func TestAJobThatCannotBeAskedForMayStillRun(t *testing.T) {
	for _, row := range []struct {
		name, status, text string
		waits              bool
	}{
		{"a name", "active", "Edited", true},
		{"a pause", "paused", "Group of spring", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, func(o *emulator.Options) {
				o.OpenPoints = openpoint.Defaults()
				if err := o.OpenPoints.Apply(map[openpoint.Name]string{openpoint.BulkDuration: "60s"}); err != nil {
					t.Fatal(err)
				}
			})
			w.tree("spring", "active")
			w.clean()
			lost := true
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if lost && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "bulk_mutation_jobs/") {
					return answer(r, 404, refusal)
				}
				return send(r)
			}), w.store)
			w.write("ad_group/spring/g", map[string]any{
				"name": row.text, "status": row.status,
				"bid.max": 1_250_000, "context_hints": []string{"people who run", "people who hike"},
			})
			w.permit()
			if _, err := w.agent.Apply(t.Context(), w.plan()); err != nil {
				t.Log(err)
			}
			recovered, err := w.agent.Recover(t.Context())
			if err != nil || len(recovered.Undecided) > 0 != row.waits {
				t.Fatalf("recover: %+v, %v; want it to wait: %v", recovered, err, row.waits)
			}
			open, err := w.store.Open(t.Context())
			if err != nil || len(open) > 0 != row.waits {
				t.Fatalf("the journal holds %+v, %v; want the step open: %v", open, err, row.waits)
			}
			if next := describe(w.plan().Plan); row.waits != strings.Contains(next, "held: ") {
				t.Errorf("the next plan is %s; want it held: %v", next, row.waits)
			}
			lost = false
			if err := w.sleep(t.Context(), 21*time.Minute); err != nil {
				t.Fatal(err)
			}
			if recovered, err = w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) > 0 {
				t.Fatalf("recover after the window: %+v, %v; want it decided", recovered, err)
			}
			w.converge()
		})
	}
}
