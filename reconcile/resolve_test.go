package reconcile_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/env"
	"adsync/reconcile/recover"
	"adsync/state"
)

// lostPixel is an account without a list of pixels, in which the answer to a
// pixel's create was lost, after the service made it or before.
func lostPixel(t *testing.T, made bool) (w *world, id string) {
	w = newWorld(t, emulatortest.WithPoints(t, "profile:interface"))
	w.write("pixel/shop", map[string]any{"name": "Web shop"})
	w.tree("spring", "paused")
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		switch {
		case strings.Contains(r.URL.Path, "/audit_logs"):
			return answer(r, 404, refusal)
		case !posts(r, "conversions/pixels"):
			return send(r)
		case made:
			if response, err := send(r); err == nil {
				_ = response.Body.Close()
			}
		}
		return answer(r, 502, refusal)
	}), w.store)
	_, _ = agent.Apply(t.Context(), w.plan())
	for _, m := range w.mutations() {
		if m.Resource == "conversion_pixel" {
			id = m.ResourceID
		}
	}
	w.agent = w.through(withoutAuditLog(true), w.store)
	if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 1 {
		t.Fatalf("Recover = %+v, %v; want the pixel undecided", recovered, err)
	}
	return w, id
}

// withoutAuditLog is a service that does not show its audit log.
func withoutAuditLog(hidden bool) line {
	return func(r *http.Request) (*http.Response, error) {
		if hidden && strings.Contains(r.URL.Path, "/audit_logs") {
			return answer(r, 404, refusal)
		}
		return send(r)
	}
}

func (w *world) evidence(of string) *recover.Evidence {
	w.t.Helper()
	e, err := w.agent.Evidence(w.t.Context(), address(of))
	if err != nil || e == nil {
		w.t.Fatalf("Evidence(%s) = %v, %v", of, e, err)
	}
	return e
}

// A pixel that nothing shows is decided by a person: refused without evidence,
// recorded with who said so, and the next plan is empty.
func TestLostPixelIsDecidedByAPerson(t *testing.T) {
	for _, row := range []struct {
		name   string
		made   bool
		decide func(id string) recover.Decision
		pixels int
	}{
		{"it is there", true, func(id string) recover.Decision {
			return recover.Decision{As: state.OutcomeApplied, ID: id}
		}, 1},
		{"it is not there", false, func(string) recover.Decision {
			return recover.Decision{As: state.OutcomeSkipped}
		}, 1},
		{"it is sent again", false, func(string) recover.Decision { return recover.Decision{Retry: true} }, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			w, id := lostPixel(t, row.made)
			d := row.decide(id)
			d.By = "ann on desk"
			e := w.evidence("pixel/shop")
			if e.Listed || e.Proves != "" {
				t.Errorf("evidence is %+v; want none", e)
			}
			if err := w.agent.Resolve(t.Context(), e, d); !errors.Is(err, recover.ErrUnproven) {
				t.Fatalf("Resolve = %v; want %v", err, recover.ErrUnproven)
			}
			if before := len(w.pixels()); before > 1 {
				t.Fatalf("a refused decision made %d pixels", before)
			}
			d.Unproven = true
			if err := w.agent.Resolve(t.Context(), e, d); err != nil {
				t.Fatalf("Resolve = %v", err)
			}
			runs, err := w.store.Runs(t.Context(), 1)
			if err != nil || !strings.Contains(runs[0].Summary, "pixel/shop decided as") ||
				!strings.Contains(runs[0].Summary, "by ann on desk, 20") {
				t.Errorf("run is %+v, %v; want who decided what, and when", runs, err)
			}
			if left, err := w.agent.Undecided(t.Context()); err != nil || len(left) != 0 {
				t.Errorf("%d are undecided, %v; want none", len(left), err)
			}
			w.clean()
			if got := w.pixels(); len(got) != row.pixels {
				t.Errorf("%d pixels were made; want %d", len(got), row.pixels)
			}
			if row.made && w.last("pixel/shop").ID != id {
				t.Errorf("the pixel is recorded as %q; want %s", w.last("pixel/shop").ID, id)
			}
		})
	}
}

