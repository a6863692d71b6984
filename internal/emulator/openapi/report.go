package openapi

func reportRecords() map[string]*Schema {
	return map[string]*Schema{
		"Insights": envelope(ref("InsightsRow"), must("count", integer())),
		"InsightsRow": object(must("id", text()), must("start_time", integer()), must("end_time", integer())).
			with(&Schema{Type: Types{"string", "number", "null"}}).
			says("Beside these, the fields asked for: metrics are decimals, and null " +
				"where there is nothing to divide by."),
		"ConversionInsights": object(
			must("object", oneOf("list")), must("account_currency", text()),
			must("data", list(ref("ConversionRow"))), must("count", integer()),
		),
		"ConversionRow": object(
			must("entity_id", orNull(text())), may("date", text()), may("country", text()), may("device", text()),
			must("conversions", integer()), must("click_through_conversions", integer()),
			must("view_through_conversions", integer()),
			must("order_created_attributed_sales", text()), may("attributed_events", list(ref("AttributedEvent"))),
		),
		"AttributedEvent": object(
			must("entity_id", orNull(text())), must("event_name", text()),
			must("event_kind", oneOf("standard", "custom")),
			must("attributed_event_count", integer()),
			must("click_through_conversions", integer()), must("view_through_conversions", integer()),
			must("attributed_event_value_amount", text()),
			must("attributed_event_value_count", integer()), must("attributed_event_value_currency", text()),
			must("conversion_event_setting_breakdowns", list(object(
				must("conversion_event_setting_id", text()), must("attributed_event_count", integer()),
				must("click_through_conversions", integer()), must("view_through_conversions", integer()),
			))),
		),
		"ConversionQuery": object(
			must("aggregation_level", oneOf("campaign", "ad_group", "ad", "ad_account")),
			may("entity_ids", listOf(text(), 1, 0)),
			may("group_by_entity", boolean()), may("include_zero_rows", boolean()),
			may("breakdown", oneOf("country", "device")),
			may("event_names", listOf(text(), 0, 100)), may("include", listOf(oneOf("attributed_events"), 0, 1)),
			may("attribution_window_days", integerOf(7, 30)),
			may("view_through_attribution_window_days", integerOf(0, 1)),
			may("attribution_time_basis", attributionBasis), may("time_granularity", oneOf("none", "daily")),
			may("time_ranges", listOf(text(), 0, 1)),
		),
	}
}

var attributionBasis = oneOf("ad_event_time", "conversion_time")

// insightsQuery is the query of every GET …/insights (interface, part 4).
func insightsQuery(levels ...string) []Parameter {
	conditions := []Parameter{
		query("attribution_window_days", integerOf(7, 30).says("7, 14 or 30.")),
		query("view_through_attribution_window_days", integerOf(0, 1)),
		query("attribution_time_basis", attributionBasis),
		query("time_granularity", oneOf("none", "hourly", "daily", "monthly")),
		query("aggregation_level", oneOf(levels...)),
		query("segments[]", listOf(oneOf("product", "country", "device", "platform", "hotel"), 0, 1)),
		query("override_segment_group_order[]", listOf(text(), 0, 2)),
	}
	for _, each := range []struct{ name, about string }{
		{"time_ranges[]", "One JSON object of type unix_range, hour_range or date_range."},
		{"filters[]", "JSON objects with field, operator and value; all of them hold."},
		{"fields[]", "Names of fields, such as campaign.name or spend."},
		{"sort[]", "JSON objects with field and direction."},
		{"includes[]", "Entities without results."},
	} {
		conditions = append(conditions, query(each.name, list(text()).says(each.about)))
	}
	return append(conditions, page(2000)...)
}

var (
	dateText  = date()
	objectIDs = listOf(text(), 0, 2000)
)

func reportOperations() map[string]operation {
	return map[string]operation{
		"GET /ad_account/insights": {
			summary: "Report on the ad account", query: insightsQuery("ad_account", "campaign", "ad_group", "ad"),
			answer: ref("Insights"),
		},
		"GET /campaigns/{campaign_id}/insights": {
			summary: "Report on a campaign", query: insightsQuery("campaign", "ad_group", "ad"),
			answer: ref("Insights"),
		},
		"GET /ad_groups/{ad_group_id}/insights": {
			summary: "Report on an ad group", query: insightsQuery("ad_group", "ad"), answer: ref("Insights"),
		},
		"GET /ads/{ad_id}/insights": {summary: "Report on an ad", query: insightsQuery("ad"), answer: ref("Insights")},
		"GET /ad_account/hotel_insights": {
			summary: "Report on hotel properties", answer: ref("Insights"),
			query: []Parameter{
				needed(query("start_date", dateText)),
				needed(query("end_date", dateText)), query("filters[]", listOf(text(), 0, 50)),
				query("campaign_ids[]", objectIDs), query("ad_group_ids[]", objectIDs), query("ad_ids[]", objectIDs),
				query("inventory_items[]", listOf(text(), 0, 2000)),
				query("include_zero_activity", oneOf("true", "false")),
				query("time_granularity", oneOf("none", "daily", "monthly")),
				query("limit", integerOf(1, 2000)), query("after", textOf(1, 0)),
			},
		},
		"POST /conversions/insights": {summary: "Report on conversions",
			body: json1(ref("ConversionQuery")), answer: ref("ConversionInsights")},
		"GET /geo_lookup/search": {
			summary: "Search locations",
			query:   []Parameter{needed(query("q", textOf(1, 0))), query("limit", integerOf(1, 100))},
			answer:  object(must("query", text()), must("count", integer()), must("results", list(ref("Location")))),
		},
	}
}
