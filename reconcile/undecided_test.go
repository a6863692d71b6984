package reconcile_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/state"
)

// Only what depends on a create of unknown outcome waits for it; the rest of the
// account goes on, and nothing is sent to it or made beneath it.
func TestUnknownOutcomeBlocksOnlyWhatDependsOnIt(t *testing.T) {
	w := beneath(t)
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "ad_groups") {
			return nil, errors.New("cut off")
		}
		return send(r)
	}), w.store)
	_, _ = agent.Apply(t.Context(), w.plan())
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) { // its key is taken for another's
		if posts(r, "ad_groups") {
			return answer(r, 409, refusal)
		}
		return send(r)
	}), w.store)
	w.write("ad/spring/new/a", map[string]any{
		"name": "Beneath", "status": "active", "title": "Shoes",
		"body": "Light.", "target_url": "https://shop.example/n", "image": "https://images.shop.example/n.jpg",
	})
	w.write("ad_group/spring/g", map[string]any{
		"name": "Renamed", "status": "active", "bid.max": 1_250_000,
		"context_hints": []string{"people who run", "people who hike"},
	})
	recovered, err := w.agent.Recover(t.Context())
	if err != nil || len(recovered.Undecided) != 1 || recovered.Steps[len(recovered.Steps)-1].Became != "undecided" {
		t.Fatalf("Recover = %+v, %v; want one undecided, and its rule", recovered, err)
	}
	view := w.plan()
	if got := undecidedIn(view); len(got) != 2 || !strings.HasSuffix(got["ad_group/spring/new"],
		"; nothing newer is sent to it; to decide it: adsync resolve ad_group/spring/new") {
		t.Errorf("the plan holds %v as undecided; want the ad group and what is beneath it", got)
	}
	report, err := w.agent.Apply(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	got := outcomes(report)
	want := map[string]state.Outcome{
		"ad_group/spring/new": state.OutcomeUnknown,
		"ad/spring/new/a":     apply.OutcomeHeld, "ad_group/spring/g": state.OutcomeApplied,
	}
	for address, outcome := range want {
		if got[address] != outcome {
			t.Errorf("%s is %s; want %s", address, got[address], outcome)
		}
	}
	if len(report.Undecided) != 1 || len(w.creates(w.mutations())) != 3 {
		t.Errorf("%d undecided, creates %v; want one, and nothing new", len(report.Undecided), w.creates(w.mutations()))
	}
}

// A decrease of unknown outcome holds what counts on its money, and a create of unknown
// outcome the activation of its tree. What shows that it was made holds nothing.
func TestUnknownOutcomeHoldsMoneyThatWaitsForIt(t *testing.T) {
	w := newWorld(t)
	w.before()
	w.clean()
	w.after()
	_, _ = w.through(broken{}.at("bulk_mutation_jobs"), w.store).Apply(t.Context(), w.plan())
	view := w.plan()
	got := undecidedIn(view) // without recovery: nothing is decided
	for _, raised := range []string{"campaign/high", "campaign/sleeping"} {
		if !strings.Contains(got[raised], ", as it is unknown "+
			"whether the pause of campaign/stop was made; to decide it: adsync resolve campaign/stop") {
			t.Errorf("%s is held with %q; want it to wait for the decrease", raised, got[raised])
		}
	}
	report, err := w.newAgent().Apply(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range report.Outcomes {
		if o.Outcome == state.OutcomeSkipped {
			t.Errorf("%s is skipped: %s; want the plan to say what is held", o.Address, o.Message)
		}
	}
}

// A decrease of unknown outcome that shows by now holds no raise: its money is free.
func TestAnUnknownDecreaseThatShowsHoldsNothing(t *testing.T) {
	w := newWorld(t)
	w.before()
	w.clean()
	w.after()
	_, _ = w.through(loseJobs(), w.store).Apply(t.Context(), w.plan())
	for at, why := range undecidedIn(w.plan()) {
		if at == "campaign/high" || at == "campaign/sleeping" {
			t.Errorf("%s is held with %q; want it to go, as the decreases show", at, why)
		}
	}
}

// undecidedIn returns why a plan holds what depends on an unknown outcome.
func undecidedIn(view *apply.View) map[string]string {
	held := map[string]string{}
	for _, c := range view.Plan.Changes {
		for _, h := range c.Holds() {
			if h.Hazard == plan.Undecided {
				held[c.Address.String()] = h.Message
			}
		}
	}
	return held
}

// What a job leaves open of one operation keeps nothing back of the others: they
// are recorded, and the step stays for the one.
func TestPartOfAJobIsRecordedWhileTheRestIsUnknown(t *testing.T) {
	w := newWorld(t)
	w.tree("autumn", "paused")
	w.tree("spring", "paused")
	w.service.Must(t, http.MethodPost, "/_emulator/faults",
		json.RawMessage(`{"faults": [{"name": "lost", "action": {"job": {"do": "lose_result", "n": 1}}}]}`))
	_, _ = w.through(loseJobs(), w.store).Apply(t.Context(), w.plan())
	if err := w.sleep(t.Context(), env.TrustWindow); err != nil {
		t.Fatal(err)
	}
	twin := w.service.Must(t, http.MethodPost, "/campaigns", map[string]any{
		"name": "Campaign autumn", "status": "paused",
		"bidding_type": "clicks", "budget": map[string]any{"lifetime_spend_limit_micros": 5_000_000},
		"targeting": map[string]any{"locations": map[string]any{"countries": []string{"US"}}},
	}).ID(t)
	for range 2 { // it is not decided by asking twice
		recovered, err := w.newAgent().Recover(t.Context())
		if err != nil || len(recovered.Undecided) != 1 ||
			!strings.Contains(recovered.Undecided[0], "several have its name") {
			t.Fatalf("Recover = %+v, %v; want the campaign alone undecided", recovered, err)
		}
	}
	for _, bound := range []string{"campaign/spring", "ad_group/spring/g", "ad/spring/g/a"} {
		if w.last(bound) == nil || w.last(bound).ID == "" {
			t.Errorf("%s is not recorded", bound)
		}
	}
	w.service.Must(t, http.MethodPost, "/campaigns/"+twin+"/archive", nil)
	if recovered, err := w.agent.Recover(t.Context()); err != nil ||
		len(recovered.Undecided) != 0 || recovered.Steps[0].Became != "finished" {
		t.Fatalf("Recover = %+v, %v; want it finished", recovered, err)
	}
	w.clean()
	if born := w.creates(w.mutations()); born["campaign Campaign autumn"] != 2 ||
		born["campaign Campaign spring"] != 1 {
		t.Errorf("creates are %v; want autumn and its twin, and spring once", born)
	}
}

// loseJobs loses the answers to real jobs, and lets dry runs through.
func loseJobs() line {
	return func(r *http.Request) (*http.Response, error) {
		if !posts(r, "bulk_mutation_jobs") {
			return send(r)
		}
		if validates(r) {
			return send(r)
		}
		if response, err := send(r); err == nil {
			_ = response.Body.Close()
		}
		return nil, errCrash
	}
}
