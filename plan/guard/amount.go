package guard

import (
	"cmp"
	"math/bits"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// amounts is the rule of amounts that rise by much, or above what they may.
type amounts struct {
	*drafting.Draft
	dayAgo map[amountOf]int64 // what adsync changed within 24 hours, as it was before
}

func newAmountRule(d *drafting.Draft) *amounts {
	r := &amounts{Draft: d}
	if len(d.Recent.Amounts) > 0 {
		r.dayAgo = map[amountOf]int64{}
	}
	for _, e := range d.Recent.Amounts {
		r.dayAgo[amountOf{e.Address, e.Attribute}] = e.Micros
	}
	return r
}

// guard holds the rises of amounts of existing resources.
func (d *amounts) guard() {
	rises := d.dailyRises()
	d.eachRise(func(c *plan.Change, f *plan.Field, a *resource.Attribute) {
		h, held := d.amountHold(c, a, f, rises)
		if held {
			h, held = d.UnlessAgreed(h, c.Address, func() []plan.Part {
				return []plan.Part{drafting.FieldPart(c.Address, c.ID, f, d.rise(c, a, f))}
			})
		}
		if held {
			f.Hold(h)
		}
	})
}

// rise is by how much a field raises what is live, in micros.
func (d *amounts) rise(c *plan.Change, a *resource.Attribute, f *plan.Field) int64 {
	if a.Spend == resource.Scale || d.All[c.Index].Kind.ScaledBy(a) != nil {
		m := d.measure(c, a, f)
		return max(m.to-m.from, 0)
	}
	to, _ := f.Desired.Number()
	from, _ := f.Live().Number()
	return max(to-from, 0)
}

// dailyRises sums the guarded rises of daily caps, for an allowance such as
// raises-spend=120/day. It counts what is held for other reasons too, so that no
// allowance makes another one suffice.
func (d *amounts) dailyRises() int64 {
	sum := int64(0)
	d.eachRise(func(c *plan.Change, f *plan.Field, a *resource.Attribute) {
		to, _ := f.Desired.Number()
		from, _, _ := d.amountFrom(c.Address, f.Name, f.Live())
		if a.Per == "day" && drafting.Exceeds(to, from, d.Policy.Budget.HoldAbove) {
			sum = plan.Plus(sum, to-from)
		}
	})
	return sum
}

// eachRise walks the amounts of existing resources that rise, are set or cleared.
func (d *amounts) eachRise(do func(*plan.Change, *plan.Field, *resource.Attribute)) {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Action == plan.Create || c.Action == plan.Archive {
			continue
		}
		for j := range c.Fields {
			f := &c.Fields[j]
			if f.Phase != plan.Raise {
				continue
			}
			if a := d.All[c.Index].Kind.Attributes[f.Name]; drafting.OfSpend(a) {
				do(c, f, a)
			}
		}
	}
}

// amountHold holds a rise the policy does not let pass and nobody allowed. What is the
// rest of a plan was compared with what there was when that was shown.
func (d *amounts) amountHold(c *plan.Change, a *resource.Attribute, f *plan.Field, rises int64) (plan.Hold, bool) {
	t, at := &d.All[c.Index], c.Address
	m := d.measure(c, a, f)
	from, to, fromSet := m.from, m.to, m.fromSet
	limits := d.Policy.LimitsOf(a)
	tooMuch := d.beyondCeilings(t, a, m)
	switch {
	case !m.toSet && a.Spend == resource.Scale: // nothing to multiply
		return plan.Hold{}, false
	case !m.toSet:
		return d.UnlessAllowed(at, a, to, rises, catalogue.Fill("guard.cleared", "attribute", a.Name))
	case tooMuch != "":
		return d.UnlessExact(at, m.most, tooMuch)
	case d.Covers(c, f):
		return plan.Hold{}, false
	case !fromSet && a.Per != "":
		return d.UnlessAllowed(at, a, to, rises, catalogue.Fill("guard.other-cap."+a.Per,
			"attribute", a.Name, "amount", a.Format(f.Desired)))
	case !fromSet:
		return plan.Hold{}, false
	case drafting.Reaches(to, from, limits.RefuseFrom):
		return d.UnlessExact(at, to, m.says("guard.rises-exact."+m.since(), limits.RefuseFrom))
	case drafting.Exceeds(to, from, limits.HoldAbove):
		return d.UnlessAllowed(at, a, to, rises, m.says("guard.rises."+m.since(), limits.HoldAbove))
	}
	return plan.Hold{}, false
}

// beyondCeilings returns what of the policy an amount is above, whatever it was
// before: its ceiling, or its share of the daily budget. "" is within both.
func (d *amounts) beyondCeilings(t *drafting.Entry, a *resource.Attribute, m measured) string {
	to := m.most
	if most := ceilingOf(&d.Policy, t.Kind, a); most > 0 && to > most {
		return catalogue.Fill("guard.ceiling", "attribute", m.name, "amount", resource.FormatMoney(to),
			"most", resource.FormatMoney(most))
	}
	if share, above := d.aboveShare(t, a, to); above {
		return catalogue.Say("guard.share", "attribute", m.name, "amount", resource.FormatMoney(to),
			"percent", d.Policy.BidShare, "budget", resource.FormatMoney(share))
	}
	return ""
}

