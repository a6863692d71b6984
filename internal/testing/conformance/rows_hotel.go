package conformance

import (
	"encoding/json"
	"strings"
)

// hotels asks hotel insights for the last days.
func hotels(pairs ...string) Step {
	return get("/ad_account/hotel_insights" + asks(append(pairs, "start_date", "{day-2}", "end_date", "{day}")...))
}

// lodging is an account whose properties were advertised for two days and a half.
var lodging = given(
	feature("product_feeds", []string{"fd_test"}),
	post("/campaigns", set(feed(campaign("Hotels")), "status", "active")).save("campaign", "id"),
	post("/ad_groups", set(adGroup("Rooms"), "status", "active")).save("group", "id"),
	post("/ads", set(set(ad("Room"), "status", "active"),
		"creative", object{"type": "product_ad_template", "title": "{{product.title}}", "body": ""})).save("ad", "id"),
	advance(2*day+12*hour),
)

func condition(name, operator string, value any) string {
	text, _ := json.Marshal(object{"field": name, "operator": operator, "value": value})
	return string(text)
}

func property(feedID, itemID string) string {
	return `{"inventory_feed_id":"` + feedID + `","inventory_item_id":"` + itemID + `"}`
}

// whole asks for one row a property.
func whole(pairs ...string) Step { return hotels(append(pairs, "time_granularity", "none")...) }

