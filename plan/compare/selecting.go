package compare

import (
	"errors"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
	"adsync/plan/guard"
	"adsync/plan/spend"
)

// completeNamed pulls in what the chosen creates name by a key that has no id
// yet, and what that names. What may not be pulled in holds the create.
func (d *selector) completeNamed(c *choice) {
	at := map[resource.Address]int{}
	for i := range d.Plan.Changes {
		at[d.Plan.Changes[i].Address] = i
	}
	for range d.Schemas {
		for i := range d.Plan.Changes {
			change := &d.Plan.Changes[i]
			if !c.chosen[change.Address] {
				continue
			}
			for _, address := range d.waitsFor(change) {
				j, there := at[address]
				switch {
				case !there || c.chosen[address] || d.Plan.Changes[j].Action != plan.Create:
				case c.excluded(address):
					d.HoldTree(i, plan.Hold{
						Hazard: c.hazard, Message: catalogue.Fill("guard.needs."+c.because, "what", address.String()),
					})
				default:
					c.chosen[address] = true
					c.pulled = append(c.pulled, plan.Pulled{Address: address, For: change.Address})
				}
			}
		}
	}
}

// choice says which changes of a plan go on, by address.
type choice struct {
	chosen   map[resource.Address]bool
	excluded func(resource.Address) bool // what may not be pulled in
	because  string                      // why it may not, as the end of a key
	hazard   plan.Hazard
	pulled   []plan.Pulled
}

// selector leaves changes out of a plan.
type selector struct {
	*drafting.Draft
	guards *guard.Rules
}

// selects leaves out what the selection does not name. What is left out was
// compared, looked at for slips of the hand and guarded like all else: a
// selection releases nothing, and adds nothing but what its creates need.
func (d *selector) selects() {
	if d.Select.IsAll() {
		return
	}
	d.CountBeneath()
	target, exclude := plan.NewMatcher(d.Schemas, d.Select.Target), plan.NewMatcher(d.Schemas, d.Select.Exclude)
	targeted, excluded := map[resource.Address]bool{}, map[resource.Address]bool{}
	addresses := make([]resource.Address, len(d.All))
	for i := range d.All {
		t := &d.All[i]
		if addresses[i] = t.Address; t.Desired != nil || t.Last != nil {
			targeted[t.Address] = target.Matches(t.Address) || len(d.Select.Target) == 0
			excluded[t.Address] = exclude.Matches(t.Address)
		}
	}
	d.Plan.Unmatched = errors.Join(target.Unmatched("--target", addresses), exclude.Unmatched("--exclude", addresses))
	c := choice{
		chosen: map[resource.Address]bool{}, excluded: func(a resource.Address) bool { return excluded[a] },
		because: "excluded", hazard: plan.Unselected,
	}
	for i := range d.Plan.Changes {
		a := d.Plan.Changes[i].Address
		c.chosen[a] = targeted[a] && !excluded[a]
	}
	d.complete(&c)
	d.Plan.Selected = &plan.Selected{Selection: d.Select, Pulled: c.pulled}
	for _, left := range d.leave(&c) {
		s := d.Plan.Selected
		s.LeftOut = append(s.LeftOut, plan.LeftOut{Address: left.Address, Action: left.Action, Held: left.IsHeld()})
		s.Spend = s.Spend.And(left.Spend)
	}
	d.guardAgain()
}

// complete pulls in what the chosen changes need: all that a replace makes anew
// beneath it, and the creates above a create. What may not be pulled in holds
// the change that needs it.
func (d *selector) complete(c *choice) {
	for i := range d.Plan.Changes {
		if change := &d.Plan.Changes[i]; c.chosen[change.Address] && d.replaces(change) {
			d.completeBeneath(c, i)
		}
	}
	for i := range d.Plan.Changes {
		if change := &d.Plan.Changes[i]; c.chosen[change.Address] && d.Creates(change) {
			d.completeAbove(c, i)
		}
	}
	d.completeNamed(c)
}

func (d *selector) replaces(c *plan.Change) bool { return d.Creates(c) && c.Action == plan.Replace }

func (d *selector) completeAbove(c *choice, i int) {
	change := &d.Plan.Changes[i]
	var needed []plan.Pulled
	for t := &d.All[change.Index]; t.Up >= 0; {
		effect := t.Above
		t = &d.All[t.Up]
		up := t.Address
		if !effect.Born || c.chosen[up] {
			break
		}
		if why := c.refuses(up, effect); why != "" {
			d.HoldTree(i, plan.Hold{Hazard: c.hazard, Message: catalogue.Fill("guard.needs."+why, "what", up.String())})
			return
		}
		needed = append(needed, plan.Pulled{Address: up, For: change.Address})
	}
	for _, p := range needed {
		c.chosen[p.Address] = true
	}
	c.pulled = append(c.pulled, needed...)
}

// refuses returns why a create cannot be pulled in, as the end of a key; "" where it can. A replace
// archives something, which nobody asked for.
func (c *choice) refuses(a resource.Address, f *drafting.Effect) string {
	switch {
	case c.excluded(a):
		return c.because
	case f.Moved:
		return "replaced"
	}
	return ""
}

func (d *selector) completeBeneath(c *choice, i int) {
	top := d.Plan.Changes[i].Address
	for j := i + 1; j < len(d.Plan.Changes) && strings.HasPrefix(d.Plan.Changes[j].Address.Key, top.Key+"/"); j++ {
		a := d.Plan.Changes[j].Address
		switch {
		case c.chosen[a]:
		case c.excluded(a):
			d.HoldTree(i, plan.Hold{
				Hazard: c.hazard, Message: catalogue.Fill("guard.replaces."+c.because, "what", a.String()),
			})
		default:
			c.chosen[a] = true
			c.pulled = append(c.pulled, plan.Pulled{Address: a, For: top})
		}
	}
}

// leave takes what is not chosen out of the plan, and gives it.
func (d *selector) leave(c *choice) []plan.Change {
	var kept, left []plan.Change
	for i := range d.Plan.Changes {
		change := &d.Plan.Changes[i]
		if c.chosen[change.Address] {
			kept = append(kept, *change)
			continue
		}
		spend.CountOne(d.Draft, change)
		left = append(left, *change)
	}
	d.Plan.Changes = kept
	slices.SortFunc(c.pulled, func(a, b plan.Pulled) int { return a.Address.Compare(b.Address) })
	return left
}

// guardAgain holds what the guards stop now that other changes are gone: a rise
// without the decrease beside it. What they held before stays held.
func (d *selector) guardAgain() {
	d.guards.Hold()
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		c.Held = c.Held.Distinct()
		for j := range c.Fields {
			c.Fields[j].Held = c.Fields[j].Held.Distinct()
		}
	}
}

// waitsFor returns the addresses a change names that have no id yet.
func (d *selector) waitsFor(c *plan.Change) (addresses []resource.Address) {
	for _, a := range d.All[c.Index].Kind.Naming {
		for i := range c.Fields {
			if c.Fields[i].Name != a.Name {
				continue
			}
			for _, said := range a.Names(c.Fields[i].Desired) {
				if address, byKey := resource.ParseAddress(said); byKey {
					addresses = append(addresses, address)
				}
			}
		}
	}
	return addresses
}
