package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

func TestWhatDependsOnAnUnknownOutcomeIsHeld(t *testing.T) {
	const live = "campaign/a#1 budget.daily=10 " +
		"status=paused\nad_group/a/r#2 bid.max=1 status=active\ncampaign/b#3 budget.daily=20 status=active\n"
	tests := []struct {
		name, desired  string
		at, what, live string
		creates        bool
		held           string // the attributes that are held, "" of a whole change
		says           string // in one of the holds
	}{
		{name: "nothing newer is sent to the same resource, no pause either",
			at: "campaign/b", desired: "campaign/b budget.daily=20 status=paused", held: "campaign/b:"},
		{name: "others go on", at: "campaign/b", desired: "campaign/a budget.daily=10 status=active"},
		{name: "a tree does not start above a create",
			at: "ad_group/a/new", creates: true, held: "ad_group/a/new: campaign/a:status",
			desired: "campaign/a budget.daily=11 status=active\nad_group/a/new name=New bid.max=1 status=active"},
		{name: "nor is anything made beneath one",
			at: "ad_group/a/new", creates: true, held: "ad_group/a/new: ad/a/new/h:",
			desired: "campaign/a budget.daily=11 " +
				"status=paused\nad_group/a/new name=New bid.max=1 status=active\nad/a/new/h " +
				"title=Shoes body=Light target_url=https://a.example/ image=https://a.example/a.png status=active"},
		{name: "a tree starts above an update, which made nothing", at: "ad_group/a/r",
			desired: "campaign/a budget.daily=11 status=active\nad_group/a/r bid.max=1 status=active"},
		{name: "another tree starts", at: "ad_group/b/new",
			creates: true, desired: "campaign/a budget.daily=11 status=active"},
		{name: "nothing rises or starts on money that a decrease was to free", at: "campaign/b",
			what: "decrease", held: "campaign/b: campaign/a:budget.daily campaign/a:status campaign/n:",
			desired: "campaign/a budget.daily=11 status=active description=one\ncampaign/n " +
				"name=New bidding_type=clicks budget.daily=2 status=active\ncampaign/b budget.daily=10 status=active",
			says: "in the account 33.00 could " +
				"be spent a day, more than 20.00 now and 23.00 by the files, as it is " +
				"unknown whether the decrease of campaign/b was made; to decide it: adsync resolve campaign/b"},
		{name: "nor on money that a pause was to free",
			at: "campaign/b", what: "pause", held: "campaign/b: campaign/a:status",
			desired: "campaign/a budget.daily=10 status=active\ncampaign/b budget.daily=20 status=paused",
			says:    "as it is unknown whether the pause of campaign/b was made"},
		{name: "what other decreases free may be spent", at: "campaign/b",
			what: "decrease", held: "campaign/b:", live: "campaign/c#4 budget.daily=30 status=active\n",
			desired: "campaign/a budget.daily=11 " +
				"status=active\ncampaign/b budget.daily=10 status=active\ncampaign/c budget.daily=5 status=active"},
		{name: "a decrease that the files no longer ask for holds nothing", at: "campaign/b", what: "decrease",
			desired: "campaign/a budget.daily=11 status=active\ncampaign/b budget.daily=20 status=active"},
		{name: "what spends nothing goes", at: "campaign/b", what: "decrease", held: "campaign/b:",
			desired: "campaign/a budget.daily=9 status=paused description=one\ncampaign/n " +
				"name=New bidding_type=clicks budget.daily=2 status=paused\ncampaign/b budget.daily=10 status=active"},
		{name: "a limit that bounds nothing of what rises holds nothing",
			at: "spend_limit_window/w1", what: "create", creates: true, held: "spend_limit_window/w1:",
			desired: "campaign/a budget.daily=11 status=active\ncampaign/b " +
				"budget.daily=22 status=active\nspend_limit_window/w1 start=2026-11-24 end=2026-11-30 amount=5000"},
		{name: "what rises under the cover of a new limit waits for it", at: "daily_spend_limit/d1",
			what: "create", creates: true, held: "daily_spend_limit/d1: campaign/b:budget.daily",
			desired: "campaign/a budget.daily=10 status=paused\n" +
				"campaign/b budget.daily=29 status=active\ndaily_spend_limit/d1 start=2026-11-24 amount=21",
			says: "in the account 232.00 could be spent this month, more than 160.00 " +
				"now and 176.00 by the files, as it is unknown whether the create of daily_spend_limit/d1 was made"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, _ := resource.ParseAddress(tt.at)
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
				Allow: allowances(t, "exposure=1000/day"), Last: snapshot(t, live+tt.live),
				Live: snapshot(t, live+tt.live), Today: "2026-11-23", Desired: snapshot(t, tt.desired),
				Unsettled: []plan.Unsettled{{Address: at,
					Message: "what became of its update is unknown", Creates: tt.creates, What: tt.what}},
			})
			var held, said []string
			note := func(at resource.Address, attribute string, h *plan.Hold) {
				if h == nil {
					return
				}
				held, said = append(held, at.String()+":"+attribute), append(said, h.Message)
				if h.Allow != "" || !strings.Contains(h.Message, "adsync resolve "+tt.at) &&
					!strings.HasPrefix(h.Message, "held with ") {
					t.Errorf("%s is held with %q, released by %q; want the command that decides",
						at, h.Message, h.Allow)
				}
			}
			for _, c := range p.Changes {
				note(c.Address, "", c.Held)
				for _, f := range c.Fields {
					note(c.Address, f.Name, f.Held)
				}
			}
			if !strings.Contains(strings.Join(said, "\n"), tt.says) {
				t.Errorf("the holds say %q; want %q in one", said, tt.says)
			}
			if got := strings.Join(held, " "); got != tt.held {
				t.Errorf("held are %q; want %q:\n%s", got, tt.held, sketch(p.Changes))
			}
		})
	}
}
