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

// limited plans under a policy that differs from the default in one thing.
func limited(t testing.TB, change func(*plan.Policy),
	recent plan.Recent, was, desired string, allow ...string) *plan.Plan {
	t.Helper()
	policy := plan.DefaultPolicy()
	change(&policy)
	return compare.Diff(plan.Input{
		Schemas: kinds.All(), Policy: policy, Allow: allowances(t, allow...), Recent: recent,
		Last: snapshot(t, was), Desired: dropIDs(snapshot(t, desired)), Live: snapshot(t, was),
	})
}

func asIs(*plan.Policy) {}

// firstHold is the first sentence that holds something.
func firstHold(p *plan.Plan) string {
	for i := range p.Changes {
		if holds := p.Changes[i].Holds(); len(holds) > 0 {
			return holds[0].Message
		}
	}
	return ""
}

func TestH1CeilingsHoldWhateverTheRatio(t *testing.T) {
	ceilings := func(p *plan.Policy) {
		p.MaxDailyBudget, p.MaxLifetimeBudget, p.MaxBid, p.ExposurePercent = 110e6, 1000e6, 2e6, 1000
	}
	tests := []struct {
		name, was, now string
		allow          []string
		want           string
	}{
		{name: "a daily budget above it, a tenth more", was: "campaign/x#1 budget.daily=100",
			now: "campaign/x budget.daily=110.01", want: "raises-spend=campaign/x=110.01"},
		{name: "up to it passes", was: "campaign/x#1 budget.daily=100", now: "campaign/x budget.daily=110"},
		{name: "by name is not enough", was: "campaign/x#1 budget.daily=100", now: "campaign/x budget.daily=120",
			allow: []string{"raises-spend", "raises-spend=900/day"}, want: "raises-spend=campaign/x=120.00"},
		{name: "the very amount is", was: "campaign/x#1 budget.daily=100",
			now: "campaign/x budget.daily=120", allow: []string{"raises-spend=campaign/x=120"}},
		{name: "a lifetime budget above it", was: "campaign/x#1 budget.lifetime=990",
			now: "campaign/x budget.lifetime=1001", want: "raises-spend=campaign/x=1001.00"},
		{name: "a bid above it", was: "campaign/x#1\nad_group/x/r#2 bid.max=1.9",
			now: "campaign/x\nad_group/x/r bid.max=2.1", want: "raises-spend=ad_group/x/r=2.10"},
		{name: "what lowers passes, above it as it may be",
			was: "campaign/x#1 budget.daily=500", now: "campaign/x budget.daily=400"},
		{name: "a new campaign above it, with all beneath",
			was: "", now: "campaign/x name=New bidding_type=clicks budget.daily=111\nad_group/x/r name=Runners",
			want: "raises-spend=campaign/x=111.00 raises-spend=campaign/x=111.00"},
		{name: "a new bid above it holds its ad group alone", was: "", now: "campaign/x name=New bidding_type=clicks " +
			"budget.daily=50\nad_group/x/r name=Runners bid.max=3", want: "raises-spend=ad_group/x/r=3.00"},
		{name: "a new one allowed to the very amount", was: "", now: "campaign/x name=New " +
			"bidding_type=clicks budget.daily=111", allow: []string{"raises-spend=campaign/x=111"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := asked(limited(t, ceilings, plan.Recent{}, tt.was, tt.now, tt.allow...)); got != tt.want {
				t.Errorf("asks for %q; want %q", got, tt.want)
			}
		})
	}
}

