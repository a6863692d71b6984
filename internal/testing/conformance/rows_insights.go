package conformance

import (
	"net/url"
	"strings"
)

// asks is a query string of names and values in turn; names of saved values stay.
func asks(pairs ...string) string {
	parts := make([]string, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		escaped := url.QueryEscape(pairs[i+1])
		parts = append(parts, pairs[i]+"="+strings.NewReplacer("%7B", "{", "%7D", "}").Replace(escaped))
	}
	return "?" + strings.Join(parts, "&")
}

const insights = "/ad_account/insights"

// dates is a time range of days, both inclusive.
func dates(since, until string) string {
	return `{"type":"date_range","since":"` + since + `","until":"` + until + `"}`
}

// selling is an ad with a budget of 500 units a day that has run for 40 days and
// whose orders count.
var selling = given(
	aLiveTree, aSetting, post("/campaigns/{campaign}", object{
		"conversion_event_setting_ids": []string{"{setting}"},
		"budget":                       object{"daily_spend_limit_micros": 500_000_000},
	}),
	advance(40*day),
)

// rowsOfInsights are part 4, insights query.
var rowsOfInsights = concat(
	[]Row{
		{
			Rules: "4.insights.aggregation_level facts.list", Name: "insights of the account", Given: spending,
			Do: get(insights + asks("time_granularity", "none", "fields[]", "impressions", "fields[]", "spend")),
			Want: gives(is("object", "list"), count("data", 1),
				is("count", 1), is("has_more", false), text("data[0].id"), integer("data[0].start_time", 946684800),
				integer("data[0].end_time", 946684800), integer("data[0].impressions", 1)),
		},
		{Rules: "4.insights.aggregation_level", Name: "insights by ad",
			Given: spending, Do: get(insights + asks("aggregation_level",
				"ad", "time_granularity", "none", "fields[]", "ad.id", "fields[]", "campaign.id")),
			Want: gives(count("data", 1), is("data[0].ad_id", "{ad}"), is("data[0].campaign_id", "{campaign}"))},
		{Rules: "4.insights.aggregation_level", Name: "insights by campaign", Given: spending, Do: get(insights +
			asks("aggregation_level", "campaign", "time_granularity", "none", "fields[]", "campaign.name")),
			Want: gives(count("data", 1), is("data[0].campaign_name", "Spring"))},
		{Rules: "4.insights.aggregation_level", Name: "a level above one's own", Given: spending,
			Do: get("/ads/{ad}/insights?aggregation_level=campaign"), Want: invalid("aggregation_level")},
		{Rules: "facts.insights", Name: "insights of a campaign",
			Given: spending, Do: get("/campaigns/{campaign}/insights?time_granularity=none"),
			Want: gives(count("data", 1), integer("data[0].impressions", 1))},
		{Rules: "facts.insights", Name: "insights of an ad group",
			Given: spending, Do: get("/ad_groups/{group}/insights?time_granularity=none"),
			Want: gives(count("data", 1), integer("data[0].impressions", 1))},
		{Rules: "facts.insights", Name: "insights of an ad",
			Given: spending, Do: get("/ads/{ad}/insights?time_granularity=none"),
			Want: gives(count("data", 1), integer("data[0].impressions", 1))},
		{Rules: "facts.insights", Name: "insights of no campaign",
			Do: get("/campaigns/none/insights"), Want: notFound()},
		{
			Rules: "4.insights.limit 1.paging", Name: "pages of insights",
			Given: given(spending, get(insights+"?time_granularity=daily&limit=1").gives(count("data", 1),
				is("has_more", true)).save("cursor", "last_id")),
			Do:   get(insights+"?time_granularity=daily&limit=1&after={cursor}").save("next", "first_id"),
			Want: gives(count("data", 1), not("data[0].id", "{cursor}")),
			Then: given(get(insights +
				"?time_granularity=daily&limit=1&before={next}").gives(is("data[0].id", "{cursor}"))),
		},
		{
			Rules: "4.insights.attribution_window_days", Name: "a longer click window counts more",
			Given: given(selling, early("attribution_window_days", "7").save("seven", "data[0].conversions")),
			Do:    early("attribution_window_days", "14"), Want: gives(more("data[0].conversions", "seven")),
		},
		{Rules: "4.insights.attribution_window_days", Name: "without a click window it is 30 days",
			Given: given(selling, early("attribution_window_days", "30").save("thirty", "data[0].conversions")),
			Do:    early(), Want: gives(is("data[0].conversions", "#{thirty}"))},
		{
			Rules: "4.insights.view_through_attribution_window_days",
			Name:  "without a view window it is 1 day", Given: given(selling,
				early("view_through_attribution_window_days", "1").save("views", "data[0].conversions")),
			Do: early(), Want: gives(is("data[0].conversions", "#{views}")),
		},
		{Rules: "4.insights.view_through_attribution_window_days", Name: "a view window of a day counts more",
			Given: given(selling, early("view_through_attribution_window_days", "0").
				save("none", "data[0].conversions")),
			Do: early("view_through_attribution_window_days", "1"), Want: gives(more("data[0].conversions", "none"))},
		{Rules: "4.insights.attribution_time_basis", Name: "without a basis it is the ad event's time",
			Given: given(selling, early("attribution_time_basis", "ad_event_time").save("touch",
				"data[0].conversions")), Do: early(), Want: gives(is("data[0].conversions", "#{touch}"))},
		{Rules: "4.insights.attribution_time_basis", Name: "by their own time fewer conversions are early",
			Given: given(selling, early("attribution_time_basis", "conversion_time").save("own",
				"data[0].conversions")), Do: early(), Want: gives(more("data[0].conversions", "own"))},
		{Rules: "4.insights.hotel", Name: "the segment hotel without enrolment",
			Given: given(without("hotel_reporting")), Do: get(insights + "?segments[]=hotel"), Want: answers(403, 404)},
		{Rules: "facts.conversion_insights", Name: "conversions of a campaign",
			Given: selling, Do: post("/conversions/insights",
				object{"aggregation_level": "campaign", "entity_ids": []string{"{campaign}"}}), Want: gives(is("object",
				"list"), is("count", 1), is("data[0].entity_id", "{campaign}"), integer("data[0].conversions", 1))},
		{Rules: "facts.conversion_insights", Name: "conversions without entities",
			Do: post("/conversions/insights", object{"aggregation_level": "campaign"}), Want: invalid("entity_ids")},
		{Rules: "facts.geo", Name: "a location", Do: get("/geo_lookup/search?q=california"), Want: gives(is("query",
			"california"), some("results", "id", "2000043"), some("results", "name", "California"))},
	},
	queries("insights", spending, insights,
		query{"4.insights.time_granularity", "by hour",
			"?time_granularity=hourly&limit=2000", gives(is("object", "list"))},
		query{"4.insights.time_granularity", "by day",
			asks("time_granularity", "daily", "time_ranges[]", dates("{day-1}", "{day}")), gives(count("data", 2))},
		query{"4.insights.time_granularity", "by month",
			asks("time_granularity", "monthly", "time_ranges[]", dates("{day-1}", "{day}")), gives(count("data", 1))},
		query{"4.insights.time_granularity", "by week", "?time_granularity=weekly", invalid("time_granularity")},
		query{"4.insights.attribution_window_days", "click window of 7", "?attribution_window_days=7", gives()},
		query{"4.insights.attribution_window_days", "click window of 14", "?attribution_window_days=14", gives()},
		query{"4.insights.attribution_window_days", "click window of 30", "?attribution_window_days=30", gives()},
		query{"4.insights.attribution_window_days",
			"click window of 8", "?attribution_window_days=8", invalid("attribution_window_days")},
		query{"4.insights.attribution_window_days",
			"click window of 31", "?attribution_window_days=31", invalid("attribution_window_days")},
		query{"4.insights.view_through_attribution_window_days",
			"view window of 0", "?view_through_attribution_window_days=0", gives()},
		query{"4.insights.view_through_attribution_window_days",
			"view window of 1", "?view_through_attribution_window_days=1", gives()},
		query{"4.insights.view_through_attribution_window_days", "view window of 2",
			"?view_through_attribution_window_days=2", invalid("view_through_attribution_window_days")},
		query{"4.insights.attribution_time_basis",
			"an unknown basis", "?attribution_time_basis=noon", invalid("attribution_time_basis")},
		query{"4.insights.aggregation_level", "an unknown level",
			"?aggregation_level=keyword", invalid("aggregation_level")},
		query{"4.insights.limit", "with both cursors", "?after=a&before=b", answers(400)},
		query{"4.insights.arrays", "one field without brackets", "?fields=clicks", gives()},
		query{"4.insights.arrays", "an unknown field", "?fields[]=likes", invalid("fields")},
		query{"4.insights.arrays", "a filter that holds", asks("aggregation_level", "ad", "time_granularity",
			"none", "filters[]", `{"field":"ad.name","operator":"IN","value":["Hero"]}`), gives(count("data", 1))},
		query{"4.insights.arrays", "a filter that does not hold", asks("aggregation_level", "ad", "time_granularity",
			"none", "filters[]", `{"field":"ad.name","operator":"IN","value":["Villain"]}`), gives(count("data", 0))},
		query{"4.insights.arrays", "a filter of a metric", asks("aggregation_level", "ad", "time_granularity", "none",
			"filters[]", `{"field":"impressions","operator":"GREATER_THAN","value":0}`), gives(count("data", 1))},
		query{"4.insights.arrays", "a filter that is no JSON", "?filters[]=impressions", answers(400, 422)},
		query{"4.insights.arrays", "sorted, newest first", asks("time_ranges[]", dates("{day-1}", "{day}"), "fields[]",
			"impressions", "sort[]", `{"field":"impressions","direction":"desc"}`), gives(count("data", 2))},
		query{"4.insights.arrays", "sorted by nothing", asks("sort[]", `{"direction":"desc"}`), answers(400, 422)},
		query{"4.insights.arrays", "by country", "?segments[]=country&aggregation_level=ad&time_granularity=none",
			gives(is("object", "list"))},
		query{"4.insights.arrays", "two segments", "?segments[]=country&segments[]=device", answers(400, 422)},
		query{"4.insights.arrays", "the segment first", "?segments[]=device&" +
			"aggregation_level=ad&override_segment_group_order[]=device&override_segment_group_order[]=ad", gives()},
		query{"4.insights.arrays", "an order of one",
			"?segments[]=device&override_segment_group_order[]=device", invalid("override_segment_group_order")},
		query{"4.insights.arrays", "with ads that were not shown",
			"?aggregation_level=ad&includes[]=zero_impression_items", gives(is("object", "list"))},
		query{"4.insights.arrays", "an unknown include", "?includes[]=everything", answers(400, 422)},
		query{"4.insights.arrays", "a time range in the future",
			asks("time_ranges[]", dates("{day+1}", "{day+2}")), answers(400, 422)},
		query{"4.insights.arrays", "a time range that is no JSON", "?time_ranges[]=today", answers(400, 422)},
		query{"4.insights.hotel", "hotels by month",
			"?segments[]=hotel&time_granularity=monthly", gives(is("object", "list"))},
		query{"4.insights.hotel", "hotels without time",
			"?segments[]=hotel&time_granularity=none", gives(is("object", "list"))},
		query{"4.insights.hotel", "hotels by hour",
			"?segments[]=hotel&time_granularity=hourly", invalid("time_granularity")},
		query{"4.insights.hotel", "hotels backward", "?segments[]=hotel&before=x", invalid("before")},
		query{"4.insights.hotel", "hotels with conversions",
			"?segments[]=hotel&fields[]=hotel.conversions", invalid("fields")},
		query{"4.insights.hotel", "hotels with another segment",
			"?segments[]=hotel&segments[]=country", answers(400, 422)},
	),
	queries("locations", nil, "/geo_lookup/search",
		query{"facts.geo", "without q", "", invalid("q")},
		query{"facts.geo", "limit of 0", "?q=a&limit=0", invalid("limit")},
		query{"facts.geo", "limit of 1", "?q=a&limit=1", gives(count("results", 1), is("count", 1))},
		query{"facts.geo", "limit of 100", "?q=a&limit=100", gives()},
		query{"facts.geo", "limit of 101", "?q=a&limit=101", invalid("limit")},
	),
	limits("insights", nil, insights, 2000),
)

// early asks for the conversions of the first days.
func early(pairs ...string) Step {
	return get(insights + asks(append(pairs, "time_granularity",
		"none", "fields[]", "conversions", "time_ranges[]", dates("{day-40}", "{day-20}"))...))
}