// rowsOfHotels are part 4, hotel insights query, and its limits of part 8.
var rowsOfHotels = concat(
	[]Row{
		{Rules: "4.hotel.dates 4.hotel.filters", Name: "properties of three days",
			Given: lodging, Do: whole("limit", "2000").save("rows", "count"), Want: gives(is("object", "list"),
				integer("count", 2), integer("data[0].impressions", 1), text("data[0].hotel_name"),
				has("data[0].clicks", "data[0].spend", "data[0].ctr", "data[0].cpc", "data[0].cpm"))},
		{Rules: "4.hotel.filters", Name: "of a name, exactly", Given: given(lodging, whole().save("name",
			"data[0].hotel_name")), Do: whole("filters[]", `{"field":"hotel_name","operator":"IN","value":["{name}"]}`),
			Want: gives(count("data", 1), is("data[0].hotel_name", "{name}"))},
		{Rules: "4.hotel.filters", Name: "of a name in another case", Given: lodging, Do: whole("filters[]",
			condition("hotel_name", "IN", []string{"harbour house"})), Want: gives(count("data", 0))},
		{Rules: "4.hotel.filters", Name: "missing metadata matches no text", Given: lodging,
			Do: whole("filters[]", condition("hotel_name", "IN", []string{""})), Want: gives(count("data", 0))},
		{Rules: "4.hotel.filters", Name: "all conditions must hold", Given: lodging, Do: whole("filters[]",
			condition("hotel_brand", "IN", []string{"Lumen"}), "filters[]", condition("hotel_country_code",
				"IN", []string{"PT"})), Want: gives(count("data", 1), is("data[0].hotel_name", "Harbour House"))},
		{Rules: "4.hotel.filters", Name: "more impressions than none", Given: lodging,
			Do: whole("filters[]", condition("impressions", "GREATER_THAN", 0)), Want: gives(integer("count", 2))},
		{Rules: "4.hotel.filters", Name: "fewer impressions than none", Given: lodging,
			Do: whole("filters[]", condition("impressions", "LESS_THAN", 0)), Want: gives(count("data", 0))},
		{Rules: "4.hotel.ids", Name: "of the campaign", Given: given(lodging, whole().save("rows", "count")),
			Do:   whole("campaign_ids[]", "{campaign}", "ad_group_ids[]", "{group}", "ad_ids[]", "{ad}"),
			Want: gives(is("count", "#{rows}"))},
		{Rules: "4.hotel.ids", Name: "of another campaign",
			Given: lodging, Do: whole("campaign_ids[]", "cmpn_none"), Want: gives(count("data", 0))},
		{Rules: "4.hotel.ids", Name: "of another ad group",
			Given: lodging, Do: whole("ad_group_ids[]", "adgrp_none"), Want: gives(count("data", 0))},
		{Rules: "4.hotel.ids", Name: "of another ad",
			Given: lodging, Do: whole("ad_ids[]", "ad_none"), Want: gives(count("data", 0))},
		{Rules: "4.hotel.inventory_items", Name: "two properties",
			Given: lodging, Do: whole("inventory_items[]", property("fd_test", "prop-001"),
				"inventory_items[]", property("fd_test", "prop-002")), Want: gives(count("data", 2))},
		{Rules: "4.hotel.inventory_items", Name: "a pair that is none", Given: lodging,
			Do: whole("inventory_items[]", property("fd_other", "prop-001")), Want: gives(count("data", 0))},
		{Rules: "4.hotel.include_zero_activity", Name: "properties without activity are left out",
			Given: lodging, Do: whole("limit", "2000"), Want: gives(none("data", "impressions", 0))},
		{Rules: "4.hotel.include_zero_activity", Name: "properties without activity are added", Given: lodging,
			Do: whole("limit", "2000", "include_zero_activity", "true"), Want: gives(some("data", "impressions", 0))},
		{
			Rules: "4.hotel.include_zero_activity", Name: "they are added to the latest day only",
			Given: given(lodging, hotels("limit", "2000").save("latest", "data[last].start_time")),
			Do:    hotels("limit", "2000", "include_zero_activity", "true"),
			Want:  gives(some("data", "impressions", 0), latestZeros),
		},
		{Rules: "4.hotel.settled", Name: "spend of a day that is not over is not settled",
			Given: lodging, Do: get("/ad_account/hotel_insights" + asks("start_date", "{day}", "end_date", "{day}")),
			Want: gives(integer("data[0].impressions", 1), is("data[0].spend", 0))},
		{Rules: "4.hotel.settled", Name: "conversions of properties are not reported",
			Given: lodging, Do: whole(), Want: gives(lacks("data[0].conversions"))},
		{Rules: "4.insights.hotel", Name: "hotel insights without enrolment",
			Given: given(without("hotel_reporting")), Do: hotels(), Want: answers(403, 404)},
		{Rules: "4.hotel.dates", Name: "hotel insights without start_date",
			Do: get("/ad_account/hotel_insights" + asks("end_date", "{day}")), Want: invalid("start_date")},
		{Rules: "4.hotel.dates", Name: "hotel insights without end_date",
			Do: get("/ad_account/hotel_insights" + asks("start_date", "{day}")), Want: invalid("end_date")},
		{Rules: "4.hotel.dates", Name: "hotel insights up to today",
			Do: get("/ad_account/hotel_insights" + asks("start_date", "{day}", "end_date", "{day}")), Want: gives()},
		{Rules: "4.hotel.dates", Name: "hotel insights up to tomorrow", Do: get("/ad_account/hotel_insights" +
			asks("start_date", "{day}", "end_date", "{day+1}")), Want: invalid("end_date")},
		{Rules: "4.hotel.dates", Name: "hotel insights of a short date", Do: get("/ad_account/hotel_insights" +
			asks("start_date", "2026-1-1", "end_date", "{day}")), Want: invalid("start_date")},
		{Rules: "4.hotel.dates", Name: "hotel insights of long ago", Do: get("/ad_account/hotel_insights" +
			asks("start_date", "1999-01-01", "end_date", "1999-02-01")), Want: gives(count("data", 0))},
		{Rules: "4.hotel.time_granularity", Name: "properties by day", Given: lodging, Do: hotels("time_granularity",
			"daily", "inventory_items[]", property("fd_test", "prop-001")), Want: gives(count("data", 3))},
		{Rules: "4.hotel.time_granularity", Name: "properties by month", Given: lodging, Do: hotels("time_granularity",
			"monthly", "inventory_items[]", property("fd_test", "prop-001")), Want: gives(count("data", 1))},
		{Rules: "4.hotel.time_granularity", Name: "properties by hour",
			Do: hotels("time_granularity", "hourly"), Want: invalid("time_granularity")},
		{Rules: "4.insights.hotel", Name: "hotel insights backward",
			Do: hotels("before", "x"), Want: invalid("before")},
		{Rules: "4.hotel.filters", Name: "an unknown field of properties",
			Do: hotels("filters[]", condition("stars", "GREATER_THAN", 3)), Want: answers(400, 422)},
		{Rules: "4.hotel.filters", Name: "IN of a metric",
			Do: hotels("filters[]", condition("ctr", "IN", []string{"1"})), Want: answers(400, 422)},
		{Rules: "4.hotel.filters", Name: "GREATER_THAN of a text",
			Do: hotels("filters[]", condition("hotel_city", "GREATER_THAN", 1)), Want: answers(400, 422)},
		{Rules: "4.hotel.filters", Name: "a number that is not finite",
			Do: hotels("filters[]", `{"field":"ctr","operator":"LESS_THAN","value":1e999}`), Want: answers(400, 422)},
		{Rules: "4.hotel.inventory_items", Name: "an item without its feed",
			Do: hotels("inventory_items[]", `{"inventory_item_id":"prop-001"}`), Want: answers(400, 422)},
	},
	edge("filters", 50, condition("clicks", "GREATER_THAN", 0)),
	edge("campaign_ids", 2000, "c"), edge("ad_group_ids", 2000, "g"), edge("ad_ids", 2000, "a"),
	edge("inventory_items", 2000, property("f", "p")),
	[]Row{
		{Rules: "8.hotel 4.hotel.filters", Name: "2,000 texts in filters",
			Do: hotels("filters[]", condition("hotel_name", "IN", texts(2000, "H"))), Want: gives()},
		{Rules: "8.hotel 4.hotel.filters", Name: "2,001 texts in filters",
			Do: hotels("filters[]", condition("hotel_name", "IN", texts(1000, "H")),
				"filters[]", condition("hotel_city", "IN", texts(1001, "C"))), Want: invalid("filters")},
	},
)

// edge are the rows of an array's greatest length.
func edge(name string, most int, value string) []Row {
	many := func(n int) Step {
		return hotels(strings.Split(strings.Repeat(name+"[]\n"+value+"\n", n), "\n")[:2*n]...)
	}
	return []Row{
		{Rules: "8.hotel", Name: name + " of hotel insights, at the most", Do: many(most), Want: gives()},
		{Rules: "8.hotel", Name: name + " of hotel insights, one above", Do: many(most + 1), Want: invalid(name)},
	}
}

// latestZeros wants rows without impressions on the latest day only.
func latestZeros(a Answer, v *values) string {
	rows, _ := at(a.JSON, "data").([]any)
	for _, row := range rows {
		if flat(at(row, "impressions")) == "0" && flat(at(row, "start_time")) != v.saved["latest"] {
			return "a row without impressions is not of the latest day: " + flat(row)
		}
	}
	return ""
}
