package plan

import (
	"fmt"

	"adsync/internal/resource"
)

// updating is how much of a kind a plan would update for one cause.
type updating struct {
	kind  resource.Kind
	cause Cause // Edit or Drift
}

// updates is the rule of how much of a kind changes at once.
type updates struct{ *draft }

// guard holds the updates of a kind while they concern more of it than
// the policy lets pass. Pauses and decreases pass, and do not count. Edits and
// the undoing of drift count apart: neither hides behind the other.
func (d *updates) guard() {
	counts := map[updating]int64{}
	d.eachUpdate(func(c *Change, cause Cause) { counts[updating{c.Address.Kind, cause}]++ })
	if len(counts) == 0 {
		return
	}
	managed := map[resource.Kind]int64{}
	for i := range d.all {
		if t := &d.all[i]; t.last != nil {
			managed[t.address.Kind]++
		}
	}
	holds := map[updating]*Hold{}
	d.eachUpdate(func(c *Change, cause Cause) {
		n, of := counts[updating{c.Address.Kind, cause}], managed[c.Address.Kind]
		if of < d.Policy.UpdateFrom || !exceeds(n, of, d.Policy.UpdatePercent) {
			return
		}
		c.Hazards = append(c.Hazards, Updates)
		if d.countAllowed(Updates, n) {
			return
		}
		h, said := holds[updating{c.Address.Kind, cause}]
		if !said {
			h = &Hold{Hazard: Updates, Allow: Allowance{Hazard: Updates, Amount: n, HasAmount: true}.String(),
				Message: fmt.Sprintf("%d of %d %s resources would be updated (%s); up to %d %% pass",
					n, of, c.Address.Kind, cause, d.Policy.UpdatePercent)}
			holds[updating{c.Address.Kind, cause}] = h
		}
		concerned := func(f *Field) bool { return f.Cause == cause && !f.lowers() && !d.covers(c, f) }
		own, held := d.unlessAgreed(*h, c.Address, func() []Part { return fieldParts(c, 0, concerned) })
		if own.Parts != nil {
			h = &own
		}
		for i := range c.Fields {
			if f := &c.Fields[i]; held && concerned(f) {
				f.holdAll(h)
			}
		}
	})
}

// eachUpdate visits each existing resource once for each cause it is updated for, but
// for the rest of a plan that was counted before.
func (d *updates) eachUpdate(do func(*Change, Cause)) {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if c.Action != Update && c.Action != Replace || d.creates(c) {
			continue
		}
		for _, cause := range []Cause{Edit, Drift} {
			for j := range c.Fields {
				if f := &c.Fields[j]; f.Cause == cause && !f.lowers() && !d.covers(c, f) {
					do(c, cause)
					break
				}
			}
		}
	}
}
