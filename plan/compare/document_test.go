package compare_test

import (
	"encoding/json"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/testing/golden"
	"adsync/plan"
	"adsync/plan/compare"
)

// quarter is a plan with a little of everything.
func quarter(t testing.TB) *plan.Plan {
	live := `
		campaign/brand#cmpn_1 name=Brand status=active budget.daily=120 description=ours targeting.countries=US
		ad_group/brand/loyal#adgrp_1 name=Loyal status=active bid.max=1 context_hints=people_who_run|people_who_walk
		ad/brand/loyal/hero#ad_1 name=Hero title=Shoes_for_mud body=Light target_url=https://a.example/ image=https://a.example/a.png status=active
		campaign/dark#cmpn_2 name=Dark status=active bidding_type=clicks budget.daily=30
		campaign/gone#cmpn_3 name=Gone status=active
		ad_group/gone/r#adgrp_3 name=Runners status=active
		campaign/left#cmpn_4 name=Left status=paused
		campaign/over#cmpn_5 name=Over status=paused
		ad_group/quiet/r#adgrp_6 name=Quiet bid.max=2
		campaign/quiet#cmpn_6 name=Quiet`
	last := live
	live = strings.Replace(live, "description=ours", "description=theirs", 1)
	live = strings.Replace(live, "name=Gone status=active", "name=Gone status=archived", 1)
	live = strings.Replace(live, "name=Dark status=active", "name=Dark status=paused", 1)
	live += "\ncampaign/~cmpn_9#cmpn_9 name=Theirs " +
		"status=active budget.daily=10\ncampaign/sale#cmpn_7 name=Sale status=paused budget.lifetime=500"
	last = strings.Replace(last, "name=Over status=paused", "name=Over status=paused description=same", 1)
	desired := `
		campaign/brand budget.daily=160 description=ours targeting.countries=US|CA
		ad_group/brand/loyal bid.max=1.50 context_hints=people_who_run|people_who_climb
		ad/brand/loyal/hero title=Shoes_for_rain
		campaign/dark status=active bidding_type=impressions budget.daily=200
		campaign/gone name=Gone
		ad_group/gone/r name=Runners
		campaign/over status=archived
		campaign/sale name=Sale budget.lifetime=500
		ad_group/quiet/r bid.max=1
		campaign/quiet name=Quiet` + strings.ReplaceAll(newTree, "/x", "/spring")
	return compare.Diff(plan.Input{Schemas: kinds.All(),
		Policy: plan.DefaultPolicy(), Allow: allowances(t, "exposure=90/day"),
		Last: snapshot(t, last), Desired: written(snapshot(t, desired)), Live: snapshot(t, live)})
}

func TestDocument(t *testing.T) {
	document, err := json.MarshalIndent(quarter(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/quarter.json", append(document, '\n'))
}
