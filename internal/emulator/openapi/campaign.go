package openapi

// The fields that bodies and records share.
var (
	status      = oneOf("active", "paused", "archived")
	firstStatus = oneOf("active", "paused")
	name        = textOf(3, 1000)
	id          = textOf(1, 255)
	unixTime    = integerOf(946684800, 4102444800).says("Unix seconds.")
	country     = textOf(2, 2).says("ISO 3166-1 alpha-2, in capitals.")
	budget      = integerOf(1_000_000, 1_000_000_000_000_000).says("Micros of the account currency.")
	texts       = list(text())
)

func campaignRecords() map[string]*Schema {
	return map[string]*Schema{
		"Campaign": object(
			must("id", text()), must("created_at", integer()), must("updated_at", integer()),
			must("name", text()), must("description", orNull(text())), must("status", status),
			must("start_time", orNull(integer())), must("end_time", orNull(integer())), must("budget", ref("Budget")),
			must("bidding_type", oneOf("impressions", "clicks", "conversions")),
			must("objective", oneOf("reach", "clicks", "conversions")),
			must("billing_event_type", oneOf("impression", "click")),
			must("mode", orNull(oneOf("product_feed", "business_agent"))),
			must("product_feed_id", orNull(text())), must("business_agent_id", orNull(text())),
			must("conversion_event_setting_ids", texts), must("targeting", ref("Targeting")),
			must("landing_page_configuration", orNull(ref("LandingPage"))),
			may("user_external_id", text()), may("serving_issues", list(ref("ServingIssue"))),
		),
		"Budget": {Type: Types{"object"}, AnyOf: []*Schema{
			object(must("daily_spend_limit_micros", integer())), object(must("lifetime_spend_limit_micros", integer())),
		}},
		"LandingPage":  object(must("query_string_template", orNull(text()))),
		"ServingIssue": object(must("code", text())),
		"Targeting": object(
			may("locations", ref("Places")), may("excluded_locations", ref("Places")),
			may("custom_audiences", object(must("ids", texts))),
			may("excluded_custom_audiences", object(must("ids", texts))),
			may("platforms", object(must("included", texts))),
		),
		"Places": object(may("countries", list(country)), may("include", list(ref("Place")))),
		"Place": object(
			must("id", text()), must("name", text()), must("type", oneOf("country", "region", "dma", "postal_code")),
			must("country_code", text()), must("region_code", orNull(text())),
		),
		"CampaignCreate": object(append(campaignFields(),
			must("name", name), may("status", firstStatus), must("budget", ref("BudgetChange")),
			may("bidding_type", oneOf("impressions", "clicks", "conversions")),
			may("objective", oneOf("reach", "clicks", "conversions")),
			may("billing_event_type", oneOf("impression", "click")),
			may("mode", orNull(oneOf("product_feed", "business_agent"))),
			may("product_feed_id", orNull(id)), may("business_agent_id", orNull(id)),
		)...),
		"CampaignUpdate": changes(append(campaignFields(),
			may("name", name), may("status", status), may("budget", ref("BudgetChange")))...),
		"BudgetChange": {Type: Types{"object"}, AnyOf: []*Schema{
			object(must("daily_spend_limit_micros", budget)), object(must("lifetime_spend_limit_micros", budget)),
		}},
		"LandingPageChange": object(may("query_string_template", orNull(textOf(0, 2048)))),
		"TargetingChange": object(
			may("locations", orNull(ref("PlacesChange"))), may("excluded_locations", orNull(ref("PlacesChange"))),
			may("custom_audiences", orNull(ref("AudienceChoice"))),
			may("excluded_custom_audiences", orNull(ref("AudienceChoice"))),
			may("platforms", orNull(object(must("included", listOf(text(), 1, 0))))),
		),
		"PlacesChange":   object(may("countries", list(country)), may("include", listOf(ref("PlaceChoice"), 0, 2500))),
		"AudienceChoice": object(must("ids", listOf(text(), 0, 500))),
		"PlaceChoice": object(
			must("id", textOf(1, 18)), may("name", anything()), may("type", anything()),
			may("country_code", anything()),
			may("region_code", anything()), may("canonical_name", anything()),
		).says("Only the id is read."),
	}
}

// campaignFields are what a create and an update both take.
func campaignFields() []Field {
	return []Field{
		may("description", orNull(text())), may("start_time", orNull(unixTime)), may("end_time", orNull(unixTime)),
		may("targeting", orNull(ref("TargetingChange"))),
		may("landing_page_configuration", orNull(ref("LandingPageChange"))),
		may("conversion_event_setting_ids", listOf(text(), 0, 1000)),
	}
}

func campaignOperations() map[string]operation {
	return merged(
		map[string]operation{
			"GET /campaigns": {summary: "List campaigns",
				query: append(named(500), include("serving_issues")), answer: envelope(ref("Campaign"))},
			"POST /campaigns": {summary: "Create a campaign",
				body: json1(ref("CampaignCreate")), answer: ref("Campaign")},
			"GET /campaigns/{campaign_id}": {summary: "Read a campaign",
				query: []Parameter{include("serving_issues")}, answer: ref("Campaign")},
			"POST /campaigns/{campaign_id}": {summary: "Change a campaign",
				body: json1(ref("CampaignUpdate")), answer: ref("Campaign")},
		},
		acts("/campaigns/{campaign_id}", "a campaign", ref("Campaign"), "activate", "pause", "archive"),
	)
}
