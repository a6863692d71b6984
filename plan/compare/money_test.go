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

// units writes micros as people read them, without cents.
func units(micros int64) string { return strings.TrimSuffix(resource.FormatMoney(micros), ".00") }

func moved(m plan.Moved) string {
	if m.Before == m.After {
		return units(m.Before)
	}
	return units(m.Before) + "→" + units(m.After)
}

func totals(t plan.Totals) string {
	return fmt.Sprintf("day %s, month %s, lifetime %s", moved(t.Day), moved(t.Month), moved(t.Lifetime))
}

// on plans on a day of November 2026; spent says what campaigns have spent.
func on(t *testing.T, today string, spent map[string]int64, last, desired, live string, allow ...string) *plan.Plan {
	t.Helper()
	policy := plan.DefaultPolicy()
	policy.ExposurePercent = 1_000_000
	return compare.Diff(plan.Input{
		Schemas: kinds.All(), Policy: policy, Allow: allowances(t, allow...),
		Last: snapshot(t, last), Desired: snapshot(t, desired), Live: snapshot(t, live),
		Today: today, Currency: "EUR", Spent: spent,
	})
}

func TestMoneyOfAPlan(t *testing.T) {
	const today = "2026-11-21" // ten days of the month are left
	const x, y = "campaign/x#1 name=Spring status=active ", "campaign/y#2 name=Autumn status=active "
	spent := map[string]int64{"1": 300e6, "2": 9000e6}
	tests := []struct {
		name          string
		live, desired string // last is live
		want          string
	}{
		{name: "a daily budget runs on every day of the month that is left, today too",
			live: x + "budget.daily=100", desired: x + "budget.daily=120",
			want: "day 100→120, month 1000→1200, lifetime 0"},
		{name: "nothing changes", live: x + "budget.daily=100",
			desired: x + "budget.daily=100", want: "day 100, month 1000, lifetime 0"},
		{name: "what nobody's files name counts", live: x + "budget.daily=100\n" + y + "budget.daily=5",
			desired: x + "budget.daily=120",
			want:    "day 105→125, month 1050→1250, lifetime 0"},
		{name: "a paused campaign spends nothing, whatever its budget", live: "campaign/x#1 status=paused " +
			"budget.daily=100", desired: "campaign/x budget.daily=120", want: "day 0, month 0, lifetime 0"},
		{name: "paused by the plan", live: x + "budget.daily=100",
			desired: "campaign/x status=paused", want: "day 100→0, month 1000→0, lifetime 0"},
		{name: "a campaign that has ended spends nothing", live: x + "budget.daily=100 end=2026-11-20",
			desired: x + "budget.daily=120", want: "day 0, month 0, lifetime 0"},
		{name: "one that ends today spends today", live: x + "budget.daily=100 end=2026-11-21",
			desired: x + "budget.daily=120", want: "day 100→120, month 100→120, lifetime 0"},
		{name: "one that starts later this month counts from there", live: x + "budget.daily=100 start=2026-11-29",
			desired: x + "budget.daily=120", want: "day 100→120, month 200→240, lifetime 0"},
		{name: "one that starts next month counts a day, and not this month", live: x + "budget.daily=100 " +
			"start=2026-12-01", desired: x + "budget.daily=120", want: "day 100→120, month 0, lifetime 0"},
		{name: "an end is put off into the month", live: x + "budget.daily=100 end=2026-11-22",
			desired: x + "end=2026-11-25", want: "day 100, month 200→500, lifetime 0"},
		{name: "a moment within a day counts with the day beside it", live: x + "budget.daily=100 " +
			"end=2026-11-22T01:00:00Z", desired: x + "budget.daily=100", want: "day 100, month 300, lifetime 0"},
		{name: "of a lifetime budget what is left can go this month", live: x + "budget.lifetime=1000",
			desired: x + "budget.lifetime=1200", want: "day 0, month 700→900, lifetime 700→900"},
		{name: "a lifetime budget that is spent is gone",
			live: y + "budget.lifetime=5000", desired: y + "budget.lifetime=6000", want: "day 0, month 0, lifetime 0"},
		{name: "a lifetime budget of next month", live: x + "budget.lifetime=1000 start=2026-12-01",
			desired: x, want: "day 0, month 0, lifetime 700"},
		{name: "a new campaign", desired: "campaign/n name=New bidding_type=clicks budget.daily=7 status=active",
			want: "day 0→7, month 0→70, lifetime 0"},
		{name: "a new campaign that says no status is paused",
			desired: "campaign/n name=New bidding_type=clicks budget.daily=7", want: "day 0, month 0, lifetime 0"},

		{name: "a daily limit bounds the day and the month",
			live:    x + "budget.daily=100\n daily_spend_limit/a#9 amount=60 start=2026-11-01",
			desired: x + "budget.daily=120", want: "day 60, month 600, lifetime 0"},
		{name: "a daily limit that begins tomorrow leaves today",
			live:    x + "budget.daily=100\n daily_spend_limit/a#9 amount=60 start=2026-11-22",
			desired: x, want: "day 100, month 640, lifetime 0"},
		{name: "a daily limit that ends leaves the days after it",
			live:    x + "budget.daily=100\n daily_spend_limit/a#9 amount=60 start=2026-11-01 end=2026-11-23",
			desired: x, want: "day 100, month 880, lifetime 0"},
		{name: "a campaign that ends with the limit is bounded by it",
			live: x + "budget.daily=100 end=2026-11-23\n daily_spend_limit/a#9 " +
				"amount=60 start=2026-11-01 end=2026-11-23", desired: x, want: "day 60, month 180, lifetime 0"},
		{name: "a range bounds its days together",
			live:    x + "budget.daily=100\n spend_limit_window/a#9 amount=250 start=2026-11-01 end=2026-11-25",
			desired: x, want: "day 100, month 750, lifetime 0"},
		{name: "a range that is used up bounds every day of it",
			live: x + "budget.daily=100\n spend_limit_window/a#9 amount=40 start=2026-11-01 end=2026-12-31", desired: x,
			want: "day 100, month 40, lifetime 0"}, // from January on nothing bounds the day
		{name: "limits bound lifetime budgets",
			live:    x + "budget.lifetime=1000\n daily_spend_limit/a#9 amount=60 start=2026-11-01",
			desired: x, want: "day 0, month 600, lifetime 700"},
		{name: "limits that have ended bound nothing",
			live:    x + "budget.daily=100\n daily_spend_limit/a#9 amount=60 start=2026-10-01 end=2026-11-20",
			desired: x, want: "day 100, month 1000, lifetime 0"},
		{name: "a paused account spends nothing", live: x + "budget.daily=100\naccount/account#9 status=paused",
			desired: x + "budget.daily=120", want: "day 0, month 0, lifetime 0"},
		{name: "an account that is paused by the plan", live: x + "budget.daily=100\naccount/account#9 status=active",
			desired: "account/account status=paused", want: "day 100→0, month 1000→0, lifetime 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := on(t, today, spent, tt.live, tt.desired, tt.live).Money
			if got := totals(m.Totals); got != tt.want {
				t.Errorf("money = %s, want %s", got, tt.want)
			}
			if m.Currency != "EUR" || m.Today != today || m.MonthEnds != "2026-11-30" || m.SpentUnknown {
				t.Errorf("currency %q, today %q, month ends %q, spent unknown %v",
					m.Currency, m.Today, m.MonthEnds, m.SpentUnknown)
			}
		})
	}
}

