package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"github.com/google/go-cmp/cmp"
)

const (
	ad      = "title=Shoes_for_trails body=Light target_url=https://shop.example/ image=https://shop.example/a.png"
	newTree = `
		campaign/x name=Spring bidding_type=clicks budget.daily=50 status=active
		ad_group/x/r name=Runners bid.max=1 status=active
		ad/x/r/a status=active ` + ad
)

func lines(s string) string {
	var trimmed []string
	for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
		trimmed = append(trimmed, strings.TrimSpace(line))
	}
	return strings.Join(trimmed, "\n")
}

// actions is a sketch without fields.
func actions(changes []plan.Change) string {
	bare := make([]plan.Change, len(changes))
	copy(bare, changes)
	for i := range bare {
		bare[i].Fields, bare[i].Recorded = nil, nil
	}
	return sketch(bare)
}

func TestDiffOfTrees(t *testing.T) {
	const (
		three = `
			campaign/x#1 name=Spring status=active
			ad_group/x/r#2 name=Runners status=active
			ad/x/r/a#3 name=Hero status=active`
		archivedCampaign = `
			campaign/x#1 name=Spring status=archived
			ad_group/x/r#2 name=Runners status=active
			ad/x/r/a#3 name=Hero status=active`
	)
	tests := []struct {
		name                string
		last, desired, live string
		allow               []string
		want                string
	}{
		{name: "a new tree, parents first", desired: newTree, want: `
			create campaign/x
			create ad_group/x/r
			create ad/x/r/a`},
		{name: "a new ad beneath what is there",
			desired: "campaign/x name=Spring\nad_group/x/r name=Runners\nad/x/r/b " + ad,
			last:    three, live: three, want: "create ad/x/r/b"},
		{name: "a removed campaign holds its tree, in one line", last: three, desired: newTree, live: archivedCampaign,
			want: "create campaign/x HELD(removed-by-hand)"},
		{name: "a removed campaign created again takes its tree along", last: three, desired: newTree, live: archivedCampaign, allow: []string{"removed-by-hand=campaign/x"}, want: `
			create campaign/x
			create ad_group/x/r
			create ad/x/r/a`},
		{name: "a removed ad group leaves its campaign alone", last: three, desired: "campaign/x name=Winter\nad_group/x/r name=Runners\nad/x/r/a name=Hero", live: "campaign/x#1 name=Spring", want: `
			update campaign/x
			create ad_group/x/r HELD(removed-by-hand)`},
		{name: "what lies beneath an archived campaign is not compared", last: three, live: three,
			desired: "campaign/x status=archived\nad_group/x/r name=Other\nad/x/r/b " + ad,
			want:    "archive campaign/x HELD(archives)"},
		{name: "archiving what is not ours is held twice, and nothing beneath it is compared", live: three,
			desired: "campaign/x status=archived\nad_group/x/r name=Other",
			want:    "archive campaign/x HELD(adopt) HELD(archives)"},
		{name: "a create that is held holds its children", desired: "campaign/x name=Spring bidding_type=clicks\nad_group/x/r name=Runners\nad/x/r/a " + ad, want: `
			create campaign/x HELD(incomplete)
			create ad_group/x/r HELD(incomplete)
			create ad/x/r/a HELD(incomplete)`},
		{name: "an adoption that is held holds its new children", desired: newTree, live: "campaign/x#1 name=Spring\nad_group/x/r#2 name=Runners", want: `
			adopt campaign/x HELD(adopt)
			adopt ad_group/x/r HELD(adopt)
			create ad/x/r/a HELD(adopt)`},
		{name: "adopting the campaign adopts its tree", desired: "campaign/x name=Spring\nad_group/x/r name=Runners\nad/x/r/a " + ad, live: "campaign/x#1 name=Spring\nad_group/x/r#2 name=Runners", allow: []string{"adopt=campaign/x"}, want: `
			adopt campaign/x
			adopt ad_group/x/r
			create ad/x/r/a`},
		{name: "replacing a campaign takes its tree along", allow: []string{"replace=campaign/x"},
			last:    strings.Replace(three, "Spring", "Spring bidding_type=impressions", 1),
			live:    strings.Replace(three, "Spring", "Spring bidding_type=impressions", 1),
			desired: newTree + "\nad/x/r/b " + ad, want: `
			replace campaign/x
			replace ad_group/x/r
			replace ad/x/r/a
			create ad/x/r/b`},
		{name: "replacing a campaign makes nothing again that somebody ended beneath it",
			allow: []string{"replace=campaign/x"},
			last:  strings.Replace(three, "Spring", "Spring bidding_type=impressions", 1),
			live: strings.Replace(strings.Replace(three, "Spring", "Spring bidding_type=impressions", 1),
				"name=Runners status=active", "name=Runners status=archived", 1),
			desired: newTree, want: `
			replace campaign/x
			create ad_group/x/r HELD(removed-by-hand)`},
		{name: "replacing needs all a create needs, and holds up nothing else",
			allow: []string{"replace"}, last: "campaign/x#1 bidding_type=clicks status=active",
			desired: "campaign/x bidding_type=impressions status=paused",
			live:    "campaign/x#1 bidding_type=clicks status=active", want: "replace campaign/x"},
		{name: "a tree someone archived and the files no longer name", last: three, live: archivedCampaign, want: `
			forget campaign/x
			forget ad_group/x/r
			forget ad/x/r/a`},
		{name: "a key that changed: rename or new?", last: "campaign/x#1 name=Spring", live: "campaign/x#1 name=Spring",
			desired: "campaign/y name=spring bidding_type=clicks budget.daily=5\nad_group/y/r name=Runners", want: `
			create campaign/y HELD(twin)
			create ad_group/y/r HELD(twin)`},
		{name: "a key that changed, and is meant",
			last: "campaign/x#1 name=Spring", live: "campaign/x#1 name=Spring", allow: []string{"twin=campaign/y"},
			desired: "campaign/y name=Spring bidding_type=clicks budget.daily=5", want: "create campaign/y"},
		{name: "a name someone else uses", live: "campaign/~7#7 name=Spring\ncampaign/~8#8 name=SPRING",
			desired: "campaign/y name=Spring bidding_type=clicks budget.daily=5", want: "create campaign/y HELD(twin)"},
		{name: "a name of something archived is free", live: "campaign/~7#7 name=Spring status=archived",
			desired: "campaign/y name=Spring bidding_type=clicks budget.daily=5", want: "create campaign/y"},
		{name: "order: pauses, then what moves no money, creates, raises, activations", last: `
			campaign/a#1 status=paused
			campaign/b#2 budget.daily=50
			campaign/c#3 description=one
			campaign/d#4 status=active`, live: `
			campaign/a#1 status=paused
			campaign/b#2 budget.daily=50
			campaign/c#3 description=one
			campaign/d#4 status=active`, desired: `
			campaign/a status=active
			campaign/b budget.daily=60
			campaign/c description=two
			campaign/d status=paused
			campaign/e name=New bidding_type=clicks budget.daily=5`, want: `
			update campaign/d
			update campaign/c
			create campaign/e
			update campaign/b
			update campaign/a`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.live, tt.allow...)
			if d := cmp.Diff(lines(tt.want), actions(p.Changes)); d != "" {
				t.Errorf("Diff (-want +got):\n%s", d)
			}
		})
	}
}

