// Package drafting has a plan as it is made: every resource as the files, the record and the
// account hold it, and what the stages of the comparison, the guards, the finders of suspicious
// edits and the count of money all ask about it.
//
// Open draft.go first: it has the draft and how a change starts. tree.go has the resources by
// address, kind.go a schema indexed for comparing, permits.go what allowances and consents
// release, waits.go and refusals.go rows that are not valid, spendable.go what one resource can
// spend. What only one stage asks stands with that stage.
package drafting

import (
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Draft is a plan as it is made: the resources it is of, what allows its changes, and
// what is wrong with its rows.
type Draft struct {
	*Tree
	*Permits
	*Refusals
	Plan     *plan.Plan
	counting []counting
}

// counting is a change whose hold says how much lies beneath it, once that is known.
type counting struct {
	change  int
	beneath *int
}

// CountLater has the hold of the change that was started last say how much lies beneath
// it, once that is known.
func (d *Draft) CountLater(beneath *int) {
	d.counting = append(d.counting, counting{len(d.Plan.Changes) - 1, beneath})
}

// Change starts the change of a resource. The pointer is good until the next
// change is started.
func (d *Draft) Change(t Entry, action plan.Action) *plan.Change {
	c := plan.Change{Address: t.Address, Action: action, Index: t.Index}
	named := t.Live
	switch {
	case t.Desired != nil:
		c.Position, named = t.Desired.Position, t.Desired
	case t.Live == nil:
		named = t.Last
	}
	c.Name = t.Kind.Schema.NameOf(named)
	if c.Name == "" && t.Live != nil {
		c.Name = t.Kind.Schema.NameOf(t.Live)
	}
	switch {
	case action == plan.Create:
	case t.Live != nil:
		c.ID = t.Live.ID
	case t.Last != nil:
		c.ID = t.Last.ID
	}
	d.Plan.Changes = append(d.roomed(t.Index), c)
	return &d.Plan.Changes[len(d.Plan.Changes)-1]
}

// roomed returns the changes room for one more at a place. A list that is full
// grows to what it comes to if the rest of the account changes as much, at least
// to twice and at most to 32 times what it is.
func (d *Draft) roomed(place int) []plan.Change {
	changes := d.Plan.Changes
	n := len(changes)
	if n < cap(changes) {
		return changes
	}
	expected := n + n*(len(d.All)-place)/(place+1)
	expected += expected/16 + 1
	return slices.Grow(changes, max(16, min(expected, 32*n, len(d.All)), 2*n)-n)
}

// Doubled gives a list room for one more: where it is full, for as many again.
// What append gives a long list is a quarter more, so that each of its elements
// is copied four times.
func Doubled[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(len(list), 16))
}

// HoldTree holds a create and what this plan does beneath it. Changes are in
// the order of their addresses still.
func (d *Draft) HoldTree(change int, h plan.Hold) {
	top := &d.Plan.Changes[change]
	if top.Held.ReleasedBy(h.Allow) {
		return
	}
	top.Hold(h)
	h.Message = catalogue.Fill("guard.with", "what", top.Address.String())
	for i := change + 1; i < len(d.Plan.Changes) &&
		strings.HasPrefix(d.Plan.Changes[i].Address.Key, top.Address.Key+"/"); i++ {
		d.Plan.Changes[i].Hold(h)
	}
}

// Covers reports whether a field is the rest of a plan that showed it.
func (d *Draft) Covers(c *plan.Change, f *plan.Field) bool {
	for i := range d.Plan.Credits {
		if d.Plan.Credits[i].Covers(c, f) {
			return true
		}
	}
	return false
}

// CountBeneath says in a hold how much lies beneath it.
func (d *Draft) CountBeneath() {
	for _, n := range d.counting {
		if *n.beneath > 0 {
			held := d.Plan.Changes[n.change].Held
			held.Message = catalogue.Say("guard.beneath", "what", held.Message, "n", *n.beneath)
		}
	}
	d.counting = nil
}

// Late is the hold of what came too late, which the plan notes at its cell.
func (d *Draft) Late(c *plan.Change, at diag.Position, message string) plan.Hold {
	if at.IsZero() {
		at = c.Position
	}
	c.Hazards = append(c.Hazards, plan.Late)
	d.Plan.Late = append(d.Plan.Late, diag.Problem{
		Severity: diag.Warning, Code: diag.BadDate, Position: at, Address: c.Address.String(), Message: message,
	})
	return plan.Hold{Hazard: plan.Late, Message: message}
}

// TwinMessage says of which resources one has the name, and what to do. How the names differ is "" where they do not.
func (d *Draft) TwinMessage(how string, address resource.Address, twins []resource.Address) string {
	renamed, there := "guard.twin-renamed", "guard.twin-there"
	if how != "" {
		renamed, there = "guard.near-twin-renamed", "guard.near-twin-there"
	}
	var ids []string
	for _, a := range twins {
		if d.Last.Get(a) != nil {
			return catalogue.Fill(renamed, "how", how, "other", a.String(), "moved", MovedWords(a, address))
		}
		ids = append(ids, d.Live.Get(a).ID)
	}
	return catalogue.Fill(there, "how", how, "ids", catalogue.Commas(ids))
}

// MovedWords is what a project file says of a resource that has another key now.
func MovedWords(from, to resource.Address) string {
	return "moved: [{from: " + from.String() + ", to: " + to.String() + "}]"
}

// Creates reports whether the change makes a resource, anew or in place of another.
func (d *Tree) Creates(c *plan.Change) bool {
	effect := d.All[c.Index].Effect
	return effect != nil && effect.Born
}

// Becomes notes the effect of a resource, before anything beneath it is compared.
func (d *Tree) Becomes(t Entry, f *Effect) { d.All[t.Index].Effect = f }
