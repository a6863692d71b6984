package plan

import (
	"cmp"
	"errors"
	"slices"

	"adsync/internal/resource"
)

// Done is what a run applied to one resource.
type Done struct {
	Address resource.Address // of then: its key may be another by now
	ID      string           // "" where it is not known
	Action  Action
	Fields  []DoneField
}

// DoneField is an attribute a run applied. An absent Before was never set.
type DoneField struct {
	Name          string
	Before, After resource.Value
}

// Stay is what a run did and nothing takes back.
type Stay struct {
	Address   resource.Address
	Attribute string // "" for the whole resource
	Why       string
}

// Inverse is a run taken back: what is desired then, and what the run left, which
// takes the place of last. The plan of both is computed like every other: what
// somebody changed since the run is a conflict or drift, and is held.
type Inverse struct {
	Desired *resource.Snapshot
	Left    *resource.Snapshot
	Select  Selection
	Stays   []Stay // by address
}

// Invert takes a run back:
//
//	the run               is taken back by
//	updated an attribute  the value it had before
//	paused                active again; held until it is allowed
//	activated             paused
//	created               paused: nothing is archived or deleted
//	archived, replaced    nothing: it cannot be undone
//	adopted               the values it had before; it stays managed
//	noted, forgot         nothing: that is adsync's own record
//	changed the half of   the half it had before, which takes the other's place
//	an exclusive setting
//
// Last is the record of now, and names what is there to be taken back, under its
// key of now where that is another than the run's. Every
// other resource of it stays as it is.
func Invert(schemas resource.Schemas, last *resource.Snapshot, done []Done) Inverse {
	v := inverter{
		schemas: schemas, removed: map[resource.Address]bool{}, Inverse: Inverse{
			Desired: &resource.Snapshot{}, Left: &resource.Snapshot{},
		},
	}
	named := map[string]resource.Address{}
	for r := range last.All() {
		v.Desired.Add(v.asItIs(r))
		named[string(r.Address.Kind)+" "+r.ID] = r.Address
	}
	for _, d := range done {
		now, there := named[string(d.Address.Kind)+" "+d.ID]
		at := last.Get(d.Address)
		switch {
		case d.ID != "" && there:
			d.Address = now
		case d.ID != "" && at != nil && at.ID != "":
			v.stays(d, "", "another one has its address now, "+at.ID)
			continue
		}
		v.take(d)
	}
	slices.SortStableFunc(v.Stays, func(a, b Stay) int {
		return cmp.Or(a.Address.Compare(b.Address), cmp.Compare(a.Attribute, b.Attribute))
	})
	return v.Inverse
}

// asItIs wants of a resource of the record that it stays. One that is archived stays
// so: without a word of that it would be made anew.
func (v *inverter) asItIs(r *resource.Resource) *resource.Resource {
	want := &resource.Resource{Address: r.Address}
	schema := v.schemas.Of(r.Address.Kind)
	if schema != nil && schema.Removed(r) {
		removal := schema.RemovalAttribute().Name
		want.Set(removal, r.Value(removal))
		v.removed[r.Address] = true
	}
	return want
}

// DoneIn is the part of a run that a selection names, under the keys of then. A
// pattern that names nothing of the run is an error.
func DoneIn(schemas resource.Schemas, done []Done, s Selection) ([]Done, error) {
	target, exclude := NewMatcher(schemas, s.Target), NewMatcher(schemas, s.Exclude)
	addresses := make([]resource.Address, len(done))
	var part []Done
	for i, d := range done {
		addresses[i] = d.Address
		targeted, excluded := target.Matches(d.Address), exclude.Matches(d.Address)
		if (targeted || len(s.Target) == 0) && !excluded {
			part = append(part, d)
		}
	}
	const where = "in what the run applied"
	return part, errors.Join(target.unmatchedIn(where, "--target", addresses),
		exclude.unmatchedIn(where, "--exclude", addresses))
}

// inverter grows one inverse.
type inverter struct {
	schemas resource.Schemas
	removed map[resource.Address]bool // archived by now, as adsync recorded
	Inverse
}

func (v *inverter) stays(d Done, attribute, why string) {
	v.Stays = append(v.Stays, Stay{d.Address, attribute, why})
}

func (v *inverter) take(d Done) {
	schema := v.schemas.Of(d.Address.Kind)
	switch {
	case d.Action == Record || d.Action == Forget || len(d.Fields) == 0 && d.Action != Create:
	case schema == nil:
		v.stays(d, "", "this adsync does not know the kind")
	case v.Desired.Get(d.Address) == nil:
		v.stays(d, "", "adsync manages no resource of this address any more")
	case d.Action == Archive:
		v.stays(d, "", "it was archived, and archiving cannot be undone")
	case d.Action == Replace:
		v.stays(d, "", "it was replaced: what was archived cannot be undone")
	case v.removed[d.Address]:
		v.stays(d, "", "it was archived since, and archiving cannot be undone")
	case d.Action == Create:
		v.unmake(schema, d)
	default:
		v.restore(schema, d)
	}
}