func TestMoneyWithoutADayCountsDaysOnly(t *testing.T) {
	const live = "campaign/x#1 status=active budget.daily=100 end=2026-11-20"
	m := on(t, "", nil, live, "campaign/x budget.daily=120", live).Money
	if got := totals(m.Totals); got != "day 100→120, month 0, lifetime 0" || m.MonthEnds != "" {
		t.Errorf("money = %s, month ends %q; want what nothing says is past", got, m.MonthEnds)
	}
}

func TestSpentThatIsNotKnownCountsAsLeftAndIsSaid(t *testing.T) {
	const live = "campaign/x#1 status=active budget.lifetime=1000"
	m := on(t, "2026-11-21", nil, live, "", live).Money
	if got := totals(m.Totals); got != "day 0, month 1000, lifetime 1000" || !m.SpentUnknown {
		t.Errorf("money = %s, spent unknown %v; want the whole budget, and that it is not known", got, m.SpentUnknown)
	}
}

func TestMoneyOfWhatIsHeld(t *testing.T) {
	const live = "campaign/x#1 name=Spring status=active " +
		"budget.daily=100\ncampaign/y#2 name=Autumn status=active budget.daily=10"
	m := on(t, "2026-11-21", nil, live, "campaign/x budget.daily=1000\ncampaign/y budget.daily=11", live).Money
	if got := totals(m.Totals); got != "day 110→111, month 1100→1110, lifetime 0" {
		t.Errorf("money = %s; want it without what is held", got)
	}
	if m.IfAllowed == nil || totals(*m.IfAllowed) != "day 110→1011, month 1100→10110, lifetime 0" {
		t.Errorf("if allowed = %+v; want what consent would cost", m.IfAllowed)
	}
	if len(m.Campaigns) != 1 || m.Campaigns[0].Address != "campaign/y" ||
		m.Campaigns[0].Name != "Autumn" || totals(m.Campaigns[0].Totals) != "day 10→11, month 100→110, lifetime 0" {
		t.Errorf("campaigns = %+v; want the one that moves", m.Campaigns)
	}
}

