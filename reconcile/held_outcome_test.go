package reconcile_test

import (
	"strings"
	"testing"

	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
)

// What is held for two reasons says both, each with what releases it.
func TestAHeldOutcomeSaysEachReason(t *testing.T) {
	w := newWorld(t)
	w.also = func(d *reconcile.Desired) { d.Policy = plan.DefaultPolicy() }
	with := func(budget int) {
		w.write("campaign/a", map[string]any{
			"name": "Campaign a", "status": "active",
			"bidding_type": "clicks", "budget.lifetime": budget * 1_000_000, "targeting.countries": []string{"US"},
		})
	}
	with(100)
	w.apply()
	with(180)
	report := w.apply()
	if len(report.Outcomes) != 1 || report.Outcomes[0].Outcome != apply.OutcomeHeld {
		t.Fatalf("the outcomes are %+v; want one that is held", report.Outcomes)
	}
	for _, want := range []string{"--allow raises-spend=campaign/a", "--allow exposure=80.00/day"} {
		if message := report.Outcomes[0].Message; strings.Count(message, want) != 1 {
			t.Errorf("the message is %q; want %q in it, once", message, want)
		}
	}
}