func TestDiffStartsOnlyTheTopOfANewTreeLast(t *testing.T) {
	p := diff(t, "", newTree, "")
	want := map[string]plan.Phase{"campaign/x": plan.Activate, "ad_group/x/r": plan.Creates, "ad/x/r/a": plan.Creates}
	for _, c := range p.Changes {
		for _, f := range c.Fields {
			if f.Name == "status" && f.Phase != want[c.Address.String()] {
				t.Errorf("status of %s is sent in phase %s; want %s", c.Address, f.Phase, want[c.Address.String()])
			}
		}
	}
	if got := hazards(p.Changes); got != "activates raises-spend" {
		t.Errorf("hazards are %q; want activates raises-spend of the campaign alone", got)
	}
	if p.Spend.DailyAfter != 50*resource.MicrosPerUnit {
		t.Errorf("possible spend a day after is %d; want 50 units", p.Spend.DailyAfter)
	}
}

func TestDiffSaysWhatACreateLacks(t *testing.T) {
	desired := written(snapshot(t,
		"campaign/x name=Spring\nad_group/y/r name=Runners bid.max=1\nad_group/x/r bid.max=1"))
	p := compare.Diff(plan.Input{Schemas: kinds.All(), Desired: desired, Policy: plan.DefaultPolicy()})
	want := lines(`
		q4.xlsx:Ad groups!3: ad_group/x/r is new and has no name; want one (ADS1006)
		q4.xlsx:Ad groups!4: ad_group/y/r has no campaign; want one in the files or at the service (ADS1013)
		q4.xlsx:Campaigns!2: campaign/x is new and has neither budget.daily nor budget.lifetime; want one of them (ADS1006)
		q4.xlsx:Campaigns!2: campaign/x is new and has no bidding_type; want one (ADS1006)`)
	if d := cmp.Diff(want, problems(p.Problems)); d != "" {
		t.Errorf("problems (-want +got):\n%s", d)
	}
	if !p.Empty() {
		t.Errorf("applicable is %s; want nothing", sketch(p.Applicable()))
	}
}

func TestHoldsSayWhatLiesBeneath(t *testing.T) {
	p := diff(t, "campaign/x#1 name=Spring", newTree, "campaign/x#1 name=Spring status=archived")
	want := "was archived outside adsync; it is not created again unless allowed; with 2 more beneath it"
	if got := p.Changes[0].Held.Message; got != want {
		t.Errorf("hold says %q; want %q", got, want)
	}
}

