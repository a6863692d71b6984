package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// What somebody did at the service and is held must not spend by way of what the
// files do beside it.
func TestWhatIsHeldDoesNotSpendByWayOfTheRest(t *testing.T) {
	tests := []struct {
		name                string
		last, desired, live string
		allow               []string
		held                string // the allowances the plan asks for
		says                string // in the hold of exceeds-files
	}{
		{
			name: "a budget raised by hand, and the files activate", held: "drift=campaign/x exceeds-files=campaign/x",
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=10 status=active", live: "budget.daily=20 status=paused",
			says: "on campaign/x 20.00 could be spent " +
				"a day, more than 0.00 now and 10.00 by the files, as budget.daily (drift) of it is held",
		},
		{
			name: "both go when that is allowed", held: "drift=campaign/x", allow: []string{"exceeds-files=campaign/x"},
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=10 status=active", live: "budget.daily=20 status=paused",
		},
		{
			name: "or when the budget goes back", allow: []string{"drift=campaign/x"},
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=10 status=active", live: "budget.daily=20 status=paused",
		},
		{
			name: "but not elsewhere", held: "drift=campaign/x exceeds-files=campaign/x",
			allow:   []string{"exceeds-files=campaign/y"},
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=10 status=active", live: "budget.daily=20 status=paused",
		},
		{
			name: "a budget lowered by hand lets it start", held: "drift=campaign/x raises-spend=campaign/x",
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=10 status=active", live: "budget.daily=5 status=paused",
		},
		{
			name:    "another form of budget, set by hand",
			held:    "drift=campaign/x raises-spend=campaign/x exceeds-files=campaign/x",
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=10 status=active", live: "budget.lifetime=500 status=paused",
		},
		{
			name: "a conflict over a budget", held: "conflict=campaign/x exceeds-files=campaign/x",
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=11 status=active", live: "budget.daily=20 status=paused",
		},
		{
			name:    "activated by hand, and the files raise the budget",
			held:    "exceeds-files=campaign/x drift=campaign/x",
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=12 status=paused", live: "budget.daily=10 status=active",
			says: "on campaign/x 12.00 could be spent " +
				"a day, more than 10.00 now and 0.00 by the files, as status (drift) of it is held",
		},
		{
			name: "activated by hand, and the files lower the budget", held: "drift=campaign/x",
			last:    "budget.daily=10 status=paused",
			desired: "budget.daily=8 status=paused", live: "budget.daily=10 status=active",
		},
		{
			name: "its end moved by hand, and the files raise the budget",
			held: "exceeds-files=campaign/x drift=campaign/x",
			last: "budget.daily=10 status=active end=2026-11-22", desired: "budget.daily=12 " +
				"status=active end=2026-11-22", live: "budget.daily=10 status=active end=2026-11-30",
			says: "on campaign/x 120.00 could be " +
				"spent this month, more than 100.00 now and 24.00 by the files, as end (drift) of it is held",
		},
		{
			name:    "its days moved by hand, and the files start it next month",
			held:    "conflict=campaign/x adopt=campaign/x exceeds-files=campaign/x",
			last:    "budget.daily=10 status=paused end=2026-11-20",
			desired: "budget.daily=10 status=active end=2026-12-09 start=2026-12-03",
			live:    "budget.daily=10 status=paused start=2026-11-10 end=2026-11-23",
			says: "on campaign/x 30.00 could be spent " +
				"this month, more than 0.00 now and 0.00 by the files, as end (conflict) of it is held",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkFiles(t, "campaign/x#1 "+tt.last,
				"campaign/x "+tt.desired, "campaign/x#1 "+tt.live, tt.held, tt.says, tt.allow...)
		})
	}
}

