package compare_test

import (
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// Nobody can tell which resource a row of an ad is, and the ad it may be stands beneath a
// row that waits for a text: nothing rises beside it all the same.
func TestWhatARowMayBeHoldsRisesBeneathAnotherThatWaits(t *testing.T) {
	const live = "campaign/a#1 name=Name_A budget.daily=10 status=active\nad_group/a/r#2 name=Name_R status=active\n" +
		"ad/a/r/x#3 name=Name_X status=active\n"
	lost := func(key string, lowers bool) plan.InvalidRow {
		at := resource.Address{Kind: "ad", Key: "a/elsewhere/" + key}
		return plan.InvalidRow{Address: at, Message: "x", Adrift: true, Lowers: lowers}
	}
	group := plan.InvalidRow{Address: adGroup("a/r"), Message: "its hints cannot be read"}
	for _, row := range []struct {
		name    string
		invalid []plan.InvalidRow
		held    bool
	}{
		{"beneath one", []plan.InvalidRow{group, lost("x", true)}, true},
		{"of two that may be it one lowers nothing", []plan.InvalidRow{group, lost("x", true), lost("y", false)}, true},
		{"beneath none", []plan.InvalidRow{lost("y", false), lost("x", true)}, true},
		{"a text alone", []plan.InvalidRow{group}, false},
	} {
		desired := "campaign/a budget.daily=11 status=active\nad_group/a/r status=active\n"
		for _, v := range row.invalid {
			if v.Adrift {
				desired += v.Address.String() + " status=paused\n"
			}
		}
		p := compare.Diff(plan.Input{
			Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Today: "2026-11-23", Invalid: row.invalid,
			Last: snapshot(t, live), Live: snapshot(t, live), Desired: snapshot(t, desired),
		})
		held := true
		for _, c := range p.Applicable() {
			held = held && c.Address != campaign("a")
		}
		if held != row.held {
			t.Errorf("%s: the rise is held: %v; want %v\n%s", row.name, held, row.held, sketch(p.Changes))
		}
	}
}
