package compare

import (
	"fmt"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// finish checks a plan as a whole, and makes it what is given out.
type finishing struct {
	*draft
	broken map[brokenRule]bool
}

// rest is what cannot go without a part that is held.
type rest struct{ *draft }

// holdBroken holds the rest of a setting that is sent whole where the held part
// of it would leave what breaks a rule: a strategy without the bid it needs.
func (d *rest) holdBroken(c *plan.Change) {
	k, live := d.all[c.Index].kind, d.all[c.Index].live
	if live == nil || !k.splits(c.Fields) || !d.breaks(c, live) {
		return
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if !k.isRest(f) {
			continue
		}
		for j := range c.Fields {
			if h := c.Fields[j].Held; h != nil && k.whole[f.Name] == k.whole[c.Fields[j].Name] {
				f.Hold(plan.Hold{
					Hazard: h.Hazard, Message: "held with " + c.Fields[j].Name + ", which it needs", Allow: h.Allow,
				})
				break
			}
		}
	}
}

// splits reports whether of a setting that is sent whole a part is held and a part is not.
func (k *kind) splits(fields []plan.Field) bool {
	for i := range fields {
		if fields[i].Held == nil || k.whole[fields[i].Name] == "" {
			continue
		}
		for j := range fields {
			if k.isRest(&fields[j]) && k.whole[fields[j].Name] == k.whole[fields[i].Name] {
				return true
			}
		}
	}
	return false
}

// isRest reports whether the field would go with a setting of which a part is held.
func (k *kind) isRest(f *plan.Field) bool {
	return f.Held == nil && f.Cause != plan.SentAlong && !f.Lowers() && k.whole[f.Name] != ""
}

// breaks reports whether what would be live without the held fields breaks a rule
// that neither the whole edit nor what is live breaks.
func (d *rest) breaks(c *plan.Change, live *resource.Resource) bool {
	k := d.all[c.Index].kind
	part, whole := k.overlay(live, c.Fields, freeField), k.overlay(live, c.Fields, plan.EveryField)
	return slices.ContainsFunc(k.schema.Rules, func(r resource.Rule) bool {
		return r.Check(part.Value) != nil && r.Check(whole.Value) == nil && r.Check(live.Value) == nil
	})
}

// settle finishes the plan: what counts need, spend, and the one order.
func (d *finishing) finish() {
	d.clearWaiting()
	d.countBeneath()
	d.nameSides()
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		slices.Sort(c.Hazards)
		c.Hazards = slices.Compact(c.Hazards)
	}
	d.findWithout()
	m := money{d.draft}
	spenders := m.spenders()
	for i := range spenders {
		m.addSpend(&spenders[i])
	}
	m.count(spenders)
	d.plan.Changes = byPhase(d.plan.Changes)
	d.plan.Problems = d.problems.Sorted()
}

// byPhase puts changes, which are in the order of their addresses, in that of
// the phases of their first effect.
func byPhase(changes []plan.Change) []plan.Change {
	phases, counts := make([]plan.Phase, len(changes)), [plan.Activate + 1]int{}
	for i := range changes {
		changes[i].Index = 0
		phases[i] = changes[i].First()
		counts[phases[i]]++
	}
	if slices.IsSorted(phases) {
		return changes
	}
	ordered := make([]plan.Change, len(changes))
	next := [plan.Activate + 1]int{} // of each phase, where its next change goes
	for p := range plan.Activate {
		next[p+1] = next[p] + counts[p]
	}
	for i := range changes {
		ordered[next[phases[i]]] = changes[i]
		next[phases[i]]++
	}
	return ordered
}

// countBeneath says in a hold how much lies beneath it.
func (d *draft) countBeneath() {
	for _, n := range d.counting {
		if *n.beneath > 0 {
			d.plan.Changes[n.change].Held.Message += fmt.Sprintf("; with %d more beneath it", *n.beneath)
		}
	}
	d.counting = nil
}

// addSpend counts what one resource can spend, before and after the plan.
func (d *money) addSpend(s *spender) {
	moved := s.spend(d.calendar.today)
	if s.change != nil {
		s.change.Spend = moved
	}
	d.plan.Spend = d.plan.Spend.And(moved)
}

// spend says what the part of a change that is not held does to possible spend.
func (d *draft) spend(c *plan.Change) {
	if t := &d.all[c.Index]; t.kind.counts() {
		s := spender{entry: t, now: t.kind.spendable(t.live, d.calendar.today), change: c}
		d.move(&s)
		c.Spend = s.spend(d.calendar.today)
	}
}

func (s *spender) spend(today string) plan.Spend {
	after := s.spendable(s.after, today)
	return plan.Spend{
		DailyBefore: s.now.daily, LifetimeBefore: s.now.lifetime,
		DailyAfter: after.daily, LifetimeAfter: after.lifetime,
	}
}

// spending is a resource possible spend depends on: its place, and what it can
// spend as it is live.
type spending struct {
	index int
	now   spendable
}

// standing is what a resource can spend as it stands, a day and in all, in
// micros, and on which days. One that is not there, or has ended, spends nothing.
type spendable struct {
	daily, lifetime int64
	days            span
}

func (k *kind) spendable(r *resource.Resource, today string) (s spendable) {
	if r == nil || !k.counts() || !k.delivers(r) {
		return s
	}
	days := k.spanOf(r)
	if days.ended(today) {
		return s
	}
	s.days = days
	for _, a := range k.caps {
		n, _ := r.Value(a.Name).Number()
		switch a.Per {
		case "day":
			s.daily = plan.Plus(s.daily, n)
		case "lifetime":
			s.lifetime = plan.Plus(s.lifetime, n)
		}
	}
	return s
}
