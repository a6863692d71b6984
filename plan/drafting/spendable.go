package drafting

import (
	"adsync/internal/resource"
	"adsync/plan"
)

// Left returns what is left of a lifetime budget; what is not known counts as not
// spent.
func Left(spent map[string]int64, id string, budget int64) int64 {
	return max(budget-max(spent[id], 0), 0)
}

// Raised is the resource with all that may raise, held or not, and with nothing
// that lowers but what goes: it goes first. What no flag releases stays as it is.
func (d *Tree) Raised(c *plan.Change, live *resource.Resource, raises func(*plan.Field) bool) *resource.Resource {
	switch {
	case !c.Held.Releasable():
		return live
	case d.Creates(c):
		return d.After(c, nil, plan.EveryField)
	}
	return d.After(c, live, func(f *plan.Field) bool {
		return raises(f) && f.Held.Releasable() || c.Held == nil && f.Held == nil && f.Lowers()
	})
}

// Raises says that a field may let its resource spend more: an amount, a start,
// or the days it runs.
func (k *Kind) Raises(f *plan.Field) bool { return Raises(f) || k.Shifts(f) }

// Shifts reports whether a field is a day the resource begins or ends to spend.
func (k *Kind) Shifts(f *plan.Field) bool { return f.Name == k.First || f.Name == k.Last }

// Raises reports whether a field raises an amount or starts something.
func Raises(f *plan.Field) bool { return f.Phase == plan.Raise || f.Phase == plan.Activate }

// ExposureOf is the most a resource can spend on one day, in micros: its daily
// cap, and what is left of its lifetime budget.
func (d *Tree) ExposureOf(k *Kind, r *resource.Resource) int64 {
	return d.MostOf(r, k.Spendable(r, d.Calendar.Today))
}

// MostOf is ExposureOf of what is known already to be spendable.
func (d *Tree) MostOf(r *resource.Resource, s Spendable) int64 {
	if s.Lifetime == 0 {
		return s.Daily
	}
	return plan.Plus(s.Daily, Left(d.Spent, r.ID, s.Lifetime))
}

// RaisesMore reports whether a field is one that holdRise holds.
func (k *Kind) RaisesMore(f *plan.Field) bool { return k.Raises(f) && !f.Lowers() }

// Spending is a resource possible spend depends on: its place, and what it can
// spend as it is live.
type Spending struct {
	Index int
	Now   Spendable
}

// Spendable is what a resource can spend as it stands, a day and in all, in micros, and on
// which days. One that is not there, or has ended, spends nothing.
type Spendable struct {
	Daily, Lifetime int64
	Days            Span
}

// Spendable returns what a resource of the kind can spend from today on.
func (k *Kind) Spendable(r *resource.Resource, today string) (s Spendable) {
	if r == nil || !k.Counts() || !k.Delivers(r) {
		return s
	}
	days := k.SpanOf(r)
	if days.Ended(today) {
		return s
	}
	s.Days = days
	for _, a := range k.Caps {
		n, _ := r.Value(a.Name).Number()
		switch a.Per {
		case "day":
			s.Daily = plan.Plus(s.Daily, n)
		case "lifetime":
			s.Lifetime = plan.Plus(s.Lifetime, n)
		}
	}
	return s
}
