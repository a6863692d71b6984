// Package spend counts possible spend, in micros: what a plan does to it, and what is still good
// of a rise that an earlier plan was allowed.
//
// Open money.go first: it counts a plan. exposure.go is the account at one moment, with its
// limits, potential.go compares moments, and credits.go has the credits of earlier plans.
package spend

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// Spender is a resource possible spend depends on: what spends, a limit of the
// account, or the account itself. Its states are nil where it is not there.
type Spender struct {
	*drafting.Entry
	Now      drafting.Spendable // as it is live
	change   *plan.Change       // nil where nothing changes
	after    *resource.Resource // as the part of the plan leaves it that is not held
	afterAll *resource.Resource // were everything allowed that a flag can allow
}

// Count counts what a plan does to possible spend: each change, and all together.
func Count(d *drafting.Draft) {
	m := money{d}
	spenders := m.spenders()
	for i := range spenders {
		m.addSpend(&spenders[i])
	}
	m.count(spenders)
}

// CountOne says what the part of a change that is not held does to possible spend.
func CountOne(d *drafting.Draft, c *plan.Change) { (&money{d}).spend(c) }

// money counts what a plan does to possible spend.
type money struct{ *drafting.Draft }

// spenders returns what possible spend depends on, with what becomes of it.
func (d *money) spenders() []Spender {
	spenders := make([]Spender, len(d.Spending))
	next := 0 // counts the changes, which are in the order of their addresses still
	for i := range d.Spending {
		at := d.Spending[i].Index
		spenders[i].Entry, spenders[i].Now = &d.All[at], d.Spending[i].Now
		for next < len(d.Plan.Changes) && d.Plan.Changes[next].Index < at {
			next++
		}
		if next < len(d.Plan.Changes) && d.Plan.Changes[next].Index == at {
			spenders[i].change = &d.Plan.Changes[next]
		}
		d.move(&spenders[i])
	}
	return spenders
}

// move finds what becomes of a resource.
func (d *money) move(s *Spender) {
	c := s.change
	s.after, s.afterAll = s.Live, s.Live
	if c == nil {
		return
	}
	replaced := c.Action == plan.Replace && !c.IsHeld()
	if c.Held == nil && len(c.Fields) > 0 {
		s.after = d.After(c, s.unless(c.Action == plan.Create || replaced), drafting.FreeField)
	}
	s.afterAll = s.after
	switch {
	case !c.IsHeld() || !c.Held.Releasable():
	case c.Action == plan.Create, c.Action == plan.Replace && !slices.ContainsFunc(c.Fields, func(f plan.Field) bool {
		return !f.Held.Releasable()
	}):
		s.afterAll = s.Kind.Spending(nil, s.Given(), plan.EveryField)
	default:
		s.afterAll = d.After(c, s.Live, func(f *plan.Field) bool { return f.Held.Releasable() })
	}
}

// Spendable is what the resource can spend in one of its states.
func (s *Spender) Spendable(r *resource.Resource, today string) drafting.Spendable {
	if r == s.Live {
		return s.Now
	}
	return s.Kind.Spendable(r, today)
}

// unless returns what is live, nothing where another takes its place.
func (s *Spender) unless(gone bool) *resource.Resource {
	if gone {
		return nil
	}
	return s.Live
}

// count says what the plan does to possible spend.
func (d *money) count(spenders []Spender) {
	was, will, all := d.exposures(spenders)
	m := &d.Plan.Money
	m.Currency, m.Today, m.MonthEnds = d.Currency, d.Calendar.Today, d.Calendar.Ends
	m.Totals = totals(was.bounded, will.bounded)
	m.WithoutBounds = totals(was.free, will.free)
	m.SpentUnknown = was.spentUnknown || will.spentUnknown
	if all != nil {
		allowed := totals(was.bounded, all.bounded)
		m.IfAllowed = &allowed
	}
	m.Bounds = bounds(spenders, was, will)
	m.Campaigns = d.campaignMoney(spenders)
}

