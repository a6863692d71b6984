package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/state"
)

// S16, invariant 1: two agents with a state each make one address, and do not see
// each other's. The key tells the second that it is there; it makes none under
// another key, whatever is edited and however long it waits, until somebody says
// which it is.
func TestS16CreateThatAnotherStateMadeIsNeverMadeTwice(t *testing.T) {
	for name, bulk := range map[string]bool{"in a job": true, "by a single request": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, points("key_with_other_body=refused"))
			campaign := func(name string) {
				w.write("campaign/c", map[string]any{"name": name, "status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000})
			}
			campaign("Second")
			trip := line(func(r *http.Request) (*http.Response, error) {
				if !bulk && posts(r, "bulk_mutation_jobs") {
					return answer(r, 404, refusal)
				}
				return send(r)
			})
			second, err := state.NewMemory(state.Options{})
			if err != nil {
				t.Fatal(err)
			}
			first := w.through(trip, w.store)
			w.agent = w.through(trip, second)
			view := w.plan()
			w.agent = first
			campaign("First")
			w.clean()
			id := w.last("campaign/c").ID

			w.agent = w.through(trip, second)
			report, err := w.agent.Apply(t.Context(), view)
			if err != nil || outcomes(report)["campaign/c"] != state.OutcomeUnknown {
				t.Fatalf("apply = %v, %v; want the create unknown (%v)", outcomes(report), err, w.creates(w.mutations()))
			}
			for _, wait := range []time.Duration{0, 2 * reconcile.TrustWindow, 48 * time.Hour} {
				if err := w.sleep(t.Context(), wait); err != nil {
					t.Fatal(err)
				}
				campaign("Edited after " + wait.String())
				recovered, err := w.agent.Recover(t.Context())
				if err != nil || len(recovered.Undecided) != 1 {
					t.Fatalf("Recover = %+v, %v; want it undecided", recovered, err)
				}
				again := w.apply()
				if o := again.Outcomes[0]; o.Outcome != state.OutcomeUnknown || len(again.Undecided) != 1 || again.Undecided[0].Operation.Code != string(diag.KeyConflict) {
					t.Errorf("it is %s, undecided %+v; want unknown for %s", o.Outcome, again.Undecided, diag.KeyConflict)
				}
				proof, err := w.agent.Evidence(t.Context(), resource.Address{Kind: "campaign", Key: "c"})
				if err != nil || proof == nil || proof.Proves == state.OutcomeSkipped {
					t.Errorf("evidence %+v, %v; want none that nothing was made", proof, err)
				}
			}
			if born := w.creates(w.mutations()); len(born) != 1 {
				t.Errorf("created %v; want one", born)
			}
			w.agent.Given = map[resource.Address]string{{Kind: "campaign", Key: "c"}: id}
			if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 0 {
				t.Fatalf("Recover = %+v, %v; want what the files say", recovered, err)
			}
			if change := w.plan().Plan; len(change.Changes) != 1 || change.Changes[0].Action == "create" {
				t.Errorf("plan is %s; want what the first set shown", describe(change))
			}
		})
	}
}
