package ads

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// MaxHints bounds context and exclusion hints of an ad group (interface, part 8).
const MaxHints = 2000

// readAdGroupCreate reads the body of a create (part 2).
func readAdGroupCreate(o *wire.Object, points *openpoint.Settings) world.AdGroup {
	o.Require("campaign_id", "name", "bidding_config")
	o.AllowNull("description", "product_set", "landing_page_configuration")
	g := world.AdGroup{
		CampaignID:   o.Text("campaign_id", 1, 255).V,
		Name:         NormName(points, o.Name("name", 3, 1000).V),
		Description:  o.Text("description", 0, 0).Ptr(),
		Status:       createStatus(o, points),
		ContextHints: NormList(points, o.Texts("context_hints", 0, MaxHints, CheckHint).Or([]string{})),
		ProductSet:   readProductSet(o),
		LandingPage:  readLandingPage(o),
	}
	if b := readBidding(o, points); b != nil {
		g.Bidding = *b
	}
	return g
}

// CheckHint refuses a hint of blanks.
func CheckHint(hint string) error {
	if strings.TrimSpace(hint) == "" {
		return fmt.Errorf("a hint must have at least one character that is not white space")
	}
	return nil
}

// readAdGroupUpdate reads the body of an update. An omitted bidding_config is
// kept; a supplied one must be whole.
func readAdGroupUpdate(o *wire.Object, points *openpoint.Settings) AdGroupChange {
	notEmpty(o)
	immutable(o, "campaign_id")
	o.AllowNull("description", "product_set", "landing_page_configuration")
	name := o.Name("name", 3, 1000)
	description := o.Text("description", 0, 0)
	hints := o.Texts("context_hints", 0, MaxHints, CheckHint)
	products, hasProducts := readProductSet(o), o.Has("product_set")
	landing, hasLanding := readLandingPage(o), o.Has("landing_page_configuration")
	bidding := readBidding(o, points)
	return AdGroupChange{Status: updateStatus(o), Apply: func(g *world.AdGroup, _ world.Campaign) error {
		g.Name = NormName(points, name.Or(g.Name))
		Set(&g.Description, description)
		if hints.Given() {
			g.ContextHints = NormList(points, hints.V)
		}
		if hasProducts {
			g.ProductSet = products
		}
		if hasLanding {
			g.LandingPage = landing
		}
		if bidding != nil {
			g.Bidding = *bidding
		}
		return nil
	}}
}

// checkAdGroup checks an ad group against its campaign and the account.
func checkAdGroup(a *world.Account, c world.Campaign, g world.AdGroup) error {
	if err := CheckBidding(c, g.Bidding); err != nil {
		return err
	}
	for _, m := range g.Bidding.Multipliers {
		if audience, ok := a.Audiences.Get(m.AudienceID); !ok || audience.Status == "archived" {
			return wire.Invalidf("bidding_config.custom_audience_bid_multipliers",
				"custom_audience_not_found", "No custom audience found with id '%s'.", m.AudienceID)
		}
	}
	if g.ProductSet == nil {
		return nil
	}
	if c.ProductFeedID == nil || *c.ProductFeedID != g.ProductSet.ProductFeedID {
		return wire.Invalidf("product_set.product_feed_id",
			"product_feed_mismatch", "The product feed '%s' is not the campaign's.", g.ProductSet.ProductFeedID)
	}
	return nil
}

var (
	filterFields = []string{"title", "body", "item_id", "offer_id", "price", "target_url", "image_url",
		"product_category", "brand", "seller_name", "external_seller_id", "star_rating", "condition", "age_group"}
	filterOperators = []string{"in", "not_in", "gt", "gte", "lt", "lte", "contains", "not_contains", "starts_with"}
	orderOperators  = []string{"gt", "gte", "lt", "lte"}
	orderFields     = []string{"price", "star_rating"}
)

// readProductSet reads product filters: each field once, as published.
func readProductSet(o *wire.Object) *world.ProductSet {
	p, _ := o.Object("product_set")
	if p == nil {
		return nil
	}
	p.Require("product_feed_id")
	set := &world.ProductSet{ProductFeedID: p.Text("product_feed_id", 1, 255).V, Filters: []world.ProductFilter{}}
	seen := map[string]bool{}
	for _, f := range p.Objects("filters", 0, 0).V {
		f.Require("field", "operator", "values")
		filter := world.ProductFilter{
			Field:    f.Text("field", 1, 255).V,
			Operator: f.Choice("operator", filterOperators...).V,
			Values:   f.Texts("values", 1, 0, nil).V,
		}
		if seen[filter.Field] {
			f.Fail("field", "invalid_value", "Invalid '%s': the field '%s' is used twice.", f.At("field"), filter.Field)
		}
		seen[filter.Field] = true
		if !slices.Contains(filterFields, filter.Field) && !strings.HasPrefix(filter.Field, "ads_metadata.") {
			f.Fail("field", "invalid_value", "Invalid '%s': '%s' is no product field.", f.At("field"), filter.Field)
		}
		if slices.Contains(orderOperators, filter.Operator) && !slices.Contains(orderFields, filter.Field) {
			f.Fail("operator", "invalid_value", "Invalid '%s': '%s' goes with price and star_rating only.",
				f.At("operator"), filter.Operator)
		}
		set.Filters = append(set.Filters, filter)
	}
	return set
}
