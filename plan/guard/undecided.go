package guard

import (
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
	"adsync/plan/spend"
)

// undecided is the rule of what became of which is unknown.
type undecided struct {
	*drafting.Draft
	*spend.Credits
}

// guard holds what depends on an operation of unknown outcome: all that is newer
// of the same resource, the start of what stands above a create, and what raises or starts
// counting on money that the held part was to free (design.md section 5).
func (d *undecided) guard() {
	if len(d.Unsettled) == 0 {
		return
	}
	unsettled := map[resource.Address]*plan.Unsettled{}
	for i := range d.Unsettled {
		u := &d.Unsettled[i]
		unsettled[u.Address] = u
		for j := range d.Plan.Changes {
			c := &d.Plan.Changes[j]
			above := u.Creates && c.Address != u.Address && d.Schemas.Ancestor(u.Address, c.Address.Kind) == c.Address
			switch {
			case c.Address == u.Address:
				d.holdWhole(j, plan.Hold{
					Hazard: plan.Undecided, Message: u.Decide(catalogue.Fill("guard.undecided", "what", u.Message)),
				})
			case above:
				holdStart(d.Draft, j, plan.Activate, plan.Hold{
					Hazard: plan.Undecided, Message: u.Decide(
						catalogue.Fill("guard.undecided-beneath", "address", u.Address.String())),
				})
			}
		}
	}
	d.guardUncertain(unsettled)
}

// guardUncertain holds what lets more be spent than before and than the files ask for
// while a decrease, a pause or a limit of them is held as its outcome is unknown. What
// stays within the one or the other counts on no money that may not be free, and goes.
func (d *undecided) guardUncertain(unsettled map[resource.Address]*plan.Unsettled) {
	w := &heldDecreases{Draft: d.Draft, Credits: d.Credits, uncertain: unsettled}
	w.guard()
}

func (d *undecided) holdWhole(change int, h plan.Hold) {
	if c := &d.Plan.Changes[change]; !d.Creates(c) && c.Action != plan.Archive {
		c.Hold(h)
		return
	}
	d.HoldTree(change, h)
}

// holdStart holds what a change sends from a phase on: a create or an archive as
// a whole.
func holdStart(d *drafting.Draft, change int, from plan.Phase, h plan.Hold) {
	c := &d.Plan.Changes[change]
	late := func(f plan.Field) bool { return f.Phase >= from }
	switch {
	case !slices.ContainsFunc(c.Fields, late):
	case d.Creates(c), c.Action == plan.Archive:
		d.HoldTree(change, h)
	default:
		for i := range c.Fields {
			if f := &c.Fields[i]; late(*f) {
				f.Hold(h)
			}
		}
	}
}
