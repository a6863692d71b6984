package reconcile_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/state"
)

// losing takes the results of creates of some types out of the pages of jobs, as
// long as *on.
func (w *world) losing(on *bool, types ...string) {
	w.service.SetHooks(&service.Hooks{Results: func(_ world_.Job, results []world_.JobResult) []world_.JobResult {
		return slices.DeleteFunc(slices.Clone(results), func(r world_.JobResult) bool {
			return *on && r.Status == "created" && slices.Contains(types, r.Type)
		})
	}})
}

// B4: what a job made and gave no result for is found by what stands beneath and
// above it, and nothing is sent again: not where the service knows the keys late,
// nor where the run dies in between.
func TestLostResultIsFoundByItsKin(t *testing.T) {
	for _, row := range []struct {
		name string
		lost []string
	}{
		{"of a campaign", []string{"campaign.create"}},
		{"of an ad group", []string{"ad_group.create"}},
		{"of an ad", []string{"ad.create"}},
		{"of all that stands above an ad", []string{"campaign.create", "ad_group.create"}},
		{"of all that stands beneath a campaign", []string{"ad_group.create", "ad.create"}},
	} {
		for _, lag := range []string{"key_visibility_lag=0s",
			"key_visibility_lag=60s", "key_visibility_lag=60s,parent_id_echoed=no",
			"key_visibility_lag=60s,list_ads=by_ad_group,list_ad_groups=by_campaign",
			"key_visibility_lag=60s,parent_id_echoed=no,list_ads=by_ad_group,list_ad_groups=by_campaign"} {
			t.Run(row.name+", "+lag, func(t *testing.T) {
				w := hasty(newWorld(t, points(lag)))
				lost := true
				w.losing(&lost, row.lost...)
				sent := &jobs{}
				w.noting(sent)
				w.tree("spring", "paused")
				w.clean()
				if made := sent.with("create"); len(made.bodies) != 1 {
					t.Errorf("%d jobs of creates were sent; want one", len(made.bodies))
				}
				w.eachOnce()
			})
		}
		t.Run(row.name+", recovered", func(t *testing.T) {
			w := hasty(newWorld(t, points("key_visibility_lag=60s")))
			lost := true
			w.losing(&lost, row.lost...)
			w.tree("spring", "paused")
			w.diesBefore("move terminal")
			w.agent = w.newAgent()
			if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 0 {
				t.Fatalf("Recover = %+v, %v; want all of it known", recovered, err)
			}
			w.clean()
			w.eachOnce()
		})
	}
}

