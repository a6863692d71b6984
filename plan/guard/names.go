package guard

import (
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// namings is the rule of what is named and not there.
type namings struct{ *drafting.Draft }

// guard holds what names something that cannot be named: what is neither at
// the service nor made by this plan, or is archived there. What takes the place
// of something that others name is held too.
func (d *namings) guard() {
	changes := map[resource.Address]*plan.Change{}
	named := false
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		changes[c.Address] = c
		named = named || len(d.All[c.Index].Kind.Naming) > 0
		if c.Action == plan.Replace && createsAgain(c) {
			holdUsed(d.Draft, c)
		}
	}
	if !named {
		return
	}
	for range d.Schemas { // what waits for what is held waits too
		held := false
		for i := range d.Plan.Changes {
			held = d.holdUnnamed(i, changes) || held
		}
		if !held {
			return
		}
	}
}

// holdUnnamed holds the fields of a change that name what cannot be named, of a
// create the whole change, and says whether it did.
func (d *namings) holdUnnamed(at int, changes map[resource.Address]*plan.Change) (held bool) {
	c := &d.Plan.Changes[at]
	if c.Held != nil {
		return false
	}
	creates := c.Action == plan.Create || c.Action == plan.Replace && createsAgain(c)
	for _, a := range d.All[c.Index].Kind.Naming {
		for i := range c.Fields {
			f := &c.Fields[i]
			if f.Name != a.Name || f.Held != nil || f.Cause == plan.SentAlong {
				continue
			}
			obstacle, waits := d.unnameable(a, f, creates, changes)
			if obstacle == "" {
				continue
			}
			h := plan.Hold{Hazard: plan.Incomplete, Message: obstacle, Waits: waits}
			held = true
			if creates {
				d.HoldTree(at, h)
				return true
			}
			f.Hold(h)
		}
	}
	return held
}

// unnameable returns what keeps an attribute from naming what it says, "" where
// nothing does, and whether that is only that this plan makes it first. What was there
// before is no doing of this plan.
func (d *namings) unnameable(a *resource.Attribute,
	f *plan.Field, creates bool, changes map[resource.Address]*plan.Change) (obstacle string, waits bool) {
	for _, said := range a.Names(f.Desired) {
		address, byKey := resource.ParseAddress(said)
		switch {
		case slices.Contains(a.Names(f.Live()), said):
		case byKey:
			made := changes[address]
			if key := d.unmade(address, creates, made); key != "" {
				return catalogue.Fill(key, "attribute", a.Name, "named", said),
					made != nil && made.Action == plan.Create && made.Held == nil
			}
		case !d.Listed[a.Of]:
		default:
			if key := d.unusable(a.Of, said); key != "" {
				return catalogue.Fill(key, "attribute", a.Name, "named", said, "kind", string(a.Of)), false
			}
		}
	}
	return "", false
}

// unmade returns why what has no id yet will have none when it is needed, as the key of a text.
func (d *namings) unmade(address resource.Address, creates bool, made *plan.Change) string {
	k := d.Kinds[address.Kind]
	switch {
	case made == nil || made.Action != plan.Create:
		return "guard.names-nowhere"
	case made.Held != nil:
		return "guard.names-held"
	case !creates:
		return "guard.names-first"
	case k.Schema.Membership != nil:
		return "guard.names-people"
	}
	return ""
}

// unusable returns why an id cannot be named, as the key of a text; "" where it can.
func (d *namings) unusable(kind resource.Kind, id string) string {
	live, known := d.LiveByID(kind)[id]
	switch {
	case !known:
		return "guard.names-unknown"
	case d.Kinds[kind].Archived(live):
		return "guard.names-archived"
	}
	return ""
}

// usersShown is how many resources a hold names.
const usersShown = 3

// holdUsed holds the archive of what others still name: what they reach would
// change with it, and no allowance says by how much.
func holdUsed(d *drafting.Draft, c *plan.Change) {
	var users []resource.Address
	for _, u := range d.UsesOf(c.Address.Kind, c.ID) {
		if !slices.Contains(users, u.At) {
			users = append(users, u.At)
		}
	}
	if c.ID == "" || len(users) == 0 {
		return
	}
	var shown []string
	for _, at := range users[:min(len(users), usersShown)] {
		shown = append(shown, at.String())
	}
	named := catalogue.Commas(shown)
	if more := len(users) - usersShown; more > 0 {
		named = catalogue.Say("guard.named-more", "named", named, "n", more)
	}
	c.Hold(plan.Hold{Hazard: plan.Archives, Message: catalogue.Fill("guard.named", "named", named)})
}
