package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// TestRulesBetweenFilesAndWhatIsLive: each file is right by itself, and the
// service would refuse what the plan sends.
func TestRulesBetweenFilesAndWhatIsLive(t *testing.T) {
	const (
		clicks   = "campaign/x#1 name=Spring bidding_type=clicks budget.daily=50 status=active"
		lifetime = "campaign/x#1 name=Spring bidding_type=clicks budget.lifetime=50 status=active"
		views    = "campaign/x#1 name=Spring bidding_type=impressions budget.daily=50 status=active"
		fixed    = "\nad_group/x/r#2 name=Runners bid.strategy=fixed_bid bid.max=1"
		maximise = "\nad_group/x/r#2 name=Runners bid.strategy=maximize_clicks"
	)
	for _, row := range []struct {
		name          string
		desired, live string // live is what was applied last too
		want          string // part of the one problem, "" for none
	}{
		{"a strategy for a campaign only the service has",
			"ad_group/x/r name=Runners bid.strategy=maximize_clicks", views,
			"ad_group/x/r: bid.strategy is maximize_clicks " +
				"in a campaign with bidding_type impressions at the service; want fixed_bid (ADS1014)"},
		{"a strategy that fits", "ad_group/x/r name=Runners bid.strategy=maximize_clicks", clicks, ""},
		{"a strategy above a lifetime budget at the service", "ad_group/x/r name=Runners bid.strategy=maximize_clicks",
			lifetime, "in a campaign with a lifetime budget of 50.00 at the service"},
		{"a lifetime budget that becomes a daily one makes room",
			"campaign/x budget.daily=5\nad_group/x/r name=Runners bid.strategy=maximize_clicks", lifetime, ""},
		{"a strategy takes the place of a bid at the service",
			"ad_group/x/r bid.strategy=maximize_clicks", clicks + fixed, ""},
		{"a strategy, and the bid cleared", "ad_group/x/r bid.strategy=maximize_clicks bid.max=[clear]",
			clicks + fixed, ""},
		{"a bid over a strategy at the service", "ad_group/x/r bid.max=1",
			clicks + maximise, "with bid.strategy maximize_clicks at the service"},
		{"no bid for a new ad group", "ad_group/x/r name=Runners",
			clicks, "ad group is new and has no bid.max; want the most to pay, or a maximize strategy (ADS1006)"},
		{"a daily budget that becomes a lifetime one",
			"campaign/x budget.lifetime=100", clicks, "cannot become a lifetime budget; want budget.daily (ADS1026)"},
		{"a daily budget cut below a bid nobody manages",
			"campaign/x budget.daily=1", clicks + "\nad_group/x/r#2 name=Runners bid.strategy=fixed_bid bid.max=2",
			"bid.max is 2.00 at the service, above the daily budget of 1.00"},
		{"what is broken at the service already is no doing of the plan",
			"ad_group/x/r name=Walkers", views + maximise, ""},
		{"what is archived may be anything",
			"campaign/x status=archived\nad_group/x/r bid.strategy=maximize_clicks", views, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			live := snapshot(t, row.live)
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Last: live, Live: live,
				Desired: written(snapshot(t, row.desired)), Policy: plan.DefaultPolicy(),
			})
			got := problems(p.Problems)
			if row.want == "" && got != "" || !strings.Contains(got, row.want) || len(p.Problems) > 1 {
				t.Errorf("problems are %q; want one with %q", got, row.want)
			}
			if row.want != "" && !strings.HasPrefix(got, "q4.xlsx:") {
				t.Errorf("problem %q has no position in the files", got)
			}
		})
	}
}

// TestWhatNeedsAHeldChangeIsHeldWithIt: a strategy that only a budget allows
// which is held would be refused alone.
func TestWhatNeedsAHeldChangeIsHeldWithIt(t *testing.T) {
	const (
		live = "campaign/x#1 name=Spring bidding_type=clicks " +
			"budget.lifetime=5 status=active\nad_group/x/r#2 name=Runners bid.strategy=fixed_bid bid.max=1"
		desired = "campaign/x budget.daily=50\nad_group/x/r bid.strategy=maximize_clicks bid.max=[clear]"
	)
	p := diff(t, live, desired, live)
	if got := problems(p.Problems); got != "" {
		t.Errorf("problems are %q; want none, as the whole plan breaks no rule", got)
	}
	for _, c := range p.Applicable() {
		t.Errorf("%s of %s is applied; want it held with the budget", c.Action, c.Address)
	}
	if p = diff(t, live, desired, live, "raises-spend", "exposure=100/day"); len(p.Applicable()) == 0 {
		t.Errorf("nothing is applied although what held it is allowed: %v", p.Changes)
	}
}

// TestEntityLimits: 5,000 of a kind that are not archived, counting what nobody
// manages, what is created and what makes room (interface, part 8).
func TestEntityLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	unmanaged := func(n int, status string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "campaign/~%d#%d name=Old_%d status=%s\n", i, i, i, status)
		}
		return b.String()
	}
	const two = "campaign/a name=Spring bidding_type=clicks " +
		"budget.daily=5\ncampaign/b name=Autumn bidding_type=clicks budget.daily=5\n"
	for _, row := range []struct {
		name          string
		last, desired string
		live          string
		allow         string
		most          map[resource.Kind]int
		want          string
	}{
		{name: "room for both", desired: two, live: unmanaged(4998, "active"),
			want: "note: Campaign: 4998 are at the service and not archived, 2 would be new, " +
				"which makes 5000 of the 5000 the account may have (ADS1042)"},
		{name: "nine tenths", desired: two, live: unmanaged(4498, "active")},
		{name: "one above nine tenths", desired: two, live: unmanaged(4499, "active"),
			want: "note: Campaign: 4499 are"},
		{name: "room for one", desired: two, live: unmanaged(4999, "paused"),
			want: "campaign/b is one campaign too many: " +
				"4999 are at the service and not archived, 2 would be new, " +
				"which makes 5001; the account may have 5000 (ADS1032)"},
		{name: "what is archived takes no room", desired: two, live: unmanaged(6000, "archived")},
		{name: "an archive that is allowed makes room", last: "campaign/c#9999 name=Winter status=active",
			live:    unmanaged(4998, "active") + "campaign/c#9999 name=Winter status=active",
			desired: two + "campaign/c status=archived", allow: "archives",
			want: "note: Campaign: 4999 are at the service and not archived, 2 would be new and 1 archived, " +
				"which makes 5000 of"},
		{name: "an archive that is held makes none", last: "campaign/c#9999 name=Winter status=active",
			live:    unmanaged(4998, "active") + "campaign/c#9999 name=Winter status=active",
			desired: two + "campaign/c status=archived", want: "campaign/b is one campaign too many: 4999 are"},
		{name: "an account with another limit", desired: two,
			live: unmanaged(5000, "active"), most: map[resource.Kind]int{kinds.Campaign: 5002}, want: "note: "},
		{name: "an account that has more already", desired: two, live: unmanaged(5001, "active"),
			want: "note: Campaign: 5001 are at the service and not archived, 2 would be new, which makes 5003; " +
				"the interface names 5000"},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := plan.Input{
				Schemas: kinds.All(), Last: snapshot(t, row.last), Live: snapshot(t, row.live),
				Desired: written(snapshot(t, row.desired)), Policy: plan.DefaultPolicy(), Most: row.most,
			}
			if row.allow != "" {
				in.Allow = []plan.Allowance{{Hazard: plan.Hazard(row.allow)}}
			}
			got := problems(compare.Diff(in).Problems)
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("problems are %q; want %q", got, row.want)
			}
		})
	}
}
