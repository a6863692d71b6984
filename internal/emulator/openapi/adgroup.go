package openapi

var adGroupRecords = map[string]*Schema{
	"AdGroup": object(
		must("id", text()), may("campaign_id", text()), must("created_at", integer()), must("updated_at", integer()),
		must("name", text()), must("description", orNull(text())), must("status", status),
		must("context_hints", texts), must("bidding_config", ref("Bidding")),
		must("product_set", orNull(ref("ProductSet"))), must("landing_page_configuration", orNull(ref("LandingPage"))),
		may("user_external_id", text()), may("serving_issues", list(ref("ServingIssue"))),
		may("bid_too_low", boolean()),
	),
	"Bidding": object(
		must("billing_event_type", oneOf("impression", "click")),
		must("strategy", oneOf("fixed_bid", "maximize_clicks", "maximize_conversions", "automated_bid")),
		may("max_bid_micros", integer()), may("custom_audience_bid_multipliers", list(ref("BidMultiplier"))),
	),
	"BidMultiplier": object(must("custom_audience_id", id),
		must("bid_multiplier_micros", integerOf(100_000, 10_000_000))),
	"ProductSet":    object(must("product_feed_id", text()), must("filters", list(ref("ProductFilter")))),
	"ProductFilter": object(must("field", id), must("operator", filterOperator), must("values", listOf(text(), 1, 0))),
	"AdGroupCreate": object(
		must("campaign_id", id), must("name", name), may("status", firstStatus), may("description", orNull(text())),
		may("context_hints", listOf(text(), 0, 2000)), must("bidding_config", ref("BiddingChange")),
		may("product_set", orNull(ref("ProductSetChange"))),
		may("landing_page_configuration", orNull(ref("LandingPageChange"))),
	),
	"AdGroupUpdate": changes(
		may("name", name), may("status", status), may("description", orNull(text())),
		may("context_hints", listOf(text(), 0, 2000)), may("bidding_config", ref("BiddingChange")),
		may("product_set", orNull(ref("ProductSetChange"))),
		may("landing_page_configuration", orNull(ref("LandingPageChange"))),
	),
	"BiddingChange": object(
		must("billing_event_type", oneOf("impression", "click")),
		may("strategy", oneOf("fixed_bid", "maximize_clicks", "maximize_conversions")),
		may("max_bid_micros", integerOf(1, 30_400_000_000_000)),
		may("custom_audience_bid_multipliers", list(ref("BidMultiplier"))),
	).says("fixed_bid needs max_bid_micros; the others must do without."),
	"ProductSetChange": object(must("product_feed_id", id), may("filters", list(ref("ProductFilter")))),
}

var filterOperator = oneOf("in", "not_in", "gt", "gte", "lt", "lte", "contains", "not_contains", "starts_with")

var adGroupOperations = merged(
	map[string]operation{
		"GET /ad_groups": {
			summary: "List ad groups", also: []int{422}, answer: envelope(ref("AdGroup")),
			query: append(named(500), described(query("campaign_id", id), "Required where "+
				"the open point list_ad_groups is by_campaign."), include("serving_issues", "bid_too_low")),
		},
		"POST /ad_groups": {summary: "Create an ad group", body: json1(ref("AdGroupCreate")), answer: ref("AdGroup")},
		"GET /ad_groups/{ad_group_id}": {
			summary: "Read an ad group", query: []Parameter{include("serving_issues", "bid_too_low")},
			answer: ref("AdGroup"),
		},
		"POST /ad_groups/{ad_group_id}": {summary: "Change an ad group",
			body: json1(ref("AdGroupUpdate")), answer: ref("AdGroup")},
	},
	acts("/ad_groups/{ad_group_id}", "an ad group", ref("AdGroup"), "activate", "pause", "archive"),
)
