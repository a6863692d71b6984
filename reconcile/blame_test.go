package reconcile_test

import (
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/state"
)

// A refusal that names no field is about the one cell that was edited; about
// the row where there were several.
func TestARefusalIsBlamedOnTheOnlyEdit(t *testing.T) {
	cell := func(column int) diag.Position {
		return diag.Cell("q4.xlsx", "Campaigns", 3, column)
	}
	for _, row := range []struct {
		name  string
		edits map[string]resource.Value
		want  string
	}{
		{"one edit", map[string]resource.Value{"name": resource.Text("Spring 2").At(cell(1))}, "q4.xlsx:Campaigns!A3"},
		{"two edits", map[string]resource.Value{"name": resource.Text("Spring 2").At(cell(1)),
			"description": resource.Text("New").At(cell(12))}, "q4.xlsx:Campaigns!3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, func(o *emulator.Options) {
				faults, err := emulator.ReadFaults(strings.NewReader(`{"faults": [{"match": ` +
					`{"op_type": "campaign.update"}, ` +
					`"action": {"job": {"do": "fail_op", "code": "no", "message": "Not today."}}}]}`))
				if err != nil {
					t.Fatal(err)
				}
				o.Faults = faults
			})
			w.tree("spring", "paused")
			w.clean()
			campaign := w.desired.Get(address("campaign/spring"))
			campaign.Position = cell(0)
			for name, v := range row.edits {
				campaign.Set(name, v)
			}
			for _, o := range w.apply().Outcomes {
				if o.Outcome != state.OutcomeFailed || o.Cell.String() != row.want {
					t.Errorf("%s %s at %s; want it failed at %s", o.Address, o.Outcome, o.Cell, row.want)
				}
			}
		})
	}
}
