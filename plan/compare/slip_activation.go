package compare

import (
	"adsync/plan"
	"fmt"
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
		k := d.kinds[s.Kind]
		if k.delivery == "" {
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

func (d *activations) activated(k *kind) []row {
	var starts []row
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if c.Address.Kind != k.schema.Kind || d.creates(c) {
			continue
		}
		for j := range c.Fields {
			if f := &c.Fields[j]; f.Name == k.delivery && f.Phase == plan.Activate && f.Cause == plan.Edit {
				live := f.Live()
				starts = append(starts, row{
					address:  &d.all[c.Index].address,
					position: f.Desired.Position, desired: &f.Desired, was: &live, change: i,
				})
			}
		}
	}
	sortRows(starts)
	return starts
}

func (d *activations) reportActivations(k *kind, starts []row, of int) {
	a := plan.SuspiciousEdit{
		Hazard: plan.Activates, Kind: k.schema.Kind, Attribute: k.delivery,
		Source: sourceOf(starts), Count: len(starts), Of: of,
	}
	a.Message = fmt.Sprintf("%s would be activated at once%s", shareOf(len(starts), of, k), in(a.Source))
	var examples []plan.Example
	for i := range starts {
		r := &starts[i]
		examples = append(examples, r.example(r.within(a.Source)))
		if d.startsHeld(r, k) || d.holdRow(r, k.delivery, plan.Activates, a.Message) {
			a.Held++
		}
	}
	d.report(a, examples)
}

// startsHeld reports whether the activation waits for the same allowance already.
func (d *activations) startsHeld(r *row, k *kind) bool {
	for _, f := range d.plan.Changes[r.change].Fields {
		if f.Name == k.delivery && f.Held.ReleasedBy(plan.AllowAt(plan.Activates, *r.address)) {
			return true
		}
	}
	return false
}