func TestH1ANewBidOrBudgetIsComparedWithTheAccount(t *testing.T) {
	const was = "campaign/a#1 bidding_type=clicks " +
		"budget.daily=100\nad_group/a/r#2 bid.max=1\ncampaign/old#3 budget.daily=9000 status=archived\n"
	const files = "campaign/a\nad_group/a/r\ncampaign/old status=archived\n"
	tests := []struct{ name, create, want string }{
		{"a bid up to a tenth of the daily budget passes",
			"campaign/x name=New bidding_type=clicks budget.daily=10\nad_group/x/r name=Runners bid.max=1", ""},
		{"above a tenth wants the exact amount", "campaign/x name=New bidding_type=clicks " +
			"budget.daily=10\nad_group/x/r name=Runners bid.max=1.01", "raises-spend=ad_group/x/r=1.01"},
		{"three times the highest bid of the account too", "campaign/x name=New bidding_type=clicks " +
			"budget.daily=100\nad_group/x/r name=Runners bid.max=3", "raises-spend=ad_group/x/r=3.00"},
		{"a little less passes",
			"campaign/x name=New bidding_type=clicks budget.daily=100\nad_group/x/r name=Runners bid.max=2.99", ""},
		{"five times the highest budget that is not archived",
			"campaign/x name=New bidding_type=clicks budget.daily=500", "raises-spend=campaign/x=500.00"},
		{"a little less passes too", "campaign/x name=New bidding_type=clicks budget.daily=499", ""},
		{"beneath a campaign that is there already",
			"ad_group/a/s name=Walkers bid.max=10.01", "raises-spend=ad_group/a/s=10.01"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := asked(limited(t, asIs, plan.Recent{}, was, files+tt.create)); got != tt.want {
				t.Errorf("asks for %q; want %q", got, tt.want)
			}
		})
	}
}

// described returns n campaigns, of which the first have another description.
func described(n, others int) (was, now string) {
	for i := range n {
		was += fmt.Sprintf("campaign/c%d#%d description=one\n", i, i)
		text := "one"
		if i < others {
			text = "two"
		}
		now += fmt.Sprintf("campaign/c%d description=%s\n", i, text)
	}
	return was, now
}

func TestH16ManyUpdatesNeedAnAllowance(t *testing.T) {
	tests := []struct {
		name      string
		n, others int
		allow     []string
		want      string
	}{
		{name: "30 % pass", n: 10, others: 3},
		{name: "more is held, with the number to allow", n: 10, others: 4, want: "updates=4"},
		{name: "allowed by that number", n: 10, others: 4, allow: []string{"updates=4"}},
		{name: "a smaller number is not enough", n: 10, others: 4, allow: []string{"updates=3"}, want: "updates=4"},
		{name: "all of nine are too few to judge", n: 9, others: 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			was, now := described(tt.n, tt.others)
			p := limited(t, asIs, plan.Recent{}, was, now, tt.allow...)
			want := strings.TrimSpace(strings.Repeat(tt.want+" ", tt.others))
			if got := asked(p); got != want {
				t.Errorf("asks for %q; want %q", got, want)
			}
		})
	}
}

func TestPausesAndDecreasesAreNoUpdatesToHold(t *testing.T) {
	var was, now strings.Builder
	for i := range 12 {
		fmt.Fprintf(&was, "campaign/c%d#%d status=active budget.daily=10\n", i, i)
		fmt.Fprintf(&now, "campaign/c%d status=paused budget.daily=5\n", i)
	}
	if got := asked(limited(t, asIs, plan.Recent{}, was.String(), now.String())); got != "" {
		t.Errorf("pausing and lowering everything asks for %q; want nothing", got)
	}
}

// TestSeededLimitsOnSharesHoldForFewAndForMany is there for a guard that counts
// shares only: of a few resources a share says nothing, of many a small share is
// too much.
func TestSeededLimitsOnSharesHoldForFewAndForMany(t *testing.T) {
	archive := func(n, gone int) *plan.Plan {
		var was, now strings.Builder
		for i := range n {
			fmt.Fprintf(&was, "campaign/c%d#%d status=paused\n", i, i)
			if i < gone {
				fmt.Fprintf(&now, "campaign/c%d status=archived\n", i)
			} else {
				fmt.Fprintf(&now, "campaign/c%d\n", i)
			}
		}
		return limited(t, asIs, plan.Recent{}, was.String(), now.String(), "archives")
	}
	for _, tt := range []struct {
		n, gone int
		passes  bool
	}{{2, 1, true}, {2, 2, false}, {30, 3, true}, {200, 5, true}, {200, 6, false}} {
		if got := asked(archive(tt.n, tt.gone)) == ""; got != tt.passes {
			t.Errorf("archiving %d of %d passes: %v; want %v", tt.gone, tt.n, got, tt.passes)
		}
	}
	live := "campaign/a#1 status=active budget.daily=100000"
	p := limited(t, func(p *plan.Policy) { p.MaxDailyBudget = 500e6 },
		plan.Recent{}, live, "campaign/a\ncampaign/b name=New bidding_type=clicks status=active budget.daily=501")
	if got := asked(p); got != "raises-spend=campaign/b=501.00" {
		t.Errorf("half a percent of the account and above the ceiling asks for %q; want the exact amount", got)
	}
}

