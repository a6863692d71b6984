package emulator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/testing/emulatortest"
)

func TestAdGroupCreate(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	base := emulatortest.AdGroupBody(w.campaign, "Runners")
	rows := []struct {
		name  string
		field string
		value any
		want  refusal
	}{
		{"as published", "name", "Runners", fine},
		{"without a campaign", "campaign_id", absent, bad("missing_required_parameter", "campaign_id")},
		{"under no campaign", "campaign_id", "cmpn_none", refusal{404, "not_found", ""}},
		{"without bidding", "bidding_config", absent, bad("missing_required_parameter", "bidding_config")},
		{"without billing event", "bidding_config.billing_event_type",
			absent, bad("missing_required_parameter", "bidding_config.billing_event_type")},
		{"billing of another campaign", "bidding_config.billing_event_type",
			"impression", bad("billing_event_mismatch", "bidding_config.billing_event_type")},
		{"fixed bid without a bid", "bidding_config.max_bid_micros",
			absent, bad("missing_required_parameter", "bidding_config.max_bid_micros")},
		{"strategy left out is a fixed bid", "bidding_config.strategy", absent, fine},
		{"bid of 0", "bidding_config.max_bid_micros",
			0, bad("integer_below_min_value", "bidding_config.max_bid_micros")},
		{"bid of 1", "bidding_config.max_bid_micros", 1, fine},
		{"highest bid", "bidding_config.max_bid_micros", int64(30_400_000_000_000), fine},
		{"above the highest bid", "bidding_config.max_bid_micros",
			int64(30_400_000_000_001), bad("integer_above_max_value", "bidding_config.max_bid_micros")},
		{"maximize with a bid", "bidding_config.strategy",
			"maximize_clicks", bad("invalid_value", "bidding_config.max_bid_micros")},
		{"unknown strategy", "bidding_config.strategy", "lowest", bad("invalid_value", "bidding_config.strategy")},
		{"shown strategy", "bidding_config.strategy", "automated_bid", bad("invalid_value", "bidding_config.strategy")},
		{"2,000 hints", "context_hints", texts(2000, "people who run"), fine},
		{"2,001 hints", "context_hints", texts(2001, "people who run"), bad("array_above_max_length", "context_hints")},
		{"hint of blanks", "context_hints", []string{" "}, bad("invalid_value", "context_hints[0]")},
		{"exclusion hints are for bulk", "exclusion_hints", []string{"x"}, bad("unknown_parameter", "exclusion_hints")},
		{"product set without a feed", "product_set", object{"product_feed_id": "fd_test", "filters": []object{}},
			bad("product_feed_mismatch", "product_set.product_feed_id")},
		{"multiplier at its least", "bidding_config.custom_audience_bid_multipliers",
			[]object{{"custom_audience_id": "caud_1", "bid_multiplier_micros": 99_999}},
			bad("integer_below_min_value", "bidding_config.custom_audience_bid_multipliers[0].bid_multiplier_micros")},
	}
	for _, row := range rows {
		expect(t, "create ad group: "+row.name,
			w.Do(t, "POST", "/ad_groups", with(base, row.field, row.value)), row.want)
	}
}

func TestMaximizeResults(t *testing.T) {
	s := emulatortest.Start(t)
	body := func(campaign, strategy string) object {
		return object{"campaign_id": campaign, "name": "Group", "status": "paused",
			"bidding_config": object{"billing_event_type": "click", "strategy": strategy}}
	}
	daily := s.Campaign(t, "Daily")
	lifetime := s.Must(t, "POST", "/campaigns",
		with(emulatortest.CampaignBody("Whole"), "budget", object{"lifetime_spend_limit_micros": 9_000_000})).ID(t)
	key := func(k string) []string { return []string{"Idempotency-Key", k} }

	expect(t, "with a daily budget", s.Do(t, "POST", "/ad_groups", body(daily, "maximize_clicks"), key("1")...), fine)
	expect(t, "without a key", s.Do(t, "POST", "/ad_groups", body(daily, "maximize_clicks")),
		bad("missing_required_parameter", "Idempotency-Key"))
	expect(t, "with a lifetime budget", s.Do(t, "POST", "/ad_groups", body(lifetime, "maximize_clicks"), key("2")...),
		bad("daily_budget_required", "bidding_config.strategy"))
	expect(t, "conversions on a clicks campaign", s.Do(t, "POST", "/ad_groups",
		body(daily, "maximize_conversions"), key("3")...), bad("strategy_mismatch", "bidding_config.strategy"))
}

