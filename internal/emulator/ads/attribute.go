package ads

import (
	"encoding/json"
	"maps"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Calls is a set of the requests that may give an attribute.
type Calls int

// The requests that make and change an object, alone and in bulk jobs.
const (
	Create Calls = 1 << iota
	Update
	BulkCreate
	BulkUpdate
)

// Form says what the values of an attribute look like, and reads them.
type Form struct {
	JSON        string // string, strings or object
	Least, Most int    // characters of a string, entries of a list; Most 0: no bound
	// Record and Change are what OpenAPI calls an object as it is shown and as it is given.
	Record, Change string
	read           func(o *wire.Object, name string) wire.Opt[any]
}

// Attribute is all that the emulator knows of one attribute of an ad group.
type Attribute struct {
	Name string
	Form
	In     Calls // the requests that may give it
	Needed Calls // those of them that must
	Clears bool  // null clears it
	Hidden bool  // it is never shown
	// Own attributes are read by code of their own.
	Own bool

	record column                                          // where the record has it; none: among its values
	keep   func(points *openpoint.Settings, given any) any // how a value is kept; nil: as it was given
	none   any                                             // what a create keeps that does not give it
	show   func(points *openpoint.Settings, kept any) any  // how it is shown; nil: as it is kept
	check  func(c world.Campaign, g world.AdGroup) error   // against the rest of the ad group and its campaign
}

// textOf returns the form of strings.
func textOf(least, most int) Form {
	return Form{JSON: "string", Least: least, Most: most, read: func(o *wire.Object, name string) wire.Opt[any] {
		v := o.Text(name, least, most)
		return wire.Opt[any]{Set: v.Set, Null: v.Null, V: v.Ptr()}
	}}
}

// nameOf returns the form of strings that are not blank.
func nameOf(least, most int) Form {
	return Form{JSON: "string", Least: least, Most: most, read: func(o *wire.Object, name string) wire.Opt[any] {
		v := o.Name(name, least, most)
		return wire.Opt[any]{Set: v.Set, Null: v.Null, V: v.V}
	}}
}

// listOf returns the form of lists of strings.
func listOf(most int, check func(string) error) Form {
	return Form{JSON: "strings", Most: most, read: func(o *wire.Object, name string) wire.Opt[any] {
		v := o.Texts(name, 0, most, check)
		return wire.Opt[any]{Set: v.Set, Null: v.Null, V: v.V}
	}}
}

// objectOf returns the form of objects with a reader of their own.
func objectOf[T any](record string, read func(*wire.Object) *T) Form {
	return Form{JSON: "object", Record: record, Change: record + "Change",
		read: func(o *wire.Object, name string) wire.Opt[any] {
			v := read(o)
			return wire.Opt[any]{Set: o.Has(name), Null: v == nil, V: v}
		}}
}

// column is a field of the record.
type column struct {
	get func(g world.AdGroup) any
	set func(g *world.AdGroup, v any) // nil makes it empty
}

func in[T any](field func(*world.AdGroup) *T) column {
	return column{
		get: func(g world.AdGroup) any { return *field(&g) },
		set: func(g *world.AdGroup, v any) { *field(g), _ = v.(T) },
	}
}

func (a Attribute) get(g world.AdGroup) any {
	if a.record.get != nil {
		return a.record.get(g)
	}
	if v := g.Values[a.Name]; v != nil {
		return v
	}
	return a.none
}

func (a Attribute) set(g *world.AdGroup, v any) {
	if a.record.set != nil {
		a.record.set(g, v)
		return
	}
	g.Values = maps.Clone(g.Values) // the record as it was before has the same map
	if g.Values == nil {
		g.Values = map[string]json.RawMessage{}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic("an attribute is no JSON: " + a.Name)
	}
	g.Values[a.Name] = text
}

// shown returns the value as answers have it, and whether they have it at all.
func (a Attribute) shown(points *openpoint.Settings, g world.AdGroup) (any, bool) {
	v := a.get(g)
	if a.JSON == "strings" && isEmpty(v) && points.Is(openpoint.EmptyLists, "dropped") {
		return nil, false
	}
	if a.show != nil {
		v = a.show(points, v)
	}
	return v, !a.Hidden
}

func isEmpty(list any) bool {
	if raw, ok := list.(json.RawMessage); ok {
		return string(raw) == "[]"
	}
	texts, _ := list.([]string)
	return len(texts) == 0
}
