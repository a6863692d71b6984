package plan

import (
	"fmt"

	"adsync/internal/resource"
)

// guardNewAmounts holds creates whose amounts are beyond what is usual. A new
// resource has no amount of its own to be compared with: what counts are the
// ceilings, its share of the daily budget, and what others of the account have.
func (d *differ) guardNewAmounts() {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if !d.creates(c) {
			continue
		}
		for j := range c.Fields {
			f := &c.Fields[j]
			to, set := f.Desired.Number()
			if !set {
				continue
			}
			a := d.all[c.place].kind.attributes[f.Name]
			if a.Spend != resource.Amount {
				continue
			}
			h, held := d.unlessFine(c, a, f, to)
			if held {
				c.Hazards = append(c.Hazards, RaisesSpend)
				h, held = d.unlessAgreed(h, c.Address, func() []Part { return partsOf(c, to) })
			}
			if held {
				d.holdTree(i, h)
			}
		}
	}
}

func (d *differ) unlessFine(c *Change, a *resource.Attribute, f *Field, to int64) (Hold, bool) {
	t, at := &d.all[c.place], c.Address
	if message := d.beyondCeilings(t, a, f); message != "" {
		return d.unlessExact(at, to, message)
	}
	if d.covers(c, f) { // the highest may be what the same plan made
		return Hold{}, false
	}
	limit := d.Policy.limitsOf(a).RefuseFrom
	if most := d.highestOf(at.Kind, a.Name); most > 0 && reaches(to, most, limit) {
		return d.unlessExact(at, to, fmt.Sprintf("%s is %s, %s the highest of the account, %s; from %s on the exact amount must be allowed",
			a.Name, a.Format(f.Desired), times(to, most), resource.FormatMoney(most), percent(limit)))
	}
	return Hold{}, false
}

// highestOf names an amount of a kind.
type highestOf struct {
	kind      resource.Kind
	attribute string
}

// highestOf is the largest amount of a kind at the service, 0 where there is none.
func (d *differ) highestOf(kind resource.Kind, attribute string) int64 {
	if d.highest == nil {
		d.findHighest()
	}
	return d.highest[highestOf{kind, attribute}]
}

func (d *differ) findHighest() {
	d.highest = map[highestOf]int64{}
	for i := range d.all {
		t := &d.all[i]
		if t.live == nil || t.kind.archived(t.live) {
			continue
		}
		for _, n := range t.live.Attributes {
			a := t.kind.attributes[n.Name]
			if micros, set := n.Value.Number(); set && a != nil && a.Spend == resource.Amount {
				at := highestOf{t.address.Kind, n.Name}
				d.highest[at] = max(d.highest[at], micros)
			}
		}
	}
}