func TestH17ExposureOfTheWholeAccount(t *testing.T) {
	const was = "campaign/a#1 status=active budget.daily=80\ncampaign/b#2 status=active " +
		"budget.daily=20\ncampaign/p#3 status=paused budget.daily=30\ncampaign/l#4 status=paused budget.lifetime=900\n"
	tests := []struct {
		name, now string
		change    func(*plan.Policy)
		allow     []string
		want      string
	}{
		{name: "up to a quarter more passes", now: "campaign/a budget.daily=105"},
		{name: "above it everything that raises is held", now: "campaign/a budget.daily=100\n" +
			"campaign/b budget.daily=26", want: "exposure=26.00/day exposure=26.00/day"},
		{name: "that amount a day allows it", now: "campaign/a budget.daily=100\ncampaign/b budget.daily=26",
			allow: []string{"exposure=26/day"}},
		{name: "a cent less does not", now: "campaign/a budget.daily=100\ncampaign/b budget.daily=26",
			allow: []string{"exposure=25.99/day"}, want: "exposure=26.00/day exposure=26.00/day"},
		{name: "an activation counts", now: "campaign/p status=active", want: "exposure=30.00/day"},
		{name: "a lifetime budget can be spent in one day",
			now: "campaign/l status=active", want: "exposure=900.00/day"},
		{name: "a decrease makes room", now: "campaign/a budget.daily=60\ncampaign/p status=active"},
		{name: "a new campaign that is active counts",
			now: "campaign/n name=New bidding_type=clicks status=active budget.daily=26", want: "exposure=26.00/day"},
		{name: "a new one that is paused does not", now: "campaign/n name=New bidding_type=clicks budget.daily=26"},
		{name: "what is held for other reasons counts", now: "campaign/b budget.daily=31\ncampaign/a budget.daily=95",
			want: "exposure=26.00/day raises-spend=campaign/b exposure=26.00/day"},
		{name: "above max_daily_exposure nothing releases it", now: "campaign/a budget.daily=105",
			change: func(p *plan.Policy) { p.MaxDailyExposure = 120e6 }, allow: []string{"exposure=900/day"}, want: ""},
		{name: "up to it passes", now: "campaign/a budget.daily=100", change: func(p *plan.Policy) {
			p.MaxDailyExposure = 120e6
		}},
		{name: "unattended without it nothing is raised", now: "campaign/a budget.daily=81",
			change: func(p *plan.Policy) { p.Unattended = true }},
	}
	held := map[string]string{
		"above max_daily_exposure nothing releases it": "daily caps plus what is left of lifetime budgets would rise " +
			"from 100.00 to 125.00, above max_daily_exposure 120.00; the operator's file alone can raise that",
		"unattended without it nothing is raised": "raises what " +
			"can be spent while nobody looks; want max_daily_exposure in the operator's file",
		"above it everything that raises is held": "daily caps plus " +
			"what is left of lifetime budgets would rise ×1.26, from 100.00 to 126.00; up to ×1.25 passes",
		"what is held for other reasons counts": "daily caps plus " +
			"what is left of lifetime budgets would rise ×1.26, from 100.00 to 126.00; up to ×1.25 passes",
		"a new campaign that is active counts": "daily caps plus " +
			"what is left of lifetime budgets would rise ×1.26, from 100.00 to 126.00; up to ×1.25 passes",
		"a cent less does not": "daily caps plus " +
			"what is left of lifetime budgets would rise ×1.26, from 100.00 to 126.00; up to ×1.25 passes",
		"an activation counts": "daily caps plus " +
			"what is left of lifetime budgets would rise ×1.30, from 100.00 to 130.00; up to ×1.25 passes",
		"a lifetime budget can be spent in one day": "daily caps plus " +
			"what is left of lifetime budgets would rise ×10.00, from 100.00 to 1000.00; up to ×1.25 passes",
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = asIs
			}
			p := limited(t, tt.change, plan.Recent{}, was, tt.now, tt.allow...)
			if got := strings.Join(strings.Fields(asked(p)), " "); got != tt.want {
				t.Errorf("asks for %q; want %q\n%s", got, tt.want, sketch(p.Changes))
			}
			if got := firstHold(p); got != held[tt.name] {
				t.Errorf("is held with %q; want %q", got, held[tt.name])
			}
		})
	}
}