// The same where another resource is held: beneath what starts, or anywhere in
// the account.
func TestWhatIsHeldFreesNothingForOthers(t *testing.T) {
	const ranged = "\nspend_limit_window/w#2 start=2026-11-20 end=2026-11-26 amount=1\n"
	const two = "campaign/a#1 budget.daily=10 status=active\n" + "campaign/b#2 budget.daily=20 status=active\n"
	tests := []struct {
		name                string
		last, desired, live string
		allow               []string
		held, says          string
	}{
		{
			name: "a start moved by hand to after a spend limit ends, and the files start another",
			held: "adopt=campaign/a adopt=campaign/a exceeds-files=campaign/b",
			last: "campaign/a#1 budget.daily=10 status=active\ncampaign/b#3 budget.daily=10 status=paused" + ranged,
			desired: "campaign/a budget.daily=10 " +
				"status=active start=2026-11-10 end=2026-11-23\ncampaign/b budget.daily=10 status=active" + ranged,
			live: "campaign/a#1 budget.daily=10 " +
				"status=active start=2026-11-28\ncampaign/b#3 budget.daily=10 status=paused" + ranged,
		},
		{
			name:    "an ad group activated by hand beneath what the files activate",
			held:    "drift=ad_group/x/r exceeds-files=campaign/x",
			last:    "campaign/x#1 budget.daily=10 status=paused\nad_group/x/r#2 bid.max=1 status=paused",
			desired: "campaign/x budget.daily=10 status=active\nad_group/x/r bid.max=1 status=paused",
			live:    "campaign/x#1 budget.daily=10 status=paused\nad_group/x/r#2 bid.max=1 status=active",
			says: "ad_group/x/r would deliver " +
				"with more than it does now and than the files ask for, as status (drift) of it is held",
		},
		{
			name:    "a bid raised by hand beneath what the files activate",
			held:    "drift=ad_group/x/r exceeds-files=campaign/x",
			last:    "campaign/x#1 budget.daily=90 status=paused\nad_group/x/r#2 bid.max=1 status=active",
			desired: "campaign/x budget.daily=90 status=active\nad_group/x/r bid.max=1 status=active",
			live:    "campaign/x#1 budget.daily=90 status=paused\nad_group/x/r#2 bid.max=3 status=active",
		},
		{
			name:    "a bid raised by hand, and the files activate the ad group",
			held:    "drift=ad_group/x/r exceeds-files=ad_group/x/r",
			last:    "campaign/x#1 budget.daily=90 status=active\nad_group/x/r#2 bid.max=1 status=paused",
			desired: "campaign/x budget.daily=90 status=active\nad_group/x/r bid.max=1 status=active",
			live:    "campaign/x#1 budget.daily=90 status=active\nad_group/x/r#2 bid.max=3 status=paused",
		},
		{
			name:    "an ad group activated by hand, and the files raise its bid",
			held:    "exceeds-files=ad_group/x/r drift=ad_group/x/r",
			last:    "campaign/x#1 budget.daily=90 status=active\nad_group/x/r#2 bid.max=1 status=paused",
			desired: "campaign/x budget.daily=90 status=active\nad_group/x/r bid.max=1.2 status=paused",
			live:    "campaign/x#1 budget.daily=90 status=active\nad_group/x/r#2 bid.max=1 status=active",
		},
		{
			name: "beneath what stays paused nothing comes of it", held: "drift=ad_group/x/r",
			last:    "campaign/x#1 budget.daily=90 status=paused\nad_group/x/r#2 bid.max=1 status=paused",
			desired: "campaign/x budget.daily=90 status=paused\nad_group/x/r bid.max=1.2 status=paused",
			live:    "campaign/x#1 budget.daily=90 status=paused\nad_group/x/r#2 bid.max=1 status=active",
		},
		{
			name: "money that moves to another campaign, and does not leave the first",
			held: "conflict=campaign/b exceeds-files=campaign/a",
			last: two, desired: "campaign/a budget.daily=14 status=active\ncampaign/b budget.daily=16 status=active",
			live: "campaign/a#1 budget.daily=10 status=active\ncampaign/b#2 budget.daily=21 status=active",
			says: "in the account 35.00 could be spent " +
				"a day, more than 31.00 now and 30.00 by the files, as budget.daily (conflict) of campaign/b is held",
		},
		{
			name: "a decrease that goes frees its money", held: "drift=campaign/c",
			last: two + "campaign/c#3 budget.daily=10 status=active",
			desired: "campaign/a budget.daily=14 " +
				"status=active\ncampaign/b budget.daily=10 status=active\ncampaign/c budget.daily=10 status=active",
			live: two + "campaign/c#3 budget.daily=15 status=active",
		},
		{
			name: "a new campaign waits as a whole", held: "drift=campaign/b exceeds-files=campaign/n",
			last: two, desired: "campaign/a budget.daily=10 status=active\ncampaign/b " +
				"budget.daily=20 status=active\ncampaign/n name=New bidding_type=clicks budget.daily=2 status=active",
			live: "campaign/a#1 budget.daily=10 status=active\ncampaign/b#2 budget.daily=30 status=active",
		},
		{
			name: "a paused one does not", held: "drift=campaign/b",
			last: two, desired: "campaign/a budget.daily=10 status=active\ncampaign/b " +
				"budget.daily=20 status=active\ncampaign/n name=New bidding_type=clicks budget.daily=2 status=paused",
			live: "campaign/a#1 budget.daily=10 status=active\ncampaign/b#2 budget.daily=30 status=active",
		},
		{
			name:    "a spend limit raised by hand, and the files raise a budget beyond it",
			held:    "drift=daily_spend_limit/d exceeds-files=campaign/a",
			last:    "campaign/a#1 budget.daily=20 status=active\ndaily_spend_limit/d#2 start=2026-11-01 amount=20",
			desired: "campaign/a budget.daily=22 status=active\ndaily_spend_limit/d start=2026-11-01 amount=20",
			live:    "campaign/a#1 budget.daily=20 status=active\ndaily_spend_limit/d#2 start=2026-11-01 amount=50",
		},
		{
			name: "other days, on which what is held would have been the limit",
			held: "conflict=daily_spend_limit/d exceeds-files=campaign/a exceeds-files=campaign/a",
			last: "campaign/a#1 budget.daily=10 status=active start=2026-11-10 end=2026-11-23" +
				ranged + "daily_spend_limit/d#3 start=2026-11-01 amount=70",
			desired: "campaign/a budget.daily=10 status=active start=2026-11-26 end=2026-11-28" +
				strings.ReplaceAll(ranged, "#2", "") + "daily_spend_limit/d start=2026-11-01 amount=1",
			live: "campaign/a#1 budget.daily=10 status=active start=2026-11-10 end=2026-11-23" +
				ranged + "daily_spend_limit/d#3 start=2026-11-01 amount=75",
		},
		{
			name: "within the files' spend limit nothing more is spent", held: "drift=campaign/b",
			last: two + "daily_spend_limit/d#3 start=2026-11-01 amount=5",
			desired: "campaign/a budget.daily=11 status=active\n" +
				"campaign/b budget.daily=20 status=active\ndaily_spend_limit/d start=2026-11-01 amount=5",
			live: "campaign/a#1 budget.daily=10 status=active\n" +
				"campaign/b#2 budget.daily=24 status=active\ndaily_spend_limit/d#3 start=2026-11-01 amount=5",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkFiles(t, tt.last, tt.desired, tt.live, tt.held, tt.says, tt.allow...)
		})
	}
}

