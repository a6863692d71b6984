package compare

import (
	"slices"

	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// findWithout notes what each resource lacks that the plan starts: a new one that is to
// be active, and one that becomes active again.
func (d *finishing) findWithout() {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if t := &d.All[c.Index]; len(t.Kind.Without) > 0 && starts(t, c) {
			c.Start = startOf(t.Kind, lackingOf(t, c))
		}
	}
}

// starts reports whether the change has the resource deliver that did not.
func starts(t *drafting.Entry, c *plan.Change) bool {
	if makes(c) {
		return t.Desired != nil && t.Kind.Delivers(t.Desired)
	}
	if t.Live == nil || t.Kind.Delivers(t.Live) {
		return false
	}
	return slices.ContainsFunc(c.Fields, func(f plan.Field) bool {
		return f.Name == t.Kind.Delivery && f.Desired.Text() == plan.Active
	})
}

// makes reports whether the change makes a resource, which has what the files give.
func makes(c *plan.Change) bool { return c.Action == plan.Create || c.Action == plan.Replace }

// lacking returns what the resource lacks once the change is carried out: two bits for
// each attribute of kind.without, the first where it has none, the second where it excludes
// something.
func lackingOf(t *drafting.Entry, c *plan.Change) (lacks uint64) {
	has := func(name string) bool {
		if makes(c) {
			return !plan.Unset(t.Desired.Value(name))
		}
		return !plan.Unset(t.Kind.Written(t.Live, c.Fields, plan.EveryField, name))
	}
	for i, a := range t.Kind.Without {
		if has(a.Name) || slices.ContainsFunc(a.Without.Unless, has) {
			continue
		}
		lacks |= 1 << (2 * i)
		if slices.ContainsFunc(a.Without.But, has) {
			lacks |= 2 << (2 * i)
		}
	}
	return lacks
}

// start returns what such a resource starts without, nil where that is nothing.
func startOf(k *drafting.Kind, lacks uint64) *plan.Start {
	if lacks == 0 || k.Starts[lacks] != nil {
		return k.Starts[lacks]
	}
	s := &plan.Start{}
	for i, a := range k.Without {
		if lacks>>(2*i)&1 == 0 {
			continue
		}
		says := a.Without.Says
		if lacks>>(2*i)&2 != 0 {
			says += "-but-some"
		}
		s.Without = append(s.Without, plan.Without{Attribute: a.Name, Says: catalogue.Say("without." + says)})
	}
	k.Starts[lacks] = s
	return s
}
