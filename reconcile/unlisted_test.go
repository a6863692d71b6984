package reconcile_test

import (
	"net/http"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/env"
	"adsync/reconcile/recover"
	"adsync/state"
)

// The interface has no list of ads. An ad whose create was lost, and whose key is
// old, is found in the audit log; where that cannot be read either a person decides
// it, and meanwhile everything else goes on, a pause first of all.
func TestALostAdWhereAdsAreNotListedHoldsUpNothingElse(t *testing.T) {
	for _, row := range []struct {
		name   string
		made   bool // the service made it before the answer was lost
		hidden bool // the audit log cannot be read
	}{
		{"made, and logged", true, false},
		{"made, and nothing tells", true, true},
		{"not made, and nothing tells", false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, emulatortest.WithPoints(t, "profile:interface"))
			w.tree("spring", "active")
			w.clean()
			w.write("ad/spring/g/late", map[string]any{
				"name": "Late", "status": "active", "title": "Late shoes", "body": "They came late.",
				"target_url": "https://shop.example/late", "image": "https://images.shop.example/late.jpg",
			})
			agent := w.through(line(func(r *http.Request) (*http.Response, error) {
				if !posts(r, "ads") {
					return send(r)
				}
				if row.made {
					if response, err := send(r); err == nil {
						_ = response.Body.Close()
					}
				}
				return answer(r, 502, refusal)
			}), w.store)
			_, _ = agent.Apply(t.Context(), w.plan())
			id := w.Made("ad")
			if err := w.sleep(t.Context(), env.TrustWindow); err != nil {
				t.Fatal(err)
			}
			w.agent = w.through(withoutAuditLog(row.hidden), w.store)
			recovered, err := w.agent.Recover(t.Context())
			if err != nil || (len(recovered.Undecided) == 1) != row.hidden {
				t.Fatalf("Recover = %+v, %v; want it undecided: %v", recovered, err, row.hidden)
			}
			w.desired.Get(address("campaign/spring")).Set("status", resource.Text("paused"))
			report, err := w.agent.Apply(t.Context(), w.plan())
			if err != nil || outcomes(report)["campaign/spring"] != state.OutcomeApplied {
				t.Fatalf("the pause: %+v, %v; want it applied", report, err)
			}
			if row.hidden {
				w.decideUnlisted(row.made, id)
			}
			w.clean()
			w.eachOnce()
		})
	}
}

// decideUnlisted decides the ad that nothing shows: its evidence is none, and it is
// found nevertheless where its id is right.
func (w *world) decideUnlisted(made bool, id string) {
	w.t.Helper()
	d := recover.Decision{As: state.OutcomeSkipped, Unproven: true, By: "a test"}
	if made {
		d = recover.Decision{As: state.OutcomeApplied, ID: id, Unproven: true, By: "a test"}
	}
	e := w.evidence("ad/spring/g/late")
	if e.Listed || e.Proves != "" || !strings.Contains(e.Message(), "no list of kind ad") {
		w.t.Errorf("evidence is %+v (%s); want none, as ads are not listed", e, e.Message())
	}
	if err := w.agent.Resolve(w.t.Context(), e, d); err != nil {
		w.t.Fatal(err)
	}
	if bound := w.plan().Last.Get(address("ad/spring/g/late")); made && (bound == nil || bound.ID != id) {
		w.t.Errorf("it is recorded as %+v; want %s", bound, id)
	}
}
