package drafting

import (
	"adsync/internal/resource"
)

// IdOf is the id of what is named by key and is, or was, at the service, "" for
// anything else.
func (d *Tree) IdOf(said string) string {
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

// LiveByID returns what is live of a kind by its ids.
func (d *Tree) LiveByID(kind resource.Kind) map[string]*resource.Resource {
	if d.byID == nil {
		d.byID = map[resource.Kind]map[string]*resource.Resource{}
	}
	if d.byID[kind] == nil {
		d.byID[kind] = map[string]*resource.Resource{}
		for i := range d.All {
			if t := &d.All[i]; t.Live != nil && t.Address.Kind == kind {
				d.byID[kind][t.Live.ID] = t.Live
			}
		}
	}
	return d.byID[kind]
}

// ArchivedID reports whether an id is of what is archived at the service.
func (d *Tree) ArchivedID(kind resource.Kind, id string) bool {
	live, known := d.LiveByID(kind)[id]
	return known && d.Kinds[kind].Archived(live)
}

// Source is a resource whose people a merge takes.
type Source struct {
	Said    string
	Address resource.Address // zero where nobody knows it
	Live    *resource.Resource
}

// SourceOf finds what an entry of a merge means: the address of a resource of the
// files, or else an id at the service.
func (d *Tree) SourceOf(kind resource.Kind, said string) Source {
	if address, keyed := resource.ParseAddress(said); keyed {
		return Source{said, address, d.Live.Get(address)}
	}
	for live := range d.Live.All() {
		if live.Address.Kind == kind && live.ID == said {
			return Source{said, live.Address, live}
		}
	}
	return Source{Said: said}
}
