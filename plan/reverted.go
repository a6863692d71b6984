package plan

import "adsync/internal/resource"

// mostReverts is how many applies in a row may write the same attribute back:
// somebody who changes it again each time manages it too (fault C7).
const mostReverts = 3

const flaps = "was written back 3 times, and changed again each time; let one side " +
	"own it: stop what changes it, take it out of the files or ignore it there, or allow writing it back once more"

// reverts is how many applies in a row have written an attribute back.
func (d *comparedFields) reverts(at resource.Address, attribute string) int64 {
	if r := d.Reverted.Get(at); r != nil {
		n, _ := r.Value(attribute).Number()
		return n
	}
	return 0
}

// Reverts gives how many applies in a row have written each attribute back, once
// this plan is carried out. What does not drift any more is not among them.
func (p *Plan) Reverts(before *resource.Snapshot, applied func(*Change) bool) *resource.Snapshot {
	reverts := &resource.Snapshot{}
	for i := range p.Changes {
		c := &p.Changes[i]
		counted := &resource.Resource{Address: c.Address}
		for j := range c.Fields {
			f := &c.Fields[j]
			if f.Cause != Drift {
				continue
			}
			n := int64(0)
			if r := before.Get(c.Address); r != nil {
				n, _ = r.Value(f.Name).Number()
			}
			if f.Held == nil && c.Held == nil && applied(c) {
				n++
			}
			if n > 0 {
				counted.Set(f.Name, resource.Number(n))
			}
		}
		if len(counted.Attributes) > 0 {
			reverts.Add(counted)
		}
	}
	return reverts
}
