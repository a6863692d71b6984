package reconcile_test

import (
	"fmt"
	"testing"

	"adsync/reconcile"
)

// bulk.rehearse: one validate_only job at most, or one for every job, or none. Where
// there is one, a first apply asks for bulk jobs with it, and else with one of its own.
func TestHowManyJobsAreRehearsed(t *testing.T) {
	for _, row := range []struct {
		rehearse reconcile.Rehearsal
		checks   int
	}{{reconcile.RehearseAuto, 1}, {reconcile.RehearseAlways, 3}, {reconcile.RehearseNever, 1}} {
		t.Run(string(row.rehearse), func(t *testing.T) {
			w := small(newWorld(t))
			w.bulk.Rehearse = row.rehearse
			w.agent = w.newAgent()
			for i := range 5 { // three jobs of two trees at most
				w.tree(fmt.Sprintf("spring-%d", i), "active")
			}
			report, s := w.applyCounting()
			w.allApplied(report)
			if s.checks != row.checks {
				t.Errorf("%d jobs were only validated; want %d", s.checks, row.checks)
			}
		})
	}
}

// A tree of another shape is among those that are rehearsed, however many there
// are of the first.
func TestSampleHoldsATreeOfEveryShape(t *testing.T) {
	w := small(newWorld(t))
	for i := range 5 {
		w.tree(fmt.Sprintf("spring-%d", i), "active")
	}
	w.write("campaign/odd", map[string]any{"name": "ab", "status": "active", "bidding_type": "impressions", "budget.lifetime": 100_000_000}) // a name too short for the service
	_, err := w.agent.Apply(t.Context(), w.plan())
	if err == nil {
		t.Fatal("apply went through; want the service's refusal of the name before anything is sent")
	}
	if n := len(w.mutations()); n != 0 {
		t.Errorf("%d changes were made; want none", n)
	}
}
