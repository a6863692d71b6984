package live

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/state"
)

// Import is what of an account adsync does not manage yet, as files would say it.
type Import struct {
	Snapshot *resource.Snapshot // under addresses neither the files nor the record have
	Managed  int                // live resources the files or the record have already
	Waiting  []resource.Address // beneath what the files name and adsync does not manage: adopting comes first
	Unsaid   []Unsaid           // what the service holds and no file may say

	live    map[resource.Address]*resource.Resource // as the service has it; the snapshot has what files say
	placed  map[string]resource.Address             // of all that is live, by id
	desired *resource.Snapshot                      // of the files that are there
}

// Unsaid is a value that is left out of the files, so that nothing manages it.
type Unsaid struct {
	Address   resource.Address
	Attribute string
	Why       string
}

// Import reads the account and gives what is neither in the record nor named by
// the files: under the slugs of the names, as Export does. It changes nothing.
func (a *refreshing) Import(ctx context.Context, desired *resource.Snapshot) (*Import, error) {
	last, live, err := a.lastAndLive(ctx)
	if err != nil {
		return nil, err
	}
	// what is ambiguous stays somebody else's, and is imported
	identified, _ := plan.Identify(a.Schemas, last, desired, live.Resources)
	e := exporter{
		schemas: a.Schemas, bound: map[string]resource.Address{},
		placed: map[string]resource.Address{}, snapshot: &resource.Snapshot{}, taken: desired, last: last,
	}
	for r := range identified.All() {
		if last.Get(r.Address) != nil || desired.Get(r.Address) != nil {
			e.bound[r.ID] = r.Address
		}
	}
	e.placeAll(live.Resources)
	found := e.unmanaged(live)
	found.placed, found.desired = e.placed, desired
	found.asFiles(a.Env)
	return found, nil
}

// NameByKeys has what is imported name others by their keys, as people do, where
// these are imported too or in the files: the last thing before it is written.
func (i *Import) NameByKeys(schemas resource.Schemas) {
	nameByKeys(schemas, i.Snapshot, func(id string) resource.Address {
		address := i.placed[id]
		if r := i.desired.Get(address); r != nil && !schemas.Of(address.Kind).Removed(r) ||
			i.Snapshot.Get(address) != nil {
			return address
		}
		return resource.Address{}
	})
}

// asFiles brings every value into the form it has once a file is read: trimmed, in
// one Unicode form. What reading would refuse is left out.
func (i *Import) asFiles(a *env.Env) {
	env := resource.Env{Currency: a.Account.Currency, Zone: a.Zone}
	for r := range i.Snapshot.All() {
		said := *r
		said.Attributes = nil
		schema := a.Schemas.Of(r.Address.Kind)
		for _, n := range r.Attributes {
			attribute, _ := schema.Attribute(n.Name)
			v, finding := asRead(attribute, n.Value, env)
			if finding != nil {
				i.Unsaid = append(i.Unsaid, Unsaid{r.Address, n.Name, finding.Message})
				continue
			}
			said.Attributes.Set(n.Name, v)
		}
		i.Snapshot.Put(&said)
	}
}

// asRead reads a text as a file would hold it; every other value is as it is.
func asRead(a *resource.Attribute, v resource.Value, env resource.Env) (resource.Value, *resource.Finding) {
	_, isNumber := v.Number()
	switch {
	case !v.IsSet() || isNumber || a.Type == resource.TypeImage || a.Type == resource.TypeMembers:
		return v, nil
	case a.Type.IsList() && len(v.Items()) == 0:
		return v, nil
	case a.Type.IsList():
		again, findings := a.ParseList(v.Items())
		if len(findings) > 0 {
			return v, &findings[0].Finding
		}
		return again, nil
	}
	return a.Parse(v.Text(), env)
}

// unmanaged takes what is managed out of an export.
func (e *exporter) unmanaged(live *Live) *Import {
	found := &Import{Snapshot: &resource.Snapshot{}, live: map[resource.Address]*resource.Resource{}}
	for _, r := range live.Resources {
		address, placed := e.placed[r.ID]
		if !placed {
			continue
		}
		parent := e.schemas.Parent(address)
		switch {
		case e.bound[r.ID] == address:
			found.Managed++
		case !parent.IsZero() && e.bound[r.ParentID] == parent && e.last.Get(parent) == nil:
			found.Waiting = append(found.Waiting, address)
		default:
			found.Snapshot.Add(e.snapshot.Get(address))
			found.live[address] = r
		}
	}
	for _, address := range found.Snapshot.Addresses() {
		if e.waits(found, address) {
			found.Snapshot.Remove(address)
			found.Waiting = append(found.Waiting, address)
		}
	}
	return found
}