func (w *world) pixels() []mutation {
	var made []mutation
	for _, m := range w.mutations() {
		if m.Resource == "conversion_pixel" && m.Action == "create" {
			made = append(made, m)
		}
	}
	return made
}

// What the service shows is evidence: two ad groups of one name are told apart by
// their ids, and an id of another parent's child is refused.
func TestOneOfSeveralIsDecidedByItsID(t *testing.T) {
	w := beneath(t)
	_, _ = w.through(&lost{suffix: "/ad_groups"}, w.store).Apply(t.Context(), w.plan())
	w.tree("autumn", "paused")
	ours := ""
	for _, m := range w.mutations() {
		if m.Resource == "ad_group" && strings.Contains(string(m.After), `"New"`) {
			ours = m.ResourceID
		}
	}
	campaign := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	w.service.Must(t, http.MethodPost, "/ad_groups", map[string]any{
		"campaign_id": campaign, "name": "New", "status": "paused", "bidding_config": map[string]any{
			"billing_event_type": "click", "strategy": "fixed_bid", "max_bid_micros": 1_250_000,
		},
	})
	if err := w.sleep(t.Context(), env.TrustWindow); err != nil {
		t.Fatal(err)
	}
	w.agent = w.newAgent()
	if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 1 {
		t.Fatalf("Recover = %+v, %v; want one undecided", recovered, err)
	}
	e := w.evidence("ad_group/spring/new")
	if len(e.Live) != 2 || !e.Listed || len(e.Log) != 2 {
		t.Errorf("evidence is %v in lists and %v in the log; want both ad groups in both", e.Live, e.Log)
	}
	if err := w.agent.Resolve(t.Context(), e, recover.Decision{As: state.OutcomeApplied}); !errors.Is(err,
		recover.ErrUnproven) {
		t.Errorf("Resolve without an id = %v; want %v", err, recover.ErrUnproven)
	}
	if err := w.agent.Resolve(t.Context(), e, recover.Decision{As: state.OutcomeApplied,
		ID: campaign, Unproven: true}); !errors.Is(err, recover.ErrOtherID) {
		t.Error("the id of a campaign is taken for an ad group")
	}
	if err := w.agent.Resolve(t.Context(), e, recover.Decision{As: state.OutcomeApplied, ID: ours}); err != nil {
		t.Fatal(err)
	}
	w.clean()
	if w.last("ad_group/spring/new").ID != ours {
		t.Errorf("recorded as %s; want %s", w.last("ad_group/spring/new").ID, ours)
	}
}

// A child of a job is decided after its parent: what carries its name in the audit log
// may stand beneath somebody else's, and beneath a parent that was not made nothing is.
func TestAChildIsDecidedAfterItsParent(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	_, _ = w.through(loseJobs(), w.store).Apply(t.Context(), w.plan())
	if err := w.sleep(t.Context(), env.TrustWindow); err != nil {
		t.Fatal(err)
	}
	w.service.Must(t, http.MethodPost, "/campaigns", map[string]any{
		"name": "Campaign spring", "status": "paused",
		"bidding_type": "clicks", "budget": map[string]any{"lifetime_spend_limit_micros": 5_000_000},
	})
	w.agent = w.newAgent()
	if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 1 {
		t.Fatalf("Recover = %+v, %v; want the campaign undecided", recovered, err)
	}
	if e := w.evidence("ad_group/spring/g"); e.Proves != "" || len(e.Log) != 1 {
		t.Errorf("the ad group is %q as %q by %d entries; want nothing proved before its campaign",
			e.Proves, e.ID, len(e.Log))
	}
	notMade := recover.Decision{As: state.OutcomeSkipped, By: "ann on desk", Unproven: true}
	if err := w.agent.Resolve(t.Context(), w.evidence("campaign/spring"), notMade); err != nil {
		t.Fatal(err)
	}
	for _, child := range []string{"ad_group/spring/g", "ad/spring/g/a"} {
		e := w.evidence(child)
		if e.Proves != state.OutcomeSkipped {
			t.Errorf("%s is %q as %q; want it not made, as its parent was not", child, e.Proves, e.ID)
		}
		notMade.Unproven = false
		if err := w.agent.Resolve(t.Context(), e, notMade); err != nil {
			t.Fatal(err)
		}
	}
}