// Limits that begin later bound only their own days: those are compared each by
// itself, also where the account may have no limits by now, so that they do not show.
func TestWhatIsHeldDoesNotSpendOnTheDaysOfALimit(t *testing.T) {
	const paused = "campaign/x#1 budget.daily=20 status=paused"
	const limit = "\ndaily_spend_limit/d#2 start=2027-05-27 "
	starts := func(budget string) string {
		return "campaign/x budget.daily=" + budget + " status=active\ndaily_spend_limit/d start=2027-05-27 "
	}
	for _, tt := range []struct {
		name                      string
		last, desired, live, held string
		says                      string
		lacking                   bool
	}{
		{
			name: "a conflict over the amount", held: "conflict=daily_spend_limit/d exceeds-files=campaign/x",
			last: paused + limit + "amount=30", desired: starts("20") + "amount=10", live: paused + limit + "amount=28",
			says: "in the account 20.00 could be spent on 2027-05-27, " +
				"more than 0.00 now and 10.00 by the files, as amount (conflict) of daily_spend_limit/d is held",
		},
		{
			name: "within what the files let pass", held: "conflict=daily_spend_limit/d",
			last: paused + limit + "amount=30", desired: starts("20") + "amount=21", live: paused + limit + "amount=28",
		},
		{
			name: "a new limit the account may not have", held: " exceeds-files=campaign/x", lacking: true,
			last: paused, desired: starts("20") + "amount=15 end=2027-06-04", live: paused,
			says: "in the account 20.00 could be spent on 2027-05-27, " +
				"more than 0.00 now and 15.00 by the files, as the create (unavailable) of daily_spend_limit/d is held",
		},
		{
			name: "more days of a limit the account may not have any more",
			held: " exceeds-files=campaign/x", lacking: true,
			last:    paused + limit + "amount=15 end=2027-06-04",
			desired: starts("20") + "amount=15 end=2027-06-10", live: paused,
		},
		{
			name: "a lower one, which does not bind what starts", held: "", lacking: true,
			last:    paused + limit + "amount=30 end=2027-06-04",
			desired: starts("20") + "amount=25 end=2027-06-04", live: paused,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lacking := map[resource.Kind]string{}
			if tt.lacking {
				lacking["daily_spend_limit"] = "no postpaid billing"
			}
			checkInput(t, plan.Input{Last: snapshot(t, tt.last),
				Desired: snapshot(t, tt.desired), Live: snapshot(t, tt.live), Lacking: lacking}, tt.held, tt.says)
		})
	}
}