// A repetition of a job that makes its tree a second time binds nothing of that:
// what it made beside the first is archived, and what the first made is found.
func TestRepetitionThatMakesASecondTreeBindsNoneOfIt(t *testing.T) {
	w := hasty(newWorld(t, points("key_visibility_lag=60s,list_visibility_lag=60s")))
	first := ""
	w.service.SetHooks(&service.Hooks{Results: func(job world_.Job, results []world_.JobResult) []world_.JobResult {
		if first == "" && !job.ValidateOnly {
			first = job.ID
		}
		return slices.DeleteFunc(slices.Clone(results), func(r world_.JobResult) bool {
			return job.ID == first && r.Type != "campaign.create"
		})
	}})
	w.tree("spring", "paused")
	if got := outcomes(w.apply()); got["campaign/spring"] != state.OutcomeApplied ||
		got["ad_group/spring/g"] != state.OutcomeUnknown {
		t.Fatalf("outcomes are %v; want the campaign applied, and its ad group unknown", got)
	}
	if err := w.sleep(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 0 {
		t.Fatalf("Recover = %+v, %v; want all of it known", recovered, err)
	}
	w.clean()
	group, ad := w.last("ad_group/spring/g"), w.last("ad/spring/g/a")
	if group.ParentID != w.last("campaign/spring").ID || ad.ParentID != group.ID {
		t.Errorf("the ad group stands beneath %s, the ad beneath %s; want both in the tree of %s",
			group.ParentID, ad.ParentID, w.last("campaign/spring").ID)
	}
	w.strays(1)
}

// B4: the result of a campaign is lost, its child does not name it, and neither keys
// nor lists show it yet: the repetition makes a second tree. What is recorded is of
// the first, as what is known of it is, and another tree of the job is left alone.
func TestSecondTreeIsNotTakenForTheParentOfTheFirst(t *testing.T) {
	w := hasty(newWorld(t, points("key_visibility_lag=60s,list_visibility_lag=60s,parent_id_echoed=no")))
	first := ""
	w.service.SetHooks(&service.Hooks{Results: func(job world_.Job, results []world_.JobResult) []world_.JobResult {
		if first == "" && !job.ValidateOnly {
			first = job.ID
		}
		lost := false
		return slices.DeleteFunc(slices.Clone(results), func(r world_.JobResult) bool {
			is := job.ID == first && r.Type == "campaign.create" && !lost
			lost = lost || is
			return is
		})
	}})
	w.tree("spring", "paused")
	w.tree("summer", "paused")
	w.apply()
	if err := w.sleep(t.Context(), 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 0 {
		t.Fatalf("Recover = %+v, %v; want all of it known", recovered, err)
	}
	w.clean()
	above := map[string]string{}
	for _, m := range w.mutations() {
		if m.Action == "create" && m.Resource == "ad_group" {
			above[m.ResourceID] = between(string(m.After), `"campaign_id":"`)
		}
	}
	for _, key := range []string{"spring", "summer"} {
		if group, campaign := w.last("ad_group/"+key+"/g").ID, w.last("campaign/"+key).ID; above[group] != campaign {
			t.Errorf("%s: the ad group stands beneath %s, and the campaign is recorded as %s",
				key, above[group], campaign)
		}
	}
}

// B12: a create that did not run keeps its key while it asks for the same, so
// that another state of the account that has made it meanwhile has made this one;
// edited, it goes under another.
func TestB12CreateThatDidNotRunKeepsItsKeyForTheSameBytes(t *testing.T) {
	for _, edited := range []bool{false, true} {
		for _, status := range []string{"skipped", "failed"} {
			w := newWorld(t)
			out, keys := true, []string{}
			w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
				next func() world_.JobResult) world_.JobResult {
				if op.Type != "campaign.create" || len(op.Key) > 6 && op.Key[:6] == "check-" {
					return next()
				}
				keys = append(keys, op.Key)
				if no := false; out {
					return world_.JobResult{OperationID: op.ID, Type: op.Type, Status: status, Retryable: &no}
				}
				return next()
			}})
			name := "Campaign"
			campaign := func() {
				w.write("campaign/c", map[string]any{
					"name": name, "status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
				})
			}
			campaign()
			first := w.apply()
			if o := outcomes(first)["campaign/c"]; o == state.OutcomeApplied || o == state.OutcomeUnknown {
				t.Fatalf("%s: the campaign is %s; want it not made", status, o)
			}
			out = false
			second, err := state.NewMemory(state.Options{})
			if err != nil {
				t.Fatal(err)
			}
			view := w.plan() // before the other state makes it
			ours := w.agent
			if !edited {
				w.agent = w.through(line(send), second)
				w.clean()
				w.agent = ours
			} else {
				name = "Edited"
				campaign()
				view = w.plan()
			}
			if _, err := w.agent.Apply(t.Context(), view); err != nil {
				t.Fatal(err)
			}
			if same := keys[len(keys)-1] == keys[0]; same == edited {
				t.Errorf("%s, edited %t: keys are %q; want another one for other bytes only", status, edited, keys)
			}
			if born := w.creates(w.mutations()); len(born) != 1 {
				t.Errorf("%s, edited %t: created %v; want one", status, edited, born)
			}
			w.eachOnce()
		}
	}
}

// The same where the service refused the job as a whole, or the single request.
func TestB12RefusedCreateKeepsItsKeyForTheSameBytes(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		for _, edited := range []bool{false, true} {
			w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = bulk })
			name := "Campaign"
			campaign := func() {
				w.write("campaign/c", map[string]any{
					"name": name, "status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
				})
			}
			campaign()
			refuses, sent := true, &bodies{}
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				real := posts(r, "campaigns") || posts(r, "bulk_mutation_jobs") && r.Header.Get("Idempotency-Key") != ""
				if real {
					sent.hold(t, r)
				}
				if real && refuses {
					return answer(r, http.StatusUnprocessableEntity, refusal)
				}
				return send(r)
			}), w.store)
			if o := outcomes(w.apply())["campaign/c"]; o != state.OutcomeFailed {
				t.Fatalf("the campaign is %s; want it failed", o)
			}
			view, ours := w.plan(), w.agent // before the other state makes it
			if edited {
				name = "Edited"
				campaign()
				view = w.plan()
			} else {
				second, err := state.NewMemory(state.Options{})
				if err != nil {
					t.Fatal(err)
				}
				w.agent = w.through(line(send), second)
				w.clean()
			}
			refuses, w.agent = false, ours
			if _, err := w.agent.Apply(t.Context(), view); err != nil {
				t.Fatal(err)
			}
			if born := w.creates(w.mutations()); len(born) != 1 {
				t.Errorf("bulk %v, edited %v: created %v; want one", bulk, edited, born)
			}
			w.eachOnce()
		}
	}
}
