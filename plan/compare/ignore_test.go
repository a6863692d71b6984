package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"
)

// An ignore holds up to and including its last day, is warned of in the week
// before, and compares again afterwards.
func TestIgnoredUntilItsLastDay(t *testing.T) {
	for _, tt := range []struct {
		today, warning string
		changes        int
	}{
		{"2026-12-23", "", 0},
		{"2026-12-24", "ends soon", 0},
		{"2026-12-31", "ends soon", 0},
		{"2027-01-01", "is over", 1},
	} {
		p := compare.Diff(plan.Input{
			Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Today: tt.today,
			Ignore: []plan.Ignore{{Resource: "campaign/*",
				Attribute: "budget.daily", Owner: "agency", Reason: "paced", Until: "2026-12-31"}},
			Last:    snapshot(t, "campaign/x#c1 name=Spring budget.daily=50"),
			Desired: snapshot(t, "campaign/x name=Spring budget.daily=60"),
			Live:    snapshot(t, "campaign/x#c1 name=Spring budget.daily=50"),
		})
		if got := problems(p.Problems); len(p.Changes) != tt.changes ||
			!strings.Contains(got, tt.warning) || tt.warning == "" && got != "" {
			t.Errorf("on %s: %d changes and %q; want %d and %q", tt.today, len(p.Changes), got, tt.changes, tt.warning)
		}
	}
}
