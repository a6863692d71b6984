package ops

import (
	"bytes"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/resource"

	"github.com/google/go-cmp/cmp"
)

// Figures stand by window and resource, cut and never rounded up.
func TestFiguresAsPeopleReadThem(t *testing.T) {
	week := resource.Window{Name: "7d", Since: "2026-11-01", Until: "2026-11-07"}
	spring := &resource.Resource{
		ID: "cmpn_1", Attributes: resource.Attributes{{Name: "name", Value: resource.Text("Spring\x1b[31m")}},
	}
	d := insightsDocument{Currency: "USD", Level: "campaign", Rows: []insightsRow{
		rowOf(week, spring, "campaign/spring",
			resource.Measured{"12907", "201", "119.9469", "0.015573564", "0.596", ""}),
		rowOf(week, &resource.Resource{ID: "cmpn_2"}, "", resource.Measured{"0", "0", "0", "", "", ""}),
	}}
	var out bytes.Buffer
	if err := insightsText(&session.Env{Console: console.Console{Out: &out, Err: &out}}, d); err != nil {
		t.Fatal(err)
	}
	want := `2026-11-01 to 2026-11-07, money in USD
 Impressions      Clicks       Spend         CTR         CPC Conversions  campaign
       12907         201    119.9469      0.0155       0.596              Spring\x1b[31m (campaign/spring)
           0           0           0                                      cmpn_2
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := d.Rows[0].Figures; len(got) != 5 || got["ctr"] != "0.015573564" {
		t.Errorf("the figures for programs are %v; want the service's own digits", got)
	}
}