func TestFromNothingToSomethingIsForWhoeverLooks(t *testing.T) {
	const files = "campaign/n name=New bidding_type=clicks status=active budget.daily=50"
	if got := firstHold(limited(t, asIs, plan.Recent{}, "", files)); got != "" {
		t.Errorf("the first active campaign is held with %q; want its money in the headline and a yes", got)
	}
	if got := firstHold(limited(t, func(p *plan.Policy) { p.Unattended = true }, plan.Recent{}, "", files)); got == "" {
		t.Error("the first active campaign passes while nobody looks; want max_daily_exposure")
	}
	recent := plan.Recent{Levels: []int64{0, 10e6}}
	if got := asked(limited(t, asIs, recent, "campaign/a#1 status=active budget.daily=12",
		"campaign/a budget.daily=15")); got != "exposure=5.00/day" {
		t.Errorf("from nothing to 10, 12 and 15 within a day asks for %q; want the rise since 10", got)
	}
	recent = plan.Recent{Levels: []int64{10e6, 0}}
	if got := asked(limited(t, asIs, recent, "campaign/a#1 status=paused budget.daily=10",
		"campaign/a\n"+files)); got != "raises-spend=campaign/n=50.00 exposure=40.00/day" {
		t.Errorf("50 instead of 10 that were taken away within a day asks for %q; want the rise since 10", got)
	}
}

// commits applies budgets one after the other, each a commit of its own, with
// what adsync remembers of the day, and gives the budget reached.
func commits(t *testing.T, budgets ...string) int64 {
	live := snapshot(t, "campaign/a#1 status=active budget.daily=100\ncampaign/b#2 status=active budget.daily=900")
	var recent plan.Recent
	for _, b := range budgets {
		p := compare.Diff(plan.Input{Schemas: kinds.All(),
			Policy: plan.DefaultPolicy(), Recent: recent, Last: live, Live: live,
			Desired: snapshot(t, "campaign/a budget.daily="+b+"\ncampaign/b")})
		recent = remembered(recent, p)
		live = simulated(live, p)
	}
	n, _ := live.Get(resource.Address{Kind: kinds.Campaign, Key: "a"}).Value("budget.daily").Number()
	return n / resource.MicrosPerUnit
}

// remembered is what the state keeps of an apply.
func remembered(r plan.Recent, p *plan.Plan) plan.Recent {
	moves := p.Moves()
	if before, after := p.Spend.DailyBefore+p.Spend.LifetimeBefore,
		p.Spend.DailyAfter+p.Spend.LifetimeAfter; before != after {
		r.Levels = append(r.Levels, before, after)
	}
	for _, m := range moves {
		known := false
		for _, e := range r.Amounts {
			known = known || e.Address == m.Address && e.Attribute == m.Attribute
		}
		if !known {
			r.Amounts = append(r.Amounts, m)
		}
	}
	return r
}

// TestSeededManySmallCommitsDoNotPassALimit is there for a guard that looks at
// one plan alone: each of these steps would pass by itself.
func TestSeededManySmallCommitsDoNotPassALimit(t *testing.T) {
	if got := commits(t, "149", "220", "320", "480"); got != 149 {
		t.Errorf("in steps of less than ×1.5 the budget reaches %d; want 149, the last one within ×1.50 of a day", got)
	}
	live := "campaign/a#1 status=active budget.daily=100"
	spread := limited(t, asIs, plan.Recent{Levels: []int64{100e6, 120e6}},
		"campaign/a#1 status=active budget.daily=100\ncampaign/b#2 status=active budget.daily=20",
		"campaign/a\ncampaign/b\ncampaign/c name=New bidding_type=clicks status=active budget.daily=10")
	if got := asked(spread); got != "exposure=30.00/day" {
		t.Errorf("a second rise of the day, in another campaign, asks for %q; want the sum of both", got)
	}
	if got := asked(limited(t, asIs, plan.Recent{}, live, "campaign/a budget.daily=125")); got != "" {
		t.Errorf("a quarter more after a quiet day asks for %q; want nothing", got)
	}
}

