package guard

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// newAmounts is the rule of the amounts of what is new.
type newAmounts struct {
	*amounts
	highest map[highestOf]int64
}

// guard holds creates whose amounts are beyond what is usual. A new
// resource has no amount of its own to be compared with: what counts are the
// ceilings, its share of the daily budget, and what others of the account have.
func (d *newAmounts) guard() {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if !d.Creates(c) {
			continue
		}
		for j := range c.Fields {
			f := &c.Fields[j]
			to, set := f.Desired.Number()
			if !set {
				continue
			}
			a := d.All[c.Index].Kind.Attributes[f.Name]
			if a.Spend != resource.Amount {
				continue
			}
			m := d.measure(c, a, f)
			to = m.most
			h, held := d.unlessFine(c, a, f, m)
			if held {
				c.Hazards = append(c.Hazards, plan.RaisesSpend)
				h, held = d.UnlessAgreed(h, c.Address, func() []plan.Part { return drafting.PartsOf(c, to) })
			}
			if held {
				d.HoldTree(i, h)
			}
		}
	}
}

func (d *newAmounts) unlessFine(c *plan.Change, a *resource.Attribute,
	f *plan.Field, m measured) (plan.Hold, bool) {
	to := m.most
	t, at := &d.All[c.Index], c.Address
	if message := d.beyondCeilings(t, a, m); message != "" {
		return d.UnlessExact(at, to, message)
	}
	if d.Covers(c, f) { // the highest may be what the same plan made
		return plan.Hold{}, false
	}
	limit, unit := d.Policy.LimitsOf(a).RefuseFrom, d.UnitOf(t, a, (*drafting.Entry).Says)
	if most := d.highestOf(at.Kind, a.Name, unit); most > 0 && drafting.Reaches(to, most, limit) {
		key := "guard.highest"
		if unit != "" {
			key = "guard.highest-unit"
		}
		return d.UnlessExact(at, to, catalogue.Fill(key, "attribute", m.name, "amount", resource.FormatMoney(to),
			"times", drafting.Times(to, most), "unit", string(unit), "most", resource.FormatMoney(most),
			"limit", drafting.Percent(limit)))
	}
	return plan.Hold{}, false
}

// highestOf names an amount of a kind.
type highestOf struct {
	kind      resource.Kind
	attribute string
	unit      drafting.Unit
}

// highestOf is the largest amount of a kind and a unit at the service, 0 where there is none.
func (d *newAmounts) highestOf(kind resource.Kind, attribute string, of drafting.Unit) int64 {
	if d.highest == nil {
		d.findHighest()
	}
	return d.highest[highestOf{kind, attribute, of}]
}

func (d *newAmounts) findHighest() {
	d.highest = map[highestOf]int64{}
	for i := range d.All {
		t := &d.All[i]
		if t.Live == nil || t.Kind.Archived(t.Live) {
			continue
		}
		for _, n := range t.Live.Attributes {
			a := t.Kind.Attributes[n.Name]
			if micros, set := n.Value.Number(); set && a != nil && a.Spend == resource.Amount {
				at := highestOf{t.Address.Kind, n.Name, d.UnitOf(t, a, (*drafting.Entry).Shows)}
				d.highest[at] = max(d.highest[at], t.Kind.Scaled(a, micros, t.Live))
			}
		}
	}
}
