package ads

import (
	"slices"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// readAdGroupCreate reads the body of a create (part 2).
func readAdGroupCreate(o *wire.Object, points *openpoint.Settings) world.AdGroup {
	RequireAdGroup(Create, o, "campaign_id")
	g := world.AdGroup{CampaignID: o.Text("campaign_id", 1, 255).V}
	given := ReadAdGroup(Create, o, func() { g.Status = createStatus(o, points) })
	given.Fill(points, &g)
	if b := readBidding(o, points); b != nil {
		g.Bidding = *b
	}
	return g
}

// readAdGroupUpdate reads the body of an update. An omitted bidding_config is
// kept; a supplied one must be whole.
func readAdGroupUpdate(o *wire.Object, points *openpoint.Settings) AdGroupChange {
	notEmpty(o)
	immutable(o, "campaign_id")
	given := ReadAdGroup(Update, o, nil)
	bidding := readBidding(o, points)
	apply := func(g *world.AdGroup, _ world.Campaign) error {
		given.Apply(points, g)
		if bidding != nil {
			g.Bidding = *bidding
		}
		return nil
	}
	return AdGroupChange{Status: updateStatus(o), Bids: bidding != nil, Apply: apply}
}

// checkAdGroup checks an ad group against its campaign and the account.
func checkAdGroup(c world.Campaign, g world.AdGroup) error {
	if err := CheckBidding(c, g.Bidding); err != nil {
		return err
	}
	for _, each := range AdGroupAttributes {
		if each.check == nil {
			continue
		}
		if err := each.check(c, g); err != nil {
			return err
		}
	}
	return nil
}

// checkFactors wants the audiences of factors to be there. assumption: where a change has no
// bidding_config, what it was stays, though an audience of it was archived since.
func checkFactors(a *world.Account, g world.AdGroup) error {
	for _, m := range g.Bidding.Multipliers {
		if audience, ok := a.Audiences.Get(m.AudienceID); !ok || audience.Status == "archived" {
			return wire.Invalidf("bidding_config.custom_audience_bid_multipliers",
				"custom_audience_not_found", "No custom audience found with id '%s'.", m.AudienceID)
		}
	}
	return nil
}

// checkProductSet wants the product set to be of the campaign's feed.
func checkProductSet(c world.Campaign, g world.AdGroup) error {
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
