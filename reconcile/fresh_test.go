package reconcile_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/reconcile/env"
	"adsync/state"
)

// C1, invariant 14: what somebody changed between plan and apply is not
// overwritten unseen, and what they changed beside it stays.
func TestForeignEditBetweenPlanAndApply(t *testing.T) {
	targeting := func(countries, platforms []string) map[string]any {
		return map[string]any{
			"targeting": map[string]any{
				"locations": map[string]any{"countries": countries}, "platforms": map[string]any{"included": platforms},
			},
		}
	}
	campaign := func(status string, budget int, countries ...string) map[string]any {
		return map[string]any{
			"name": "Campaign spring", "status": status,
			"bidding_type": "clicks", "budget.lifetime": budget, "targeting.countries": countries,
		}
	}
	for _, row := range []struct {
		name    string
		desired map[string]any
		foreign map[string]any
		want    state.Outcome
		shows   string
	}{
		{"beside it in the same setting", campaign("active", 100_000_000, "US"),
			targeting([]string{"CA", "US"}, []string{"web"}), state.OutcomeApplied, `"web"`},
		{"the same value", campaign("active", 100_000_000, "US"),
			targeting([]string{"CA", "MX", "US"}, []string{"web"}), state.OutcomeSkipped, `"MX"`},
		{"the same value, alike", campaign("active", 100_000_000, "US"),
			targeting([]string{"US"}, []string{"web"}), state.OutcomeApplied, `"US"`},
		{"a decrease below ours", campaign("active", 90_000_000, "CA", "US"), map[string]any{
			"budget": map[string]any{"lifetime_spend_limit_micros": 50_000_000}}, state.OutcomeSkipped, "50000000"},
		{"a raise", campaign("active", 120_000_000, "CA", "US"), map[string]any{
			"budget": map[string]any{"lifetime_spend_limit_micros": 50_000_000}}, state.OutcomeSkipped, "50000000"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("spring", "active")
			w.clean()
			w.write("campaign/spring", row.desired)
			w.permit()
			view := w.plan()
			id := view.Live.Snapshot.Get(address("campaign/spring")).ID
			w.service.Must(t, http.MethodPost, "/campaigns/"+id, row.foreign)
			report, err := w.agent.Apply(t.Context(), view)
			if err != nil {
				t.Fatal(err)
			}
			if got := outcomes(report)["campaign/spring"]; got != row.want {
				t.Errorf("campaign is %s; want %s: %s", got, row.want, report.Outcomes[0].Message)
			}
			if row.want == state.OutcomeSkipped && !strings.Contains(report.Outcomes[0].Message, "since the plan") {
				t.Errorf("message is %q; want what changed", report.Outcomes[0].Message)
			}
			live := string(w.service.Must(t, http.MethodGet, "/campaigns/"+id, nil).Body)
			if !strings.Contains(strings.ReplaceAll(live, " ", ""), row.shows) {
				t.Errorf("campaign is %s; want it to hold %s", live, row.shows)
			}
		})
	}
}

// Invariant 9: a paused campaign is not started with the budget that somebody gave it since the plan, and the budget of
// one that somebody has started since is not raised. What lets it spend no more is no reason to wait.
func TestC1NothingIsStartedWithWhatSomebodyMadeOfItSinceThePlan(t *testing.T) {
	budget := func(micros int) map[string]any {
		return map[string]any{"budget": map[string]any{"lifetime_spend_limit_micros": micros}}
	}
	for _, row := range []struct {
		name   string
		status string // that the files want
		micros int    // and the budget
		call   string
		body   any
		want   state.Outcome
	}{
		{"started, with their budget", "active", 100_000_000, "", budget(300_000_000), state.OutcomeSkipped},
		{"started, and they gave it ours", "active", 90_000_000, "", budget(90_000_000), state.OutcomeApplied},
		{"started, and they noted something", "active", 100_000_000, "",
			map[string]any{"description": "x"}, state.OutcomeApplied},
		{"raised, and they started it", "paused", 140_000_000, "/activate", nil, state.OutcomeSkipped},
		{"lowered, and they started it", "paused", 60_000_000, "/activate", nil, state.OutcomeApplied},
		{"raised, as nobody did anything", "paused", 140_000_000, "", nil, state.OutcomeApplied},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("spring", "paused")
			w.clean()
			w.write("campaign/spring", map[string]any{
				"name": "Campaign spring", "status": row.status, "bidding_type": "clicks",
				"budget.lifetime": row.micros, "targeting.countries": []string{"CA", "US"},
			})
			w.permit()
			view := w.plan()
			if row.call != "" || row.body != nil {
				w.service.Must(t, http.MethodPost, "/campaigns/"+w.last("campaign/spring").ID+row.call, row.body)
			}
			report, err := w.agent.Apply(t.Context(), view)
			noErr(t, err)
			o, skips := report.Outcomes[0], row.want == state.OutcomeSkipped
			if o.Outcome != row.want || skips && !strings.Contains(o.Message, "since the plan") {
				t.Errorf("the campaign is %s %q; want %s", o.Outcome, o.Message, row.want)
			}
		})
	}
}