func checkFiles(t *testing.T, last, desired, live, held, says string, allow ...string) {
	t.Helper()
	checkInput(t, plan.Input{Last: snapshot(t, last), Desired: snapshot(t, desired), Live: snapshot(t, live)},
		held, says, allow...)
}

func checkInput(t *testing.T, in plan.Input, held, says string, allow ...string) {
	t.Helper()
	in.Schemas, in.Policy, in.Allow, in.Today = kinds.All(),
		plan.DefaultPolicy(), allowances(t, append(allow, "exposure=1000/day")...), moneyDay
	p := compare.Diff(in)
	if got := asked(p); got != held {
		t.Errorf("the plan asks for %q; want %q:\n%s", got, held, sketch(p.Changes))
	}
	for _, c := range p.Changes {
		for _, h := range c.Holds() {
			if says != "" && h.Hazard == plan.ExceedsFiles && h.Message != says {
				t.Errorf("%s is held with\n%s; want\n%s", c.Address, h.Message, says)
			}
		}
	}
}

// Whatever is held, and whatever else is allowed: applied request by request in
// the order of the phases, no moment can spend more than could be spent before
// or, were the files carried out whole, afterwards.
func TestNoMomentExceedsBeforeAndTheFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := drawMoney(rt)
		if rapid.Bool().Draw(rt, "trees") {
			d = draw(rt, false)
			d.today = moneyDay
		}
		_, given := allowed(rt, t, d)
		given = append(given, "activates", "exposure=1000000/day")
		kept := rapid.SliceOfDistinct(rapid.SampledFrom(given), rapid.ID).Draw(rt, "kept")
		for i, text := range kept {
			if strings.HasPrefix(text, "exceeds-files") {
				kept[i] = "activates"
			}
		}
		in := d.input(t, kept...)
		p := compare.Diff(in)
		day, month := potential(in, in.Live, true)
		wantedDay, wantedMonth := potential(in, asTheFilesSay(in, p), true)
		moment := simulated(in.Live, &plan.Plan{})
		bounded := hasLimits(moment)
		for phase := plan.Lower; phase <= plan.Activate; phase++ {
			requests := p.Applicable()
			for i, c := range requests {
				request(moment, c, phase)
				if bounded && i < len(requests)-1 {
					continue // limits and what they bound go side by side in a phase
				}
				if nowDay, nowMonth := potential(in, moment, false); nowDay > max(day, wantedDay) ||
					nowMonth > max(month, wantedMonth) {
					rt.Fatalf("%s of phase %s: %s "+
						"a day and %s this month; before %s and %s, by the files %s and %s\n%s\n%s", c.Address, phase,
						units(nowDay), units(nowMonth),
						units(day), units(month), units(wantedDay), units(wantedMonth), sketch(p.Changes), d)
				}
			}
		}
	})
}

// could is the daily caps and what is left of lifetime budgets, and what can be
// spent this month, within the limits of the account. What is left of lifetime
// budgets may go in one day, if limits let it: at the most all of it does.
func potential(in plan.Input, live *resource.Snapshot, most bool) (day, month int64) {
	m := compare.Diff(plan.Input{Schemas: in.Schemas,
		Policy: in.Policy, Live: live, Today: in.Today, Spent: in.Spent}).Money
	day = m.Day.Before
	if most || !hasLimits(live) {
		day += m.Lifetime.Before
	}
	return day, m.Month.Before
}

func hasLimits(s *resource.Snapshot) bool {
	for r := range s.All() {
		if kinds.All().Of(r.Address.Kind).Caps {
			return true
		}
	}
	return false
}

// asTheFilesSay is what is live with all the files give written over it, and
// with what the policy does to what they no longer name.
func asTheFilesSay(in plan.Input, p *plan.Plan) *resource.Snapshot {
	files := simulated(in.Live, &plan.Plan{})
	for r := range in.Desired.All() {
		own := &resource.Resource{Address: r.Address}
		if live := in.Live.Get(r.Address); live != nil && live.Value("status").Text() != kinds.Archived {
			own.ID, own.Attributes = live.ID, append(own.Attributes, live.Attributes...)
		}
		for _, n := range r.Attributes {
			own.Set(n.Name, n.Value)
			if n.Value.IsNull() {
				own.Set(n.Name, resource.Value{})
			}
		}
		files.Put(own)
	}
	for _, c := range p.Applicable() {
		if c.Pruned {
			own := *files.Get(c.Address)
			own.Attributes = append(resource.Attributes{}, own.Attributes...)
			own.Set("status", c.Fields[0].Desired)
			files.Put(&own)
		}
	}
	return files
}
