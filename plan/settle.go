package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"adsync/internal/resource"
)

// holdBroken holds the rest of a setting that is sent whole where the held part
// of it would leave what breaks a rule: a strategy without the bid it needs.
func (d *differ) holdBroken(c *Change) {
	k, live := d.kinds[c.Address.Kind], d.Live.Get(c.Address)
	if live == nil || !slices.ContainsFunc(c.Fields, heldField) || !breaks(k, live, c.Fields) {
		return
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Held != nil || f.Cause == SentAlong || f.Phase == Lower {
			continue
		}
		for j := range c.Fields {
			if h := c.Fields[j].Held; h != nil && k.whole[f.Name] != "" && k.whole[f.Name] == k.whole[c.Fields[j].Name] {
				f.hold(Hold{Hazard: h.Hazard, Message: "held with " + c.Fields[j].Name + ", which it needs", Allow: h.Allow})
				break
			}
		}
	}
}

func heldField(f Field) bool { return f.Held != nil }

// breaks says that what would be live without the held fields breaks a rule
// that neither the whole edit nor what is live breaks.
func breaks(k *kind, live *resource.Resource, fields []Field) bool {
	part := k.overlay(live, fields, func(f *Field) bool { return f.Held == nil })
	whole := k.overlay(live, fields, func(*Field) bool { return true })
	return slices.ContainsFunc(k.schema.Rules, func(r resource.Rule) bool {
		return r.Check(part.Value) != nil && r.Check(whole.Value) == nil && r.Check(live.Value) == nil
	})
}

// settle finishes the plan: what counts need, spend, and the one order.
func (d *differ) settle() {
	d.countBeneath()
	total := &d.plan.Spend
	total.DailyAfter, total.LifetimeAfter = total.DailyBefore, total.LifetimeBefore
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		slices.Sort(c.Hazards)
		c.Hazards = slices.Compact(c.Hazards)
		d.spend(c)
		total.DailyAfter = plus(total.DailyAfter, c.Spend.DailyAfter-c.Spend.DailyBefore)
		total.LifetimeAfter = plus(total.LifetimeAfter, c.Spend.LifetimeAfter-c.Spend.LifetimeBefore)
	}
	slices.SortFunc(d.plan.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.first(), b.first()), a.Address.Compare(b.Address))
	})
	d.plan.Problems = d.problems.Sorted()
}

// countBeneath says in a hold how much lies beneath it.
func (d *differ) countBeneath() {
	for _, n := range d.counting {
		if *n.beneath > 0 {
			d.plan.Changes[n.change].Held.Message += fmt.Sprintf("; with %d more beneath it", *n.beneath)
		}
	}
	d.counting = nil
}

// addSpend counts what a live resource can spend.
func (d *differ) addSpend(t three) {
	if t.live == nil || len(t.kind.caps) == 0 {
		return
	}
	daily, lifetime := t.kind.possible(t.live)
	d.plan.Spend.DailyBefore = plus(d.plan.Spend.DailyBefore, daily)
	d.plan.Spend.LifetimeBefore = plus(d.plan.Spend.LifetimeBefore, lifetime)
}

// spend says what the part of a change that is not held does to possible spend.
func (d *differ) spend(c *Change) {
	k := d.kinds[c.Address.Kind]
	if len(k.caps) == 0 {
		return
	}
	live := d.Live.Get(c.Address)
	if live != nil {
		c.Spend.DailyBefore, c.Spend.LifetimeBefore = k.possible(live)
	}
	c.Spend.DailyAfter, c.Spend.LifetimeAfter = c.Spend.DailyBefore, c.Spend.LifetimeBefore
	if c.Held != nil || len(c.Fields) == 0 {
		return
	}
	if c.Action == Create || c.Action == Replace && !c.isHeld() {
		live = nil
	}
	after := k.overlay(live, c.Fields, func(f *Field) bool { return f.Held == nil })
	c.Spend.DailyAfter, c.Spend.LifetimeAfter = k.possible(after)
}

// possible gives what a resource can spend a day and in all, in micros.
func (k *kind) possible(r *resource.Resource) (daily, lifetime int64) {
	if !k.delivers(r) {
		return 0, 0
	}
	for _, a := range k.caps {
		n, _ := r.Value(a.Name).Number()
		switch a.Per {
		case "day":
			daily = plus(daily, n)
		case "lifetime":
			lifetime = plus(lifetime, n)
		}
	}
	return daily, lifetime
}

// plus adds without wrapping round: what is too much to count is the most.
func plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