// unmake pauses what was created.
func (v *inverter) unmake(schema *resource.Schema, d Done) {
	delivery := schema.Delivery()
	if delivery == "" {
		v.stays(d, "", "it was created and has no status that could be paused; archive it by hand, or in the files")
		return
	}
	left := resource.Text(Paused)
	for _, f := range d.Fields {
		if f.Name == delivery {
			left = f.After
		}
	}
	v.set(d.Address, delivery, resource.Text(Paused), left)
}

func (v *inverter) restore(schema *resource.Schema, d Done) {
	if half, why := d.stuckHalf(schema); why != "" {
		v.stays(d, half, why)
		d.Fields = slices.DeleteFunc(slices.Clone(d.Fields), func(f DoneField) bool {
			return f.Name == half || slices.Contains(schema.Halves(half), f.Name)
		})
	}
	for _, f := range d.Fields {
		a, known := schema.Attribute(f.Name)
		before := f.Before
		if !before.IsSet() {
			before = resource.Null()
		}
		switch {
		case !known || schema.Notes(f.Name):
		case a.Protects:
		case a.Immutable:
			v.stays(d, f.Name, "it cannot change after creation")
		case !before.IsSet() && d.bringsBackHalf(schema, f.Name):
			v.leave(d.Address, f.Name, f.After)
		case !before.IsSet() && !a.Clearable:
			v.stays(d, f.Name, "it had no value before, and cannot be cleared")
		case a.Type == resource.TypeMembers:
			v.stays(d, f.Name, "the list of people of before is not kept")
		case a.Spend == resource.Delivery && before.Text() == schema.Removal:
			v.stays(d, f.Name, "it was archived before")
		default:
			v.set(d.Address, f.Name, before, f.After)
		}
	}
}

// stuckHalf returns a half of an exclusive setting that cannot take the place of the
// one the run left, by the rules of the service, and why.
func (d *Done) stuckHalf(schema *resource.Schema) (half, why string) {
	value := func(of func(*DoneField) resource.Value) func(string) resource.Value {
		return func(name string) resource.Value {
			if i := slices.IndexFunc(d.Fields, func(f DoneField) bool { return f.Name == name }); i >= 0 {
				return of(&d.Fields[i])
			}
			return resource.Value{}
		}
	}
	none := func(resource.Kind, string) resource.Value { return resource.Value{} }
	see := &resource.View{Above: none, AboveLive: none, Named: func(string, string) resource.Value {
		return resource.Value{}
	},
		Value: value(func(f *DoneField) resource.Value { return f.Before }),
		Live:  value(func(f *DoneField) resource.Value { return f.After })}
	for _, rule := range schema.Across {
		for _, found := range rule.Check(see) {
			if len(schema.Halves(found.Attribute)) > 0 &&
				see.Value(found.Attribute).IsSet() && !see.Live(found.Attribute).IsSet() {
				return found.Attribute, "it cannot take the place of what the run left (" + rule.Name + ")"
			}
		}
	}
	return "", ""
}

// bringsBackHalf reports whether another half of an exclusive setting comes back in the
// place of an attribute: a daily budget of a lifetime one.
func (d *Done) bringsBackHalf(schema *resource.Schema, name string) bool {
	halves := schema.Halves(name)
	return slices.ContainsFunc(d.Fields, func(f DoneField) bool {
		return f.Before.IsSet() && slices.Contains(halves, f.Name)
	})
}

// set wants a value again where there still is what the run left.
func (v *inverter) set(at resource.Address, name string, before, left resource.Value) {
	v.Desired.Get(at).Set(name, before)
	v.leave(at, name, left)
}

func (v *inverter) leave(at resource.Address, name string, left resource.Value) {
	if v.Left.Get(at) == nil {
		v.Left.Add(&resource.Resource{Address: at})
		v.Select.Target = append(v.Select.Target, Pattern{Text: at.String()})
	}
	v.Left.Get(at).Set(name, left)
}

// Leaving returns last with what a run left in the place of what is recorded. What
// is recorded just so keeps the normal form the service gave it. Where a later run has
// written something else and the account holds what the run left again, that is
// somebody's doing, and what is recorded stays.
func Leaving(last, left, live *resource.Snapshot) *resource.Snapshot {
	if left.Len() == 0 {
		return last
	}
	with := &resource.Snapshot{}
	for r := range last.All() {
		one := r
		if l := left.Get(r.Address); l != nil {
			copied := *r
			copied.Attributes, copied.Normal = slices.Clone(r.Attributes), slices.Clone(r.Normal)
			now := live.Get(r.Address)
			for _, n := range l.Attributes {
				was := r.Value(n.Name)
				again := was.IsSet() && n.Value.IsSet() && now != nil && now.Value(n.Name).Equal(n.Value)
				if !was.Equal(n.Value) && !again {
					copied.Attributes.Set(n.Name, n.Value)
					copied.Normal.Set(n.Name, resource.Value{})
				}
			}
			one = &copied
		}
		with.Add(one)
	}
	return with
}