// waits reports whether something above a resource is neither imported nor managed.
func (e *exporter) waits(found *Import, address resource.Address) bool {
	parent := e.schemas.Parent(address)
	return !parent.IsZero() && found.Snapshot.Get(parent) == nil && e.last.Get(parent) == nil
}

// Only keeps the trees whose top one of the patterns fits, by key, name or id,
// and returns the patterns that fit none. A star stands for any text. What nothing can
// stand beneath is no tree.
func (i *Import) Only(schemas resource.Schemas, patterns []string) (unused []string) {
	used := map[string]bool{}
	kept := map[resource.Address]bool{}
	for r := range i.Snapshot.All() {
		parent := schemas.Parent(r.Address)
		kept[r.Address] = kept[parent]
		if !parent.IsZero() && i.Snapshot.Get(parent) != nil {
			continue
		}
		if len(schemas.ChildrenOf(r.Address.Kind)) == 0 {
			continue
		}
		for _, pattern := range patterns {
			schema := schemas.Of(r.Address.Kind)
			if fitsAny(pattern, r.Address.Key, r.Address.String(), schema.NameOf(r), r.ID) {
				kept[r.Address], used[pattern] = true, true
			}
		}
	}
	for _, a := range i.Snapshot.Addresses() {
		if !kept[a] {
			i.Snapshot.Remove(a)
		}
	}
	i.Unsaid = slices.DeleteFunc(i.Unsaid, func(u Unsaid) bool { return !kept[u.Address] })
	for _, pattern := range patterns {
		if !used[pattern] {
			unused = append(unused, pattern)
		}
	}
	return unused
}

func fitsAny(pattern string, texts ...string) bool {
	for _, text := range texts {
		if fits(strings.Split(pattern, "*"), text) {
			return true
		}
	}
	return false
}

// fits reports whether a text consists of the parts with anything between them.
func fits(parts []string, text string) bool {
	rest, begins := strings.CutPrefix(text, parts[0])
	if len(parts) == 1 || !begins {
		return begins && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// Agreeing returns what is recorded of an import once its files stand: ids, and
// the values as the files say them, with the form the service gives them where
// that is another. A value the files would change is an error.
func (i *Import) Agreeing(schemas resource.Schemas, desired *resource.Snapshot) ([]state.Applied, error) {
	var applied []state.Applied
	ids := map[resource.Address]string{}
	for id, address := range i.placed {
		ids[address] = id
	}
	for _, address := range i.Snapshot.Addresses() {
		live, written := i.live[address], desired.Get(address)
		if written == nil || written.ID != live.ID {
			return nil, fmt.Errorf("%s would not be read again from its file", address)
		}
		schema := schemas.Of(address.Kind)
		written = schema.Renamed(written, func(a *resource.Attribute, v resource.Value) resource.Value {
			return a.ByIDs(v, func(at resource.Address) string { return ids[at] })
		})
		attributes, normal, differs := RecordedAs(schema, live, written)
		if len(differs) > 0 {
			attribute, _ := schema.Attribute(differs[0])
			return nil, fmt.Errorf("%s: %s is %s and its file would say %s",
				address, differs[0], attribute.Show(live.Value(differs[0])), attribute.Show(written.Value(differs[0])))
		}
		applied = append(applied, state.Applied{
			Address: address, ID: live.ID, ParentID: live.ParentID,
			Attributes: attributes, Normal: normal, Replace: true,
		})
	}
	return applied, nil
}

// RecordedAs returns what is recorded of a live resource that the files describe:
// what is live, in the form the files have of it, and what they say otherwise.
func RecordedAs(schema *resource.Schema, live, written *resource.Resource) (attributes,
	normal resource.Attributes, differs []string) {
	for k := range schema.Attributes {
		a := &schema.Attributes[k]
		have, says := live.Value(a.Name), written.Value(a.Name)
		switch {
		case says.IsAbsent() || says.Equal(have) || says.IsNull() && have.IsAbsent():
			attributes.Set(a.Name, have)
		case have.IsSet() && sameMeaning(a, says, have):
			attributes.Set(a.Name, says)
			normal.Set(a.Name, have)
		default:
			attributes.Set(a.Name, have)
			differs = append(differs, a.Name)
		}
	}
	return attributes, normal, differs
}