func TestWhatStartsWithLessCountsTheLess(t *testing.T) {
	live := "campaign/a#1 status=active budget.daily=60\ncampaign/b#2 status=paused budget.daily=20"
	if got := asked(limited(t, asIs, plan.Recent{},
		live, "campaign/a\ncampaign/b status=active budget.daily=10")); got != "" {
		t.Errorf("from 60 to 70, with a decrease that goes first, asks for %q; want nothing", got)
	}
	if got := asked(limited(t, asIs, plan.Recent{}, live, "campaign/a\ncampaign/b status=active")); got !=
		"exposure=20.00/day" {
		t.Errorf("from 60 to 80 asks for %q; want the rise", got)
	}
}

func TestAFreezeWindowLetsPausesAndDecreasesPass(t *testing.T) {
	frozen := func(p *plan.Policy) {
		p.Frozen = []plan.Freeze{{Name: "black friday", Until: "2026-11-30 00:00 CET", Reason: "nobody is there"}}
	}
	const was = "campaign/x#1 status=active budget.daily=100 description=one\ncampaign/y#2 status=paused\n"
	tests := []struct{ name, now, passes string }{
		{"a pause passes", "campaign/x status=paused", "update campaign/x; status paused edit lower"},
		{"a decrease passes", "campaign/x budget.daily=90", "update campaign/x; budget.daily 90.00 edit lower"},
		{"and leaves out what goes with it", "campaign/x budget.daily=90 description=two",
			"update campaign/x; budget.daily 90.00 edit lower"},
		{"a rise does not", "campaign/x budget.daily=101", ""},
		{"a text does not", "campaign/x description=two", ""},
		{"a create does not", "campaign/z name=New bidding_type=clicks budget.daily=1", ""},
		{"an archive does not", "campaign/y status=archived", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := limited(t, frozen, plan.Recent{}, was, tt.now, "archives", "raises-spend")
			if got := sketch(p.Applicable()); got != tt.passes {
				t.Errorf("%q passes; want %q", got, tt.passes)
			}
			if got, want := firstHold(p), `freeze window "black friday" is open until 2026-11-30 00:00 CET: nobody `+
				`is there; only pauses and decreases pass`; tt.passes == "" && !strings.Contains(got+asHolds(p), want) {
				t.Errorf("is held with %q; want %q", got, want)
			}
		})
	}
}

func asHolds(p *plan.Plan) string {
	var all strings.Builder
	for i := range p.Changes {
		for _, h := range p.Changes[i].Holds() {
			all.WriteString(h.Message + "\n")
		}
	}
	return all.String()
}

func TestAnAllowanceThatReleasesNothingIsNamed(t *testing.T) {
	p := diff(t, "campaign/spring#1 budget.daily=100",
		"campaign/spring budget.daily=200", "campaign/spring#1 budget.daily=100",
		"raises-spend=campaign/spirng", "raises-spend=campaign/spring", "archives=3", "updates=9", "exposure=1/day")
	var unused []string
	for _, a := range p.Unused {
		unused = append(unused, a.String())
	}
	if got, want := strings.Join(unused, " "),
		"raises-spend=campaign/spirng archives=3 updates=9 exposure=1.00/day"; got != want {
		t.Errorf("unused are %q; want %q", got, want)
	}
}

func TestExposureLeavesOutWhatNoFlagReleases(t *testing.T) {
	const last = "campaign/a#1 status=active budget.daily=80\ncampaign/b#2 status=active budget.daily=900"
	const live = "campaign/a#1 status=active budget.daily=80\ncampaign/b#2 status=paused budget.daily=900"
	p := diff(t, last, "campaign/a budget.daily=90\ncampaign/b status=active", live)
	if got, want := sketch(p.Applicable()), "update campaign/a; budget.daily 90.00 edit raise"; got != want {
		t.Errorf("beside a foreign pause %q passes; want %q", got, want)
	}
}
