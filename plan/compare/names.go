package compare

import (
	"cmp"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// nameIDs writes the ids of what the files name by key, where they are known:
// from here on a reference is an id, and what is still a key is not there yet.
func (d *reading) nameIDs() {
	for _, r := range d.Desired.Ordered() {
		k := d.kinds[r.Address.Kind]
		if k == nil || len(k.naming) == 0 {
			continue
		}
		var with *resource.Resource
		for _, a := range k.naming {
			v := r.Value(a.Name)
			named, changed := d.namedByID(v)
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
func (d *reading) namedByID(v resource.Value) (named resource.Value, changed bool) {
	said := v.Entries()
	ids := make([]string, len(said))
	for i, name := range said {
		ids[i] = cmp.Or(d.idOf(name), name)
		changed = changed || ids[i] != name
	}
	if !changed {
		return v, false
	}
	return resource.Called(v, ids, said), true
}

// nameSides has what is live and what was applied last say the keys of what the
// files have, beside the ids, where a field names something.
func (d *finishing) nameSides() {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		for _, a := range d.all[c.Index].kind.naming {
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
	ids := v.Entries()
	names := make([]string, len(ids))
	known := false
	for i, id := range ids {
		names[i] = id
		if live := d.liveByID(a.Of)[id]; live != nil && d.Desired.Get(live.Address) != nil {
			names[i], known = live.Address.String(), true
		}
	}
	if !known {
		return v
	}
	return resource.Called(v, ids, names)
}

// idOf is the id of what is named by key and is, or was, at the service, "" for
// anything else.
func (d *tree) idOf(said string) string {
	address, byKey := resource.ParseAddress(said)
	if !byKey {
		return ""
	}
	for _, known := range [...]*resource.Resource{d.Live.Get(address), d.Last.Get(address)} {
		if known != nil && known.ID != "" {
			return known.ID
		}
	}
	return ""
}

// waitsFor returns the addresses a change names that have no id yet.
func (d *tree) waitsFor(c *plan.Change) (addresses []resource.Address) {
	for _, a := range d.all[c.Index].kind.naming {
		for i := range c.Fields {
			if c.Fields[i].Name != a.Name {
				continue
			}
			for _, said := range c.Fields[i].Desired.Entries() {
				if address, byKey := resource.ParseAddress(said); byKey {
					addresses = append(addresses, address)
				}
			}
		}
	}
	return addresses
}

// namings is the rule of what is named and not there.
type namings struct{ *draft }

// guard holds what names something that cannot be named: what is neither at
// the service nor made by this plan, or is archived there. What takes the place
// of something that others name is held too.
func (d *namings) guard() {
	changes := map[resource.Address]*plan.Change{}
	named := false
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		changes[c.Address] = c
		named = named || len(d.all[c.Index].kind.naming) > 0
		if c.Action == plan.Replace && d.createsAgain(c) {
			d.holdUsed(c)
		}
	}
	if !named {
		return
	}
	for range d.Schemas { // what waits for what is held waits too
		held := false
		for i := range d.plan.Changes {
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
	c := &d.plan.Changes[at]
	if c.Held != nil {
		return false
	}
	creates := c.Action == plan.Create || c.Action == plan.Replace && d.createsAgain(c)
	for _, a := range d.all[c.Index].kind.naming {
		for i := range c.Fields {
			f := &c.Fields[i]
			if f.Name != a.Name || f.Held != nil || f.Cause == plan.SentAlong {
				continue
			}
			obstacle, waits := d.unnameable(a, f, creates, changes)
			if obstacle == "" {
				continue
			}
			h := plan.Hold{Hazard: plan.Incomplete, Message: a.Name + " is " + obstacle, Waits: waits}
			held = true
			if creates {
				d.holdTree(at, h)
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
	for _, said := range f.Desired.Entries() {
		address, byKey := resource.ParseAddress(said)
		switch {
		case slices.Contains(f.Live().Entries(), said):
		case byKey:
			made := changes[address]
			if why := d.unmade(address, creates, made); why != "" {
				return said + ", which " + why, made != nil && made.Action == plan.Create && made.Held == nil
			}
		case !d.Listed[a.Of]:
		default:
			if why := d.unusable(a.Of, said); why != "" {
				return said + ", which " + why, false
			}
		}
	}
	return "", false
}

// unmade returns why what has no id yet will have none when it is needed.
func (d *namings) unmade(address resource.Address, creates bool, made *plan.Change) string {
	k := d.kinds[address.Kind]
	switch {
	case made == nil || made.Action != plan.Create:
		return "is not at the service, and this plan does not make it"
	case made.Held != nil:
		return "is held"
	case !creates:
		return "this plan makes; apply that first, and then this"
	case k.schema.Membership != nil:
		return "this plan makes, and whose people the service takes in first; apply that, and then this"
	}
	return ""
}

// unusable returns why an id cannot be named, "" where it can.
func (d *namings) unusable(kind resource.Kind, id string) string {
	live, known := d.liveByID(kind)[id]
	switch {
	case !known:
		return "is no id the service shows as one of kind " +
			string(kind) + "; for one of your files write " + string(kind) + "/ and its key"
	case d.kinds[kind].archived(live):
		return "is archived"
	}
	return ""
}

// liveByID returns what is live of a kind by its ids.
func (d *tree) liveByID(kind resource.Kind) map[string]*resource.Resource {
	if d.byID == nil {
		d.byID = map[resource.Kind]map[string]*resource.Resource{}
	}
	if d.byID[kind] == nil {
		d.byID[kind] = map[string]*resource.Resource{}
		for i := range d.all {
			if t := &d.all[i]; t.live != nil && t.address.Kind == kind {
				d.byID[kind][t.live.ID] = t.live
			}
		}
	}
	return d.byID[kind]
}
