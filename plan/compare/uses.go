package compare

import (
	"fmt"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// use is a resource that names another by its id, in the files or at the
// service.
type use struct {
	at       resource.Address
	excludes bool // what it names is left out
}

// reference names a resource by its id.
type reference struct {
	kind resource.Kind
	id   string
}

// usesOf returns what names a resource by its id and is not archived, in order.
func (d *tree) usesOf(kind resource.Kind, id string) []use {
	if d.uses == nil {
		d.findUses()
	}
	return d.uses[reference{kind, id}]
}

func (d *tree) findUses() {
	d.uses = map[reference][]use{}
	for i := range d.all {
		t := &d.all[i]
		if len(t.kind.naming) == 0 {
			continue
		}
		for _, r := range [...]*resource.Resource{t.desired, t.live} {
			if r == nil || t.kind.archived(r) {
				continue
			}
			for _, a := range t.kind.naming {
				d.addUses(t.address, a, r.Value(a.Name).Entries())
			}
		}
	}
}

func (d *tree) addUses(at resource.Address, a *resource.Attribute, ids []string) {
	for _, id := range ids {
		named, u := reference{a.Of, id}, use{at, a.Excludes}
		if !slices.Contains(d.uses[named], u) {
			d.uses[named] = append(d.uses[named], u)
		}
	}
}

// usersShown is how many resources a hold names.
const usersShown = 3

// holdUsed holds the archive of what others still name: what they reach would
// change with it, and no allowance says by how much.
func (d *draft) holdUsed(c *plan.Change) {
	var users []resource.Address
	for _, u := range d.usesOf(c.Address.Kind, c.ID) {
		if !slices.Contains(users, u.at) {
			users = append(users, u.at)
		}
	}
	if c.ID == "" || len(users) == 0 {
		return
	}
	named := ""
	for i, at := range users[:min(len(users), usersShown)] {
		if i > 0 {
			named += ", "
		}
		named += at.String()
	}
	if more := len(users) - usersShown; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	c.Hold(plan.Hold{
		Hazard: plan.Archives, Message: "is still named by " + named + "; take it out there and apply that first",
	})
}

// widensUsers reports whether an operation on people can widen whom others reach: it
// adds to what they include, or takes from what they exclude.
func (d *membership) widensUsers(c *plan.Change, o resource.MembershipOperation) bool {
	return slices.ContainsFunc(d.usesOf(c.Address.Kind, c.ID), func(u use) bool {
		return u.excludes && o.Removes || !u.excludes && o.Adds
	})
}
