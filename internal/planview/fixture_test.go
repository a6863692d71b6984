package planview

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

const newTree = `
	campaign/spring name=Spring bidding_type=clicks budget.daily=50 status=active
	ad_group/spring/r name=Runners bid.max=1 status=active
	ad/spring/r/a status=active `

const newAd = "title=Shoes_for_trails body=Light target_url=https://shop.example/ image=https://shop.example/a.png"

// quarter is a plan with a little of everything, as an account with a history
// in git and an audit log has it.
func quarter(t testing.TB) *Document {
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
		campaign/quiet name=Quiet
		campaign/xmas name=Xmas bidding_type=clicks budget.daily=5 status=active end=2026-11-20
		ad_group/xmas/r name=Elves bid.max=0.10 status=active` + newTree + newAd
	risen := plan.Allowance{Hazard: plan.Exposure, Amount: 90_000_000, HasAmount: true, PerDay: true}
	d := documentOf(compare.Diff(plan.Input{Schemas: kinds.All(),
		Policy: plan.DefaultPolicy(), Allow: []plan.Allowance{risen}, Today: "2026-11-21",
		Last: snapshot(t, last), Desired: written(snapshot(t, desired)), Live: snapshot(t, live)}))
	d.Revision = &Revision{Commit: "4f1c0de5a2b3c4d5e6f708192a3b4c5d6e7f8091", Uncommitted: []string{"q4.xlsx"}}
	d.Money = &plan.Money{Currency: "USD", Today: "2026-11-21", MonthEnds: "2026-11-30",
		Totals: plan.Totals{
			Day: plan.Moved{Before: 1_130_000_000, After: 1_220_000_000}, Month: plan.Moved{Before: 11_300_000_000,
				After: 12_200_000_000}, Lifetime: plan.Moved{Before: 500_000_000, After: 500_000_000},
		},
		Bounds: []plan.SpendBound{{Address: "daily_spend_limit/autumn",
			Per: "day", Before: micros(1_200_000_000), After: micros(1_250_000_000), Binds: true}},
		IfAllowed: &plan.Totals{
			Day:   plan.Moved{Before: 1_130_000_000, After: 1_420_500_000},
			Month: plan.Moved{Before: 11_300_000_000, After: 14_205_000_000},
		},
		Campaigns: []plan.CampaignMoney{
			{Address: "campaign/spring", Name: "Spring", Totals: plan.Totals{
				Day: plan.Moved{After: 50_000_000}, Month: plan.Moved{After: 500_000_000},
			}},
			{Address: "campaign/brand", Name: "Brand", Totals: plan.Totals{
				Day:   plan.Moved{Before: 120_000_000, After: 160_000_000},
				Month: plan.Moved{Before: 1_200_000_000, After: 1_600_000_000},
			}},
		}}
	field(t, d, "campaign/brand", "budget.daily").Edited = &plan.Edited{
		Commit: "abc1234def567890abc1234def567890abc12345", Author: "Ann Example", At: 1763550000,
	}
	field(t, d, "ad_group/brand/loyal", "bid.max").Edited = &plan.Edited{}
	field(t, d, "campaign/brand", "description").Foreign = &plan.Foreign{Actor: "Bob in the console", At: 1763560000}
	d.Problems = append(d.Problems, diag.Problem{
		Severity: diag.Warning, Code: diag.BadURL, Position: diag.Cell("q4.xlsx", "Ads", 4, 6),
		Address: "ad/brand/loyal/hero", Message: "target_url has no https; want one", Hint: "write https://",
	})
	return d
}

func micros(n int64) *int64 { return &n }

// field finds a field of a document, for a test to add to it.
func field(t testing.TB, d *Document, address, name string) *plan.FieldDocument {
	t.Helper()
	for i := range d.Changes {
		for j := range d.Changes[i].Fields {
			if f := &d.Changes[i].Fields[j]; d.Changes[i].Address == address && f.Name == name {
				return f
			}
		}
	}
	t.Fatalf("no field %s of %s", name, address)
	return nil
}

func documentOf(p *plan.Plan) *Document {
	return &Document{FormatVersion: formatVersion, Account: Account{
		ID: "adacct_quickstart", Currency: "USD", TimeZone: "America/New_York",
	},
		InputHash: "1111", PlanHash: "c50924ec975aee68597ad25b070e8c3320a368ab4564d9c099c6f1654559d71d",
		Document: p.Document()}
}

// hostile is a plan in which everything people or the service write attacks
// whoever shows it.
func hostile(text string) *Document {
	live, desired := &resource.Snapshot{}, &resource.Snapshot{}
	at := diag.Cell(text+".yaml", text, 1, 2)
	address := resource.Address{Kind: kinds.Campaign, Key: "x"}
	live.Add(&resource.Resource{
		Address: address, ID: text, Attributes: resource.Attributes{{Name: "description", Value: resource.Text(text)}},
	})
	desired.Add(&resource.Resource{Address: address, Position: at, Attributes: resource.Attributes{
		{Name: "description", Value: resource.Text(text + "!").At(at)},
		{Name: "name", Value: resource.Text(text).At(at)}, {Name: "tracking", Value: resource.Text(text).At(at)}}})
	d := documentOf(compare.Diff(plan.Input{
		Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: live, Desired: desired, Live: live,
	}))
	d.Account.ID = text
	d.Revision = &Revision{Commit: text, Uncommitted: []string{text}}
	d.Changes[0].Address = "campaign/" + text
	d.Changes[0].Name = text
	d.Changes[0].Held = &plan.HoldDocument{Hazard: plan.Hazard(text), Message: text, Allow: text}
	d.Changes[0].Fields[len(d.Changes[0].Fields)-1].Held = &plan.HoldDocument{Hazard: "twin", Message: text}
	d.Changes[0].Fields[0].Edited = &plan.Edited{Commit: text, Author: text, At: 1}
	d.Changes[0].Fields[0].Foreign = &plan.Foreign{Actor: text, At: 1}
	d.Changes[0].Hazards = []plan.Hazard{plan.Hazard(text)}
	d.Kept = []string{"campaign/" + text}
	d.Problems = []diag.Problem{{Severity: diag.Error,
		Code: diag.BadURL, Position: at, Address: text, Message: text, Hint: text}}
	d.SuspiciousEdits = []plan.SuspiciousEditDocument{{Hazard: plan.Hazard(text), Kind: "campaign",
		Count: 5, Held: 2, Allow: text, Message: text, Examples: []plan.ExampleDocument{{Message: text}}}}
	d.Money.Campaigns = []plan.CampaignMoney{{Address: text,
		Name: text, Totals: plan.Totals{Day: plan.Moved{After: 1}}}}
	d.Money.Bounds = []plan.SpendBound{{Address: text, Per: text}}
	d.Summary.Held = 1
	d.Error = text
	return d
}

func largeTree(ads int) string {
	var b strings.Builder
	b.WriteString("campaign/x name=Spring bidding_type=clicks budget.daily=5\nad_group/x/r name=Runners\n")
	for i := range ads {
		fmt.Fprintf(&b, "ad/x/r/a%d name=Hero_%d %s\n", i, i, newAd)
	}
	return b.String()
}

// planned plans with the default policy.
func planned(t testing.TB, last, desired, live string) *Document {
	t.Helper()
	return documentOf(compare.Diff(plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
		Last: snapshot(t, last), Desired: written(snapshot(t, desired)), Live: snapshot(t, live)}))
}
