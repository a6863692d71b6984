package runview

import (
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// TestWhatRecoveryFoundOfARunThatWasKilled: a row is what the journal held of a
// change, and what its report says from then on.
func TestWhatRecoveryFoundOfARunThatWasKilled(t *testing.T) {
	at, _ := resource.ParseAddress("campaign/spring")
	set := func(pairs ...string) resource.Attributes {
		var as resource.Attributes
		for i := 0; i < len(pairs); i += 2 {
			as.Set(pairs[i], resource.Text(pairs[i+1]))
		}
		return as
	}
	operation := func(outcome state.Outcome, as resource.Attributes) state.Operation {
		return state.Operation{
			Address: at, ResourceID: "cmpn_7", Outcome: outcome, Set: as, Code: "ADS2003", Message: "why",
		}
	}
	for _, row := range []struct {
		name       string
		operations []state.Operation // each a step of its own
		point      state.Point
		open       bool
		want       state.Outcome
		applied    bool // its status
	}{
		{"not reached", nil, "", false, state.OutcomeSkipped, false},
		{"applied whole", []state.Operation{operation(state.OutcomeApplied, set("name", "Spring", "status", "active"))},
			state.Closed, false, state.OutcomeApplied, true},
		{"its activation was not reached", []state.Operation{operation(state.OutcomeApplied,
			set("name", "Spring", "status", "paused"))}, state.Closed, false, state.OutcomeSkipped, false},
		{"in two steps", []state.Operation{operation(state.OutcomeApplied, set("name", "Spring", "status", "paused")),
			operation(state.OutcomeApplied, set("status", "active"))}, state.Closed, false, state.OutcomeApplied, true},
		{"refused", []state.Operation{operation(state.OutcomeFailed, set("name", "Spring", "status", "active"))},
			state.Closed, false, state.OutcomeFailed, false},
		{"never sent", []state.Operation{operation("", set("name", "Spring", "status", "active"))},
			state.Abandoned, false, state.OutcomeSkipped, false},
		{"still unknown", []state.Operation{operation("", set("name", "Spring", "status", "active"))},
			state.Unknown, true, state.OutcomeUnknown, false},
	} {
		d := &Document{Head: Head{Run: "run-000001"},
			Outcomes: []Outcome{{Address: at.String(), Action: plan.Create, Outcome: state.OutcomeUnknown,
				Fields: []Field{{Name: "name", After: resource.Text("Spring")},
					{Name: "status", After: resource.Text("active")}}}}}
		var steps []state.Step
		for _, o := range row.operations {
			steps = append(steps, state.Step{
				ID: "run-000001/create/1", Point: row.point, Operations: []state.Operation{o},
			})
		}
		d.Recover(steps, func(string) bool { return row.open }, evening.Add(time.Hour))
		o := d.Outcomes[0]
		if o.Outcome != row.want || o.Fields[1].Applied != row.applied || d.Ended != Killed || d.Recovered == nil {
			t.Errorf("%s: %s, status applied %v, ended %q; want %s, %v, killed",
				row.name, o.Outcome, o.Fields[1].Applied, d.Ended, row.want, row.applied)
		}
	}
}

// TestARunThatSaidItsEndKeepsIt: only what it did not know is filled in.
func TestARunThatSaidItsEndKeepsIt(t *testing.T) {
	d := partial()
	d.Recover([]state.Step{{ID: "run-000042/change/1", Point: state.Closed,
		Operations: []state.Operation{{Address: mustAddress("campaign/sale"), Outcome: state.OutcomeApplied}}}},
		func(string) bool { return false }, evening)
	if d.Ended != Finished || d.count(state.OutcomeUnknown) != 0 ||
		d.count(state.OutcomeApplied) != 3 || d.count(state.OutcomeFailed) != 1 || d.Money.AtMost != nil {
		t.Errorf("after recovery it ended %q with %v, at most %v; "+
			"want it finished, with 3 applied, 1 failed and nothing unknown", d.Ended, d.Summary, d.Money.AtMost)
	}
}

func mustAddress(text string) resource.Address {
	a, ok := resource.ParseAddress(text)
	if !ok {
		panic("no address: " + text)
	}
	return a
}
