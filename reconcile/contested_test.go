package reconcile_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/recover"
	"adsync/state"
)

// S16, invariant 1: two agents with a state each make one address, and do not see
// each other's. The key tells the second that it is there; it makes none under
// another key, whatever is edited and however long it waits, until somebody says
// which it is. That holds in whatever words and under whatever status it says so.
func TestS16CreateThatAnotherStateMadeIsNeverMadeTwice(t *testing.T) {
	plainly := func(r world_.JobResult) world_.JobResult {
		if r.ErrorCode == "idempotency_conflict" {
			r.ErrorCode, r.Error = "write_conflict", "The request conflicts with another."
		}
		return r
	}
	for _, row := range []struct {
		name   string
		bulk   bool
		points string
		plain  bool // the service's words do not say that it is the key
		want   diag.Code
	}{
		{name: "in a job", bulk: true, want: diag.KeyConflict},
		{name: "in a job, in words that do not name the key", bulk: true, plain: true, want: diag.CreateConflict},
		{name: "by a single request", want: diag.KeyConflict},
		{name: "by a single request, in words that do not name the key", plain: true, want: diag.CreateConflict},
		{name: "by a single request, answered with 422", points: "conflict_status=422", want: diag.KeyConflict},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, points("key_with_other_body=refused,"+row.points))
			if row.plain {
				w.service.SetHooks(&service.Hooks{
					Operation: func(_ service.Operation, next func() world_.JobResult) world_.JobResult {
						return plainly(next())
					},
				})
			}
			campaign := func(name string) {
				w.write("campaign/c", map[string]any{
					"name": name, "status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
				})
			}
			campaign("Second")
			trip := line(func(r *http.Request) (*http.Response, error) {
				if !row.bulk && posts(r, "bulk_mutation_jobs") {
					return answer(r, 404, refusal)
				}
				response, err := send(r)
				if err == nil && response.StatusCode == 409 && row.plain {
					_ = response.Body.Close()
					return answer(r, 409, `{"error":{"message":"The `+
						`request conflicts with another.","code":"write_conflict"}}`)
				}
				return response, err
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
				t.Fatalf("apply = %v, %v; want the create unknown (%v)",
					outcomes(report), err, w.creates(w.mutations()))
			}
			if known, err := w.agent.Undecided(t.Context()); err != nil ||
				len(known) != 1 || known[0].Operation.Code != string(row.want) {
				t.Errorf("the journal holds %d unknown, %v after the apply; want the create, for %s",
					len(known), err, row.want)
			}
			for _, wait := range []time.Duration{0, 2 * env.TrustWindow, 48 * time.Hour} {
				if err := w.sleep(t.Context(), wait); err != nil {
					t.Fatal(err)
				}
				campaign("Edited after " + wait.String())
				recovered, err := w.agent.Recover(t.Context())
				if err != nil || len(recovered.Undecided) != 1 {
					t.Fatalf("Recover = %+v, %v; want it undecided", recovered, err)
				}
				again := w.apply()
				if o := again.Outcomes[0]; o.Outcome != state.OutcomeUnknown ||
					len(again.Undecided) != 1 || again.Undecided[0].Operation.Code != string(row.want) {
					t.Errorf("it is %s, undecided %+v; want unknown for %s", o.Outcome, again.Undecided, row.want)
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

// A job whose key the service holds for another may be that of a copied state,
// which made the same resources under other names: that none shows proves nothing.
// Each tree is a decision of its own, and one does not make the other's forgotten.
func TestJobRefusedWithAConflictIsNotMadeAnewByItself(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.tree("autumn", "paused")
	conflict := line(func(r *http.Request) (*http.Response, error) {
		if !posts(r, "bulk_mutation_jobs") || validates(r) {
			return send(r)
		}
		return answer(r, 409, `{"error":{"message":"Conflict.","code":"conflict"}}`)
	})
	_, _ = w.through(conflict, w.store).Apply(t.Context(), w.plan())
	w.agent = w.newAgent()
	for _, left := range []string{"campaign/autumn campaign/spring", "campaign/spring", ""} {
		if err := w.sleep(t.Context(), 2*env.TrustWindow); err != nil {
			t.Fatal(err)
		}
		if _, err := w.agent.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = w.apply()
		unknown, err := w.agent.Undecided(t.Context())
		var roots []string
		for _, u := range unknown {
			if u.Operation.Address.Kind == "campaign" {
				roots = append(roots, u.Operation.Address.String())
			}
		}
		slices.Sort(roots)
		if got := strings.Join(roots, " "); err != nil || got != left {
			t.Fatalf("unknown is %q, %v; want %q", got, err, left)
		}
		if left == "" {
			break
		}
		e := w.evidence(roots[0])
		if err := w.agent.Resolve(t.Context(), e, recover.Decision{As: state.OutcomeSkipped}); !errors.Is(err,
			recover.ErrUnproven) {
			t.Errorf("Resolve = %v; want %v", err, recover.ErrUnproven)
		}
		if err := w.agent.Resolve(t.Context(),
			e, recover.Decision{As: state.OutcomeSkipped, Unproven: true}); err != nil {
			t.Fatal(err)
		}
	}
	w.clean()
	w.onceEach()
}
