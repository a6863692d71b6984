package daemon

import (
	"encoding/json"
	"testing"
	"time"

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
		run := documentOf[runview.Document](t, `{"run": "run-000001", "outcomes": `+
			`[{"address": "campaign/a", "outcome": "`+outcome+`"}, {"address": "campaign/b", "outcome": "held"}]}`)
		var s Status
		s.settle(s.Last, Result{Class: Applied, Plan: documentOf[planview.Document](t, drifting), Run: run})
		if s.Drift != want {
			t.Errorf("%s: drift %d after the apply; want %d", outcome, s.Drift, want)
		}
	}
}

// What both the files and somebody at the service changed was changed outside, whether or not it is known by whom.
func TestAConflictWasChangedOutside(t *testing.T) {
	for of, field := range map[string]string{
		"known by whom":  `"foreign": {"actor": "eve", "at": 1763550000}`,
		"not by whom":    `"held": {"hazard": "conflict", "message": "both"}`,
		"the files' own": `"held": {"hazard": "raises-spend", "message": "more"}`,
	} {
		var s Status
		s.settle(s.Last, Result{Class: Held, Plan: documentOf[planview.Document](t, `{"changes": [{"address": "campaign/a", `+
			`"action": "update", "fields": [{"name": "budget.daily", "cause": "edit", `+field+`}]}]}`)})
		if want := map[bool]int{true: 0, false: 1}[of == "the files' own"]; s.Drift != want {
			t.Errorf("%s: %d changed outside; want %d", of, s.Drift, want)
		}
	}
}

// Files that cannot be planned say nothing of what can be spent, nor of what is held:
// the figures of before stand, with their time, and since when there are no others.
func TestFilesThatCannotBePlannedLeaveTheFigures(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 22, 17, minute, 0, 0, time.UTC) }
	broken := Result{Class: Input, Plan: &planview.Document{Error: "1 error; nothing was changed"}}
	var s Status
	s.settle(at(0), Result{Class: Held, Plan: documentOf[planview.Document](t, drifting)})
	before := s
	for minute, r := range []Result{1: broken, 2: {Class: Input, Skipped: true}, 3: {Class: Transient}} {
		if minute == 0 {
			continue
		}
		s.settle(at(minute), r)
		if *s.Figures != *before.Figures || s.Exposure.Daily != 50_000_000 ||
			!s.Taken.Equal(at(0)) || !s.Unplanned.Equal(at(1)) {
			t.Errorf("minute %d: %+v, unplanned since %v; want the figures of before, %+v, and minute 1",
				minute, s.Figures, s.Unplanned, before.Figures)
		}
	}
	if s.PlanHash != "" {
		t.Errorf("plan %q; want none to approve", s.PlanHash)
	}
	s.settle(at(4), Result{Class: Held, Plan: documentOf[planview.Document](t, drifting)})
	if !s.Unplanned.IsZero() || !s.Taken.Equal(at(4)) {
		t.Errorf("unplanned since %v, figures of %v; want never, and those of the plan", s.Unplanned, s.Taken)
	}
	s.settle(at(5), Result{Class: Transient})
	s.settle(at(6), Result{Class: Held, Skipped: true})
	if !s.Unplanned.IsZero() {
		t.Errorf("unplanned since %v; want never once files and account were found as they were planned", s.Unplanned)
	}
}

// Before the first plan there are no figures: not in the status, and not as 0 in its
// JSON.
func TestBeforeTheFirstPlanThereAreNoFigures(t *testing.T) {
	var s Status
	for _, r := range []Result{{Class: Transient},
		{Class: Input, Plan: &planview.Document{Error: "1 error; nothing was changed"}}} {
		s.settle(time.Date(2026, 11, 22, 17, 0, 0, 0, time.UTC), r)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]any{}
		if err := json.Unmarshal(text, &said); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"pending", "held", "drift", "exposure", "figures_at"} {
			if value, there := said[name]; there {
				t.Errorf("%s: %s is %v; want it absent", r.Class, name, value)
			}
		}
		if said["unplanned"] != "2026-11-22T17:00:00Z" {
			t.Errorf("%s: unplanned is %v; want since when", r.Class, said["unplanned"])
		}
	}
}
