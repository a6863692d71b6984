package resource

import (
	"slices"
	"strings"
)

// Called returns a value of the ids, in the form and at the place of another, that
// says for people how each of them is called. Ids of a list come sorted, each once.
func (a *Attribute) Called(v Value, ids, names []string) Value {
	if v.Items() == nil {
		return Text(ids[0]).As(names[0]).At(v.Position)
	}
	ids = withNames(a, v, ids)
	called := map[string]string{}
	for i, id := range ids {
		called[id] = names[i]
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	said := make([]string, len(sorted))
	for i, id := range sorted {
		said[i] = called[id]
	}
	return List(sorted).As(strings.Join(said, betweenNames)).At(v.Position)
}

// withNames returns the entries of a value with other names.
func withNames(a *Attribute, v Value, names []string) []string {
	if a.Type != TypeFactors {
		return names
	}
	entries := make([]string, len(names))
	for i, f := range v.Factors() {
		entries[i] = Factor{names[i], f.Micros}.String()
	}
	return entries
}

// betweenNames stands in no id and in no address.
const betweenNames = ", "

// Shown returns the entries of a value as people read them: what is called by a key,
// with its id.
func (a *Attribute) Shown(v Value) []string {
	entries, ids := v.Entries(), a.Names(v)
	names := strings.Split(v.Written(), betweenNames)
	if a.Addressed == "" || len(names) != len(ids) {
		return entries
	}
	shown := slices.Clone(ids)
	for i, name := range names {
		if name != "" && name != ids[i] { // a single one that nothing else is known of has no name
			shown[i] = name + " (" + ids[i] + ")"
		}
	}
	return withNames(a, v, shown)
}

// ByKeys returns a value with addresses in place of the ids of what has one, of an
// attribute that takes both; every other value is as it is.
func (a *Attribute) ByKeys(v Value, address func(id string) Address) Value {
	return a.renamed(v, func(said string) string {
		if at := address(said); at.Kind == a.Addressed {
			return at.String()
		}
		return said
	})
}

// ByIDs returns a value with ids in place of the addresses of what has one.
func (a *Attribute) ByIDs(v Value, id func(Address) string) Value {
	return a.renamed(v, func(said string) string {
		address, byKey := ParseAddress(said)
		if known := id(address); byKey && known != "" {
			return known
		}
		return said
	})
}

func (a *Attribute) renamed(v Value, name func(said string) string) Value {
	if a.Addressed == "" {
		return v
	}
	names := slices.Clone(a.Names(v))
	for i, said := range names {
		names[i] = name(said)
	}
	entries := withNames(a, v, names)
	switch {
	case slices.Equal(entries, v.Entries()):
		return v
	case v.Items() == nil:
		return Text(entries[0]).At(v.Position)
	}
	slices.Sort(entries)
	return List(slices.Compact(entries)).At(v.Position)
}

// Renamed returns a resource with values of its attributes in another form; itself
// where none has one.
func (s *Schema) Renamed(r *Resource, name func(a *Attribute, v Value) Value) *Resource {
	copied := *r
	changed := false
	for i := range s.Attributes {
		a := &s.Attributes[i]
		v := r.Value(a.Name)
		if a.Addressed == "" || len(v.Entries()) == 0 {
			continue
		}
		if named := name(a, v); !named.Equal(v) {
			if !changed {
				copied.Attributes, changed = slices.Clone(r.Attributes), true
			}
			copied.Set(a.Name, named)
		}
	}
	if !changed {
		return r
	}
	return &copied
}
