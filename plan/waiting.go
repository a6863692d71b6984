package plan

import "adsync/internal/resource"

// carryOver marks the edits that an apply has seen before and not carried out,
// as they were held or failed.
func (d *finish) carryOver() {
	if d.Waiting.Len() == 0 {
		return
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		waiting := d.Waiting.Get(c.Address)
		if waiting == nil {
			continue
		}
		for j := range c.Fields {
			f := &c.Fields[j]
			if v := waiting.Value(f.Name); f.Cause == Edit && !v.IsAbsent() && v.Equal(f.Desired) {
				f.Cause = CarryOver
			}
		}
	}
}

// Waiting gives the edits of a plan that are not among what was applied, by
// address: the next plan says of them that they are carried over.
func (p *Plan) Waiting(applied func(*Change) bool) *resource.Snapshot {
	waiting := &resource.Snapshot{}
	for i := range p.Changes {
		c := &p.Changes[i]
		whole := c.Held != nil || !applied(c)
		left := &resource.Resource{Address: c.Address}
		for j := range c.Fields {
			f := &c.Fields[j]
			if (whole || f.Held != nil) && (f.Cause == Edit || f.Cause == CarryOver) {
				left.Attributes.Set(f.Name, f.Desired)
			}
		}
		if len(left.Attributes) > 0 {
			waiting.Add(left)
		}
	}
	return waiting
}
