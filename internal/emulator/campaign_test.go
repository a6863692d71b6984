package emulator_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

func TestCampaignCreate(t *testing.T) {
	base := emulatortest.CampaignBody("Spring")
	rows := []struct {
		name  string
		field string
		value any
		want  refusal
	}{
		{"as published", "name", "Spring", fine},
		{"without a name", "name", absent, bad("missing_required_parameter", "name")},
		{"name of 2", "name", text(2), bad("string_below_min_length", "name")},
		{"name of 3 code points", "name", text(3), fine},
		{"name of 1,000 code points", "name", text(1000), fine},
		{"name of 1,001", "name", text(1001), bad("string_above_max_length", "name")},
		{"name of blanks", "name", "    ", bad("invalid_value", "name")},
		{"name is a number", "name", 5, bad("invalid_type", "name")},
		{"name is null", "name", nil, bad("invalid_type", "name")},
		{"unknown field", "nmae", "x", bad("unknown_parameter", "nmae")},
		{"unknown nested field", "budget.total", 1, bad("unknown_parameter", "budget.total")},
		{"the key as a field", "user_external_id", "x", bad("unknown_parameter", "user_external_id")},
		{"active", "status", "active", fine},
		{"archived at birth", "status", "archived", bad("invalid_value", "status")},
		{"without status", "status", absent, bad("missing_required_parameter", "status")},
		{"without bidding type", "bidding_type", absent, bad("missing_required_parameter", "bidding_type")},
		{"impressions", "bidding_type", "impressions", fine},
		{"unknown bidding type", "bidding_type", "views", bad("invalid_value", "bidding_type")},
		{"without budget", "budget", absent, bad("missing_required_parameter", "budget")},
		{"empty budget", "budget", object{}, bad("invalid_value", "budget")},
		{"both halves", "budget.lifetime_spend_limit_micros", 2_000_000, bad("invalid_value", "budget")},
		{"999,999 micros", "budget.daily_spend_limit_micros",
			999_999, bad("integer_below_min_value", "budget.daily_spend_limit_micros")},
		{"1,000,000 micros", "budget.daily_spend_limit_micros", 1_000_000, fine},
		{"a fraction of a micro", "budget.daily_spend_limit_micros",
			1_000_000.5, bad("invalid_type", "budget.daily_spend_limit_micros")},
		{"lifetime", "budget", object{"lifetime_spend_limit_micros": 1_000_000}, fine},
		{"budget as text", "budget.daily_spend_limit_micros",
			"5000000", bad("invalid_type", "budget.daily_spend_limit_micros")},
		{"description null", "description", nil, fine},
		{"first time", "start_time", 946684800, fine},
		{"before the first time", "start_time", 946684799, bad("integer_below_min_value", "start_time")},
		{"last time", "end_time", 4102444800, fine},
		{"after the last time", "end_time", 4102444801, bad("integer_above_max_value", "end_time")},
		{"objective of another bidding type", "objective", "reach", bad("invalid_value", "objective")},
		{"billing of another bidding type", "billing_event_type",
			"impression", bad("invalid_value", "billing_event_type")},
		{"feed without mode", "product_feed_id", "fd_test", bad("invalid_value", "product_feed_id")},
		{"mode without feed", "mode", "product_feed", bad("missing_required_parameter", "product_feed_id")},
		{"countries", "targeting", object{"locations": object{"countries": []string{"US", "NO"}}}, fine},
		{"country in small letters", "targeting", object{"locations": object{"countries": []string{"us"}}},
			bad("invalid_value", "targeting.locations.countries[0]")},
		{"no country", "targeting", object{"locations": object{"countries": []string{"UK"}}},
			bad("invalid_value", "targeting.locations.countries[0]")},
		{"locations", "targeting", object{"locations": object{"include": []object{{"id": "2000043"}}}}, fine},
		{"location with a letter", "targeting", object{"locations": object{"include": []object{{"id": "20x"}}}},
			bad("invalid_value", "targeting.locations.include[0].id")},
		{"2,500 locations", "targeting", object{"locations": object{"include": locations(2500)}}, fine},
		{"2,501 locations", "targeting", object{"locations": object{"include": locations(2501)}},
			bad("array_above_max_length", "targeting.locations.include")},
		{"platforms", "targeting", object{"platforms": object{"included": []string{"web", "ios_app"}}}, fine},
		{"no platforms", "targeting", object{"platforms": object{"included": []string{}}},
			bad("array_below_min_length", "targeting.platforms.included")},
		{"empty platforms", "targeting", object{"platforms": object{}},
			bad("missing_required_parameter", "targeting.platforms.included")},
		{"unknown platform", "targeting", object{"platforms": object{"included": []string{"tv"}}},
			bad("invalid_value", "targeting.platforms.included[0]")},
		{"unknown audience", "targeting", object{"custom_audiences": object{"ids": []string{"caud_1"}}},
			bad("custom_audience_not_found", "targeting.custom_audiences")},
		{"audience in and out", "targeting", object{"custom_audiences": object{"ids": []string{"caud_1"}},
			"excluded_custom_audiences": object{"ids": []string{"caud_1"}}},
			bad("invalid_value", "targeting.excluded_custom_audiences")},
		{"unknown targeting", "targeting", object{"ages": 1}, bad("unknown_parameter", "targeting.ages")},
		{"tracking", "landing_page_configuration",
			object{"query_string_template": "utm_source=chat&c={campaign_id}&a={ad_id}&o={oppref}"}, fine},
		{"unknown placeholder", "landing_page_configuration", object{"query_string_template": "a={ad_group}"},
			bad("invalid_value", "landing_page_configuration.query_string_template")},
		{"fragment in tracking", "landing_page_configuration", object{"query_string_template": "a=b#c"},
			bad("invalid_value", "landing_page_configuration.query_string_template")},
		{"tracking null", "landing_page_configuration", object{"query_string_template": nil}, fine},
		{"unknown event setting", "conversion_event_setting_ids",
			[]string{"ces_1"}, bad("event_setting_not_found", "conversion_event_setting_ids")},
	}
	s := emulatortest.Start(t)
	for _, row := range rows {
		got := s.Do(t, "POST", "/campaigns", with(base, row.field, row.value))
		expect(t, "create campaign: "+row.name, got, row.want)
	}
}

