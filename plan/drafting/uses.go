package drafting

import (
	"slices"

	"adsync/internal/resource"
)

// Use is a resource that names another by its id, in the files or at the
// service.
type Use struct {
	At       resource.Address
	Excludes bool   // what it names is left out
	By       string // the attribute
}

// reference names a resource by its id.
type reference struct {
	kind resource.Kind
	id   string
}

// UsesOf returns what names a resource by its id and is not archived, in order.
func (d *Tree) UsesOf(kind resource.Kind, id string) []Use {
	if d.uses == nil {
		d.findUses()
	}
	return d.uses[reference{kind, id}]
}

func (d *Tree) findUses() {
	d.uses = map[reference][]Use{}
	for i := range d.All {
		t := &d.All[i]
		if len(t.Kind.Naming) == 0 {
			continue
		}
		for _, r := range [...]*resource.Resource{t.Desired, t.Live} {
			if r == nil || t.Kind.Archived(r) {
				continue
			}
			for _, a := range t.Kind.Naming {
				d.addUses(t.Address, a, a.Names(r.Value(a.Name)))
			}
		}
	}
}

func (d *Tree) addUses(at resource.Address, a *resource.Attribute, ids []string) {
	for _, id := range ids {
		named, u := reference{a.Of, id}, Use{at, a.Excludes, a.Name}
		if !slices.Contains(d.uses[named], u) {
			d.uses[named] = append(d.uses[named], u)
		}
	}
}
