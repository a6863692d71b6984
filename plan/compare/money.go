package compare

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
)

// spender is a resource possible spend depends on: what spends, a limit of the
// account, or the account itself. Its states are nil where it is not there.
type spender struct {
	*entry
	now      spendable          // as it is live
	change   *plan.Change       // nil where nothing changes
	after    *resource.Resource // as the part of the plan leaves it that is not held
	afterAll *resource.Resource // were everything allowed that a flag can allow
}

// count counts what a plan does to possible spend.
type money struct{ *draft }

// spenders returns what possible spend depends on, with what becomes of it.
func (d *money) spenders() []spender {
	spenders := make([]spender, len(d.spending))
	next := 0 // counts the changes, which are in the order of their addresses still
	for i := range d.spending {
		at := d.spending[i].index
		spenders[i].entry, spenders[i].now = &d.all[at], d.spending[i].now
		for next < len(d.plan.Changes) && d.plan.Changes[next].Index < at {
			next++
		}
		if next < len(d.plan.Changes) && d.plan.Changes[next].Index == at {
			spenders[i].change = &d.plan.Changes[next]
		}
		d.move(&spenders[i])
	}
	return spenders
}

// move finds what becomes of a resource.
func (d *draft) move(s *spender) {
	c := s.change
	s.after, s.afterAll = s.live, s.live
	if c == nil {
		return
	}
	replaced := c.Action == plan.Replace && !c.IsHeld()
	if c.Held == nil && len(c.Fields) > 0 {
		s.after = d.after(c, s.unless(c.Action == plan.Create || replaced), freeField)
	}
	s.afterAll = s.after
	switch {
	case !c.IsHeld() || !c.Held.Releasable():
	case c.Action == plan.Create, c.Action == plan.Replace && !slices.ContainsFunc(c.Fields, func(f plan.Field) bool {
		return !f.Held.Releasable()
	}):
		s.afterAll = s.kind.spending(nil, s.given(), plan.EveryField)
	default:
		s.afterAll = d.after(c, s.live, func(f *plan.Field) bool { return f.Held.Releasable() })
	}
}

// standing is what the resource can spend in one of its states.
func (s *spender) spendable(r *resource.Resource, today string) spendable {
	if r == s.live {
		return s.now
	}
	return s.kind.spendable(r, today)
}

// unless returns what is live, nothing where another takes its place.
func (s *spender) unless(gone bool) *resource.Resource {
	if gone {
		return nil
	}
	return s.live
}

// given is what the files say of a resource, as a create would send it.
func (t *entry) given() []plan.Field {
	fields := make([]plan.Field, 0, len(t.desired.Attributes))
	for _, n := range t.desired.Attributes {
		fields = append(fields, plan.Field{Name: n.Name, Desired: n.Value})
	}
	return fields
}

// count says what the plan does to possible spend.
func (d *money) count(spenders []spender) {
	was, will, all := d.exposures(spenders)
	m := &d.plan.Money
	m.Currency, m.Today, m.MonthEnds = d.Currency, d.calendar.today, d.calendar.ends
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
func (d *money) exposures(spenders []spender) (was, will, all *exposure) {
	count := func(state func(*spender) *resource.Resource) *exposure {
		e := &exposure{calendar: d.calendar, spent: d.Spent}
		for i := range spenders {
			e.add(&spenders[i], state(&spenders[i]))
		}
		return e
	}
	was = count(func(s *spender) *resource.Resource { return s.live })
	if len(d.plan.Changes) == 0 {
		return was, was, nil
	}
	will = count(func(s *spender) *resource.Resource { return s.after })
	if slices.ContainsFunc(d.plan.Changes, func(c plan.Change) bool { return c.IsHeld() }) {
		all = count(func(s *spender) *resource.Resource { return s.afterAll })
	}
	return was, will, all
}

func totals(was, will func() (day, month, lifetime int64)) (t plan.Totals) {
	t.Day.Before, t.Month.Before, t.Lifetime.Before = was()
	t.Day.After, t.Month.After, t.Lifetime.After = will()
	return t
}

// campaignMoney returns what moves by resource, the largest rise first.
func (d *money) campaignMoney(spenders []spender) []plan.CampaignMoney {
	changed := func(s *spender) bool { return s.change != nil && s.kind.counts() && s.live != s.after }
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
		t := totals(d.alone(s.kind, s.live), d.alone(s.kind, s.after))
		if t.Day.Moves() || t.Month.Moves() || t.Lifetime.Moves() {
			moved = append(moved, plan.CampaignMoney{Address: s.address.String(), Name: s.change.Name, Totals: t})
		}
	}
	slices.SortFunc(moved, func(a, b plan.CampaignMoney) int {
		return cmp.Or(cmp.Compare(b.Rise(), a.Rise()), strings.Compare(a.Address, b.Address))
	})
	return moved
}

// alone returns what one resource can spend, without the bounds of the account.
func (d *draft) alone(k *kind, r *resource.Resource) func() (day, month, lifetime int64) {
	return func() (day, month, lifetime int64) {
		e := exposure{calendar: d.calendar, spent: d.Spent}
		if r != nil {
			e.addSpender(r, k.spendable(r, e.today))
		}
		return e.free()
	}
}

// bounds returns the limits that hold now or will, in the order of their
// addresses, and whether they stop anything.
func bounds(spenders []spender, was, will *exposure) []plan.SpendBound {
	var found []plan.SpendBound
	for i := range spenders {
		a := spenders[i].address
		from, to := was.at(a), will.at(a)
		if from == nil && to == nil {
			continue
		}
		b := plan.SpendBound{Address: a.String(), Binds: was.boundBy(a) || will.boundBy(a)}
		if from != nil {
			b.Per, b.First, b.Last, b.Before = from.per, from.first, from.last, &from.amount
		}
		if to != nil {
			b.Per, b.First, b.Last, b.After = to.per, to.first, to.last, &to.amount
		}
		found = append(found, b)
	}
	return found
}
