package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

const moneyDay = "2026-11-21"

// drawMoney draws campaigns with schedules and lifetime budgets under the limits
// of an account, and what they have spent.
func drawMoney(t *rapid.T) *drawn {
	d := &drawn{policy: drawPolicy(t), today: moneyDay, spent: map[string]int64{}}
	for _, c := range []string{"a", "b", "c"} {
		budget := rapid.SampledFrom([]string{"budget.daily=", "budget.daily=", "budget.lifetime="}).Draw(t, "budget")
		d.resource(t, sides{true, true, true}, "campaign/"+c,
			"name=N_"+c+" bidding_type=clicks", func(t *rapid.T) string {
				return budget + rapid.SampledFrom([]string{"10", "10", "14", "60"}).Draw(t, "amount") +
					" status=" + rapid.SampledFrom([]string{"active", "active", "active", "paused"}).Draw(t,
					"status") + " " +
					rapid.SampledFrom([]string{"", "start=2026-11-01",
						"end=2026-11-20", "end=2026-11-24", "start=2026-11-10 end=2026-11-23",
						"start=2026-11-26 end=2026-11-28", "start=2026-11-28 end=[clear]",
						"start=2026-12-03 end=2026-12-09", "start=[clear] end=[clear]"}).Draw(t, "schedule")
			})
		d.spent["id:campaign/"+c] = rapid.SampledFrom([]int64{0, 4e6, 12e6}).Draw(t, "spent")
	}
	for _, l := range []string{"daily_spend_limit/d start=2026-11-01",
		"daily_spend_limit/e start=2026-11-27 end=2026-12-31", "spend_limit_window/w start=2026-11-20 end=2026-11-26"} {
		if rapid.Bool().Draw(t, "limited") {
			amounts := rapid.SampledFrom([]string{"1", "20", "75", "200"})
			name, days, _ := strings.Cut(l, " ")
			d.last += name + "#id:" + name + " " + days + " amount=" + amounts.Draw(t, "last") + "\n"
			d.live += name + "#id:" + name + " " + days + " amount=" + amounts.Draw(t, "live") + "\n"
			d.desired += name + " " + days + " amount=" + amounts.Draw(t, "desired") + "\n"
		}
	}
	return d
}

// oracle counts what an account can spend, day by day.
type oracle struct {
	live  *resource.Snapshot
	spent map[string]int64
}

func day(t *resource.Resource, attribute, none string) time.Time {
	text := t.Value(attribute).Text()
	if text == "" {
		text = none
	}
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return d
}

// limit returns the least an account's limits let pass on a day.
func (o oracle) limit(at time.Time, kind resource.Kind) (name string, most int64) {
	most = 1 << 60
	for r := range o.live.All() {
		amount, isLimit := r.Value("amount").Number()
		if !isLimit || r.Address.Kind != kind || at.Before(day(r, "start", "")) ||
			at.After(day(r, "end", "2099-12-31")) {
			continue
		}
		if amount < most {
			name, most = r.Address.String(), amount
		}
	}
	return name, most
}

// spending returns the active campaigns that have not ended.
func (o oracle) spending(today time.Time) (campaigns []*resource.Resource) {
	for r := range o.live.All() {
		ends := day(r, "end", "2099-12-31")
		if r.Address.Kind == kinds.Campaign && r.Value("status").Text() == kinds.Active &&
			!ends.Before(today) && !ends.Before(day(r, "start", "2000-01-01")) {
			campaigns = append(campaigns, r)
		}
	}
	return campaigns
}

func (o oracle) left(r *resource.Resource) int64 {
	budget, ok := r.Value("budget.lifetime").Number()
	if !ok {
		return 0
	}
	return max(budget-o.spent[r.ID], 0)
}

// sums returns the daily caps, what is left of lifetime budgets, and the most that
// limits let pass on a day.
func (o oracle) sums() (daily, lifetime, most int64) {
	today, _ := time.Parse(time.DateOnly, moneyDay)
	campaigns := o.spending(today)
	from, to := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), today
	for _, r := range campaigns {
		n, _ := r.Value("budget.daily").Number()
		daily, lifetime = daily+n, lifetime+o.left(r)
		if n+o.left(r) > 0 || r.Value("budget.lifetime").IsSet() {
			from = time.Unix(min(from.Unix(), day(r, "start", "2000-01-01").Unix()), 0).UTC()
			to = time.Unix(max(to.Unix(), day(r, "end", "2099-12-31").Unix()), 0).UTC()
		}
	}
	for d := today; d.Before(today.AddDate(0, 3, 0)); d = d.AddDate(0, 0, 1) {
		if d.Before(from) || d.After(to) {
			continue
		}
		_, each := o.limit(d, kinds.DailySpendLimit)
		_, all := o.limit(d, kinds.SpendLimitWindow)
		most = max(most, min(each, all))
	}
	return daily, lifetime, most
}

func (o oracle) totals() string {
	today, _ := time.Parse(time.DateOnly, moneyDay)
	daily, lifetime, most := o.sums()
	split, joint := o.month(today, false), o.month(today, true)
	return fmt.Sprintf("day %s, month %s, lifetime %s",
		units(min(daily, most)), units(min(split, joint)), units(lifetime))
}