// aboveShare says that a bid is above its share of the daily cap over it, and
// gives the cap: what the files say, else what is live.
func (d *amounts) aboveShare(t *drafting.Entry, a *resource.Attribute, bid int64) (int64, bool) {
	if a.Per != "" {
		return 0, false
	}
	for i := t.Up; i >= 0; i = d.All[i].Up {
		above := &d.All[i]
		for _, limit := range above.Kind.Caps {
			most, ok := above.Said(limit.Name)
			if ok && limit.Per == "day" && drafting.Exceeds(bid, most, d.Policy.BidShare) {
				return most, true
			}
		}
	}
	return 0, false
}

// ceilingOf is the most an amount may be, 0 where there is no ceiling. What caps
// more than the resource it stands in has none here.
func ceilingOf(p *plan.Policy, k *drafting.Kind, a *resource.Attribute) int64 {
	switch {
	case a.Per == "":
		return p.MaxBid
	case k.Delivery == "":
		return 0
	case a.Per == "day":
		return p.MaxDailyBudget
	}
	return p.MaxLifetimeBudget
}

// measured is a rise in micros as guards compare it: an amount times the factors that
// scale it.
type measured struct {
	worth
	most           int64 // what the ceilings bound: the most that anybody is worth
	fromSet, toSet bool
	name           string // what rises
}

// says is the text of a rise above a limit.
func (m *measured) says(key string, limit int64) string {
	return catalogue.Fill(key, "attribute", m.name, "times", drafting.Times(m.to, m.from),
		"from", resource.FormatMoney(m.from), "to", resource.FormatMoney(m.to), "limit", drafting.Percent(limit))
}

// worth is what one person is worth before and after, in micros.
type worth struct {
	from, to int64
	today    bool // from is what it was within the last 24 hours
}

// since ends the key of what is said of a rise.
func (l worth) since() string {
	if l.today {
		return "24h"
	}
	return "live"
}

// steeper reports whether one rises more in proportion than another, or as much to more.
func (l worth) steeper(than worth) bool {
	high, low := bits.Mul64(uint64(l.to), uint64(than.from))
	otherHigh, otherLow := bits.Mul64(uint64(than.to), uint64(l.from))
	return cmp.Or(cmp.Compare(high, otherHigh), cmp.Compare(low, otherLow), cmp.Compare(l.to, than.to)) > 0
}

// measure returns what an amount, or the factors of one, rises from and to: for whom it rises
// most, be they in an audience that has a factor or in none.
func (d *amounts) measure(c *plan.Change, a *resource.Attribute, f *plan.Field) measured {
	k, amount, factors := d.All[c.Index].Kind, a, a
	switch {
	case a.Spend == resource.Scale:
		amount = k.Attributes[a.Scales]
	default:
		factors = k.ScaledBy(a)
	}
	m := measured{name: a.Name}
	of := d.sidesOf(c, amount.Name)
	m.from, m.fromSet, m.today = d.amountFrom(c.Address, amount.Name, of.before)
	m.to, m.toSet = of.after.Number()
	m.most = m.to
	if factors == nil {
		return m
	}
	alone := m.worth // of who is in no audience with a factor
	by := d.sidesOf(c, factors.Name)
	for _, r := range resource.FactorRises(by.before, by.after) {
		if d.ArchivedID(factors.Of, r.Name) { // nobody is in it
			continue
		}
		to := r.To
		if factors != a && by.mayWait {
			to = max(to, r.From)
		}
		from, today := r.From, alone.today
		if was, ok := d.dayAgo[amountOf{c.Address, plan.FactorName(factors.Name, r.Name)}]; ok && was < from {
			from, today = was, true
		}
		one := worth{resource.Multiplied(alone.from, from), resource.Multiplied(alone.to, to), today}
		m.most = max(m.most, one.to)
		if one.steeper(m.worth) {
			m.worth = one
			m.name = catalogue.Fill("guard.with-factors", "attribute", amount.Name, "factors", factors.Name)
		}
	}
	return m
}

// amountFrom is what a rise is measured from: the live amount, or a smaller one
// that adsync raised within the last 24 hours, so that many small steps are one
// large one.
func (d *amounts) amountFrom(at resource.Address, name string, live resource.Value) (of int64, set, today bool) {
	from, set := live.Number()
	if earlier, ok := d.dayAgo[amountOf{at, name}]; ok && set && earlier < from {
		return earlier, true, true
	}
	return from, set, false
}

// sides are an attribute of a change before and after it. A decrease that is held does
// not count: what is live stays. A rise may wait for a person, and with it what falls in
// the same list.
type sides struct {
	before, after resource.Value
	mayWait       bool
}

func (d *amounts) sidesOf(c *plan.Change, name string) sides {
	live := drafting.ValueOf(d.All[c.Index].Live, name)
	s := sides{before: live, after: live}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Name == name {
			s = sides{f.Live(), f.Desired, f.Phase == plan.Raise}
			if f.Held != nil && f.Phase != plan.Raise {
				s.after = s.before
			}
		}
	}
	return s
}
