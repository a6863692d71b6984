package slips

import (
	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// Limits of activations.
const (
	activatedFrom    = 10 // resources of a kind that exist
	activatedPercent = 30 // and more than this share of those the files name
)

// activations finds many that start at once.
type activations struct{ *finder }

// findActivations holds the activations of a kind where many of what exists
// would be activated at once. New resources are activated as the files say.
func (d *activations) findActivations() {
	for _, s := range d.Schemas {
		k := d.Kinds[s.Kind]
		if k.Delivery == "" {
			continue
		}
		starts := d.activated(k)
		if len(starts) < activatedFrom {
			continue
		}
		if of := d.named(k); len(starts)*100 > of*activatedPercent {
			d.reportActivations(k, starts, of)
		}
	}
}

func (d *activations) activated(k *drafting.Kind) []row {
	var starts []row
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Address.Kind != k.Schema.Kind || d.Creates(c) {
			continue
		}
		for j := range c.Fields {
			if f := &c.Fields[j]; f.Name == k.Delivery && f.Phase == plan.Activate && f.Cause == plan.Edit {
				live := f.Live()
				starts = append(starts, row{
					address:  &d.All[c.Index].Address,
					position: f.Desired.Position, desired: &f.Desired, was: &live, change: i,
				})
			}
		}
	}
	sortRows(starts)
	return starts
}

func (d *activations) reportActivations(k *drafting.Kind, starts []row, of int) {
	a := plan.SuspiciousEdit{
		Hazard: plan.Activates, Kind: k.Schema.Kind, Attribute: k.Delivery,
		Source: sourceOf(starts), Count: len(starts), Of: of,
	}
	key := "slip.activated"
	if !a.Source.IsZero() {
		key = "slip.activated-in"
	}
	a.Message = catalogue.Fill(key, "share", shareOf(len(starts), of, k, diag.Position{}), "source", place(a.Source))
	var examples []plan.Example
	for i := range starts {
		r := &starts[i]
		examples = append(examples, r.example(r.within(a.Source)))
		if d.startsHeld(r, k) || d.holdRow(r, k.Delivery, plan.Activates, a.Message) {
			a.Held++
		}
	}
	d.report(a, examples)
}

// startsHeld reports whether the activation waits for the same allowance already.
func (d *activations) startsHeld(r *row, k *drafting.Kind) bool {
	for _, f := range d.Plan.Changes[r.change].Fields {
		if f.Name == k.Delivery && f.Held.ReleasedBy(plan.AllowAt(plan.Activates, *r.address)) {
			return true
		}
	}
	return false
}
