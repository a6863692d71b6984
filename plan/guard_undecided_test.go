package plan_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
)

func TestWhatDependsOnAnUnknownOutcomeIsHeld(t *testing.T) {
	const live = "campaign/a#1 budget.daily=10 status=paused\nad_group/a/r#2 bid.max=1 status=active\ncampaign/b#3 budget.daily=20 status=active\n"
	tests := []struct {
		name, desired   string
		at              string
		creates, lowers bool
		held            string // the attributes that are held, "" of a whole change
	}{
		{name: "nothing newer is sent to the same resource, no pause either", at: "campaign/b", desired: "campaign/b budget.daily=20 status=paused", held: "campaign/b:"},
		{name: "others go on", at: "campaign/b", desired: "campaign/a budget.daily=10 status=active"},
		{name: "a tree does not start above a create", at: "ad_group/a/new", creates: true, held: "ad_group/a/new: campaign/a:status",
			desired: "campaign/a budget.daily=11 status=active\nad_group/a/new name=New bid.max=1 status=active"},
		{name: "nor is anything made beneath one", at: "ad_group/a/new", creates: true, held: "ad_group/a/new: ad/a/new/h:",
			desired: "campaign/a budget.daily=11 status=paused\nad_group/a/new name=New bid.max=1 status=active\nad/a/new/h title=Shoes body=Light target_url=https://a.example/ image=https://a.example/a.png status=active"},
		{name: "a tree starts above an update, which made nothing", at: "ad_group/a/r", desired: "campaign/a budget.daily=11 status=active\nad_group/a/r bid.max=1 status=active"},
		{name: "another tree starts", at: "ad_group/b/new", creates: true, desired: "campaign/a budget.daily=11 status=active"},
		{name: "nothing rises or starts after a decrease", at: "campaign/b", lowers: true, held: "campaign/a:budget.daily campaign/a:status campaign/n:",
			desired: "campaign/a budget.daily=11 status=active description=one\ncampaign/n name=New bidding_type=clicks budget.daily=2 status=active\ncampaign/b budget.daily=20 status=active"},
		{name: "what spends nothing goes", at: "campaign/b", lowers: true,
			desired: "campaign/a budget.daily=9 status=paused description=one\ncampaign/n name=New bidding_type=clicks budget.daily=2 status=paused\ncampaign/b budget.daily=20 status=active"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, _ := resource.ParseAddress(tt.at)
			p := plan.Diff(plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Allow: allowances(t, "exposure=1000/day"), Last: snapshot(t, live), Live: snapshot(t, live), Desired: snapshot(t, tt.desired),
				Unsettled: []plan.Unsettled{{Address: at, Message: "what became of its update is unknown", Creates: tt.creates, Lowers: tt.lowers}},
			})
			var held []string
			note := func(at resource.Address, attribute string, h *plan.Hold) {
				if h == nil {
					return
				}
				held = append(held, at.String()+":"+attribute)
				if h.Allow != "" || !strings.Contains(h.Message, "adsync resolve "+tt.at) && !strings.HasPrefix(h.Message, "held with ") {
					t.Errorf("%s is held with %q, released by %q; want the command that decides", at, h.Message, h.Allow)
				}
			}
			for _, c := range p.Changes {
				note(c.Address, "", c.Held)
				for _, f := range c.Fields {
					note(c.Address, f.Name, f.Held)
				}
			}
			if got := strings.Join(held, " "); got != tt.held {
				t.Errorf("held are %q; want %q:\n%s", got, tt.held, sketch(p.Changes))
			}
		})
	}
}
