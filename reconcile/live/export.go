package live

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/resource"
)

// Export reads the account and gives what is not removed in it as files would
// say it: bound resources under the addresses they have, the rest under the
// slugs of their names, every one with its id and with what only the service says
// of it.
func (a *refreshing) Export(ctx context.Context) (*resource.Snapshot, error) {
	last, live, err := a.lastAndLive(ctx)
	if err != nil {
		return nil, err
	}
	e := exporter{
		schemas: a.Schemas,
		bound:   map[string]resource.Address{}, placed: map[string]resource.Address{}, snapshot: &resource.Snapshot{},
	}
	for r := range last.All() {
		e.bound[r.ID] = r.Address
	}
	e.placeAll(live.Resources)
	nameByKeys(a.Schemas, e.snapshot, func(id string) resource.Address { return e.placed[id] })
	return e.snapshot, nil
}

// lastAndLive reads the record and the account, with what only the service says.
func (a *refreshing) lastAndLive(ctx context.Context) (*resource.Snapshot, *Live, error) {
	if err := a.CheckAccount(ctx); err != nil {
		return nil, nil, err
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the last-applied record: %w", err)
	}
	live, err := a.refreshWithFacts(ctx, last)
	if err != nil {
		return nil, nil, fmt.Errorf("read the live account: %w", err)
	}
	return last, live, nil
}

// nameByKeys has the resources of a snapshot name others by their keys, as people
// do, where these have one.
func nameByKeys(schemas resource.Schemas, s *resource.Snapshot, address func(id string) resource.Address) {
	for r := range s.All() {
		s.Put(schemas.Of(r.Address.Kind).Renamed(r, func(a *resource.Attribute, v resource.Value) resource.Value {
			return a.ByKeys(v, address)
		}))
	}
}

type exporter struct {
	schemas  resource.Schemas
	bound    map[string]resource.Address
	placed   map[string]resource.Address // by id
	snapshot *resource.Snapshot
	taken    *resource.Snapshot // of the files: nothing else gets an address of theirs
	last     *resource.Snapshot // where an import asks what is managed
}

// placeAll puts resources under their addresses, kind by kind. Bound ones go first, so
// that nobody else's takes their key.
func (e *exporter) placeAll(live []*resource.Resource) {
	for _, schema := range e.schemas {
		for _, bound := range []bool{true, false} {
			for _, r := range live {
				if r.Address.Kind != schema.Kind || (e.bound[r.ID] != resource.Address{}) != bound {
					continue
				}
				e.placeOne(schema, r)
			}
		}
	}
}

func (e *exporter) placeOne(schema *resource.Schema, r *resource.Resource) {
	parent := e.placed[r.ParentID]
	if schema.Parent != "" && parent.IsZero() || schema.Removed(r) {
		return
	}
	address := e.bound[r.ID]
	if schema.Only != "" {
		address = resource.Address{Kind: schema.Kind, Key: schema.Only}
	}
	if address.IsZero() || schema.Parent != "" && e.schemas.Parent(address) != parent {
		address = e.free(parent, schema, r)
	}
	e.placed[r.ID] = address
	e.snapshot.Add(&resource.Resource{
		Address: address, ID: r.ID, Attributes: saidOnce(schema, r.Attributes), Facts: r.Facts,
	})
}

// longestSlug bounds the keys made of names; a key has at most 200 characters.
const longestSlug = 80

// saidOnce leaves out what another attribute says too.
func saidOnce(schema *resource.Schema, attributes resource.Attributes) resource.Attributes {
	var also []string
	for _, a := range schema.Attributes {
		if len(a.Wire.Same) > 0 && attributes.Value(a.Name).IsSet() {
			also = append(also, a.Wire.Same...)
		}
	}
	if len(also) == 0 {
		return attributes
	}
	return slices.DeleteFunc(slices.Clone(attributes), func(n resource.Named) bool {
		a, ok := schema.Attribute(n.Name)
		return ok && slices.Contains(also, a.Wire.Path)
	})
}

// free finds a key under the parent that nothing has yet.
func (e *exporter) free(parent resource.Address, schema *resource.Schema, r *resource.Resource) resource.Address {
	slug := resource.Slug(schema.NameOf(r))
	if slug == "" {
		slug = resource.Slug(r.ID)
	}
	slug = strings.TrimRight(slug[:min(len(slug), longestSlug)], "-")
	for n := 1; ; n++ {
		key := slug
		if n > 1 {
			key += "-" + strconv.Itoa(n)
		}
		if address := parent.Down(schema.Kind, key); e.snapshot.Get(address) == nil &&
			e.taken.Get(address) == nil && e.last.Get(address) == nil {
			return address
		}
	}
}
