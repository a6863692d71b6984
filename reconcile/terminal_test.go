package reconcile_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"adsync/internal/resource"
	"adsync/state"
)

// S5: killed between the end of a job and its results, recovery reads how each
// operation ended. A pause that failed is not taken for done.
func TestFailedUpdateOfAnEndedJobIsNotTakenForDone(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	campaign := address("campaign/spring")
	id := w.plan().Live.Snapshot.Get(campaign).ID
	body := []byte(`{"operations":[{"operation_id":"u1","type":"campaign.update","target_resource_id":"` + id + `","input":{"status":"paused","max_budget_micros":1}}]}`)
	job := w.service.Must(t, http.MethodPost, "/bulk_mutation_jobs", json.RawMessage(body)).ID(t)
	if end := w.service.JobEnd(t, job); end["status"] != "failed" {
		t.Fatalf("job ended %v; want it failed", end["status"])
	}
	var set resource.Attributes
	set.Set("status", resource.Text("paused"))
	step := state.Step{
		ID: "run/lower/1", Run: "run", Route: state.Bulk, Path: "/bulk_mutation_jobs", Key: "k1", Body: body,
		Operations: []state.Operation{{ID: "u1", Address: campaign, Action: "update", ResourceID: id, Set: set}},
	}
	if err := w.store.Begin(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	for _, to := range []struct {
		point  state.Point
		update state.Update
	}{{state.Sent, state.Update{SentAt: w.now()}}, {state.Accepted, state.Update{JobID: job}}, {state.Terminal, state.Update{}}} {
		if err := w.store.Move(t.Context(), step.ID, to.point, to.update); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	last, err := w.store.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := last.Get(campaign).Value("status").Text(); got != "active" {
		t.Errorf("last-applied status is %q after a pause that failed; want active", got)
	}
}
