package drafting

import (
	"adsync/internal/resource"
	"adsync/plan"
)

// written is a resource as the whole of its change leaves it.
type written struct{ before, after *resource.Resource }

// After returns a resource with the fields of its change that pass written over
// what was before: nothing where the change makes it. It has only what possible
// spend depends on. Guards and money share what the whole change leaves; nobody
// changes it.
func (d *Tree) After(c *plan.Change, before *resource.Resource, passes func(*plan.Field) bool) *resource.Resource {
	k := d.All[c.Index].Kind
	if len(c.Fields) == 0 || plan.AnyField(c.Fields, func(f *plan.Field) bool { return !passes(f) }) {
		return k.Spending(before, c.Fields, passes)
	}
	if d.written == nil {
		d.written = make([]written, len(d.All))
	}
	w := &d.written[c.Index]
	if w.after == nil || w.before != before {
		w.before, w.after = before, k.Spending(before, c.Fields, passes)
	}
	return w.after
}

// FreeField reports whether nothing holds a field.
func FreeField(f *plan.Field) bool { return f.Held == nil }
