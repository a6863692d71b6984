package compare

import (
	"cmp"
	"fmt"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
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
			a := d.all[c.Index].kind.attributes[f.Name]
			if a.Spend != resource.Amount {
				continue
			}
			h, held := d.unlessFine(c, a, f, to)
			if held {
				c.Hazards = append(c.Hazards, plan.RaisesSpend)
				h, held = d.unlessAgreed(h, c.Address, func() []plan.Part { return partsOf(c, to) })
			}
			if held {
				d.holdTree(i, h)
			}
		}
	}
}

func (d *newAmounts) unlessFine(c *plan.Change, a *resource.Attribute, f *plan.Field, to int64) (plan.Hold, bool) {
	t, at := &d.all[c.Index], c.Address
	if message := d.beyondCeilings(t, a, f); message != "" {
		return d.unlessExact(at, to, message)
	}
	if d.Covers(c, f) { // the highest may be what the same plan made
		return plan.Hold{}, false
	}
	limit, unit := d.Policy.LimitsOf(a).RefuseFrom, d.unitOf(t, a, (*entry).says)
	if most := d.highestOf(at.Kind, a.Name, unit); most > 0 && reaches(to, most, limit) {
		return d.unlessExact(at, to,
			fmt.Sprintf("%s is %s, %s the highest of the account%s, %s; from %s on the exact amount must be allowed",
				a.Name, a.Format(f.Desired), times(to, most), unit.Words(), resource.FormatMoney(most), percent(limit)))
	}
	return plan.Hold{}, false
}

// unit is what an amount pays for, in the words of the attributes that say it: amounts
// of two units, such as a bid for a click and one for an impression, do not compare.
type unit string

// words names the unit behind what is compared, "" where a kind has one alone.
func (u unit) Words() string {
	if u == "" {
		return ""
	}
	return " for " + string(u)
}

// unitOf returns the unit of an amount of a resource, as one of its sides says it.
func (d *tree) unitOf(t *entry, a *resource.Attribute, says func(*entry, string) string) unit {
	var said []string
	for i := range a.Unit {
		of := &a.Unit[i]
		at := t
		for of.Ancestor != "" && at.kind.schema.Kind != of.Ancestor && at.up >= 0 {
			at = &d.all[at.up]
		}
		if v := cmp.Or(says(at, of.Attribute), of.Value); v != "" {
			said = append(said, v)
		}
	}
	return unit(strings.Join(said, ", "))
}

// says is what the files say of an attribute, else what is live.
func (t *entry) says(name string) string {
	if v := valueOf(t.desired, name); v.IsSet() {
		return v.Text()
	}
	return t.shows(name)
}

// shows is what is live of an attribute.
func (t *entry) shows(name string) string { return valueOf(t.live, name).Text() }

// highestOf names an amount of a kind.
type highestOf struct {
	kind      resource.Kind
	attribute string
	unit      unit
}

// highestOf is the largest amount of a kind and a unit at the service, 0 where there is none.
func (d *newAmounts) highestOf(kind resource.Kind, attribute string, of unit) int64 {
	if d.highest == nil {
		d.findHighest()
	}
	return d.highest[highestOf{kind, attribute, of}]
}

func (d *newAmounts) findHighest() {
	d.highest = map[highestOf]int64{}
	for i := range d.all {
		t := &d.all[i]
		if t.live == nil || t.kind.archived(t.live) {
			continue
		}
		for _, n := range t.live.Attributes {
			a := t.kind.attributes[n.Name]
			if micros, set := n.Value.Number(); set && a != nil && a.Spend == resource.Amount {
				at := highestOf{t.address.Kind, n.Name, d.unitOf(t, a, (*entry).shows)}
				d.highest[at] = max(d.highest[at], micros)
			}
		}
	}
}
