package guard

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// updating is how much of a kind a plan would update for one cause.
type updating struct {
	kind  resource.Kind
	cause plan.Cause // Edit or Drift
}

// updates is the rule of how much of a kind changes at once.
type updates struct{ *drafting.Draft }

// guard holds the updates of a kind while they concern more of it than
// the policy lets pass. Pauses and decreases pass, and do not count. Edits and
// the undoing of drift count apart: neither hides behind the other.
func (d *updates) guard() {
	counts := map[updating]int64{}
	d.eachUpdate(func(c *plan.Change, cause plan.Cause) { counts[updating{c.Address.Kind, cause}]++ })
	if len(counts) == 0 {
		return
	}
	managed := map[resource.Kind]int64{}
	for i := range d.All {
		if t := &d.All[i]; t.Last != nil {
			managed[t.Address.Kind]++
		}
	}
	holds := map[updating]*plan.Hold{}
	d.eachUpdate(func(c *plan.Change, cause plan.Cause) {
		n, of := counts[updating{c.Address.Kind, cause}], managed[c.Address.Kind]
		if of < d.Policy.UpdateFrom || !drafting.Exceeds(n, of, d.Policy.UpdatePercent) {
			return
		}
		c.Hazards = append(c.Hazards, plan.Updates)
		if d.CountAllowed(plan.Updates, n) {
			return
		}
		h, said := holds[updating{c.Address.Kind, cause}]
		if !said {
			h = &plan.Hold{Hazard: plan.Updates,
				Allow: plan.Allowance{Hazard: plan.Updates, Amount: n, HasAmount: true}.String(),
				Message: catalogue.Say("guard.updates."+cause.String(), "n", n, "of", of, "kind", c.Address.Kind,
					"percent", d.Policy.UpdatePercent)}
			holds[updating{c.Address.Kind, cause}] = h
		}
		concerned := func(f *plan.Field) bool { return f.Cause == cause && !f.Lowers() && !d.Covers(c, f) }
		own, held := d.UnlessAgreed(*h, c.Address, func() []plan.Part { return drafting.FieldParts(c, 0, concerned) })
		if own.Parts != nil {
			h = &own
		}
		for i := range c.Fields {
			if f := &c.Fields[i]; held && concerned(f) {
				f.HoldAll(h)
			}
		}
	})
}

// eachUpdate visits each existing resource once for each cause it is updated for, but
// for the rest of a plan that was counted before.
func (d *updates) eachUpdate(do func(*plan.Change, plan.Cause)) {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Action != plan.Update && c.Action != plan.Replace || d.Creates(c) {
			continue
		}
		for _, cause := range []plan.Cause{plan.Edit, plan.Drift} {
			for j := range c.Fields {
				if f := &c.Fields[j]; f.Cause == cause && !f.Lowers() && !d.Covers(c, f) {
					do(c, cause)
					break
				}
			}
		}
	}
}
