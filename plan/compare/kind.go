package compare

import (
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// kind is a schema, indexed for comparing.
type kind struct {
	schema     *resource.Schema
	attributes map[string]*resource.Attribute
	delivery   string                  // name of the attribute that governs delivery, "" where none does
	removal    string                  // name of the attribute that removes a resource, "" where none does
	protect    string                  // name of the attribute that protects it, "" where none does
	required   []*resource.Attribute   // those the files must give before a create
	defaulted  []*resource.Attribute   // those a create gives where the files do not
	naming     []*resource.Attribute   // those that name resources of another kind by their ids
	caps       []*resource.Attribute   // the amounts that cap what a resource spends
	without    []*resource.Attribute   // those that a resource should not start without unsaid
	starts     map[uint64]*plan.Start  // what is started without, by what it lacks; see lacking
	money      []string                // names of the attributes that possible spend depends on, sorted
	first      string                  // name of the attribute with the first day it spends or holds, "" for none
	last       string                  // and with the last
	gate       bool                    // its status stops the whole account
	whole      map[string]string       // attribute to the setting it is sent whole with
	members    map[string][]string     // the attributes of such a setting, sorted
	halves     map[string][]string     // attribute to the others of its exclusive setting
	exclusive  [][]*resource.Attribute // exclusive settings: a create gives exactly one attribute of each
	alive      int                     // so many are live and not archived
}

func describe(s *resource.Schema) *kind {
	k := &kind{
		schema: s, starts: map[uint64]*plan.Start{}, attributes: map[string]*resource.Attribute{},
		whole: map[string]string{}, members: map[string][]string{}, halves: map[string][]string{},
	}
	exclusive := map[string][]*resource.Attribute{}
	if a := s.RemovalAttribute(); a != nil {
		k.removal = a.Name
	}
	for i := range s.Noted {
		k.attributes[s.Noted[i].Name] = &s.Noted[i]
	}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		k.attributes[a.Name] = a
		if a.Spend == resource.Delivery {
			k.delivery = a.Name
		}
		switch {
		case a.OnCreate && a.Default == "":
			k.required = append(k.required, a)
		case a.OnCreate && !a.Protects:
			k.defaulted = append(k.defaulted, a)
		}
		if a.Of != "" {
			k.naming = append(k.naming, a)
		}
		if a.Without != nil {
			k.without = append(k.without, a)
		}
		switch a.Type {
		case resource.TypeDay:
			k.first = a.Name
		case resource.TypeLast:
			k.last = a.Name
		}
		if a.Protects {
			k.protect = a.Name
		}
		if a.Spend == resource.Amount && a.Per != "" {
			k.caps = append(k.caps, a)
		}
		if a.Spend == resource.Amount || a.Spend == resource.Delivery || a.Spend == resource.Cover ||
			a.Type == resource.TypeDay || a.Type == resource.TypeLast || a.Name == k.removal {
			k.money = append(k.money, a.Name)
		}
		g, ok := s.Group(a)
		if !ok {
			continue
		}
		if g.Exclusive {
			exclusive[g.Wire] = append(exclusive[g.Wire], a)
			continue
		}
		k.whole[a.Name] = g.Wire
		k.members[g.Wire] = append(k.members[g.Wire], a.Name)
	}
	slices.Sort(k.money)
	k.gate = s.Only != "" && k.delivery != ""
	for _, members := range k.members {
		slices.Sort(members)
	}
	for _, g := range s.Groups {
		k.addExclusive(exclusive[g.Wire])
	}
	return k
}

func (k *kind) addExclusive(attributes []*resource.Attribute) {
	if len(attributes) == 0 {
		return
	}
	k.exclusive = append(k.exclusive, attributes)
	for _, a := range attributes {
		for _, other := range attributes {
			if other != a {
				k.halves[a.Name] = append(k.halves[a.Name], other.Name)
			}
		}
	}
}

// notes reports whether the attribute is what adsync notes beside those of the files.
func (k *kind) notes(a *resource.Attribute) bool {
	for i := range k.schema.Noted {
		if a == &k.schema.Noted[i] {
			return true
		}
	}
	return false
}

// spends reports whether what an account can spend depends on resources of the kind.
func (k *kind) spends() bool { return len(k.caps) > 0 || k.gate }

// counts reports whether resources of the kind spend themselves.
func (k *kind) counts() bool { return len(k.caps) > 0 && !k.schema.Caps }

// archived reports whether the resource's own status removes it.
func (k *kind) archived(r *resource.Resource) bool {
	return k.removal != "" && textOf(r, k.removal) == k.schema.Removal
}

// delivers reports whether the resource's own status lets it spend.
func (k *kind) delivers(r *resource.Resource) bool {
	return k.delivery != "" && textOf(r, k.delivery) == plan.Active
}

// textOf returns the text of an attribute, "" where it has none.
func textOf(r *resource.Resource, name string) string {
	if v := r.Attributes.At(name); v != nil {
		return v.Text()
	}
	return ""
}

// write sets an attribute as the service does: the other halves of an exclusive
// setting go, and what is cleared is not there.
func (k *kind) write(r *resource.Resource, name string, v resource.Value) {
	if !v.IsSet() {
		r.Set(name, resource.Value{})
		return
	}
	for _, half := range k.halves[name] {
		r.Set(half, resource.Value{})
	}
	r.Set(name, v)
}

// overlay returns the live resource with the fields written that pass: itself where
// none does.
func (k *kind) overlay(live *resource.Resource, fields []plan.Field, passes func(*plan.Field) bool) *resource.Resource {
	if live != nil && !plan.AnyField(fields, passes) {
		return live
	}
	after := &resource.Resource{}
	if live != nil {
		*after = *live
	}
	after.Attributes = append(make(resource.Attributes, 0, len(after.Attributes)+unsaid(after, fields)),
		after.Attributes...)
	for i := range fields {
		if passes(&fields[i]) && k.goesAlong(fields, fields[i].Name, passes) {
			k.write(after, fields[i].Name, fields[i].Desired)
		}
	}
	return after
}

// written returns a value as overlay leaves it, without a copy of the resource.
func (k *kind) written(live *resource.Resource, fields []plan.Field,
	passes func(*plan.Field) bool, name string) resource.Value {
	v, halves := valueOf(live, name), k.halves[name]
	for i := range fields {
		f := &fields[i]
		own := f.Name == name
		switch {
		case !own && !slices.Contains(halves, f.Name) || !passes(f) || !k.goesAlong(fields, f.Name, passes):
		case own && f.Desired.IsSet():
			v = f.Desired
		case own || f.Desired.IsSet():
			v = resource.Value{}
		}
	}
	return v
}

// spending returns what overlay gives, with what possible spend depends on alone.
func (k *kind) spending(live *resource.Resource, fields []plan.Field,
	passes func(*plan.Field) bool) *resource.Resource {
	if live != nil && !plan.AnyField(fields, passes) {
		return live
	}
	var room [8]resource.Named
	said := room[:0]
	for _, name := range k.money {
		if v := k.written(live, fields, passes, name); !v.IsAbsent() {
			said = append(said, resource.Named{Name: name, Value: v})
		}
	}
	after := &resource.Resource{Attributes: slices.Clone(said)}
	if live != nil {
		after.Address, after.ID = live.Address, live.ID
	}
	return after
}

// unsaid counts the fields a resource does not give yet.
func unsaid(r *resource.Resource, fields []plan.Field) int {
	n := 0
	for i := range fields {
		if r.Attributes.At(fields[i].Name) == nil {
			n++
		}
	}
	return n
}
