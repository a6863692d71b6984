package reconcile_test

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/state"
)

var draws = flag.Int("draws", 25, "how many draws of the open points are tried")

func address(s string) resource.Address {
	a, _ := resource.ParseAddress(s)
	return a
}

func outcomes(r *apply.Report) map[string]state.Outcome {
	by := map[string]state.Outcome{}
	for _, o := range r.Outcomes {
		by[o.Address.String()] = o.Outcome
	}
	return by
}

func (w *world) live(address string, attribute string) string {
	w.t.Helper()
	a, _ := resource.ParseAddress(address)
	r := w.plan().Live.Snapshot.Get(a)
	if r == nil {
		return "(not there)"
	}
	return r.Value(attribute).String()
}

// B5, B28: an image that cannot be fetched fails its ad alone; the tree above
// it stays paused until it is whole.
func TestFailedAdFailsAloneAndItsTreeStaysPaused(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.write("ad/spring/g/gone", map[string]any{
		"name": "Gone", "status": "active", "title": "No picture", "body": "Text.",
		"target_url": "https://shop.example/g", "image": "https://images.shop.example/missing/x.jpg",
	})
	w.tree("other", "active")
	report := w.apply()
	got := outcomes(report)
	if got["ad/spring/g/gone"] != state.OutcomeFailed ||
		got["ad/spring/g/a"] != state.OutcomeApplied || got["campaign/other"] != state.OutcomeApplied {
		t.Errorf("outcomes are %v; want the ad failed, its sibling and the other tree applied", got)
	}
	if status := w.live("campaign/spring", "status"); status != `"paused"` {
		t.Errorf("campaign above the failed ad is %s; want paused", status)
	}
	if status := w.live("campaign/other", "status"); status != `"active"` {
		t.Errorf("the other campaign is %s; want active", status)
	}
	if got := outcomes(w.apply()); got["campaign/spring"] != state.OutcomeSkipped ||
		w.live("campaign/spring", "status") != `"paused"` {
		t.Errorf("applied again, with the ad refused again, the campaign is %s, live %s; want it skipped and paused",
			got["campaign/spring"], w.live("campaign/spring", "status"))
	}
	w.write("ad/spring/g/gone", map[string]any{
		"name": "Gone", "status": "active", "title": "No picture",
		"body": "Text.", "target_url": "https://shop.example/g", "image": "https://images.shop.example/found/x.jpg",
	})
	w.clean()
	if status := w.live("campaign/spring", "status"); status != `"active"` {
		t.Errorf("campaign is %s once its ad is there; want active", status)
	}
}

// N13: an account without bulk jobs is served by single requests.
func TestAccountWithoutBulkJobsTakesSingleRequests(t *testing.T) {
	w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = false })
	w.tree("spring", "active")
	w.clean()
	w.write("campaign/spring", map[string]any{
		"name": "Renamed", "bidding_type": "clicks", "budget.lifetime": 90_000_000,
	})
	w.clean()
}

// Hints to avoid exist in jobs alone (interface, part 4, bulk operation table): in
// an account without, the row says so, and its tree stays paused.
func TestWhatOnlyJobsCanSayIsToldWhereThereAreNone(t *testing.T) {
	w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = false })
	w.tree("spring", "active")
	w.desired.Get(address("ad_group/spring/g")).Set("exclusion_hints", resource.List([]string{"boots"}))
	for range 2 {
		report := w.apply()
		got := report.Outcomes[slices.IndexFunc(report.Outcomes, func(o apply.Outcome) bool {
			return o.Address == address("ad_group/spring/g")
		})]
		if got.Outcome != state.OutcomeFailed ||
			!strings.Contains(got.Message, "exclusion_hints: only a bulk job can say it, and the account has none") {
			t.Errorf("the ad group is %s %q; want it failed with the reason", got.Outcome, got.Message)
		}
	}
	if status := w.live("campaign/spring", "status"); status != `"paused"` {
		t.Errorf("the campaign is %s after the second apply; want it paused", status)
	}
	w.desired.Get(address("ad_group/spring/g")).Set("bid.max", resource.Number(700_000))
	w.apply()
	if bid := w.live("ad_group/spring/g", "bid.max"); bid != "700000" {
		t.Errorf("the bid is %s after it was lowered beside what cannot be said; want 700000", bid)
	}
}

// B9: a retryable failure goes again as the same body under a new job key, with
// the same keys of its creates.
func TestRetryableFailureGoesAgainWithTheSameOperationKeys(t *testing.T) {
	w := newWorld(t)
	failures := 0
	keys := map[string]bool{}
	w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
		next func() world_.JobResult) world_.JobResult {
		if op.Type == "ad_group.create" && !strings.HasPrefix(op.Key, "check-") {
			keys[op.Key] = true
		}
		if op.Type != "ad_group.create" || strings.HasPrefix(op.Key, "check-") || failures > 0 {
			return next()
		}
		failures++
		code, text, yes, wait := "temporarily_unavailable", "try again", true, int64(1)
		return world_.JobResult{
			OperationID: op.ID, Type: op.Type, Status: "failed",
			ErrorCode: code, Error: text, Retryable: &yes, RetryAfter: &wait,
		}
	}})
	w.tree("spring", "active")
	w.clean()
	if failures != 1 || len(keys) != 1 {
		t.Errorf("%d failures, operation keys %v; want one of each", failures, keys)
	}
}