func TestApplicableLeavesOutWhatIsHeld(t *testing.T) {
	const live = "ad/x/r/a#3 name=Hero title=Shoes_one " +
		"body=Light target_url=https://a.example/ image=https://a.example/a.png"
	const paid = "campaign/x#1 name=Spring budget.daily=5 "
	above := "campaign/x#1 name=Spring\nad_group/x/r#2 name=Runners\n"
	tests := []struct {
		name, last, desired, live, want string
		allow                           []string
	}{
		{"a setting sent whole takes the held field along as it is live",
			above + strings.Replace(live, "Light", "Lighter", 1),
			above + "ad/x/r/a title=Shoes_two body=Lighter", above + live,
			"update ad/x/r/a; body Light sent-along neutral; image https://a.example/a.png sent-along " +
				"neutral; target_url https://a.example/ sent-along neutral; title Shoes two edit neutral", nil},
		{"a held field alone sends nothing",
			above + strings.Replace(live, "Light", "Lighter", 1),
			above + "ad/x/r/a body=Lighter", above + live, "", nil},
		{"a held replace leaves the other edits",
			"campaign/x#1 bidding_type=clicks status=active",
			"campaign/x bidding_type=impressions status=paused", "campaign/x#1 bidding_type=clicks status=active",
			"update campaign/x; status paused edit lower", nil},
		{"a replace that is allowed and cannot be done leaves the other edits",
			"campaign/x#1 bidding_type=clicks budget.daily=9",
			"campaign/x bidding_type=impressions budget.daily=5", "campaign/x#1 bidding_type=clicks budget.daily=9",
			"update campaign/x; budget.daily 5.00 edit lower", []string{"replace"}},
		{"a replace waits where somebody started what it would archive",
			paid + "bidding_type=clicks status=paused", paid + "bidding_type=impressions status=paused",
			paid + "bidding_type=clicks status=active", "", []string{"replace"}},
		{"it waits too where the files do not say whether it runs",
			paid + "bidding_type=clicks status=paused", paid + "bidding_type=impressions",
			paid + "bidding_type=clicks status=active", "", []string{"replace"}},
		{"it goes where the files say what somebody set",
			paid + "bidding_type=clicks status=paused", paid + "bidding_type=impressions status=active",
			paid + "bidding_type=clicks status=active", "replace campaign/x; bidding_type impressions edit create; " +
				"budget.daily 5.00 edit create; name Spring edit create; status active edit activate",
			[]string{"replace", "activates", "raises-spend"}},
		{"what somebody started is paused before it goes, where that is allowed",
			paid + "bidding_type=clicks status=paused", paid + "bidding_type=impressions status=paused",
			paid + "bidding_type=clicks status=active",
			"update campaign/x; status paused drift lower", []string{"replace", "drift"}},
		{"what agrees is recorded all the same",
			"campaign/x#1 name=Spring description=one",
			"campaign/x name=Summer description=two", "campaign/x#1 name=Winter description=two",
			"record campaign/x; record description two", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.live, tt.allow...)
			if d := cmp.Diff(tt.want, sketch(p.Applicable())); d != "" {
				t.Errorf("Applicable (-want +got):\n%s", d)
			}
		})
	}
}

func TestABudgetTakesThePlaceOfItsOtherHalf(t *testing.T) {
	live := "campaign/x#1 status=active budget.lifetime=500"
	p := diff(t, live, "campaign/x budget.daily=10", live, "raises-spend=campaign/x")
	after := simulated(snapshot(t, live), p).Get(resource.Address{Kind: kinds.Campaign, Key: "x"})
	if !after.Value("budget.lifetime").IsAbsent() {
		t.Errorf("both halves of the budget are live afterwards: %v", after.Attributes)
	}
	if want := (plan.Spend{DailyAfter: 10e6, LifetimeBefore: 500e6}); p.Spend != want {
		t.Errorf("spend is %+v; want %+v", p.Spend, want)
	}
}

func TestSimulatedLeavesItsInputAlone(t *testing.T) {
	live := snapshot(t, "campaign/x#1 name=Spring status=active")
	p := diff(t, "campaign/x#1 name=Spring status=active",
		"campaign/x name=Summer status=paused", "campaign/x#1 name=Spring status=active")
	after := simulated(live, p)
	if got := live.Get(resource.Address{Kind: kinds.Campaign, Key: "x"}).Value("name").Text(); got != "Spring" {
		t.Errorf("the live name became %q; want it as it was", got)
	}
	if got := after.Get(resource.Address{Kind: kinds.Campaign, Key: "x"}).Value("name").Text(); got != "Summer" {
		t.Errorf("the name afterwards is %q; want Summer", got)
	}
}
