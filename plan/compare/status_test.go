package compare_test

import (
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"github.com/google/go-cmp/cmp"
)

// What the service calls neither active nor paused is nobody's to start: both sides have
// moved. To pause it passes.
func TestAStatusNobodyKnowsIsNotStartedOver(t *testing.T) {
	const spring = "campaign/x#cmpn_1 name=Spring status="
	for _, row := range []struct {
		last, desired string
		allow         []string
		want          string
	}{
		{"paused", "active", []string{"activates"}, "update campaign/x; status active edit activate HELD(conflict)"},
		{"paused", "active", []string{"activates", "conflict"}, "update campaign/x; status active edit activate"},
		{"active", "active", []string{"drift"}, "update campaign/x; status active drift activate HELD(drift)"},
		{"active", "paused", nil, "update campaign/x; status paused edit lower"},
	} {
		last, live := snapshot(t, spring+row.last), snapshot(t, spring+"active")
		live.Get(resource.Address{Kind: kinds.Campaign, Key: "x"}).Set("status", resource.Text("limited"))
		p := compare.Diff(plan.Input{
			Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Allow: allowances(t, row.allow...),
			Last: last, Desired: snapshot(t, "campaign/x status="+row.desired), Live: live,
		})
		if d := cmp.Diff(row.want, sketch(p.Changes)); d != "" {
			t.Errorf("it was %s, the files say %s (-want +got):\n%s", row.last, row.desired, d)
		}
	}
}