func TestMoneyWithNothingHeldSaysNothingOfConsent(t *testing.T) {
	if m := on(t, "2026-11-21", nil, "", newTree, "").Money; m.IfAllowed != nil {
		t.Errorf("if allowed = %+v, and nothing is held", m.IfAllowed)
	}
}

func TestWhatNoFlagReleasesIsNoMatterOfConsent(t *testing.T) {
	const last, live = "campaign/x#1 status=active budget.daily=100", "campaign/x#1 status=paused budget.daily=100"
	m := on(t, "2026-11-21", nil, last, "campaign/x status=active", live).Money // a foreign pause
	if m.IfAllowed == nil || m.IfAllowed.Day.After != 0 {
		t.Errorf("if allowed = %+v; want nothing to spend, as nothing releases it", m.IfAllowed)
	}
}

func TestCampaignsByTheLargestRise(t *testing.T) {
	const live = "campaign/a#1 status=active budget.daily=100\ncampaign/b#2 status=active " +
		"budget.daily=100\ncampaign/c#3 status=active budget.lifetime=100\ncampaign/d#4 status=active budget.daily=1"
	m := on(t, "2026-11-21", nil, live, "campaign/a budget.daily=90\n"+
		"campaign/b budget.daily=110\ncampaign/c budget.lifetime=140\ncampaign/d description=Same", live).Money
	var order []string
	for _, c := range m.Campaigns {
		order = append(order, c.Address)
	}
	if got := strings.Join(order, " "); got != "campaign/c campaign/b campaign/a" {
		t.Errorf("campaigns = %s; want the largest rise first, and none that does not move", got)
	}
}

func TestBoundsOfTheAccount(t *testing.T) {
	const live = `
		campaign/x#1 status=active budget.daily=100
		daily_spend_limit/a#8 amount=60 start=2026-11-01 end=2026-11-30
		spend_limit_window/far#9 amount=9000 start=2026-12-01 end=2026-12-31
		spend_limit_window/old#7 amount=1 start=2026-10-01 end=2026-10-31
		account/account#6 status=paused`
	var lines []string
	for _, b := range on(t, "2026-11-21", nil, live, "daily_spend_limit/a amount=50\naccount/account status=active",
		live, "activates", "raises-spend").Money.Bounds {
		line := fmt.Sprintf("%s per %s %s..%s", b.Address, b.Per, b.First, b.Last)
		for _, side := range []*int64{b.Before, b.After} {
			if side == nil {
				line += " –"
				continue
			}
			line += " " + units(*side)
		}
		if b.Binds {
			line += " binds"
		}
		lines = append(lines, line)
	}
	want := `daily_spend_limit/a per day 2026-11-01..2026-11-30 60 50 binds
account/account per paused .. 0 – binds
spend_limit_window/far per range 2026-12-01..2026-12-31 9000 9000`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("bounds =\n%s\nwant\n%s", got, want)
	}
}

func TestTheHashOfAPlanLeavesMoneyOut(t *testing.T) {
	const live = "campaign/x#1 status=active budget.lifetime=1000"
	today := on(t, "2026-11-21", map[string]int64{"1": 1}, live, "campaign/x budget.lifetime=1100", live)
	tomorrow := on(t, "2026-11-22", map[string]int64{"1": 2e6}, live, "campaign/x budget.lifetime=1100", live)
	if today.Hash() != tomorrow.Hash() {
		t.Error("what is spent over night makes another plan; want the approval to hold")
	}
}
