package compare

import (
	"adsync/internal/resource"
	"adsync/plan"
	"slices"
)

// findWithout notes what each resource lacks that the plan starts: a new one that is to
// be active, and one that becomes active again.
func (d *finishing) findWithout() {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if t := &d.all[c.Index]; len(t.kind.without) > 0 && t.starts(c) {
			c.Start = t.kind.start(t.lacking(c))
		}
	}
}

// starts reports whether the change has the resource deliver that did not.
func (t *entry) starts(c *plan.Change) bool {
	if makes(c) {
		return t.desired != nil && t.kind.delivers(t.desired)
	}
	if t.live == nil || t.kind.delivers(t.live) {
		return false
	}
	return slices.ContainsFunc(c.Fields, func(f plan.Field) bool {
		return f.Name == t.kind.delivery && f.Desired.Text() == plan.Active
	})
}

// makes reports whether the change makes a resource, which has what the files give.
func makes(c *plan.Change) bool { return c.Action == plan.Create || c.Action == plan.Replace }

// lacking returns what the resource lacks once the change is carried out: two bits for
// each attribute of kind.without, the first where it has none, the second where it excludes
// something.
func (t *entry) lacking(c *plan.Change) (lacks uint64) {
	has := func(name string) bool {
		if makes(c) {
			return !plan.Unset(t.desired.Value(name))
		}
		return !plan.Unset(t.kind.written(t.live, c.Fields, plan.EveryField, name))
	}
	for i, a := range t.kind.without {
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
func (k *kind) start(lacks uint64) *plan.Start {
	if lacks == 0 || k.starts[lacks] != nil {
		return k.starts[lacks]
	}
	s := &plan.Start{}
	for i, a := range k.without {
		w := plan.Without{Attribute: a.Name, Says: a.Without.Says}
		if lacks>>(2*i)&2 != 0 {
			w.Says += resource.ButExcluded
		}
		if lacks>>(2*i)&1 != 0 {
			s.Without = append(s.Without, w)
		}
	}
	k.starts[lacks] = s
	return s
}
