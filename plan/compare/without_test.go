package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatACampaignStartsWithout: a campaign that is to be active without a last day,
// countries or a daily limit says so, at its row and in the head of the plan.
func TestWhatACampaignStartsWithout(t *testing.T) {
	const spring = "campaign/x name=Spring bidding_type=clicks"
	const paused = spring + " budget.daily=5 status=paused"
	tests := []struct{ name, last, desired, live, want string }{
		{name: "new and active, with nothing", desired: spring + " budget.daily=5 status=active",
			want: "no last day, all countries"},
		{name: "new and active, with a lifetime budget",
			desired: spring + " budget.lifetime=500 status=active", want: "no daily limit, no last day, all countries"},
		{name: "new and active, with all of it", desired: spring +
			" budget.daily=5 end=2027-01-01 targeting.countries=US status=active"},
		{name: "cleared is not there", desired: spring + " budget.daily=5 " +
			"end=[clear] targeting.countries=[clear] status=active", want: "no last day, all countries"},
		{name: "locations decide where as countries do",
			desired: spring + " budget.daily=5 end=2027-01-01 targeting.locations=2000043 status=active"},
		{name: "countries that are left out", desired: spring + " budget.daily=5 " +
			"end=2027-01-01 targeting.excluded_countries=US status=active", want: "all countries but those excluded"},
		{name: "new and paused", desired: paused},
		{name: "new without a status, which makes it paused", desired: spring + " budget.daily=5"},
		{name: "active again", last: paused, desired: spring + " budget.daily=5 status=active",
			live: paused, want: "no last day, all countries"},
		{name: "active again, with a last day that the files leave to others",
			last: paused, desired: spring + " budget.daily=5 status=active",
			live: paused + " end=2027-01-01", want: "all countries"},
		{name: "active again, with a daily limit in the place of a lifetime budget",
			last:    spring + " budget.lifetime=500 status=paused",
			desired: spring + " budget.daily=5 end=2027-01-01 targeting.countries=US status=active",
			live:    spring + " budget.lifetime=500 status=paused"},
		{name: "active and edited", last: spring + " budget.daily=5 status=active",
			desired: spring + " budget.daily=6 status=active", live: spring + " budget.daily=5 status=active"},
		{name: "taken over active", desired: spring + " budget.daily=5 status=active",
			live: spring + " budget.daily=5 status=active"},
		{name: "taken over and started", desired: spring + " budget.daily=5 status=active",
			live: paused, want: "no last day, all countries"},
		{name: "made anew in another's place", last: spring + " budget.daily=5 status=active",
			live:    spring + " budget.daily=5 status=active",
			desired: "campaign/x name=Spring bidding_type=impressions budget.daily=5 status=active",
			want:    "no last day, all countries"},
		{name: "ad groups have none of it", desired: paused + "\nad_group/x/r name=Runners bid.max=1 status=active"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.live)
			var rows, head []string
			for _, c := range p.Changes {
				for _, w := range c.Without() {
					rows = append(rows, w.Says)
				}
			}
			for _, c := range p.WithoutCounts() {
				head = append(head, fmt.Sprint(c.Says, " ", c.Count))
			}
			if d := cmp.Diff(tt.want, strings.Join(rows, ", ")); d != "" {
				t.Errorf("starts without (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.want, strings.ReplaceAll(strings.Join(head, ", "), " 1", "")); d != "" {
				t.Errorf("the head says (-want +got):\n%s", d)
			}
		})
	}
}
