package reconcile_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/env"
)

// A8: an answer is lost, somebody may put a person in, and a later run finds what it
// sent. Then the files name other people: nobody is taken out unseen, and where nobody
// came in between nothing waits.
func TestA8WhatALaterRunFindsLeavesNobodyOut(t *testing.T) {
	replace := func(w *world) { w.audience("customers", 0, 100); w.clean(); w.audience("customers", 0, 110) }
	for _, tt := range []struct {
		name  string
		sends func(*world)
		loses string
		waits time.Duration // before recovery
		byOne bool          // somebody puts a person in
		want  plan.Hazard   // that holds the next list
	}{
		{"a create, and nobody came", func(w *world) { w.audience("customers", 0, 100) },
			"/custom_audiences", time.Minute, false, ""},
		{"a create, and somebody came", func(w *world) { w.audience("customers", 0, 100) },
			"/custom_audiences", time.Minute, true, plan.Conflicts},
		{"a create found late", func(w *world) { w.audience("customers", 0, 100) },
			"/custom_audiences", 2 * env.TrustWindow, true, plan.Conflicts},
		{"a replacement, and nobody came", replace, "/replace", time.Minute, false, ""},
		{"a replacement, and somebody came", replace, "/replace", time.Minute, true, plan.Conflicts},
		{"a replacement of long ago", replace, "/replace", 2 * env.TrustWindow, false, plan.Conflicts},
		{"the first list of long ago", func(w *world) {
			w.write("audience/customers", map[string]any{"name": "Audience customers"})
			w.clean()
			w.audience("customers", 0, 110)
		}, "/replace", 2 * env.TrustWindow, false, plan.Conflicts},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.sends(w)
			if _, err := w.through(&lost{suffix: tt.loses}, w.store).Apply(t.Context(), w.plan()); err != nil {
				t.Fatal(err)
			}
			if err := w.sleep(t.Context(), tt.waits); err != nil {
				t.Fatal(err)
			}
			if tt.byOne {
				w.addTo(w.onlyAudience(), 500)
			}
			w.agent = w.newAgent()
			if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) > 0 {
				t.Fatalf("Recover = %+v, %v", recovered, err)
			}
			w.audience("customers", 0, 105)
			w.permitAll("shrinks-audience")
			var got plan.Hazard
			for _, h := range w.plan().Plan.Changes[0].Holds() {
				got = h.Hazard
			}
			if got != tt.want {
				t.Errorf("the next list is held with %q; want %q", got, tt.want)
			}
		})
	}
}

// onlyAudience is the id of the one audience there is.
func (w *world) onlyAudience() string {
	w.t.Helper()
	all := w.service.Must(w.t, "GET", "/custom_audiences", nil).Map(w.t)["data"].([]any)
	if len(all) != 1 {
		w.t.Fatalf("%d audiences are there; want 1", len(all))
	}
	return all[0].(map[string]any)["id"].(string)
}

// A create that the service is still at work on is not held for good: the run after
// it sees what it gave.
func TestWhatIsStillBeingMadeIsSeenByTheNextRun(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 100)
	if _, err := w.through(&lost{suffix: "/custom_audiences"}, w.store).Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	if err := w.sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	making := line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if err == nil && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/custom_audiences") {
			return answered(answered(response, `"status":"ready"`, `"status":"processing"`),
				`"membership_revision":1`, `"membership_revision":0`), nil
		}
		return response, err
	})
	for _, tt := range []struct {
		agent *reconcile.Agent
		held  bool
	}{{w.through(making, w.store), true}, {w.newAgent(), false}} {
		w.agent = tt.agent
		if _, err := w.agent.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.audience("customers", 0, 105)
		if held := len(w.plan().Plan.Changes[0].Holds()) > 0; held != tt.held {
			t.Errorf("another list is held: %v; want %v", held, tt.held)
		}
	}
}

// An account that may have no audiences any more recovers all the same.
func TestAudiencesThatAreNotThereAnyMoreStopNoRecovery(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 100)
	if _, err := w.through(&lost{suffix: "/custom_audiences"}, w.store).Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{0, 403, 404} {
		w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
			if status != 0 && strings.Contains(r.URL.Path, "/custom_audiences/") {
				return answer(r, status, `{"error":{"message":"Audiences are not enabled."}}`)
			}
			if status == 0 && strings.HasSuffix(r.URL.Path, "/operations") {
				return answer(r, 403, `{"error":{"message":"Operations are not shown."}}`)
			}
			return send(r)
		}), w.store)
		if _, err := w.agent.Recover(t.Context()); err != nil {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

// A create of an audience has no key. One whose answer was lost, and which somebody
// archives before the next run, is found in the audit log, held as removed by hand, and
// not made a second time.
func TestLostAudienceThatSomebodyArchivedIsNotMadeAgain(t *testing.T) {
	for _, lists := range []string{"yes", "no"} {
		w := newWorld(t, emulatortest.WithPoints(t, "list_archived="+lists))
		w.audience("customers", 0, 100)
		if _, err := w.through(&lost{suffix: "/custom_audiences"}, w.store).Apply(t.Context(), w.plan()); err != nil {
			t.Fatal(err)
		}
		made := w.Made("custom_audience")
		if err := w.sleep(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		w.service.Must(t, http.MethodPost, "/custom_audiences/"+made+"/archive", nil)
		if err := w.sleep(t.Context(), env.TrustWindow); err != nil {
			t.Fatal(err)
		}
		w.agent = w.newAgent()
		if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 0 {
			t.Fatalf("lists %s: Recover = %+v, %v; want it decided", lists, recovered, err)
		}
		w.apply()
		if again := w.Made("custom_audience"); again != made {
			t.Errorf("lists %s: it was made again, as %s", lists, again)
		}
		if got := describe(w.plan().Plan); !strings.Contains(got, "held: removed-by-hand") {
			t.Errorf("lists %s: the plan is %s; want it held as removed by hand", lists, got)
		}
	}
}

// Somebody's operation has stopped and goes on before adsync's own: what it did is not
// taken for adsync's, and the next list of the files is held instead of going over it.
func TestWhatGoesOnBeforeIsNotTakenForOnesOwn(t *testing.T) {
	for _, somebody := range []bool{false, true} {
		w := newWorld(t, emulatortest.WithPoints(t, "audience_operation_stalls=half_way"))
		w.audience("customers", 0, 100)
		w.clean()
		if somebody {
			w.addTo(w.onlyAudience(), 500)
		}
		w.audience("customers", 100, 150, "members.do", "add")
		if w.apply(); w.matched("customers") < 150 {
			t.Fatal("what the files add is not in it")
		}
		w.audience("customers", 0, 120)
		w.permitAll("shrinks-audience")
		var got []plan.Hazard
		for _, h := range w.plan().Plan.Changes[0].Holds() {
			got = append(got, h.Hazard)
		}
		if held := slices.Contains(got, plan.Conflicts); held != somebody || len(got) > 1 {
			t.Errorf("somebody put a person in: %v; the next list is held with %q", somebody, got)
		}
	}
}