func locations(n int) []object {
	all := make([]object, n)
	for i := range all {
		all[i] = object{"id": fmt.Sprint(1_000_000 + i)}
	}
	return all
}

func TestBodyMustBeOneObject(t *testing.T) {
	s := emulatortest.Start(t)
	for _, body := range []string{"", "null", "[]", "{", `{"name":"x"} {}`, "\xff", `"text"`} {
		got := s.Do(t, "POST", "/campaigns", body)
		expect(t, fmt.Sprintf("create campaign from %q", body), got, bad("invalid_json", ""))
	}
}

func TestEndMustBeAfterStart(t *testing.T) {
	s := emulatortest.Start(t)
	body := with(emulatortest.CampaignBody("Spring"), "start_time", 2_000_000_000)
	expect(t, "end = start", s.Do(t, "POST", "/campaigns", with(body, "end_time", 2_000_000_000)),
		bad("invalid_value", "end_time"))
	expect(t, "end = start+1", s.Do(t, "POST", "/campaigns", with(body, "end_time", 2_000_000_001)), fine)
}

func TestCampaignRecordIsAsPublished(t *testing.T) {
	s := emulatortest.Start(t)
	body := with(emulatortest.CampaignBody("Spring"), "targeting", object{
		"locations": object{"countries": []string{"US"}, "include": []object{{"id": "2000043"}}},
		"platforms": object{"included": []string{"web"}},
	})
	got := s.Must(t, "POST", "/campaigns", body).Map(t)
	for _, varies := range []string{"id", "created_at", "updated_at"} {
		if got[varies] == nil {
			t.Errorf("the record has no %s", varies)
		}
		delete(got, varies)
	}
	want := emulatortest.Reply{Body: []byte(`{
		"name": "Spring", "description": null, "status": "paused", "start_time": null, "end_time": null,
		"budget": {"daily_spend_limit_micros": 50000000}, "bidding_type": "clicks", "objective": "clicks",
		"billing_event_type": "click", "mode": null, "product_feed_id": null, "business_agent_id": null,
		"conversion_event_setting_ids": [], "landing_page_configuration": null,
		"targeting": {
			"locations": {"countries": ["US"], "include": [{"id": "2000043", "name": "California", "type": "region", "country_code": "US", "region_code": "US-CA"}]},
			"platforms": {"included": ["web"]}
		}}`)}.Map(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestCampaignUpdate(t *testing.T) {
	rows := []struct {
		name string
		body string
		want refusal
	}{
		{"nothing", `{}`, bad("missing_required_parameter", "")},
		{"name", `{"name":"Summer"}`, fine},
		{"bidding type", `{"bidding_type":"clicks"}`, bad("immutable_parameter", "bidding_type")},
		{"mode", `{"mode":"product_feed"}`, bad("immutable_parameter", "mode")},
		{"daily to lifetime", `{"budget":{"lifetime_spend_limit_micros":9000000}}`, bad("invalid_value", "budget")},
		{"half a budget object", `{"budget":{}}`, bad("invalid_value", "budget")},
		{"daily below the bid of an ad group", `{"budget":{"daily_spend_limit_micros":1249999}}`,
			bad("budget_below_bid", "budget.daily_spend_limit_micros")},
		{"daily as low as the bid", `{"budget":{"daily_spend_limit_micros":1250000}}`, fine},
		{"clear the description", `{"description":null}`, fine},
		{"clear the name", `{"name":null}`, bad("invalid_type", "name")},
		{"unknown status", `{"status":"on"}`, bad("invalid_value", "status")},
		{"unknown field", `{"nmae":"x"}`, bad("unknown_parameter", "nmae")},
	}
	w := newTree(t, emulatortest.Start(t))
	for _, row := range rows {
		expect(t, "update campaign: "+row.name, w.Do(t, "POST", "/campaigns/"+w.campaign, row.body), row.want)
	}
	expect(t, "update of no campaign", w.Do(t, "POST", "/campaigns/cmpn_none", `{"name":"Summer"}`),
		refusal{404, "not_found", ""})
}

func TestLifetimeBudgetMayBecomeDaily(t *testing.T) {
	s := emulatortest.Start(t)
	id := s.Must(t, "POST", "/campaigns",
		with(emulatortest.CampaignBody("Spring"), "budget", object{"lifetime_spend_limit_micros": 9_000_000})).ID(t)
	got := s.Must(t, "POST", "/campaigns/"+id, `{"budget":{"daily_spend_limit_micros":2000000}}`).Map(t)["budget"]
	if diff := cmp.Diff(fmt.Sprint(map[string]any{"daily_spend_limit_micros": "2000000"}),
		fmt.Sprint(got)); diff != "" {
		t.Errorf("budget (-want +got): %s", diff)
	}
}

func TestTargetingUpdate(t *testing.T) {
	const before = `{"locations":{"countries":["US"]},"platforms":{"included":["web"]}}`
	rows := []struct{ name, update, want string }{
		{"a new place replaces everything", `{"locations":{"countries":["CA"]}}`, `{"locations":{"countries":["CA"]}}`},
		{"platforms alone keep the places", `{"platforms":{"included":["ios_app"]}}`,
			`{"locations":{"countries":["US"]},"platforms":{"included":["ios_app"]}}`},
		{"null platforms clear platforms only", `{"platforms":null}`, `{"locations":{"countries":["US"]}}`},
		{"null clears all", `null`, `{}`},
		{"an empty object clears all", `{}`, `{}`},
	}
	s := emulatortest.Start(t)
	for _, row := range rows {
		id := s.Campaign(t, "Spring")
		s.Must(t, "POST", "/campaigns/"+id, `{"targeting":`+before+`}`)
		got := s.Must(t, "POST", "/campaigns/"+id, `{"targeting":`+row.update+`}`).Map(t)["targeting"]
		want := emulatortest.Reply{Body: []byte(row.want)}.Map(t)
		if diff := cmp.Diff(any(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestConversionCampaigns(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Accounts = append(o.Accounts, emulator.Account{
			ID: "adacct_plain", Name: "Plain", Currency: "USD", TimeZone: "UTC", Key: "sk-plain",
		})
	})
	a := s.World().Account(emulatortest.AccountID)
	custom := "gift"
	err := a.Update(world.Cause{}, func(tx *world.Tx) error {
		a.Pixels.Put(tx, world.Pixel{ID: "clidsrc_on"})
		a.Pixels.Put(tx, world.Pixel{ID: "clidsrc_off", Inactive: true})
		a.EventSettings.Put(tx, world.EventSetting{ID: "ces_order", EventType: "order_created", SourceID: "clidsrc_on"})
		a.EventSettings.Put(tx, world.EventSetting{
			ID: "ces_custom", EventType: "custom", CustomEventName: &custom, SourceID: "clidsrc_on",
		})
		a.EventSettings.Put(tx, world.EventSetting{
			ID: "ces_old", EventType: "order_created", SourceID: "clidsrc_on", Archived: true,
		})
		a.EventSettings.Put(tx, world.EventSetting{ID: "ces_off", EventType: "order_created", SourceID: "clidsrc_off"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	body := with(emulatortest.CampaignBody("Goals"), "bidding_type", "conversions")
	rows := []struct {
		name string
		ids  any
		want refusal
	}{
		{"one active standard setting", []string{"ces_order"}, fine},
		{"none", []string{}, bad("invalid_value", "conversion_event_setting_ids")},
		{"two", []string{"ces_order", "ces_off"}, bad("invalid_value", "conversion_event_setting_ids")},
		{"custom", []string{"ces_custom"}, bad("custom_event_setting", "conversion_event_setting_ids")},
		{"archived", []string{"ces_old"}, bad("event_setting_not_found", "conversion_event_setting_ids")},
		{"source off", []string{"ces_off"}, bad("source_not_active", "conversion_event_setting_ids")},
	}
	for _, row := range rows {
		expect(t, "conversions campaign: "+row.name,
			s.Do(t, "POST", "/campaigns", with(body, "conversion_event_setting_ids", row.ids)), row.want)
	}
	id := s.Must(t, "POST", "/campaigns", with(body, "conversion_event_setting_ids", []string{"ces_order"})).ID(t)
	expect(t, "change of the goal", s.Do(t, "POST", "/campaigns/"+id, `{"conversion_event_setting_ids":["ces_order"]}`),
		bad("immutable_parameter", "conversion_event_setting_ids"))
	expect(t, "without the feature",
		s.Do(t, "POST", "/campaigns", with(body, "conversion_event_setting_ids", []string{"ces_order"}),
			"Authorization", "Bearer sk-plain"),
		refusal{http.StatusForbidden, "conversion_bidding_not_enabled", "bidding_type"})
}