// month adds up the days of the rest of November, lifetime budgets beside them
// or among them.
func (o oracle) month(today time.Time, among bool) (total int64) {
	ranges, caps := map[string]int64{}, map[string]int64{"": 1 << 60}
	beside := map[string]int64{}
	for d := today; d.Month() == today.Month(); d = d.AddDate(0, 0, 1) {
		sum := int64(0)
		for _, r := range o.spending(today) {
			if d.Before(day(r, "start", "2000-01-01")) || d.After(day(r, "end", "2099-12-31")) {
				continue
			}
			n, _ := r.Value("budget.daily").Number()
			sum += n
			if among {
				sum += o.left(r)
			}
			beside[r.ID] = o.left(r)
		}
		_, each := o.limit(d, kinds.DailySpendLimit)
		name, all := o.limit(d, kinds.SpendLimitWindow)
		caps[name] = all
		ranges[name] += min(sum, each)
	}
	for name, sum := range ranges {
		total += min(sum, caps[name])
	}
	if !among {
		for _, n := range beside {
			total += n
		}
	}
	return total
}

func before(t plan.Totals) string {
	return totals(side(t, func(m plan.Moved) int64 { return m.Before }))
}
func after(t plan.Totals) string { return totals(side(t, func(m plan.Moved) int64 { return m.After })) }

func side(t plan.Totals, of func(plan.Moved) int64) plan.Totals {
	one := func(m plan.Moved) plan.Moved { return plan.Moved{Before: of(m), After: of(m)} }
	return plan.Totals{Day: one(t.Day), Month: one(t.Month), Lifetime: one(t.Lifetime)}
}

func TestMoneyIsWhatAnOracleCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawMoney(rt)
		in := d.input(t)
		p := compare.Diff(in)
		if got, want := before(p.Money.Totals), (oracle{in.Live, d.spent}).totals(); got != want {
			rt.Fatalf("before: plan says %s; an oracle %s:\n%s", got, want, d)
		}
		if got, want := after(p.Money.Totals), (oracle{simulated(in.Live, p), d.spent}).totals(); got != want {
			rt.Fatalf("after: plan says %s; an oracle %s:\n%s\n%s", got, want, sketch(p.Changes), d)
		}
	})
}

// What consent would cost is what the plan does once everything is allowed.
func TestMoneyIfAllowedIsWhatConsentBrings(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := drawMoney(rt)
		p := compare.Diff(d.input(t))
		_, given := allowed(rt, t, d)
		want := compare.Diff(d.input(t, given...)).Money.Totals
		got := p.Money.Totals
		if p.Money.IfAllowed != nil {
			got = *p.Money.IfAllowed
		}
		if totals(got) != totals(want) {
			rt.Fatalf("plan says %s if all is allowed; with %v it is %s:\n%s\n%s",
				totals(got), given, totals(want), sketch(p.Changes), d)
		}
	})
}

// Applied request by request in the order of the phases, no moment can spend
// more on a day, this month or of lifetime budgets than before or after; with
// spend limits of the account, no end of a phase.
func TestMoneyOnThePath(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := drawMoney(rt)
		_, given := allowed(rt, t, d)
		kept := rapid.SliceOfDistinct(rapid.SampledFrom(append(given, "activates")), rapid.ID).Draw(rt, "kept")
		in := d.input(t, kept...)
		p := compare.Diff(in)
		moment := simulated(in.Live, &plan.Plan{})
		bounded := slices.ContainsFunc(moment.Addresses(), func(a resource.Address) bool {
			return kinds.All().Of(a.Kind).Caps
		})
		for phase := plan.Lower; phase <= plan.Activate; phase++ {
			requests := p.Applicable()
			for i, c := range requests {
				request(moment, c, phase)
				if bounded && i < len(requests)-1 {
					continue // limits and what they bound go side by side in a phase
				}
				now := compare.Diff(plan.Input{Schemas: kinds.All(),
					Policy: in.Policy, Live: moment, Today: d.today, Spent: d.spent}).Money
				for name, m := range map[string][2]plan.Moved{
					"day":   {p.Money.Day, now.Day},
					"month": {p.Money.Month, now.Month}, "lifetime": {p.Money.Lifetime, now.Lifetime},
				} {
					if m[1].Before > max(m[0].Before, m[0].After) {
						rt.Fatalf("%s of phase %s: %s %s; want at most the larger of %s:\n%s\n%s",
							c.Address, phase, name, units(m[1].Before), moved(m[0]), sketch(p.Changes), d)
					}
				}
			}
		}
		if got, want := before(compare.Diff(plan.Input{Schemas: kinds.All(), Policy: in.Policy,
			Live: moment, Today: d.today, Spent: d.spent}).Money.Totals), after(p.Money.Totals); got != want {
			rt.Fatalf("at the end of the path %s; want %s:\n%s\n%s", got, want, sketch(p.Changes), d)
		}
	})
}

// request sends what one request of a phase sends of a change.
func request(live *resource.Snapshot, c plan.Change, phase plan.Phase) {
	if c.Action == plan.Record || c.Action == plan.Forget {
		return
	}
	if creates := c.Action == plan.Create || c.Action == plan.Replace; creates && phase == plan.Creates {
		live.Put(&resource.Resource{Address: c.Address})
	}
	r := live.Get(c.Address)
	if r == nil {
		return
	}
	own := *r
	own.Attributes = slices.Clone(r.Attributes)
	for _, f := range c.Fields {
		if f.Phase == phase && !f.Desired.IsSet() {
			own.Set(f.Name, resource.Value{})
		} else if f.Phase == phase {
			own.Set(f.Name, f.Desired)
		}
	}
	live.Put(&own)
}
