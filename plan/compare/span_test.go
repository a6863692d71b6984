package compare_test

import (
	"strings"
	"testing"

	"adsync/plan"
)

// More days can spend more: a schedule is sent with the raises or with the
// decreases, whichever it is.
func TestASchedulesPhaseIsWhatItDoesToSpend(t *testing.T) {
	const x = "campaign/x#1 name=Spring status=active budget.daily=10 "
	for _, tt := range []struct{ name, live, desired, want string }{
		{"a later end", "end=2026-11-25", "end=2026-11-28", "end raise"},
		{"an earlier end", "end=2026-11-25", "end=2026-11-22", "end lower"},
		{"no end any more", "end=2026-11-25", "end=[clear]", "end raise"},
		{"an end where there was none", "", "end=2026-11-25", "end lower"},
		{"an earlier start", "start=2026-11-25", "start=2026-11-23", "start raise"},
		{"a later start", "start=2026-11-25", "start=2026-11-28", "start lower"},
		{"less at both ends", "start=2026-11-22 end=2026-11-28",
			"start=2026-11-23 end=2026-11-25", "end lower, start lower"},
		{"later, by days that both have", "start=2026-11-22 end=2026-11-26",
			"start=2026-11-25 end=2026-11-28", "end raise, start lower"},
		{"other days, and more of them", "start=2026-11-22 end=2026-11-23",
			"start=2026-11-25 end=2026-11-28", "end raise, start raise"},
		{"other days, and fewer of them", "start=2026-11-22 end=2026-11-25",
			"start=2026-11-28 end=2026-11-29", "end lower, start lower"},
		{"days to come in place of days that have passed",
			"start=2026-11-01 end=2026-11-10", "start=2026-12-01 end=2026-12-02", "end raise, start raise"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := on(t, "2026-11-21", nil, x+tt.live, "campaign/x "+tt.desired, x+tt.live)
			var got []string
			for _, f := range p.Changes[0].Fields {
				got = append(got, f.Name+" "+f.Phase.String())
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("phases = %s, want %s", strings.Join(got, ", "), tt.want)
			}
			if raises := strings.Contains(hazards(p.Changes),
				string(plan.RaisesSpend)); raises != strings.Contains(tt.want, "raise") {
				t.Errorf("hazards = %q for %s", hazards(p.Changes), tt.want)
			}
		})
	}
}

// Half a move from one range of days to another would spend on all between.
func TestAScheduleWithOtherDaysMovesWholeOrNotAtAll(t *testing.T) {
	const last = "campaign/x#1 status=active budget.daily=10 start=2026-11-22 end=2026-11-23"
	const live = "campaign/x#1 status=active budget.daily=10 start=2026-11-22 end=2026-11-24" // someone moved the end
	p := on(t, "2026-11-21", nil, last, "campaign/x start=2026-11-26 end=2026-11-28", live)
	if got := sketch(p.Changes); got !=
		"update campaign/x; end 2026-11-28 edit lower HELD(conflict); start 2026-11-26 edit lower HELD(conflict)" {
		t.Errorf("plan = %s; want the start held with the end", got)
	}
}
