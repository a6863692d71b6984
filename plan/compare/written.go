package compare

import (
	"adsync/internal/resource"
	"adsync/plan"
)

// written is a resource as the whole of its change leaves it.
type written struct{ before, after *resource.Resource }

// after returns a resource with the fields of its change that pass written over
// what was before: nothing where the change makes it. It has only what possible
// spend depends on. Guards and money share what the whole change leaves; nobody
// changes it.
func (d *tree) after(c *plan.Change, before *resource.Resource, passes func(*plan.Field) bool) *resource.Resource {
	k := d.all[c.Index].kind
	if len(c.Fields) == 0 || plan.AnyField(c.Fields, func(f *plan.Field) bool { return !passes(f) }) {
		return k.spending(before, c.Fields, passes)
	}
	if d.written == nil {
		d.written = make([]written, len(d.all))
	}
	w := &d.written[c.Index]
	if w.after == nil || w.before != before {
		w.before, w.after = before, k.spending(before, c.Fields, passes)
	}
	return w.after
}

func freeField(f *plan.Field) bool { return f.Held == nil }

// Room for what stands beside fields is made for so many at once.
const previousFrom, previousMost = 16, 1024

// besides gives the same as the function of its name, and takes its room from
// that of the whole plan.
func (d *draft) previousOf(last, live resource.Value) *plan.Known {
	if last.IsAbsent() && live.IsAbsent() {
		return nil
	}
	if len(d.previous) == cap(d.previous) {
		d.previous = make([]plan.Known, 0, min(max(2*cap(d.previous), previousFrom), previousMost))
	}
	d.previous = append(d.previous, plan.Known{Last: last, Live: live})
	return &d.previous[len(d.previous)-1]
}
