package kinds

import (
	"slices"

	"adsync/internal/resource"
)

// noBid is what a strategy without a bid takes the place of (interface, part 2;
// service facts, 3.2).
var noBid = []string{"bid.max", "bid.multipliers"}

func adGroup() *resource.Schema {
	return &resource.Schema{
		Kind: AdGroup, Parent: Campaign, Title: "Ad group", Sheet: "Ad groups", Collection: "ad_groups",
		Children: "ad_groups", ParentWire: "campaign_id",
		NameFrom: []string{"name"}, Removal: Archived, Insights: "ad_group", Audit: "ad_group_id",
		Attributes: []resource.Attribute{
			{
				Name: "name", Header: "Ad group",
				Help: "The ad group's name, 3 to 1,000 characters.", Example: "Runners",
				Type: resource.TypeText, Min: 3, Max: 1000, Required: true, OnCreate: true,
				Wire: resource.Wire{Path: "name"},
				Bulk: resource.BulkField{Create: "name", Update: "name"},
			},
			status(),
			{
				Name: "bid.max", Header: "Max bid",
				Help: "Most to pay for one click (one impression, " +
					"or one conversion, as the campaign bids). Leave blank with a maximize strategy.", Example: "1.25",
				Type: resource.TypeMoney, Min: 1, Max: 30_400_000_000_000, Clearable: true, Spend: resource.Amount,
				Unit: []resource.Condition{{Ancestor: Campaign, Attribute: "bidding_type"},
					{Attribute: "bid.strategy", Value: "fixed_bid"}},
				Wire: resource.Wire{Path: "bidding_config.max_bid_micros"},
				Bulk: resource.BulkField{
					Create: "max_bid_micros", Update: "max_bid_micros",
					When: &resource.Condition{Ancestor: Campaign, Attribute: "bidding_type", Value: "clicks"},
				},
			},
			{
				Name: "bid.strategy", Header: "Bid strategy",
				Help: "fixed_bid, maximize_clicks or maximize_conversions. " +
					"Blank: left as it is; a new ad group has a fixed bid.", Example: "fixed_bid",
				Type: resource.TypeChoice, Spend: resource.Mode,
				Choices: []resource.Choice{{Value: "fixed_bid", Synonyms: []string{"fixed"}},
					{Value: "maximize_clicks", Clears: noBid}, {Value: "maximize_conversions", Clears: noBid}},
				Wire: resource.Wire{Path: "bidding_config.strategy", Unset: fixedBid},
				Bulk: resource.BulkField{Map: map[string]string{"fixed_bid": ""}, AtCreate: true},
			},
			{
				Name: "context_hints", Header: "Context hints",
				Help: "Who the ads are for, one sentence a line; in a workbook a line file: hints/runners.txt " +
					"stands for the sentences of that file. The whole list is replaced. [clear] empties it.",
				Example: "people comparing trail running shoes",
				Type:    resource.TypeHints, Max: 2000, Clearable: true, Spend: resource.Reach,
				Wire: resource.Wire{Path: "context_hints"},
				Bulk: resource.BulkField{Create: "context_hints", Update: "context_hints"},
			},
			{
				Name: "exclusion_hints", Header: "Exclusion hints",
				Help:    "What to stay away from, one sentence a line. The service does not show these again.",
				Example: "football boots",
				Type:    resource.TypeHints, Max: 2000, Clearable: true, Spend: resource.Reach, Excludes: true,
				Bulk: resource.BulkField{Create: "exclusion_hints", Update: "exclusion_hints"},
			},
			description(), tracking(),
			{
				Name: "product_set", Header: "Product filter",
				Help:    "JSON object with product_feed_id and filters, for product-feed campaigns.",
				Example: `{"product_feed_id": "fd_123", "filters": []}`,
				Type:    resource.TypeObject, Clearable: true, Spend: resource.Reach,
				Wire: resource.Wire{Path: "product_set", Codec: resource.RawJSON},
				Bulk: resource.BulkField{AtCreate: true},
			},
			audienceBids(),
		},
		Facts:  []resource.Fact{servingIssues("ad group")},
		Groups: []resource.Group{{Wire: "bidding_config"}, trackingGroup()},
		Fixed: []resource.Fixed{{
			Wire: "bidding_config.billing_event_type",
			From: &resource.Condition{Ancestor: Campaign, Attribute: "bidding_type"},
			Map:  map[string]string{"impressions": "impression", "clicks": "click", "conversions": "click"},
		}},
		Bulk: resource.BulkRoute{
			Create: "ad_group.create", Update: "ad_group.update",
			Parents: map[resource.Kind]string{Campaign: "campaign_idempotency_key"},
		},
		Rules: ofAdGroup(), Across: slices.Concat(acrossAdGroup(), acrossTracking(AdGroup, Campaign)),
		Most: 5000,
	}
}

// audienceBids are what bids are multiplied by for the people of audiences (service
// facts, 3.2): of several that match, the highest counts.
func audienceBids() resource.Attribute {
	return resource.Attribute{
		Name: "bid.multipliers", Header: "Audience bid changes",
		Help: "By what the bid is multiplied for the people of an audience, 0.1 to 10: audience/KEY or " +
			"an id, x and the factor, separated by commas. Only with a fixed bid. Blank: left as it is; " +
			"[clear] takes all away.", Example: "audience/customers x 1.5",
		Type: resource.TypeFactors, Least: resource.One / 10, Most: 10 * resource.One,
		Of: Audience, Addressed: Audience, Use: &resource.Use{Name: "bid_multiplier", Least: leastMatched},
		Clearable: true, Spend: resource.Scale, Scales: "bid.max",
		Wire: resource.Wire{
			Path: "bidding_config.custom_audience_bid_multipliers", Codec: resource.Factors, Empty: true,
			Pair: resource.Pair{Name: "custom_audience_id", Micros: "bid_multiplier_micros"},
		},
		Bulk: resource.BulkField{AtCreate: true},
	}
}
