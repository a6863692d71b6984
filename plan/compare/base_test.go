package compare_test

import (
	"strings"
	"testing"

	"adsync/plan"
)

// With --base, what the files of the base ask for too is pending, field by field.
func TestWhatTheBaseAsksForTooIsPending(t *testing.T) {
	const live = "campaign/a#c1 name=Aaaa status=paused bidding_type=clicks budget.daily=50 description=x"
	for _, row := range []struct{ name, base, now, want string }{
		{"nothing was pending", "budget.daily=50 description=x", "budget.daily=55 description=x", "new: budget.daily"},
		{"all was pending", "budget.daily=55 description=x",
			"budget.daily=55 description=x", "pending: budget.daily pending"},
		{"one more field", "budget.daily=55 description=x",
			"budget.daily=55 description=y", "new: budget.daily pending, description"},
		{"another value", "budget.daily=55 description=x", "budget.daily=60 description=x", "new: budget.daily"},
		{"one field less", "budget.daily=55 description=y",
			"budget.daily=55 description=x", "new: budget.daily pending"},
		{"taken back", "budget.daily=55 description=x", "budget.daily=50 description=x", "withdrawn campaign/a"},
	} {
		files := func(rest string) string {
			return "campaign/a name=Aaaa status=paused bidding_type=clicks " + rest
		}
		now, before := diff(t, live, files(row.now), live), diff(t, live, files(row.base), live)
		hash := now.Hash()
		now.Since(plan.Base{Revision: "main"}, before)
		var parts []string
		for _, c := range now.Changes {
			state, fields := "new", []string{}
			if c.Pending {
				state = "pending"
			}
			for _, f := range c.Fields {
				if name := f.Name; f.Pending {
					fields = append(fields, name+" pending")
				} else {
					fields = append(fields, name)
				}
			}
			parts = append(parts, state+": "+strings.Join(fields, ", "))
		}
		for _, a := range now.Base.Withdrawn {
			parts = append(parts, "withdrawn "+a)
		}
		if got := strings.Join(parts, "; "); got != row.want {
			t.Errorf("%s: %s; want %s", row.name, got, row.want)
		}
		if now.Hash() != hash {
			t.Errorf("%s: what is pending is part of the hash; want what is decided alone", row.name)
		}
	}
}

// What goes through without a pull request, and is held with it, is held because of it: its exposure counts for all.
func TestWhatIsHeldBecauseOfOthersIsNotPending(t *testing.T) {
	const live = "campaign/a#c1 name=Aaaa status=paused bidding_type=clicks budget.daily=50"
	const files = "campaign/a name=Aaaa status=paused bidding_type=clicks budget.daily=55"
	for _, row := range []struct{ before, now, pending bool }{
		{false, false, true}, {true, true, true}, {false, true, false}, {true, false, false},
	} {
		plans := [2]*plan.Plan{}
		for i, held := range []bool{row.before, row.now} {
			plans[i] = diff(t, live, files, live)
			if held {
				plans[i].Changes[0].Fields[0].Held = &plan.Hold{Hazard: plan.Exposure}
			}
		}
		plans[1].Since(plan.Base{Revision: "main"}, plans[0])
		if got := plans[1].Changes[0].Pending; got != row.pending {
			t.Errorf("held without it: %v, with it: %v; pending is %v", row.before, row.now, got)
		}
	}
}
