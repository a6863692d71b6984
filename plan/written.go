package plan

import "adsync/internal/resource"

// written is a resource as the whole of its change leaves it.
type written struct{ before, after *resource.Resource }

// after gives a resource with the fields of its change that pass written over
// what was before: nothing where the change makes it. It has only what possible
// spend depends on. Guards and money share what the whole change leaves; nobody
// changes it.
func (d *tree) after(c *Change, before *resource.Resource, passes func(*Field) bool) *resource.Resource {
	k := d.all[c.place].kind
	if len(c.Fields) == 0 || anyField(c.Fields, func(f *Field) bool { return !passes(f) }) {
		return k.spending(before, c.Fields, passes)
	}
	if d.written == nil {
		d.written = make([]written, len(d.all))
	}
	w := &d.written[c.place]
	if w.after == nil || w.before != before {
		w.before, w.after = before, k.spending(before, c.Fields, passes)
	}
	return w.after
}

// The fields of a change that pass.
func everyField(*Field) bool  { return true }
func freeField(f *Field) bool { return f.Held == nil }
