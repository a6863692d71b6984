package guard

import (
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// mayLowerAt reports whether a cell that is wrong could have lowered or stopped
// what is live at a place, or have bounded the account.
func (d *heldDecreases) mayLowerAt(place int) bool {
	t := &d.All[place]
	if w := d.WaitsAt(place); w == nil || !w.Lowers {
		return false
	}
	if t.Kind.Schema.Caps || t.Kind.Gate {
		return true
	}
	return t.Live != nil && !t.Kind.Archived(t.Live) && (t.Kind.Delivery == "" || t.Kind.Delivers(t.Live))
}

// findInvalid adds the places where a wrong cell could have lowered something.
func (w *heldDecreases) findInvalid() {
	if len(w.Invalid) == 0 {
		return
	}
	for i := range w.All {
		if !w.mayLowerAt(i) {
			continue
		}
		if w.at == nil {
			w.at = w.byPlace()
		}
		w.lower = append(w.lower, i)
	}
	slices.Sort(w.lower)
	w.lower = slices.Compact(w.lower)
}

// lowest is the least the files may ask for of what waits: nothing where a wrong
// cell could have lowered it, else what is live with what the other cells lower.
func (w *heldDecreases) lowest(t *drafting.Entry, c *plan.Change) *resource.Resource {
	switch {
	case w.WaitsAt(t.Index).Lowers, w.Creates(c) && !t.Kind.Schema.Caps:
		return nil
	}
	return w.After(c, t.Live, func(f *plan.Field) bool { return f.Lowers() })
}

// holdBesideInvalid holds what raises or starts in the tree of a row one of whose
// wrong cells could have lowered or stopped what is live.
func (w *heldDecreases) holdBesideInvalid() {
	for _, place := range w.lower {
		if !w.mayLowerAt(place) {
			continue
		}
		top := w.top(place)
		message := catalogue.Fill("guard.wrong-cell", "row", w.WaitsAt(place).Address.String())
		for i := range w.Plan.Changes {
			c := &w.Plan.Changes[i]
			within := w.Schemas.Ancestor(c.Address, w.All[top].Address.Kind) == w.All[top].Address
			if within && c.Held == nil && c.Raises() {
				w.holdBeside(i, message)
			}
		}
	}
}

// top is the place of what a place stands beneath in the end, or its own.
func (w *heldDecreases) top(place int) int {
	for w.All[place].Up >= 0 {
		place = w.All[place].Up
	}
	return place
}

func (w *heldDecreases) holdBeside(change int, message string) {
	c := &w.Plan.Changes[change]
	if !w.Creates(c) {
		w.holdRaises(c.Index, c.Rise, drafting.Raises, message)
		return
	}
	if h, held := w.unlessMeant(c, c.Rise, message, nil); held {
		w.HoldTree(change, h)
	}
}