// H18, invariant 11: a pause somebody else made is never undone, until the
// file's status is edited afterwards.
func TestForeignPauseIsNotUndone(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	w.service.Must(t, http.MethodPost, "/campaigns/"+id+"/pause", nil)
	view := w.plan()
	if n := len(view.Plan.Applicable()); n != 0 {
		t.Errorf("%d changes are applicable after a foreign pause; want none: %s", n, describe(view.Plan))
	}
	if len(view.Plan.Changes) != 1 {
		t.Errorf("plan has %d changes; want the pause shown", len(view.Plan.Changes))
	}
	if _, err := w.agent.Apply(t.Context(), view); err != nil {
		t.Fatal(err)
	}
	if status := w.live("campaign/spring", "status"); status != `"paused"` {
		t.Errorf("campaign is %s; want paused", status)
	}
}

// C4: a live twin by name is held for adoption, never doubled.
func TestTwinByNameIsHeldForAdoption(t *testing.T) {
	w := newWorld(t)
	w.service.Must(t, http.MethodPost, "/campaigns", map[string]any{
		"name": "Campaign spring", "status": "paused",
		"bidding_type": "clicks", "budget": map[string]any{"lifetime_spend_limit_micros": 100_000_000},
		"targeting": map[string]any{"locations": map[string]any{"countries": []string{"CA", "US"}}},
	})
	w.tree("spring", "paused")
	report := w.apply()
	if got := outcomes(report)["campaign/spring"]; got != apply.OutcomeHeld {
		t.Errorf("twin is %s; want held", got)
	}
	allowance, err := plan.ParseAllowance("adopt")
	if err != nil {
		t.Fatal(err)
	}
	w.allow = []plan.Allowance{allowance}
	w.clean()
}

// S13: with its state lost, adsync recognises its own creates by name and asks;
// it doubles nothing.
func TestLostStateDoublesNothing(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.clean()
	before := w.plan().Live.Snapshot.Len()
	fresh, err := state.NewMemory(state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.store = fresh
	w.agent = w.newAgent()
	if _, err := w.agent.Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	if after := w.plan().Live.Snapshot.Len(); after != before {
		t.Errorf("%d resources after an apply without state; want %d", after, before)
	}
}

// Invariant 15: an agent for reading cannot send a mutation.
func TestReadingAgentCannotMutate(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	view := w.plan()
	client, err := adsapi.New(adsapi.Config{
		BaseURL: w.service.BaseURL, Key: adsapi.NewSecret(w.service.Key), UserAgent: "test", ReadOnly: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.agent.Service = client
	if _, err := w.agent.Apply(t.Context(), view); !errors.Is(err, adsapi.ErrReadOnly) {
		t.Errorf("apply with a reading client: %v; want %v", err, adsapi.ErrReadOnly)
	}
}

// Invariant 36: whatever the service does where the interface is silent, an
// apply converges and doubles nothing.
func TestOpenPointsDoNotMatter(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	services := []string{"profile:interface", "profile:published", "profile:hostile"}
	for seed := range *draws {
		services = append(services, fmt.Sprintf("random:%d", seed))
	}
	for _, service := range services {
		t.Run(service, func(t *testing.T) {
			points, err := openpoint.Parse(service)
			if err != nil {
				t.Fatal(err)
			}
			fewer := 45
			if points.Is(openpoint.AudienceUploads, "absent") {
				fewer = 50 // a list is replaced by a file alone
			}
			w := newWorld(t, emulatortest.WithPoints(t, service))
			w.tree("spring", "active")
			w.tree("autumn", "paused")
			w.limitsAndPeople(300_000_000, 50)
			w.converge()
			w.limitsAndPeople(200_000_000, fewer)
			w.write("campaign/spring", map[string]any{
				"name": "Renamed", "status": "paused", "bidding_type": "clicks",
				"budget.lifetime": 90_000_000, "targeting.countries": []string{"US"}, "tracking": "utm_source=chat",
			})
			w.converge()
			w.bulk.Most = 6 // the next tree is larger than a job
			w.agent = w.newAgent()
			w.wide("summer", 4)
			w.converge()
			w.oneStandsOfEach()
			if n := strings.Count(w.own(), "\n") + 1; n != 23 {
				t.Errorf("%d resources are live; want the 23 of the files", n)
			}
		})
	}
}

// limitsAndPeople writes a limit of each sort, and audiences made of a list and of
// others.
func (w *world) limitsAndPeople(micros, people int) {
	w.write("spend_limit_window/december", map[string]any{"amount": micros, "start": w.day(3), "end": w.day(30)})
	w.write("daily_spend_limit/always", map[string]any{"amount": micros, "start": w.day(2)})
	w.audience("buyers", 0, people)
	w.audience("readers", 100, 120, "members.do", "add")
	w.Merged("everybody", "audience/buyers", "audience/readers")
}

// converge applies until nothing is left, a few times at most.
func (w *world) converge() {
	w.t.Helper()
	for range 5 {
		if _, err := w.agent.Recover(w.t.Context()); err != nil {
			w.t.Fatalf("recover: %v", err)
		}
		view := w.plan()
		if view.Plan.Empty() {
			if len(view.Plan.Changes) != 0 {
				w.t.Errorf("held: %s", describe(view.Plan))
			}
			return
		}
		if _, err := w.agent.Apply(w.t.Context(), view); err != nil {
			w.t.Fatalf("apply: %v", err)
		}
	}
	w.t.Errorf("not converged: %s", describe(w.plan().Plan))
}
