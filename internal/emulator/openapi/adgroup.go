package openapi

import (
	"maps"
	"slices"

	"adsync/internal/emulator/ads"
)

// adGroupRecords returns what ad groups are made of. Their attributes come from the table that requests are read by;
// what holds that table to the interface are the rows of the conformance tests.
func adGroupRecords() map[string]*Schema {
	records := maps.Clone(adGroupParts())
	records["AdGroup"] = object(slices.Concat(
		[]Field{must("id", text()), may("campaign_id", text()), must("created_at", integer()),
			must("updated_at", integer())},
		shownAttributes(),
		[]Field{may("user_external_id", text()), may("serving_issues", list(ref("ServingIssue"))),
			may("bid_too_low", boolean())},
	)...)
	first, rest := split(givenAttributes(ads.Create), "name", "status")
	records["AdGroupCreate"] = object(slices.Concat([]Field{must("campaign_id", id)}, first, rest)...)
	first, rest = split(givenAttributes(ads.Update), "name", "status")
	records["AdGroupUpdate"] = changes(slices.Concat(first, rest)...)
	last, rest := split(givenAttributes(ads.BulkCreate), "name", "status")
	parent := must("campaign_idempotency_key", id)
	records["BulkAdGroupCreate"] = object(slices.Concat(rest, bulkBids, []Field{parent}, last)...)
	last, rest = split(givenAttributes(ads.BulkUpdate), "name", "description", "status")
	records["BulkAdGroupUpdate"] = changes(slices.Concat(rest, bulkBids, last)...)
	return records
}

// shownAttributes are the attributes as answers have them.
func shownAttributes() (fields []Field) {
	own := map[string]*Schema{"status": status, "bidding_config": ref("Bidding")}
	for _, a := range ads.AdGroupAttributes {
		if a.Hidden {
			continue
		}
		s := own[a.Name]
		if !a.Own {
			a.Least, a.Most = 0, 0
			s = schemaOf(a, a.Record)
		}
		fields = append(fields, must(a.Name, s))
	}
	return fields
}

// givenAttributes are the attributes that a request takes.
func givenAttributes(call ads.Calls) (fields []Field) {
	own := map[string]*Schema{"status": status, "bidding_config": ref("BiddingChange")}
	if call == ads.Create || call == ads.BulkCreate {
		own["status"] = firstStatus
	}
	for _, a := range ads.AdGroupAttributes {
		if a.In&call == 0 {
			continue
		}
		s := own[a.Name]
		if !a.Own {
			s = schemaOf(a, a.Change)
		}
		fields = append(fields, Field{Name: a.Name, Schema: s, Optional: a.Needed&call == 0})
	}
	return fields
}

// schemaOf returns the schema of an attribute's values; object is the name of their schema where they are objects.
func schemaOf(a ads.Attribute, object string) *Schema {
	s := map[string]*Schema{
		"string": textOf(a.Least, a.Most), "strings": listOf(text(), a.Least, a.Most), "object": ref(object),
	}[a.JSON]
	if a.Clears {
		return orNull(s)
	}
	return s
}

// split parts fields by name.
func split(fields []Field, names ...string) (named, others []Field) {
	for _, f := range fields {
		if slices.Contains(names, f.Name) {
			named = append(named, f)
		} else {
			others = append(others, f)
		}
	}
	return named, others
}

func adGroupParts() map[string]*Schema {
	return map[string]*Schema{
		"Bidding": object(
			must("billing_event_type", oneOf("impression", "click")),
			must("strategy", oneOf("fixed_bid", "maximize_clicks", "maximize_conversions", "automated_bid")),
			may("max_bid_micros", integer()), may("custom_audience_bid_multipliers", list(ref("BidMultiplier"))),
		),
		"BidMultiplier": object(must("custom_audience_id", id),
			must("bid_multiplier_micros", integerOf(100_000, 10_000_000))),
		"ProductSet": object(must("product_feed_id", text()), must("filters", list(ref("ProductFilter")))),
		"ProductFilter": object(must("field", id), must("operator", filterOperator),
			must("values", listOf(text(), 1, 0))),
		"BiddingChange": object(
			must("billing_event_type", oneOf("impression", "click")),
			may("strategy", oneOf("fixed_bid", "maximize_clicks", "maximize_conversions")),
			may("max_bid_micros", integerOf(1, 30_400_000_000_000)),
			may("custom_audience_bid_multipliers", list(ref("BidMultiplier"))),
		).says("fixed_bid needs max_bid_micros; the others must do without."),
		"ProductSetChange": object(must("product_feed_id", id), may("filters", list(ref("ProductFilter")))),
	}
}

var filterOperator = oneOf("in", "not_in", "gt", "gte", "lt", "lte", "contains", "not_contains", "starts_with")

func adGroupOperations() map[string]operation {
	return merged(
		map[string]operation{
			"GET /ad_groups": {
				summary: "List ad groups", also: []int{422}, answer: envelope(ref("AdGroup")),
				query: append(named(500), described(query("campaign_id", id), "Required where "+
					"the open point list_ad_groups is by_campaign."), include("serving_issues", "bid_too_low")),
			},
			"POST /ad_groups": {summary: "Create an ad group", body: json1(ref("AdGroupCreate")),
				answer: ref("AdGroup")},
			"GET /ad_groups/{ad_group_id}": {
				summary: "Read an ad group", query: []Parameter{include("serving_issues", "bid_too_low")},
				answer: ref("AdGroup"),
			},
			"POST /ad_groups/{ad_group_id}": {summary: "Change an ad group",
				body: json1(ref("AdGroupUpdate")), answer: ref("AdGroup")},
		},
		acts("/ad_groups/{ad_group_id}", "an ad group", ref("AdGroup"), "activate", "pause", "archive"),
	)
}
