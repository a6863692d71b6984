package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// source is a resource whose people a merge takes.
type source struct {
	said    string
	address resource.Address // zero where nobody knows it
	live    *resource.Resource
}

// sourceOf finds what an entry of a merge means: the address of a resource of the
// files, or else an id at the service.
func (d *tree) sourceOf(kind resource.Kind, said string) source {
	if address, keyed := resource.ParseAddress(said); keyed {
		return source{said, address, d.Live.Get(address)}
	}
	for live := range d.Live.All() {
		if live.Address.Kind == kind && live.ID == said {
			return source{said, live.Address, live}
		}
	}
	return source{said: said}
}

// mergedOf reports whether a merge in other words is the one that was sent: its keys
// have changed since, and they are of the same resources.
func (d *tree) mergedOf(t entry, n *resource.Named, was resource.Value) bool {
	m := t.kind.schema.Membership
	if m == nil || n.Name != m.Merge || t.last == nil || !n.Value.IsSet() || plan.Same(n.Value, was) {
		return false
	}
	var ids []string
	for _, said := range n.Value.Items() {
		s := d.sourceOf(t.address.Kind, said)
		if s.live == nil {
			return false
		}
		ids = append(ids, s.live.ID)
	}
	slices.Sort(ids)
	return slices.Equal(slices.Compact(ids), slices.Sorted(slices.Values(t.last.Value(m.Merged).Items())))
}

// mergers is the rule of audiences that are made of others.
type mergers struct{ *draft }

// guard holds a merge that cannot be made as the files say it: what it
// takes is the people who are in its sources at that moment.
func (d *mergers) guard() {
	changes := map[resource.Address]*plan.Change{}
	for i := range d.plan.Changes {
		if c := &d.plan.Changes[i]; d.kinds[c.Address.Kind].schema.Membership != nil {
			changes[c.Address] = c
		}
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		for _, said := range d.merges(c) {
			s := d.sourceOf(c.Address.Kind, said)
			if obstacle := d.unmergeable(c, s, changes[s.address]); obstacle != "" {
				c.Hold(plan.Hold{Hazard: plan.Incomplete, Message: "cannot be merged: " + obstacle})
				continue
			}
			if change := changes[s.address]; change != nil && change.Action == plan.Archive {
				change.Hold(plan.Hold{
					Hazard: plan.Archives, Message: "is first merged into " +
						c.Address.String() + "; apply that, and then again",
				})
			}
		}
	}
}

// merges returns what a change is to make a resource of, nothing where it makes
// none or makes it otherwise.
func (d *draft) merges(c *plan.Change) []string {
	m := d.kinds[c.Address.Kind].schema.Membership
	if m == nil || c.Action != plan.Create && c.Action != plan.Replace {
		return nil
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Name == m.Merge && f.Phase == plan.Creates {
			return f.Desired.Items()
		}
	}
	return nil
}

// unmergeable returns what keeps a merge from a source, "" where nothing does.
func (d *mergers) unmergeable(into *plan.Change, s source, change *plan.Change) string {
	k := d.kinds[into.Address.Kind]
	made := change != nil && (change.Action == plan.Create || change.Action == plan.Replace && d.createsAgain(change))
	switch {
	case s.address == into.Address:
		return "it names itself"
	case s.address.IsZero():
		return s.said + " is no id of an " + string(into.Address.Kind) +
			" the service shows; for one of your files write " + string(into.Address.Kind) + "/ and its key"
	case d.namedTwice(into, s):
		return s.said + " is named twice, by its key and by its id"
	case change != nil && d.merges(change) != nil:
		return s.said + " is made by a merge itself; apply that first, and then this one"
	case change != nil && change.Action != plan.Archive && len(change.Holds()) > 0:
		return s.said + " is held, and its people would be other ones afterwards"
	case made:
		return ""
	case s.live == nil:
		return s.said + " is neither in the files nor at the service" + d.meant(s.address)
	case k.archived(s.live):
		return s.said + " is archived, and nobody is in it"
	}
	return ""
}

// meant returns which key of the files is near one that names nothing, "" where none is.
func (d *mergers) meant(address resource.Address) string {
	var keys []string
	for _, r := range d.Desired.Ordered() {
		if r.Address.Kind == address.Kind {
			keys = append(keys, r.Address.Key)
		}
	}
	near := diag.Nearest(address.Key, keys)
	if near == "" {
		return ""
	}
	return "; did you mean " + resource.Address{Kind: address.Kind, Key: near}.String() + "?"
}

func (d *draft) createsAgain(c *plan.Change) bool {
	return len(c.Fields) > 0 && c.Fields[0].Phase == plan.Creates
}

// namedTwice reports whether an entry with a key and one with an id are one resource.
func (d *mergers) namedTwice(into *plan.Change, s source) bool {
	return s.live != nil && s.said != s.live.ID && slices.Contains(d.merges(into), s.live.ID)
}
