package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// waits is why a row waits; of what lies beneath one it is that of the row.
type waits struct {
	*plan.InvalidRow
	hold  plan.Hold
	whose resource.Address
	lost  bool // it may be what an adrift row is
}

// indexInvalid marks the rows that wait, all that lies beneath them, and what
// an adrift row may be.
func (d *reading) indexInvalid() {
	if len(d.Invalid) == 0 {
		return
	}
	at := map[resource.Address]*plan.InvalidRow{}
	adrift := map[resource.Kind]*plan.InvalidRow{}
	d.pruning.unpruned = map[resource.Kind]bool{}
	for i := range d.Invalid {
		v := &d.Invalid[i]
		at[v.Address], d.pruning.unpruned[v.Address.Kind] = v, true
		if !v.Adrift || d.Last.Get(v.Address) != nil || d.Live.Get(v.Address) != nil {
			continue
		}
		if one := adrift[v.Address.Kind]; one == nil || !one.Lowers {
			adrift[v.Address.Kind] = v
		}
		for up := d.Schemas.Parent(v.Address); !up.IsZero(); up = d.Schemas.Parent(up) {
			d.pruning.unpruned[up.Kind] = true // it may take the row's resource with it
		}
	}
	d.waits = make([]*waits, len(d.all))
	for i := range d.all {
		t := &d.all[i]
		switch v := at[t.address]; {
		case v != nil:
			d.waits[i] = &waits{
				InvalidRow: v, hold: plan.Hold{
					Hazard: plan.Invalid, Message: v.Message, Wrong: &plan.WrongCell{At: v.Cell},
				},
				whose: t.address,
			}
		case t.up >= 0 && d.waits[t.up].holds():
			d.waits[i] = d.waits[t.up].beneath()
			if lost := d.mayBe(t, adrift); lost != nil {
				d.waits[i].InvalidRow = &plan.InvalidRow{Address: lost.Address, Lowers: lost.Lowers}
			}
		default:
			if lost := d.mayBe(t, adrift); lost != nil {
				d.waits[i] = &waits{InvalidRow: lost, lost: true}
			}
		}
	}
}

// waitsAt is why what is at a place waits, nil where it does not.
func (d *tree) waitsAt(place int) *waits {
	if d.waits == nil {
		return nil
	}
	return d.waits[place]
}

// mayBe returns the adrift row that may be what no row is of any more, nil for none.
func (d *reading) mayBe(t *entry, adrift map[resource.Kind]*plan.InvalidRow) *plan.InvalidRow {
	if t.last == nil || t.desired != nil {
		return nil
	}
	return adrift[t.address.Kind]
}

// beneath is why what lies beneath a row that waits does so too.
func (w *waits) beneath() *waits {
	hold := plan.Hold{Hazard: plan.Invalid, Message: "held with " + w.whose.String()}
	return &waits{InvalidRow: &plan.InvalidRow{}, hold: hold, whose: w.whose}
}

// holds reports whether the resource is left as it is. What an adrift row may be is:
// nobody can tell.
func (w *waits) holds() bool { return w != nil && !w.lost }

// compareWaiting compares a row that waits by the cells that are right, and holds
// whatever comes of it. A row that says nothing else than what is there waits as well.
func (d *comparison) compareWaiting(i int) {
	before, inSync, asSent := len(d.plan.Changes), d.plan.InSync, d.plan.AsSent
	d.compareOne(i)
	t, w := &d.all[i], d.waits[i]
	own := w.whose == t.address
	if len(d.plan.Changes) == before && own && t.desired != nil {
		d.plan.InSync, d.plan.AsSent = inSync, asSent
		d.change(*t, plan.Update)
	}
	if len(d.plan.Changes) == before {
		return
	}
	c := &d.plan.Changes[len(d.plan.Changes)-1]
	switch {
	case c.Action == plan.Forget, c.Action == plan.Record && !own:
		return
	case c.Action == plan.Record:
		c.Action = plan.Update
	}
	if w.Stops && t.live != nil && t.kind.delivers(t.live) && !t.kind.spanOf(t.live).ended(d.calendar.today) {
		w.hold.Wrong.Urgent = true
		w.hold.Message = "is active and goes on, as the cell that may stop it is not valid: " + w.hold.Message
	}
	c.Recorded = nil
	c.WaitFor(w.hold)
}

// settleInvalid takes away what the guards said of rows that wait, and their problems.
func (d *finishing) clearWaiting() {
	if len(d.Invalid) == 0 {
		return
	}
	waiting := map[string]bool{}
	for i := range d.all {
		if d.waits[i].holds() {
			waiting[d.all[i].address.String()] = true
		}
	}
	for i := range d.plan.Changes {
		if c := &d.plan.Changes[i]; c.Waits() {
			h := *c.Held
			h.Also = nil
			c.WaitFor(h)
		}
	}
	problems := slices.DeleteFunc(d.problems.Sorted(), func(p diag.Problem) bool { return waiting[p.Address] })
	d.problems = diag.List{}
	d.problems.AddAll(problems)
}

// mayLowerAt reports whether a cell that is wrong could have lowered or stopped
// what is live at a place, or have bounded the account.
func (d *tree) mayLowerAt(place int) bool {
	t := &d.all[place]
	if w := d.waitsAt(place); w == nil || !w.Lowers {
		return false
	}
	if t.kind.schema.Caps || t.kind.gate {
		return true
	}
	return t.live != nil && !t.kind.archived(t.live) && (t.kind.delivery == "" || t.kind.delivers(t.live))
}

// findInvalid adds the places where a wrong cell could have lowered something.
func (w *heldDecreases) findInvalid() {
	if len(w.Invalid) == 0 {
		return
	}
	for i := range w.all {
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
func (w *heldDecreases) lowest(t *entry, c *plan.Change) *resource.Resource {
	switch {
	case w.waitsAt(t.index).Lowers, w.creates(c) && !t.kind.schema.Caps:
		return nil
	}
	return w.after(c, t.live, func(f *plan.Field) bool { return f.Lowers() })
}

// holdBesideInvalid holds what raises or starts in the tree of a row one of whose
// wrong cells could have lowered or stopped what is live.
func (w *heldDecreases) holdBesideInvalid() {
	for _, place := range w.lower {
		if !w.mayLowerAt(place) {
			continue
		}
		top := place
		for w.all[top].up >= 0 {
			top = w.all[top].up
		}
		row := w.waitsAt(place).Address.String()
		message := "may rest on what a wrong cell of " + row + " was to lower or stop; mend it, and both go"
		for i := range w.plan.Changes {
			c := &w.plan.Changes[i]
			within := w.Schemas.Ancestor(c.Address, w.all[top].address.Kind) == w.all[top].address
			if within && c.Held == nil && c.Raises() {
				w.holdBeside(i, message)
			}
		}
	}
}

func (w *heldDecreases) holdBeside(change int, message string) {
	c := &w.plan.Changes[change]
	if !w.creates(c) {
		w.holdRaises(c.Index, c.Rise, raises, "", message)
		return
	}
	if h, held := w.unlessMeant(c, c.Rise, message, nil); held {
		w.holdTree(change, h)
	}
}
