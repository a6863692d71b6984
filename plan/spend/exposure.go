package spend

import (
	"math"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// unbounded is more than can be counted.
const unbounded = math.MaxInt64

// What a limit bounds.
const (
	perDay        = "day"   // each of its days
	perRange      = "range" // all of its days together
	pausedAccount = "paused"
)

// Exposure is what an account can spend as it stands at one moment.
type Exposure struct {
	drafting.Calendar
	spent        map[string]int64
	spentUnknown bool

	daily, lifetime int64 // daily caps, and what is left of lifetime budgets
	monthLifetime   int64 // of lifetime budgets, what can go before the month ends
	perDay          [31]struct{ daily, lifetime int64 }
	spends          drafting.Span // the days on which a daily cap counts
	some            bool          // there is such a day

	limits []limit
}

// limit is an amount the whole account cannot pass: on each of its days, or on
// all of them together. A paused account has one of nothing.
type limit struct {
	drafting.Span
	address resource.Address
	per     string
	amount  int64
}

// NewExposure returns what nothing can spend, to which what there is gets added.
func NewExposure(d *drafting.Draft) *Exposure { return &Exposure{Calendar: d.Calendar, spent: d.Spent} }

// Stop counts as if nothing could be spent, because of what is at an address.
func (e *Exposure) Stop(at resource.Address) {
	e.limits = append(e.limits, limit{address: at, per: pausedAccount})
}

// Add counts a resource as it stands; nil is not there.
func (e *Exposure) Add(s *Spender, r *resource.Resource) {
	switch {
	case r == nil:
	case s.Kind.Counts():
		e.addSpender(r, s.Spendable(r, e.Today))
	case s.Kind.Gate && r.Value(s.Kind.Delivery).Text() == plan.Paused:
		e.Stop(s.Address)
	case !s.Kind.Gate:
		e.addLimit(s, r)
	}
}

func (e *Exposure) addLimit(s *Spender, r *resource.Resource) {
	days := s.Kind.SpanOf(r)
	if s.Kind.Archived(r) || days.Ended(e.Today) {
		return
	}
	for _, a := range s.Kind.Caps {
		per := perRange
		if a.Per == perDay {
			per = perDay
		}
		if amount, ok := r.Value(a.Name).Number(); ok {
			e.limits = append(e.limits, limit{days, s.Address, per, amount})
		}
	}
}

func (e *Exposure) addSpender(r *resource.Resource, s drafting.Spendable) {
	daily, lifetime, days := s.Daily, s.Lifetime, s.Days
	if daily == 0 && lifetime == 0 {
		return
	}
	if lifetime > 0 {
		e.spentUnknown = e.spentUnknown || r.ID != "" && e.spent == nil
		lifetime = drafting.Left(e.spent, r.ID, lifetime)
	}
	if !e.some {
		e.spends, e.some = days, true
	}
	e.spends = e.spends.With(days)
	e.daily, e.lifetime = plan.Plus(e.daily, daily), plan.Plus(e.lifetime, lifetime)
	from, to := e.Clip(days)
	if from > to {
		return
	}
	e.monthLifetime = plan.Plus(e.monthLifetime, lifetime)
	for i := from; i <= to; i++ {
		e.perDay[i].daily = plan.Plus(e.perDay[i].daily, daily)
		e.perDay[i].lifetime = plan.Plus(e.perDay[i].lifetime, lifetime)
	}
}

// bounded returns what can be spent within the account's limits.
func (e *Exposure) bounded() (day, month, lifetime int64) {
	if slices.ContainsFunc(e.limits, func(l limit) bool { return l.per == pausedAccount }) {
		return 0, 0, 0
	}
	split := plan.Plus(e.within(func(i int) int64 { return e.perDay[i].daily }), e.monthLifetime)
	joint := e.within(func(i int) int64 { return plan.Plus(e.perDay[i].daily, e.perDay[i].lifetime) })
	return min(e.daily, e.mostOfADay()), min(split, joint), e.lifetime
}

// free returns what could be spent if there were no limits.
func (e *Exposure) free() (day, month, lifetime int64) {
	for i := range e.Days {
		month = plan.Plus(month, e.perDay[i].daily)
	}
	return e.daily, plan.Plus(month, e.monthLifetime), e.lifetime
}

// at returns the limit of an address, nil where it has none.
func (e *Exposure) at(a resource.Address) *limit {
	for i := range e.limits {
		if e.limits[i].address == a {
			return &e.limits[i]
		}
	}
	return nil
}

// boundBy reports whether more could be spent without the limit of an address.
func (e *Exposure) boundBy(a resource.Address) bool {
	without := *e
	without.limits = slices.DeleteFunc(slices.Clone(e.limits), func(l limit) bool { return l.address == a })
	day, month, lifetime := e.bounded()
	freeDay, freeMonth, freeLifetime := without.bounded()
	return freeDay > day || freeMonth > month || freeLifetime > lifetime
}

// within sums an amount of each day of the rest of the month, as far as limits
// let it.
func (e *Exposure) within(of func(int) int64) int64 {
	total, inRange := int64(0), make([]int64, len(e.limits))
	for i := range e.Days {
		day, amount, in := e.Day(i), of(i), -1
		for j, l := range e.limits {
			switch {
			case !l.Holds(day):
			case l.per == perDay:
				amount = min(amount, l.amount)
			case in < 0:
				in = j
			}
		}
		if in < 0 {
			total = plan.Plus(total, amount)
			continue
		}
		inRange[in] = plan.Plus(inRange[in], amount)
	}
	for j, l := range e.limits {
		total = plan.Plus(total, min(inRange[j], l.amount))
	}
	return total
}

// mostOfADay returns the most that limits let pass on any day on which something
// can spend.
func (e *Exposure) mostOfADay() int64 {
	if len(e.limits) == 0 || e.Today == "" {
		return unbounded
	}
	most := e.mostOn(max(e.Today, e.spends.First))
	for _, l := range e.limits { // what passes changes only where a limit begins or has ended
		most = max(most, e.mostOn(l.First))
		if l.Last != "" {
			most = max(most, e.mostOn(drafting.DayAfter(l.Last)))
		}
	}
	return most
}

// mostOn returns what limits let pass on one day, nothing where nothing spends.
func (e *Exposure) mostOn(day string) int64 {
	if day < e.Today || !e.spends.Holds(day) {
		return 0
	}
	most := int64(unbounded)
	for _, l := range e.limits {
		if l.Holds(day) {
			most = min(most, l.amount)
		}
	}
	return most
}
