package daemon

import (
	"encoding/json"
	"testing"

	"adsync/internal/planview"
	"adsync/internal/runview"
)

// drifting is a plan of which others changed two campaigns: one is changed back, one
// is held.
const drifting = `{"plan_hash": "h1", "summary": {"update": 1, "held": 1}, "money": {"day": {"before_micros": 50000000, "after_micros": 60000000}}, "changes": [
	{"address": "campaign/a", "action": "update", "fields": [{"name": "name", "cause": "drift"}]},
	{"address": "campaign/b", "action": "update", "fields": [{"name": "name", "cause": "drift", "held": {"hazard": "drift", "message": "changed outside adsync", "allow": "drift=campaign/b"}}]}]}`

func documentOf[T any](t *testing.T, text string) *T {
	t.Helper()
	d := new(T)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// What an apply has changed back is drift no more, at once and not only in the next
// plan.
func TestWhatIsChangedBackIsDriftNoMore(t *testing.T) {
	for outcome, want := range map[string]int{"applied": 1, "failed": 2} {
		run := documentOf[runview.Document](t, `{"run": "run-000001", "outcomes": [{"address": "campaign/a", "outcome": "`+outcome+`"}, {"address": "campaign/b", "outcome": "held"}]}`)
		var s Status
		s.settle(s.Last, Result{Class: Applied, Plan: documentOf[planview.Document](t, drifting), Run: run})
		if s.Drift != want {
			t.Errorf("%s: drift %d after the apply; want %d", outcome, s.Drift, want)
		}
	}
}

// Files that cannot be planned say nothing of what can be spent, nor of what is held.
func TestFilesThatCannotBePlannedLeaveTheFigures(t *testing.T) {
	var s Status
	s.settle(s.Last, Result{Class: Held, Plan: documentOf[planview.Document](t, drifting)})
	before := s
	s.settle(s.Last, Result{Class: Input, Plan: &planview.Document{Error: "1 error; nothing was changed"}})
	if s.Exposure != before.Exposure || s.Held != before.Held || s.Drift != before.Drift || s.Exposure.Daily != 50_000_000 || s.PlanHash != "" {
		t.Errorf("%+v, %d held, %d drifted, plan %q; want the figures of before, %+v, and no plan to approve", s.Exposure, s.Held, s.Drift, s.PlanHash, before.Exposure)
	}
}
