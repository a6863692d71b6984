package plan

import (
	"cmp"
	"slices"

	"adsync/internal/resource"
)

// Unsettled is an operation of an earlier run of which nobody knows whether the
// service has done it.
type Unsettled struct {
	Address resource.Address
	Then    resource.Address // what it was called when it was sent
	Message string           // what is unknown, for people
	Creates bool
	Lowers  bool // it was to pause something, or to bring down an amount
}

// guardUndecided holds what depends on an operation of unknown outcome: all that
// is newer of the same resource, the start of what stands above a create, and
// after a decrease everything that rises, as the money may not be free
// (design.md section 5).
func (d *differ) guardUndecided() {
	lower := slices.IndexFunc(d.Unsettled, func(u Unsettled) bool { return u.Lowers }) // one is reason enough
	for i := range d.Unsettled {
		u := &d.Unsettled[i]
		decide := "; to decide it: adsync resolve " + cmp.Or(u.Then, u.Address).String()
		for j := range d.plan.Changes {
			c := &d.plan.Changes[j]
			above := u.Creates && c.Address != u.Address && d.Schemas.Ancestor(u.Address, c.Address.Kind) == c.Address
			switch {
			case c.Address == u.Address:
				d.holdWhole(j, Hold{Hazard: Undecided, Message: u.Message + "; nothing newer is sent to it" + decide})
			case above:
				d.holdStart(j, Activate, Hold{Hazard: Undecided, Message: "whether " + u.Address.String() + " beneath it was created is unknown" + decide})
			}
			if i == lower && c.Address != u.Address {
				d.holdStart(j, Raise, Hold{Hazard: Undecided, Message: "whether the decrease of " + u.Address.String() + " was made is unknown, and its money may not be free" + decide})
			}
		}
	}
}

func (d *differ) holdWhole(change int, h Hold) {
	if c := &d.plan.Changes[change]; !d.creates(c) && c.Action != Archive {
		c.hold(h)
		return
	}
	d.holdTree(change, h)
}

// holdStart holds what a change sends from a phase on: a create or an archive as
// a whole.
func (d *differ) holdStart(change int, from Phase, h Hold) {
	c := &d.plan.Changes[change]
	late := func(f Field) bool { return f.Phase >= from }
	switch {
	case !slices.ContainsFunc(c.Fields, late):
	case d.creates(c), c.Action == Archive:
		d.holdTree(change, h)
	default:
		for i := range c.Fields {
			if f := &c.Fields[i]; late(*f) {
				f.hold(h)
			}
		}
	}
}
