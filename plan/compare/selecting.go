package compare

import (
	"adsync/internal/resource"
	"adsync/plan"
	"errors"
	"slices"
	"strings"
)

// completeNamed pulls in what the chosen creates name by a key that has no id
// yet, and what that names. What may not be pulled in holds the create.
func (d *selector) completeNamed(c *choice) {
	at := map[resource.Address]int{}
	for i := range d.plan.Changes {
		at[d.plan.Changes[i].Address] = i
	}
	for range d.Schemas {
		for i := range d.plan.Changes {
			change := &d.plan.Changes[i]
			if !c.chosen[change.Address] {
				continue
			}
			for _, address := range d.waitsFor(change) {
				j, there := at[address]
				switch {
				case !there || c.chosen[address] || d.plan.Changes[j].Action != plan.Create:
				case c.excluded(address):
					d.holdTree(i, plan.Hold{
						Hazard: c.hazard, Message: "needs " + address.String() + ", which " + c.because,
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
	because  string                      // why it may not, after "which"
	hazard   plan.Hazard
	pulled   []plan.Pulled
}

// selector leaves changes out of a plan.
type selector struct {
	*draft
	guards *guards
}

// selects leaves out what the selection does not name. What is left out was
// compared, looked at for slips of the hand and guarded like all else: a
// selection releases nothing, and adds nothing but what its creates need.
func (d *selector) selects() {
	if d.Select.IsAll() {
		return
	}
	d.countBeneath()
	target, exclude := plan.NewMatcher(d.Schemas, d.Select.Target), plan.NewMatcher(d.Schemas, d.Select.Exclude)
	targeted, excluded := map[resource.Address]bool{}, map[resource.Address]bool{}
	addresses := make([]resource.Address, len(d.all))
	for i := range d.all {
		t := &d.all[i]
		if addresses[i] = t.address; t.desired != nil || t.last != nil {
			targeted[t.address] = target.Matches(t.address) || len(d.Select.Target) == 0
			excluded[t.address] = exclude.Matches(t.address)
		}
	}
	d.plan.Unmatched = errors.Join(target.Unmatched("--target", addresses), exclude.Unmatched("--exclude", addresses))
	c := choice{
		chosen: map[resource.Address]bool{}, excluded: func(a resource.Address) bool { return excluded[a] },
		because: "is excluded", hazard: plan.Unselected,
	}
	for i := range d.plan.Changes {
		a := d.plan.Changes[i].Address
		c.chosen[a] = targeted[a] && !excluded[a]
	}
	d.complete(&c)
	d.plan.Selected = &plan.Selected{Selection: d.Select, Pulled: c.pulled}
	for _, left := range d.leave(&c) {
		s := d.plan.Selected
		s.LeftOut = append(s.LeftOut, plan.LeftOut{Address: left.Address, Action: left.Action, Held: left.IsHeld()})
		s.Spend = s.Spend.And(left.Spend)
	}
	d.guardAgain()
}

// complete pulls in what the chosen changes need: all that a replace makes anew
// beneath it, and the creates above a create. What may not be pulled in holds
// the change that needs it.
func (d *selector) complete(c *choice) {
	for i := range d.plan.Changes {
		if change := &d.plan.Changes[i]; c.chosen[change.Address] && d.replaces(change) {
			d.completeBeneath(c, i)
		}
	}
	for i := range d.plan.Changes {
		if change := &d.plan.Changes[i]; c.chosen[change.Address] && d.creates(change) {
			d.completeAbove(c, i)
		}
	}
	d.completeNamed(c)
}

func (d *selector) replaces(c *plan.Change) bool { return d.creates(c) && c.Action == plan.Replace }

func (d *selector) completeAbove(c *choice, i int) {
	change := &d.plan.Changes[i]
	var needed []plan.Pulled
	for t := &d.all[change.Index]; t.up >= 0; {
		effect := t.above
		t = &d.all[t.up]
		up := t.address
		if !effect.born || c.chosen[up] {
			break
		}
		if why := c.refuses(up, effect); why != "" {
			d.holdTree(i, plan.Hold{Hazard: c.hazard, Message: "needs " + up.String() + ", which " + why})
			return
		}
		needed = append(needed, plan.Pulled{Address: up, For: change.Address})
	}
	for _, p := range needed {
		c.chosen[p.Address] = true
	}
	c.pulled = append(c.pulled, needed...)
}

// refuses returns why a create cannot be pulled in, "" where it can. A replace
// archives something, which nobody asked for.
func (c *choice) refuses(a resource.Address, f *effect) string {
	switch {
	case c.excluded(a):
		return c.because
	case f.moved:
		return "is replaced, and not selected"
	}
	return ""
}

func (d *selector) completeBeneath(c *choice, i int) {
	top := d.plan.Changes[i].Address
	for j := i + 1; j < len(d.plan.Changes) && strings.HasPrefix(d.plan.Changes[j].Address.Key, top.Key+"/"); j++ {
		a := d.plan.Changes[j].Address
		switch {
		case c.chosen[a]:
		case c.excluded(a):
			d.holdTree(i, plan.Hold{
				Hazard: c.hazard, Message: "is replaced with " + a.String() + " beneath it, which " + c.because,
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
	for i := range d.plan.Changes {
		change := &d.plan.Changes[i]
		if c.chosen[change.Address] {
			kept = append(kept, *change)
			continue
		}
		d.spend(change)
		left = append(left, *change)
	}
	d.plan.Changes = kept
	slices.SortFunc(c.pulled, func(a, b plan.Pulled) int { return a.Address.Compare(b.Address) })
	return left
}

// guardAgain holds what the guards stop now that other changes are gone: a rise
// without the decrease beside it. What they held before stays held.
func (d *selector) guardAgain() {
	d.guards.guard()
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		c.Held = c.Held.Distinct()
		for j := range c.Fields {
			c.Fields[j].Held = c.Fields[j].Held.Distinct()
		}
	}
}
