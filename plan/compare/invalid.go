package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

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
	d.Waits = make([]*drafting.Waits, len(d.All))
	for i := range d.All {
		t := &d.All[i]
		switch v := at[t.Address]; {
		case v != nil:
			d.Waits[i] = &drafting.Waits{
				InvalidRow: v, Hold: plan.Hold{
					Hazard: plan.Invalid, Message: v.Message, Wrong: &plan.WrongCell{At: v.Cell},
				},
				Whose: t.Address,
			}
		case t.Up >= 0 && d.Waits[t.Up].Holds():
			d.Waits[i] = d.Waits[t.Up].Beneath()
			if lost := d.mayBe(t, adrift); lost != nil {
				d.Waits[i].InvalidRow = &plan.InvalidRow{Address: lost.Address, Lowers: lost.Lowers}
			}
		default:
			if lost := d.mayBe(t, adrift); lost != nil {
				d.Waits[i] = &drafting.Waits{InvalidRow: lost, Lost: true}
			}
		}
	}
}

// mayBe returns the adrift row that may be what no row is of any more, nil for none.
func (d *reading) mayBe(t *drafting.Entry, adrift map[resource.Kind]*plan.InvalidRow) *plan.InvalidRow {
	if t.Last == nil || t.Desired != nil {
		return nil
	}
	return adrift[t.Address.Kind]
}

// compareWaiting compares a row that waits by the cells that are right, and holds
// whatever comes of it. A row that says nothing else than what is there waits as well.
func (d *comparison) compareWaiting(i int) {
	before, inSync, asSent := len(d.Plan.Changes), d.Plan.InSync, d.Plan.AsSent
	d.compareOne(i)
	t, w := &d.All[i], d.Waits[i]
	own := w.Whose == t.Address
	if len(d.Plan.Changes) == before && own && t.Desired != nil {
		d.Plan.InSync, d.Plan.AsSent = inSync, asSent
		d.Change(*t, plan.Update)
	}
	if len(d.Plan.Changes) == before {
		return
	}
	c := &d.Plan.Changes[len(d.Plan.Changes)-1]
	switch {
	case c.Action == plan.Forget, c.Action == plan.Record && !own:
		return
	case c.Action == plan.Record:
		c.Action = plan.Update
	}
	if w.Stops && t.Live != nil && t.Kind.Delivers(t.Live) && !t.Kind.SpanOf(t.Live).Ended(d.Calendar.Today) {
		w.Hold.Wrong.Urgent = true
		w.Hold.Message = "is active and goes on, as the cell that may stop it is not valid: " + w.Hold.Message
	}
	c.Recorded = nil
	c.WaitFor(w.Hold)
}

// clearWaiting takes away what the guards said of rows that wait, and their problems.
func (d *finishing) clearWaiting() {
	if len(d.Invalid) == 0 {
		return
	}
	waiting := map[string]bool{}
	for i := range d.All {
		if d.Waits[i].Holds() {
			waiting[d.All[i].Address.String()] = true
		}
	}
	for i := range d.Plan.Changes {
		if c := &d.Plan.Changes[i]; c.Waits() {
			h := *c.Held
			h.Also = nil
			c.WaitFor(h)
		}
	}
	problems := slices.DeleteFunc(d.Problems.Sorted(), func(p diag.Problem) bool { return waiting[p.Address] })
	d.Problems = diag.List{}
	d.Problems.AddAll(problems)
}
