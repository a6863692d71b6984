package reconcile_test

import (
	"encoding/json"
	"fmt"
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
	body := []byte(`{"operations":[{"operation_id":"u1","type":"campaign.update","target_resource_id":"` +
		id + `","input":{"status":"paused","max_budget_micros":1}}]}`)
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
	}{{state.Sent, state.Update{SentAt: w.now()}},
		{state.Accepted, state.Update{JobID: job}}, {state.Terminal, state.Update{}}} {
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

// S6: killed between two pages of the results of a job, recovery reads all of them
// again: each operation ends as the service said, and none is sent twice.
func TestS6DeathBetweenPagesOfResultsCountsEachOperationOnce(t *testing.T) {
	w := newWorld(t)
	for n := range 36 {
		w.tree(fmt.Sprintf("t%d", n), "paused")
	}
	c := &crash{page: true}
	if w.dies(c, (*world).work); !c.dead {
		t.Fatal("no second page of results was asked for")
	}
	open, err := w.store.Open(t.Context())
	if err != nil || len(open) != 1 || open[0].Point != state.Accepted || len(open[0].Operations) != 36*3 {
		t.Fatalf("%d steps are open, %v; want the job, accepted, without its results", len(open), err)
	}
	pages, jobs := 0, 0
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if isSecondPage(r) {
			pages++
		}
		if posts(r, "bulk_mutation_jobs") {
			jobs++
		}
		return send(r)
	}), w.store)
	recovered, err := w.agent.Recover(t.Context())
	if err != nil || len(recovered.Steps) != 1 || recovered.Steps[0].Rule.Name != "job accepted" ||
		recovered.Steps[0].Became != "finished" {
		t.Fatalf("Recover = %+v, %v; want the job finished by its results", recovered, err)
	}
	last, err := w.store.Last(t.Context())
	if err != nil || last.Len() != 36*3 {
		t.Errorf("%d resources are recorded, %v; want %d", last.Len(), err, 36*3)
	}
	if pages != 1 || jobs != 0 {
		t.Errorf("recovery reads %d second pages and sends %d jobs; want one and none", pages, jobs)
	}
	w.clean()
	w.eachOnce()
}
