package compare

import "adsync/plan"

// carryOver marks the edits that an apply has seen before and not carried out,
// as they were held or failed.
func (d *finishing) carryOver() {
	if d.Waiting.Len() == 0 {
		return
	}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		waiting := d.Waiting.Get(c.Address)
		if waiting == nil {
			continue
		}
		for j := range c.Fields {
			f := &c.Fields[j]
			if v := waiting.Value(f.Name); f.Cause == plan.Edit && !v.IsAbsent() && v.Equal(f.Desired) {
				f.Cause = plan.CarryOver
			}
		}
	}
}