// exposures counts what can be spent now, after the plan, and, where something
// is held, if everything were allowed.
func (d *money) exposures(spenders []Spender) (was, will, all *Exposure) {
	count := func(state func(*Spender) *resource.Resource) *Exposure {
		e := NewExposure(d.Draft)
		for i := range spenders {
			e.Add(&spenders[i], state(&spenders[i]))
		}
		return e
	}
	was = count(func(s *Spender) *resource.Resource { return s.Live })
	if len(d.Plan.Changes) == 0 {
		return was, was, nil
	}
	will = count(func(s *Spender) *resource.Resource { return s.after })
	if slices.ContainsFunc(d.Plan.Changes, func(c plan.Change) bool { return c.IsHeld() }) {
		all = count(func(s *Spender) *resource.Resource { return s.afterAll })
	}
	return was, will, all
}

func totals(was, will func() (day, month, lifetime int64)) (t plan.Totals) {
	t.Day.Before, t.Month.Before, t.Lifetime.Before = was()
	t.Day.After, t.Month.After, t.Lifetime.After = will()
	return t
}

// campaignMoney returns what moves by resource, the largest rise first.
func (d *money) campaignMoney(spenders []Spender) []plan.CampaignMoney {
	changed := func(s *Spender) bool { return s.change != nil && s.Kind.Counts() && s.Live != s.after }
	n := 0
	for i := range spenders {
		if changed(&spenders[i]) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	moved := make([]plan.CampaignMoney, 0, n)
	for i := range spenders {
		s := &spenders[i]
		if !changed(s) {
			continue
		}
		t := totals(Alone(d.Draft, s.Kind, s.Live), Alone(d.Draft, s.Kind, s.after))
		if t.Day.Moves() || t.Month.Moves() || t.Lifetime.Moves() {
			moved = append(moved, plan.CampaignMoney{Address: s.Address.String(), Name: s.change.Name, Totals: t})
		}
	}
	slices.SortFunc(moved, func(a, b plan.CampaignMoney) int {
		return cmp.Or(cmp.Compare(b.Rise(), a.Rise()), strings.Compare(a.Address, b.Address))
	})
	return moved
}

// Alone returns what one resource can spend, without the bounds of the account.
func Alone(d *drafting.Draft, k *drafting.Kind, r *resource.Resource) func() (day, month, lifetime int64) {
	return func() (day, month, lifetime int64) {
		e := NewExposure(d)
		if r != nil {
			e.addSpender(r, k.Spendable(r, e.Today))
		}
		return e.free()
	}
}

// bounds returns the limits that hold now or will, in the order of their
// addresses, and whether they stop anything.
func bounds(spenders []Spender, was, will *Exposure) []plan.SpendBound {
	var found []plan.SpendBound
	for i := range spenders {
		a := spenders[i].Address
		from, to := was.at(a), will.at(a)
		if from == nil && to == nil {
			continue
		}
		b := plan.SpendBound{Address: a.String(), Binds: was.boundBy(a) || will.boundBy(a)}
		if from != nil {
			b.Per, b.First, b.Last, b.Before = from.per, from.First, from.Last, &from.amount
		}
		if to != nil {
			b.Per, b.First, b.Last, b.After = to.per, to.First, to.Last, &to.amount
		}
		found = append(found, b)
	}
	return found
}

// addSpend counts what one resource can spend, before and after the plan.
func (d *money) addSpend(s *Spender) {
	moved := s.spend(d.Calendar.Today)
	if s.change != nil {
		s.change.Spend = moved
	}
	d.Plan.Spend = d.Plan.Spend.And(moved)
}

// spend says what the part of a change that is not held does to possible spend.
func (d *money) spend(c *plan.Change) {
	if t := &d.All[c.Index]; t.Kind.Counts() {
		s := Spender{Entry: t, Now: t.Kind.Spendable(t.Live, d.Calendar.Today), change: c}
		d.move(&s)
		c.Spend = s.spend(d.Calendar.Today)
	}
}

func (s *Spender) spend(today string) plan.Spend {
	after := s.Spendable(s.after, today)
	return plan.Spend{
		DailyBefore: s.Now.Daily, LifetimeBefore: s.Now.Lifetime,
		DailyAfter: after.Daily, LifetimeAfter: after.Lifetime,
	}
}
