package ads

import (
	"fmt"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// maxHints bounds context and exclusion hints of an ad group (interface, part 8).
const maxHints = 2000

// AdGroupAttributes are the attributes of an ad group, in the order they are read and shown in. Requests, answers,
// records, bulk jobs and the OpenAPI document follow from it: a new attribute is a row here.
var AdGroupAttributes = []Attribute{
	{
		Name: "name", Form: nameOf(3, 1000), In: Create | Update | BulkCreate | BulkUpdate, Needed: Create | BulkCreate,
		record: in(func(g *world.AdGroup) *string { return &g.Name }),
		keep:   func(points *openpoint.Settings, v any) any { return NormName(points, v.(string)) },
	},
	{
		Name: "description", Form: textOf(0, 0), In: Create | Update | BulkUpdate, Clears: true,
		record: in(func(g *world.AdGroup) **string { return &g.Description }),
		show:   func(points *openpoint.Settings, v any) any { return shownDescription(points, v.(*string)) },
	},
	{
		Name: "status", Own: true, In: Create | Update | BulkCreate | BulkUpdate,
		record: in(func(g *world.AdGroup) *world.Status { return &g.Status }),
	},
	{
		Name: "context_hints", Form: listOf(maxHints, checkHint), In: Create | Update | BulkCreate | BulkUpdate,
		record: in(func(g *world.AdGroup) *[]string { return &g.ContextHints }), none: []string{},
		keep: func(points *openpoint.Settings, v any) any { return NormList(points, v.([]string)) },
	},
	{
		Name: "exclusion_hints", Form: listOf(maxHints, checkHint), In: BulkCreate | BulkUpdate, Hidden: true,
		record: in(func(g *world.AdGroup) *[]string { return &g.ExclusionHints }),
	},
	{
		Name: "bidding_config", Own: true, In: Create | Update, Needed: Create, // bulk jobs give a bid alone
		record: in(func(g *world.AdGroup) *world.Bidding { return &g.Bidding }),
		show:   func(points *openpoint.Settings, v any) any { return viewBidding(points, v.(world.Bidding)) },
	},
	{
		Name: "product_set", Form: objectOf("ProductSet", readProductSet), In: Create | Update, Clears: true,
		record: in(func(g *world.AdGroup) **world.ProductSet { return &g.ProductSet }), check: checkProductSet,
	},
	{
		Name: "landing_page_configuration", Form: objectOf("LandingPage", readLandingPage), In: Create | Update,
		Clears: true, record: in(func(g *world.AdGroup) **world.LandingPage { return &g.LandingPage }),
	},
}

// checkHint refuses a hint of blanks.
func checkHint(hint string) error {
	if strings.TrimSpace(hint) == "" {
		return fmt.Errorf("a hint must have at least one character that is not white space")
	}
	return nil
}

// AdGroupValues are what a request gives of an ad group's attributes, by name.
type AdGroupValues map[string]wire.Opt[any]

// RequireAdGroup refuses a create that lacks its parent or an attribute it needs.
func RequireAdGroup(call Calls, o *wire.Object, parent string) {
	o.Require(parent)
	for _, a := range AdGroupAttributes {
		if a.Needed&call != 0 {
			o.Require(a.Name)
		}
	}
}

// ReadAdGroup takes what a request gives of attributes; status reads that of a create in its turn.
func ReadAdGroup(call Calls, o *wire.Object, status func()) AdGroupValues {
	values := AdGroupValues{}
	for _, a := range AdGroupAttributes {
		if a.Clears && a.In&call != 0 {
			o.AllowNull(a.Name)
		}
	}
	for _, a := range AdGroupAttributes {
		switch {
		case a.Name == "status" && status != nil:
			status()
		case !a.Own && a.In&call != 0:
			values[a.Name] = a.read(o, a.Name)
		}
	}
	return values
}

// Fill puts the values of a create into a record, and into the rest what is kept without one.
func (v AdGroupValues) Fill(points *openpoint.Settings, g *world.AdGroup) {
	for _, a := range AdGroupAttributes {
		switch {
		case a.Own:
		case v[a.Name].Given():
			v.put(points, a, g)
		case a.none != nil:
			a.set(g, a.none)
		}
	}
}

// Apply puts the values of an update into a record.
func (v AdGroupValues) Apply(points *openpoint.Settings, g *world.AdGroup) {
	for _, a := range AdGroupAttributes {
		switch {
		case v[a.Name].Given():
			v.put(points, a, g)
		case v[a.Name].Set:
			a.set(g, nil)
		}
	}
}

func (v AdGroupValues) put(points *openpoint.Settings, a Attribute, g *world.AdGroup) {
	given := v[a.Name].V
	if a.keep != nil {
		given = a.keep(points, given)
	}
	a.set(g, given)
}
