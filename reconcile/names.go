package reconcile

import (
	"fmt"
	"slices"

	"adsync/internal/resource"
)

// Creates that name others of the same plan by their keys come after those, with
// the ids these were given.

// naming puts creates in the order in which they name each other.
type naming struct {
	*Env
	*run
}

// inTurn takes from creates those that name none of the others, and leaves the
// rest for later. It takes something of every list that is not empty.
func (r *naming) inTurn(parts []part) (now, later []part) {
	coming := map[resource.Address]bool{}
	for _, p := range parts {
		coming[p.change.Address] = true
	}
	for _, p := range parts {
		if slices.ContainsFunc(r.namedBy(p), func(a resource.Address) bool { return coming[a] }) {
			later = append(later, p)
			continue
		}
		now = append(now, p)
	}
	if len(now) == 0 {
		return parts, nil
	}
	return now, later
}

// namedBy returns what a part still names by its key.
func (r *naming) namedBy(p part) (addresses []resource.Address) {
	schema := r.Schemas.Of(p.change.Address.Kind)
	for _, f := range p.fields {
		if a, ok := schema.Attribute(f.Name); !ok || a.Of == "" {
			continue
		}
		for _, said := range f.Desired.Entries() {
			if address, byKey := resource.ParseAddress(said); byKey {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}

// withIDs writes the ids of what the parts name by key, and drops those of which
// something is not confirmed.
func (r *naming) withIDs(parts []part) (ready []part) {
	for _, p := range parts {
		names := r.namedBy(p)
		if at := slices.IndexFunc(names, func(a resource.Address) bool { return r.ids[a] == "" || !r.fine(a) }); at >=
			0 && r.forecast == nil {
			r.skip(p.change.Address, fmt.Sprintf("waits: %s, which it names, is not confirmed", names[at]))
			continue
		}
		if len(names) > 0 && r.forecast == nil {
			p = r.named(p)
		}
		ready = append(ready, p)
	}
	return ready
}

// named returns a part the ids of all it names.
func (r *naming) named(p part) part {
	schema := r.Schemas.Of(p.change.Address.Kind)
	p.fields = slices.Clone(p.fields)
	for i := range p.fields {
		f := &p.fields[i]
		if a, ok := schema.Attribute(f.Name); ok && a.Of != "" {
			f.Desired = a.ByIDs(f.Desired, func(a resource.Address) string { return r.ids[a] })
		}
	}
	return p
}
