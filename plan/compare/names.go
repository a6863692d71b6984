package compare

import (
	"cmp"
	"slices"

	"adsync/internal/resource"
)

// nameIDs writes the ids of what the files name by key, where they are known:
// from here on a reference is an id, and what is still a key is not there yet.
func (d *reading) nameIDs() {
	for _, r := range d.Desired.Ordered() {
		k := d.Kinds[r.Address.Kind]
		if k == nil || len(k.Naming) == 0 {
			continue
		}
		var with *resource.Resource
		for _, a := range k.Naming {
			v := r.Value(a.Name)
			named, changed := d.namedByID(a, v)
			if !changed {
				continue
			}
			if with == nil {
				copied := *r
				copied.Attributes = slices.Clone(r.Attributes)
				with = &copied
			}
			with.Set(a.Name, named)
		}
		if with != nil {
			d.replaceDesired(with)
		}
	}
}

// namedByID returns a value with ids in place of the keys whose ids are known.
func (d *reading) namedByID(a *resource.Attribute, v resource.Value) (named resource.Value, changed bool) {
	said := a.Names(v)
	ids := make([]string, len(said))
	for i, name := range said {
		ids[i] = cmp.Or(d.IdOf(name), name)
		changed = changed || ids[i] != name
	}
	if !changed {
		return v, false
	}
	return a.Called(v, ids, said), true
}

// nameSides has what is live and what was applied last say the keys of what the
// files have, beside the ids, where a field names something.
func (d *finishing) nameSides() {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		for _, a := range d.All[c.Index].Kind.Naming {
			for j := range c.Fields {
				if f := &c.Fields[j]; f.Name == a.Name && f.Known != nil {
					with := *f.Known
					with.Live, with.Last = d.byKeys(a, with.Live), d.byKeys(a, with.Last)
					f.Known = &with
				}
			}
		}
	}
}

func (d *finishing) byKeys(a *resource.Attribute, v resource.Value) resource.Value {
	ids := a.Names(v)
	names := make([]string, len(ids))
	known := false
	for i, id := range ids {
		names[i] = id
		if live := d.LiveByID(a.Of)[id]; live != nil && d.Desired.Get(live.Address) != nil {
			names[i], known = live.Address.String(), true
		}
	}
	if !known {
		return v
	}
	return a.Called(v, ids, names)
}
