package plan

import (
	"slices"

	"adsync/internal/resource"
)

// Recent is what adsync did in the 24 hours before the plan: limits hold for a
// day, however many plans it has.
type Recent struct {
	// possible spend of the account before and after each apply that moved it, oldest first, in micros
	Levels  []int64
	Amounts []Earlier // what each amount was before the first apply that changed it
}

// Earlier is an amount as it was.
type Earlier struct {
	Address   resource.Address
	Attribute string
	Micros    int64
}

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

// Moves gives the amounts the applicable part of the plan sets, as they are
// before it: what Recent holds of this plan afterwards.
func (p *Plan) Moves() []Earlier {
	var moves []Earlier
	for c := range p.EachApplicable() {
		s := p.schemas.Of(c.Address.Kind)
		for i := range c.Fields {
			f := &c.Fields[i]
			a, known := s.Attribute(f.Name)
			from, set := f.Live().Number()
			if known && set && a.Spend == resource.Amount && f.Phase == Raise {
				moves = append(moves, Earlier{c.Address, f.Name, from})
			}
		}
	}
	return moves
}