// Invariant 14: what an apply reads of its own first write shows what somebody wrote
// meanwhile. A later write of the same apply does not go over that.
func TestForeignEditBetweenTwoWritesOfOneApply(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	id := w.last("campaign/spring").ID
	once := sync.OnceFunc(func() {
		w.service.Must(t, http.MethodPost, "/campaigns/"+id, map[string]any{"description": "by hand"})
	})
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if posts(r, "bulk_mutation_jobs") {
			once()
		}
		return response, err
	}), w.store)
	w.write("campaign/spring", map[string]any{
		"name": "Campaign spring", "status": "active", "bidding_type": "clicks",
		"budget.lifetime": 90_000_000, "targeting.countries": []string{"CA", "US"}, "description": "a note",
	})
	report := w.apply()
	if o := report.Outcomes[0]; o.Outcome != state.OutcomeSkipped ||
		!strings.Contains(o.Message, "description is \"by hand\"") {
		t.Errorf("outcome is %s %q; want the description left out", o.Outcome, o.Message)
	}
	live := string(w.service.Must(t, http.MethodGet, "/campaigns/"+id, nil).Body)
	if !strings.Contains(live, "by hand") || !strings.Contains(live, "90000000") {
		t.Errorf("campaign is %s; want their description, and the decrease", live)
	}
	w.agent = w.newAgent()
	if held := describe(w.plan().Plan); !strings.Contains(held, "held: adopt") {
		t.Errorf("the next plan is %s; want the description held, as it is somebody's", held)
	}
}

// C1: a value that overwrites nothing but itself is read for as well where a person
// has looked at the plan for longer than a minute.
func TestC1APlanThatWaitedForAYesOverwritesNobody(t *testing.T) {
	for _, row := range []struct {
		name    string
		waits   time.Duration
		foreign map[string]any
		want    state.Outcome
		left    string
	}{
		{"a name that somebody edited meanwhile", 10 * time.Minute,
			map[string]any{"name": "Theirs"}, state.OutcomeSkipped, `"Theirs"`},
		{"a name, and somebody edited something else",
			10 * time.Minute, map[string]any{"description": "Theirs"}, state.OutcomeApplied, `"Ours"`},
		{"a name that somebody edited alike", 10 * time.Minute,
			map[string]any{"name": "Ours"}, state.OutcomeApplied, `"Ours"`},
		{"a name, at once", 0, map[string]any{"name": "Theirs"}, state.OutcomeApplied, `"Ours"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("spring", "active")
			w.clean()
			w.write("campaign/spring", map[string]any{
				"name": "Ours", "status": "active", "bidding_type": "clicks",
				"budget.lifetime": 100_000_000, "targeting.countries": []string{"CA", "US"},
			})
			w.permit()
			view := w.plan()
			id := view.Live.Snapshot.Get(address("campaign/spring")).ID
			w.service.Must(t, http.MethodPost, "/campaigns/"+id, row.foreign)
			if err := w.sleep(t.Context(), row.waits); err != nil {
				t.Fatal(err)
			}
			report, err := w.agent.Apply(t.Context(), view)
			if err != nil {
				t.Fatal(err)
			}
			if got := outcomes(report)["campaign/spring"]; got != row.want {
				t.Errorf("campaign is %s; want %s: %s", got, row.want, report.Outcomes[0].Message)
			}
			live := string(w.service.Must(t, http.MethodGet, "/campaigns/"+id, nil).Body)
			if !strings.Contains(live, row.left) {
				t.Errorf("campaign is %s; want %s", live, row.left)
			}
		})
	}
}

// Activating what somebody archived or changed meanwhile is left out; a creative
// goes on top of what is there now.
func TestForeignEditOfACreativeStays(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	w.write("ad/spring/g/a", map[string]any{
		"name": "Ad of spring", "status": "active", "title": "Shoes for snow", "body": "Light shoes.",
		"target_url": "https://shop.example/spring", "image": "https://images.shop.example/spring.jpg",
	})
	w.permit()
	view := w.plan()
	id := view.Live.Snapshot.Get(address("ad/spring/g/a")).ID
	var ad struct{ Creative map[string]any }
	if err := json.Unmarshal(w.service.Must(t, http.MethodGet, "/ads/"+id, nil).Body, &ad); err != nil {
		t.Fatal(err)
	}
	ad.Creative["body"] = "Their words."
	w.service.Must(t, http.MethodPost, "/ads/"+id, map[string]any{"creative": ad.Creative})
	report, err := w.agent.Apply(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	live := string(w.service.Must(t, http.MethodGet, "/ads/"+id, nil).Body)
	if !strings.Contains(live, "Their words.") {
		t.Errorf("ad is %s after %s; want their body kept", live, report.Summary())
	}
}

// The account is held against the files before an apply as well.
func TestApplyWithAnotherAccountsKey(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	view := w.plan()
	w.agent.Account.ID = "adacct_other"
	_, err := w.agent.Apply(t.Context(), view)
	var wrong *env.WrongAccountError
	if !errors.As(err, &wrong) || len(w.mutations()) != 0 {
		t.Errorf("apply: %v, %d mutations; want none, and another account named", err, len(w.mutations()))
	}
}
