package drafting

import (
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// Kind is a schema, indexed for comparing.
type Kind struct {
	Schema     *resource.Schema
	Attributes map[string]*resource.Attribute
	Delivery   string                  // name of the attribute that governs delivery, "" where none does
	Removal    string                  // name of the attribute that removes a resource, "" where none does
	Protect    string                  // name of the attribute that protects it, "" where none does
	Required   []*resource.Attribute   // those the files must give before a create
	Defaulted  []*resource.Attribute   // those a create gives where the files do not
	Naming     []*resource.Attribute   // those that name resources of another kind by their ids
	Caps       []*resource.Attribute   // the amounts that cap what a resource spends
	Without    []*resource.Attribute   // those that a resource should not start without unsaid
	Starts     map[uint64]*plan.Start  // what is started without, by what it lacks; see lacking
	money      []string                // names of the attributes that possible spend depends on, sorted
	First      string                  // name of the attribute with the first day it spends or holds, "" for none
	Last       string                  // and with the last
	Gate       bool                    // its status stops the whole account
	Whole      map[string]string       // attribute to the setting it is sent whole with
	Members    map[string][]string     // the attributes of such a setting, sorted
	Halves     map[string][]string     // attribute to the others of its exclusive setting
	Exclusive  [][]*resource.Attribute // exclusive settings: a create gives exactly one attribute of each
	Alive      int                     // how many count against the limit of the kind
}

// Describe indexes a schema.
func Describe(s *resource.Schema) *Kind {
	k := &Kind{
		Schema: s, Starts: map[uint64]*plan.Start{},
		Attributes: make(map[string]*resource.Attribute, len(s.Attributes)+len(s.Noted)),
		Whole:      map[string]string{}, Members: map[string][]string{}, Halves: map[string][]string{},
	}
	exclusive := map[string][]*resource.Attribute{}
	if a := s.RemovalAttribute(); a != nil {
		k.Removal = a.Name
	}
	for i := range s.Noted {
		k.Attributes[s.Noted[i].Name] = &s.Noted[i]
	}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		k.Attributes[a.Name] = a
		if a.Spend == resource.Delivery {
			k.Delivery = a.Name
		}
		switch {
		case a.OnCreate && a.Default == "":
			k.Required = append(k.Required, a)
		case a.OnCreate && !a.Protects:
			k.Defaulted = append(k.Defaulted, a)
		}
		if a.Of != "" {
			k.Naming = append(k.Naming, a)
		}
		if a.Without != nil {
			k.Without = append(k.Without, a)
		}
		switch a.Type {
		case resource.TypeDay:
			k.First = a.Name
		case resource.TypeLast:
			k.Last = a.Name
		}
		if a.Protects {
			k.Protect = a.Name
		}
		if a.Spend == resource.Amount && a.Per != "" {
			k.Caps = append(k.Caps, a)
		}
		if OfSpend(a) || a.Spend == resource.Delivery || a.Spend == resource.Cover ||
			a.Type == resource.TypeDay || a.Type == resource.TypeLast || a.Name == k.Removal {
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
		k.Whole[a.Name] = g.Wire
		k.Members[g.Wire] = append(k.Members[g.Wire], a.Name)
	}
	slices.Sort(k.money)
	k.Gate = s.Only != "" && k.Delivery != ""
	for _, members := range k.Members {
		slices.Sort(members)
	}
	for _, g := range s.Groups {
		k.addExclusive(exclusive[g.Wire])
	}
	return k
}

func (k *Kind) addExclusive(attributes []*resource.Attribute) {
	if len(attributes) == 0 {
		return
	}
	k.Exclusive = append(k.Exclusive, attributes)
	for _, a := range attributes {
		for _, other := range attributes {
			if other != a {
				k.Halves[a.Name] = append(k.Halves[a.Name], other.Name)
			}
		}
	}
}

// Notes reports whether the attribute is what adsync notes beside those of the files.
func (k *Kind) Notes(a *resource.Attribute) bool {
	for i := range k.Schema.Noted {
		if a == &k.Schema.Noted[i] {
			return true
		}
	}
	return false
}

// Spends reports whether what an account can spend depends on resources of the kind.
func (k *Kind) Spends() bool { return len(k.Caps) > 0 || k.Gate }

// Counts reports whether resources of the kind spend themselves.
func (k *Kind) Counts() bool { return len(k.Caps) > 0 && !k.Schema.Caps }

// Archived reports whether the resource's own status removes it.
func (k *Kind) Archived(r *resource.Resource) bool {
	return k.Removal != "" && textOf(r, k.Removal) == k.Schema.Removal
}

// Delivers reports whether the resource's own status lets it spend.
func (k *Kind) Delivers(r *resource.Resource) bool {
	return k.Delivery != "" && textOf(r, k.Delivery) == plan.Active
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
func (k *Kind) write(r *resource.Resource, name string, v resource.Value) {
	if !v.IsSet() {
		r.Set(name, resource.Value{})
		return
	}
	for _, half := range k.Halves[name] {
		r.Set(half, resource.Value{})
	}
	r.Set(name, v)
}

// Overlay returns the live resource with the fields written that pass: itself where
// none does.
func (k *Kind) Overlay(live *resource.Resource, fields []plan.Field, passes func(*plan.Field) bool) *resource.Resource {
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

// Written returns a value as overlay leaves it, without a copy of the resource.
func (k *Kind) Written(live *resource.Resource, fields []plan.Field,
	passes func(*plan.Field) bool, name string) resource.Value {
	v, halves := ValueOf(live, name), k.Halves[name]
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

// Spending returns what overlay gives, with what possible spend depends on alone.
func (k *Kind) Spending(live *resource.Resource, fields []plan.Field,
	passes func(*plan.Field) bool) *resource.Resource {
	if live != nil && !plan.AnyField(fields, passes) {
		return live
	}
	var room [8]resource.Named
	said := room[:0]
	for _, name := range k.money {
		if v := k.Written(live, fields, passes, name); !v.IsAbsent() {
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