func TestAdGroupUpdate(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	at := "/ad_groups/" + w.adGroup
	rows := []struct {
		name string
		body string
		want refusal
	}{
		{"another campaign", `{"campaign_id":"{campaign}"}`, bad("immutable_parameter", "campaign_id")},
		{"bid without billing event", `{"bidding_config":{"strategy":"fixed_bid","max_bid_micros":5}}`,
			bad("missing_required_parameter", "bidding_config.billing_event_type")},
		{"hints are replaced", `{"context_hints":["one"]}`, fine},
		{"hints are cleared", `{"context_hints":[]}`, fine},
		{"to maximize", `{"bidding_config":{"billing_event_type":"click","strategy":"maximize_clicks"}}`, fine},
		{"back without a bid", `{"bidding_config":{"billing_event_type":"click","strategy":"fixed_bid"}}`,
			bad("missing_required_parameter", "bidding_config.max_bid_micros")},
	}
	for _, row := range rows {
		expect(t, "update ad group: "+row.name, w.Do(t, "POST", at, w.fill(row.body)), row.want)
	}
	got := w.Must(t, "POST", at, `{"name":"Walkers"}`).Map(t)["bidding_config"]
	want := any(map[string]any{"billing_event_type": "click", "strategy": "maximize_clicks"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("an omitted bidding_config is kept (-want +got):\n%s", diff)
	}
}

func TestProductFeedTree(t *testing.T) {
	s := emulatortest.Start(t)
	feed := with(with(emulatortest.CampaignBody("Feed"), "mode", "product_feed"), "product_feed_id", "fd_test")
	expect(t, "feed of someone else", s.Do(t, "POST", "/campaigns", with(feed, "product_feed_id", "fd_other")),
		bad("product_feed_not_found", "product_feed_id"))
	expect(t, "feed with location ids", s.Do(t, "POST", "/campaigns", with(feed, "targeting",
		object{"locations": object{"include": locations(1)}})), bad("invalid_value", "targeting.locations"))
	campaign := s.Must(t, "POST", "/campaigns", feed).ID(t)
	group := emulatortest.AdGroupBody(campaign, "Shoes")
	set := func(filters ...object) object { return object{"product_feed_id": "fd_test", "filters": filters} }
	rows := []struct {
		name    string
		filters object
		want    refusal
	}{
		{"brand", set(object{"field": "brand", "operator": "in", "values": []string{"A"}}), fine},
		{"price below", set(object{"field": "price", "operator": "lt", "values": []string{"10"}}), fine},
		{"brand below", set(object{"field": "brand", "operator": "lt", "values": []string{"10"}}),
			bad("invalid_value", "product_set.filters[0].operator")},
		{"field twice", set(object{"field": "brand", "operator": "in", "values": []string{"A"}},
			object{"field": "brand", "operator": "in", "values": []string{"B"}}),
			bad("invalid_value", "product_set.filters[1].field")},
		{"unknown field", set(object{"field": "colour", "operator": "in", "values": []string{"A"}}),
			bad("invalid_value", "product_set.filters[0].field")},
		{"metadata", set(object{"field": "ads_metadata.colour", "operator": "in", "values": []string{"A"}}), fine},
	}
	for _, row := range rows {
		expect(t, "product set: "+row.name,
			s.Do(t, "POST", "/ad_groups", with(group, "product_set", row.filters)), row.want)
	}
	id := s.Must(t, "POST", "/ad_groups", group).ID(t)
	template := object{
		"ad_group_id": id, "name": "Template", "status": "paused", "creative": object{
			"type": "product_ad_template", "title": "{{product.title}}", "body": "",
		},
	}
	expect(t, "first template", s.Do(t, "POST", "/ads", template), fine)
	expect(t, "second template", s.Do(t, "POST", "/ads", template), refusal{409, "product_ad_template_exists", ""})
}
