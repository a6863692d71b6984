package compare

import (
	"math"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// exposure is what an account can spend as it stands at one moment.
type exposure struct {
	calendar
	spent        map[string]int64
	spentUnknown bool

	daily, lifetime int64 // daily caps, and what is left of lifetime budgets
	monthLifetime   int64 // of lifetime budgets, what can go before the month ends
	perDay          [31]struct{ daily, lifetime int64 }
	spends          span // the days on which a daily cap counts
	some            bool // there is such a day

	limits []limit
}

// limit is an amount the whole account cannot pass: on each of its days, or on
// all of them together. A paused account has one of nothing.
type limit struct {
	span
	address resource.Address
	per     string
	amount  int64
}

// unbounded is more than can be counted.
const unbounded = math.MaxInt64

// What a limit bounds.
const (
	perDay        = "day"   // each of its days
	perRange      = "range" // all of its days together
	pausedAccount = "paused"
)

// add counts a resource as it stands; nil is not there.
func (e *exposure) add(s *spender, r *resource.Resource) {
	switch {
	case r == nil:
	case s.kind.counts():
		e.addSpender(r, s.spendable(r, e.today))
	case s.kind.gate && r.Value(s.kind.delivery).Text() == plan.Paused:
		e.limits = append(e.limits, limit{address: s.address, per: pausedAccount})
	case !s.kind.gate:
		e.addLimit(s, r)
	}
}

func (e *exposure) addLimit(s *spender, r *resource.Resource) {
	days := s.kind.spanOf(r)
	if s.kind.archived(r) || days.ended(e.today) {
		return
	}
	for _, a := range s.kind.caps {
		per := perRange
		if a.Per == perDay {
			per = perDay
		}
		if amount, ok := r.Value(a.Name).Number(); ok {
			e.limits = append(e.limits, limit{days, s.address, per, amount})
		}
	}
}

func (e *exposure) addSpender(r *resource.Resource, s spendable) {
	daily, lifetime, days := s.daily, s.lifetime, s.days
	if daily == 0 && lifetime == 0 {
		return
	}
	if lifetime > 0 {
		e.spentUnknown = e.spentUnknown || r.ID != "" && e.spent == nil
		lifetime = left(e.spent, r.ID, lifetime)
	}
	if !e.some {
		e.spends, e.some = days, true
	}
	e.spends = e.spends.with(days)
	e.daily, e.lifetime = plan.Plus(e.daily, daily), plan.Plus(e.lifetime, lifetime)
	from, to := e.clip(days)
	if from > to {
		return
	}
	e.monthLifetime = plan.Plus(e.monthLifetime, lifetime)
	for i := from; i <= to; i++ {
		e.perDay[i].daily = plan.Plus(e.perDay[i].daily, daily)
		e.perDay[i].lifetime = plan.Plus(e.perDay[i].lifetime, lifetime)
	}
}

// left returns what is left of a lifetime budget; what is not known counts as not
// spent.
func left(spent map[string]int64, id string, budget int64) int64 {
	return max(budget-max(spent[id], 0), 0)
}

// bounded returns what can be spent within the account's limits.
func (e *exposure) bounded() (day, month, lifetime int64) {
	if slices.ContainsFunc(e.limits, func(l limit) bool { return l.per == pausedAccount }) {
		return 0, 0, 0
	}
	split := plan.Plus(e.within(func(i int) int64 { return e.perDay[i].daily }), e.monthLifetime)
	joint := e.within(func(i int) int64 { return plan.Plus(e.perDay[i].daily, e.perDay[i].lifetime) })
	return min(e.daily, e.mostOfADay()), min(split, joint), e.lifetime
}

// free returns what could be spent if there were no limits.
func (e *exposure) free() (day, month, lifetime int64) {
	for i := range e.days {
		month = plan.Plus(month, e.perDay[i].daily)
	}
	return e.daily, plan.Plus(month, e.monthLifetime), e.lifetime
}

// at returns the limit of an address, nil where it has none.
func (e *exposure) at(a resource.Address) *limit {
	for i := range e.limits {
		if e.limits[i].address == a {
			return &e.limits[i]
		}
	}
	return nil
}

// boundBy reports whether more could be spent without the limit of an address.
func (e *exposure) boundBy(a resource.Address) bool {
	without := *e
	without.limits = slices.DeleteFunc(slices.Clone(e.limits), func(l limit) bool { return l.address == a })
	day, month, lifetime := e.bounded()
	freeDay, freeMonth, freeLifetime := without.bounded()
	return freeDay > day || freeMonth > month || freeLifetime > lifetime
}

// within sums an amount of each day of the rest of the month, as far as limits
// let it.
func (e *exposure) within(of func(int) int64) int64 {
	total, inRange := int64(0), make([]int64, len(e.limits))
	for i := range e.days {
		day, amount, in := e.day(i), of(i), -1
		for j, l := range e.limits {
			switch {
			case !l.holds(day):
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
func (e *exposure) mostOfADay() int64 {
	if len(e.limits) == 0 || e.today == "" {
		return unbounded
	}
	most := e.mostOn(max(e.today, e.spends.first))
	for _, l := range e.limits { // what passes changes only where a limit begins or has ended
		most = max(most, e.mostOn(l.first))
		if l.last != "" {
			most = max(most, e.mostOn(dayAfter(l.last)))
		}
	}
	return most
}

// mostOn returns what limits let pass on one day, nothing where nothing spends.
func (e *exposure) mostOn(day string) int64 {
	if day < e.today || !e.spends.holds(day) {
		return 0
	}
	most := int64(unbounded)
	for _, l := range e.limits {
		if l.holds(day) {
			most = min(most, l.amount)
		}
	}
	return most
}
