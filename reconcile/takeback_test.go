package reconcile_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// Invariants 11 and 14: a run that is taken back pauses what it made. Where somebody has
// paused that already, the pause stays theirs, also where the plan did not show it, and
// the next apply starts nothing.
func TestARevertTakesOverNobodysPause(t *testing.T) {
	for _, row := range []struct {
		name   string
		paused string // when somebody does: "before" the plan, "after" it, or not at all
		shows  string // what lists show instead of its status
		want   state.Outcome
		after  string // what the next plan of the files does
	}{
		{"paused before a plan that shows a word nobody knows",
			"before", "limited", state.OutcomeSkipped, "held: drift was paused outside"},
		{"paused between plan and apply", "after", "", state.OutcomeSkipped, "held: drift was paused outside"},
		{"active, with a word nobody knows", "", "limited",
			state.OutcomeApplied, `desired "active" last "paused" live "paused" edit`},
		{"active", "", "", state.OutcomeApplied, `desired "active" last "paused" live "paused" edit`},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("spring", "active")
			w.clean()
			id := w.last("campaign/spring").ID
			pause := func(when string) {
				if row.paused == when {
					w.service.Must(t, http.MethodPost, "/campaigns/"+id+"/pause", nil)
				}
			}
			pause("before")
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				response, err := send(r)
				if err != nil || row.shows == "" || !strings.HasSuffix(r.URL.Path, "/campaigns") {
					return response, err
				}
				body, err := io.ReadAll(response.Body)
				text := strings.NewReplacer(`"paused"`,
					`"`+row.shows+`"`, `"active"`, `"`+row.shows+`"`).Replace(string(body))
				response.Body = io.NopCloser(strings.NewReader(text))
				response.Header.Del("Content-Length")
				response.ContentLength = int64(len(text))
				return response, err
			}), w.store)
			w.also = w.takeBack(plan.Done{
				Address: address("campaign/spring"), ID: id,
				Action: plan.Create, Fields: []plan.DoneField{{Name: "status", After: resource.Text("active")}},
			})
			view := w.plan()
			pause("after")
			report, err := w.agent.Apply(t.Context(), view)
			if err != nil {
				t.Fatal(err)
			}
			if o := report.Outcomes[0]; len(report.Outcomes) != 1 || o.Outcome != row.want {
				t.Errorf("the revert is %+v; want the campaign %s", report.Outcomes, row.want)
			}
			w.agent, w.also = w.newAgent(), nil
			if have := w.live("campaign/spring", "status"); have != `"paused"` {
				t.Errorf("the campaign is %s; want it paused", have)
			}
			if next := describe(w.plan().Plan); !strings.Contains(next, row.after) {
				t.Errorf("the next plan is %s; want %q", next, row.after)
			}
		})
	}
}

// Invariant 11: a run that is taken back looks at what somebody paused since the last apply as any other does, so that
// the next apply does not start it.
func TestARevertKnowsWhatSomebodyPausedUnseen(t *testing.T) {
	w := newWorld(t)
	w.permitAll("activates")
	w.tree("summer", "active")
	w.status("files", "paused")
	w.clean()
	w.tree("summer", "paused")
	w.apply()
	w.status("files", "active")
	w.status("person", "active")
	w.status("person", "paused")
	w.also = w.takeBack(plan.Done{
		Address: address("campaign/summer"), ID: w.last("campaign/summer").ID, Action: plan.Update,
		Fields: []plan.DoneField{{Name: "status", Before: resource.Text("active"), After: resource.Text("paused")}},
	})
	w.apply()
	w.also = nil
	w.status("", "")
	for range 2 {
		if w.apply(); w.live("campaign/spring", "status") != `"paused"` {
			t.Fatal("the campaign is started after a revert; want the pause of somebody kept")
		}
	}
}

// takeBack has plans take a run back.
func (w *world) takeBack(done ...plan.Done) func(*reconcile.Desired) {
	last, err := w.store.Last(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	v := plan.Invert(kinds.All(), last, done)
	return func(d *reconcile.Desired) {
		d.Snapshot, d.Left, d.Select = v.Desired, v.Left, v.Select
		d.Policy.StartsHeld = true
	}
}
