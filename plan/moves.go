package plan

import (
	"slices"

	"adsync/internal/resource"
)

// Under returns what was done under the addresses of now: another key does not
// begin the day again.
func (r Recent) Under(renamed []Renamed) Recent {
	if len(renamed) == 0 {
		return r
	}
	becomes := make(map[resource.Address]resource.Address, len(renamed))
	for _, m := range renamed {
		becomes[m.From] = m.To
	}
	r.Amounts = slices.Clone(r.Amounts)
	for i := range r.Amounts {
		if to, moved := becomes[r.Amounts[i].Address]; moved {
			r.Amounts[i].Address = to
		}
	}
	return r
}

// FactorName is how Earlier names one factor of an attribute.
func FactorName(attribute, entry string) string { return attribute + " " + entry }

// Moves returns the amounts the applicable part of the plan sets, as they are
// before it: what Recent holds of this plan afterwards.
func (p *Plan) Moves() []Earlier {
	var moves []Earlier
	for c := range p.EachApplicable() {
		s := p.Schemas.Of(c.Address.Kind)
		for i := range c.Fields {
			f := &c.Fields[i]
			a, known := s.Attribute(f.Name)
			from, set := f.Live().Number()
			if known && a.Spend == resource.Scale && f.Phase == Raise {
				for _, r := range resource.FactorRises(f.Live(), f.Desired) {
					if r.To > r.From {
						moves = append(moves, Earlier{c.Address, FactorName(f.Name, r.Name), r.From})
					}
				}
			}
			if known && set && a.Spend == resource.Amount && f.Phase == Raise {
				moves = append(moves, Earlier{c.Address, f.Name, from})
			}
		}
	}
	return moves
}

// Reverts returns how many applies in a row have written each attribute back, once
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

// Waiting returns the edits of a plan that are not among what was applied, by
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
