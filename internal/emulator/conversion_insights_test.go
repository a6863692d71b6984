package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// selling is an account whose ads count orders.
type selling struct {
	*running
	*measured
	campaign, ad, setting string
}

func sell(t testing.TB, days float64) *selling {
	t.Helper()
	m := newMeasured(t, func(o *emulator.Options) { o.Now = func() time.Time { return firstDay } })
	w := &selling{measured: m, running: &running{Service: m.Service}}
	w.setting = m.Must(t, "POST", "/conversions/event_settings", object{
		"name": "Orders", "event_type": "order_created",
		"attribution_window_days": 30, "source_ids": []string{m.source},
	}).ID(t)
	body := with(with(emulatortest.CampaignBody("Sales"), "status", "active"),
		"budget", object{"daily_spend_limit_micros": 500_000_000})
	w.campaign = m.Must(t, "POST", "/campaigns", with(body, "conversion_event_setting_ids", []string{w.setting})).ID(t)
	g := m.Must(t, "POST", "/ad_groups", with(emulatortest.AdGroupBody(w.campaign, "Sales"), "status", "active")).ID(t)
	for i := range 8 {
		w.ad = m.Must(t, "POST",
			"/ads", with(emulatortest.AdBody(g, fmt.Sprint("Sale ", i), m.File(t)), "status", "active")).ID(t)
	}
	m.Advance(t, days*86_400)
	return w
}

// counted is how many conversions insights count with these parameters.
func (w *selling) counted(t testing.TB, query ...string) int64 {
	t.Helper()
	rows := w.insights(t, "/ad_account/insights",
		append(query, "fields[]", "conversions", "time_granularity", "none")...).Data
	if len(rows) == 0 {
		return 0
	}
	return micros(t, rows, "conversions") / 1_000_000
}

func TestAttributionWindows(t *testing.T) {
	w := sell(t, 60)
	early := `{"type":"date_range","since":"2026-11-02","until":"2026-11-20"}`
	count := func(click, view string) int64 {
		return w.counted(t, "time_ranges[]", early,
			"attribution_window_days", click, "view_through_attribution_window_days", view)
	}
	seven, fourteen, thirty, views := count("7", "0"), count("14", "0"), count("30", "0"), count("30", "1")
	if !(0 < seven && seven < fourteen && fourteen < thirty && thirty < views) {
		t.Errorf("part 4, insights: %d conversions in 7 days, "+
			"%d in 14, %d in 30, %d with views of a day; want more each time", seven, fourteen, thirty, views)
	}
	if got := w.counted(t, "time_ranges[]", early); got != views {
		t.Errorf("part 4, insights: %d conversions by default, want those of 30 days and 1 day, %d", got, views)
	}
	if got := w.counted(t, "time_ranges[]", early,
		"attribution_time_basis", "conversion_time"); got >= views || got == 0 {
		t.Errorf("part 4, insights: %d conversions "+
			"happened in the time, want fewer than the %d its clicks and views led to", got, views)
	}
	whole := `{"type":"date_range","since":"2026-10-30","until":"2026-12-31"}`
	byTouch, byConversion := w.counted(t, "time_ranges[]", whole),
		w.counted(t, "time_ranges[]", whole, "attribution_time_basis", "conversion_time")
	if byTouch != byConversion {
		t.Errorf("over the whole time: %d conversions by ad event time, %d by conversion time, want the same",
			byTouch, byConversion)
	}
}

func TestConversionsOnlyGrow(t *testing.T) {
	w := sell(t, 5)
	early := `{"type":"date_range","since":"2026-11-02","until":"2026-11-06"}`
	before := w.counted(t, "time_ranges[]", early)
	w.running.Advance(t, 20*86_400)
	if after := w.counted(t, "time_ranges[]", early); after <= before {
		t.Errorf("20 days later the first days have %d conversions, want more than %d: people take their time",
			after, before)
	}
}

func TestConversionMetrics(t *testing.T) {
	w := sell(t, 10.5)
	row := w.insights(t, "/campaigns/"+w.campaign+"/insights", "time_granularity", "none",
		"fields[]", "spend", "fields[]", "clicks",
		"fields[]", "conversions", "fields[]", "cpa", "fields[]", "post_click_cvr",
		"fields[]", "order_created_attributed_sales",
		"fields[]", "order_created_attributed_sales_currency", "fields[]", "order_created_roas").Data[0]
	column := func(name string) int64 { return micros(t, []map[string]any{row}, name) }
	if got, want := column("cpa"), (2*column("spend")/(column("conversions")/1_000_000)+1)/2; got != want {
		t.Errorf("cpa = %d, want spend for each conversion, %d", got, want)
	}
	if column("order_created_attributed_sales") == 0 ||
		column("order_created_roas") == 0 || column("post_click_cvr") == 0 {
		t.Errorf("row %v, want sales, roas and cvr", row)
	}
	if row["order_created_attributed_sales_currency"] != "USD" {
		t.Errorf("sales are in %v, want USD", row["order_created_attributed_sales_currency"])
	}
	status := w.insights(t, "/ad_account/insights", "fields[]", "metadata.data_status").Data
	if first, last := status[0]["data_status"], status[len(status)-1]["data_status"]; first != "final" ||
		last != "preliminary" {
		t.Errorf("part 4: data is %v on the first day and %v today, want final and preliminary", first, last)
	}
}

func TestReceivedConversionsAreReported(t *testing.T) {
	w := sell(t, 0)
	ref := fmt.Sprint(w.running.Must(t, "POST", "/_emulator/clicks", object{"ad_id": w.ad}).Map(t)["ref"])
	w.running.Advance(t, 60)
	w.post(t, "events", object{"events": []object{
		with(w.order("bought"), "oppref", ref),
		with(with(w.order("signed up"), "type", "lead_created"), "oppref", ref),
		w.order("nobody's"),
	}})
	row := w.insights(t, "/ads/"+w.ad+"/insights",
		"time_granularity", "none", "fields[]", "conversions", "fields[]", "order_created_attributed_sales").Data[0]
	if fmt.Sprint(row["conversions"]) != "1" || fmt.Sprint(row["order_created_attributed_sales"]) != "19.99" {
		t.Errorf("row is %v, want the one order of 19.99 that the campaign's setting counts", row)
	}
}

func TestConversionInsights(t *testing.T) {
	w := sell(t, 12)
	body := object{
		"aggregation_level": "campaign", "entity_ids": []string{w.campaign}, "include": []string{"attributed_events"},
	}
	answer := w.running.Must(t, "POST", "/conversions/insights", body).Map(t)
	rows := answer["data"].([]any)
	row := rows[0].(map[string]any)
	if len(rows) != 1 || fmt.Sprint(answer["count"]) != "1" ||
		answer["account_currency"] != "USD" || row["entity_id"] != w.campaign {
		t.Fatalf("service facts 10: %v, want one row of the campaign", answer)
	}
	if got, want := fmt.Sprint(row["conversions"]), fmt.Sprint(w.counted(t)); got != want {
		t.Errorf("service facts 10: %s conversions, insights count %s", got, want)
	}
	event := row["attributed_events"].([]any)[0].(map[string]any)
	if event["event_name"] != "order_created" || event["attributed_event_count"] != row["conversions"] ||
		event["attributed_event_value_amount"] != row["order_created_attributed_sales"] {
		t.Errorf("service facts 10: attributed event %v of row %v", event, row)
	}
	for _, tt := range []struct {
		name string
		body object
		want int // rows
	}{
		{"by day, with zero rows", with(body, "time_granularity", "daily"), 30},
		{"without grouping", object{"aggregation_level": "campaign", "group_by_entity": false}, 1},
		{"by device", with(body, "breakdown", "device"), 2},
		{"events nobody counts",
			with(with(body, "event_names", []string{"trial_started"}), "include_zero_rows", false), 0},
		{"a time range as text", with(body, "time_ranges", []string{`{"type":"date_range","since":"2026-11-02"}`}), 1},
	} {
		got := len(w.running.Must(t, "POST", "/conversions/insights", tt.body).Map(t)["data"].([]any))
		if got != tt.want {
			t.Errorf("service facts 10, conversion insights, %s: %d rows, want %d", tt.name, got, tt.want)
		}
	}
}

func TestConversionInsightsRefuse(t *testing.T) {
	w := sell(t, 1)
	body := object{"aggregation_level": "ad", "entity_ids": []string{w.ad}}
	many := make([]string, 101)
	for i := range many {
		many[i] = w.ad
	}
	for i := range many[1:] {
		g := w.running.AdGroup(t, w.campaign, fmt.Sprint("Group ", i))
		many[i+1] = g
	}
	groups := with(with(object{"aggregation_level": "ad_group", "time_granularity": "daily"}, "entity_ids", many[1:]),
		"time_ranges", []string{`{"type":"date_range","since":"2026-10-15"}`})
	for _, tt := range []struct {
		name string
		body object
		want refusal
	}{
		{"as published", body, fine},
		{"without level", with(body, "aggregation_level", absent),
			bad("missing_required_parameter", "aggregation_level")},
		{"grouped without ids", with(body, "entity_ids", absent), bad("missing_required_parameter", "entity_ids")},
		{"an entity of nobody", with(body, "entity_ids", []string{"ad_x"}), bad("invalid_value", "entity_ids")},
		{"hourly", with(body, "time_granularity", "hourly"), bad("invalid_value", "time_granularity")},
		{"breakdown by product", with(body, "breakdown", "product"), bad("invalid_value", "breakdown")},
		{"click window 10", with(body, "attribution_window_days", 10), bad("invalid_value", "attribution_window_days")},
		{"a range that is no object", with(body, "time_ranges", []string{"today"}), bad("invalid_type", "time_ranges")},
		{"an unknown include", with(body, "include", []string{"all"}), bad("invalid_value", "include")},
		{"an unknown field", with(body, "sort", "x"), bad("unknown_parameter", "sort")},
		{"100 entities and 20 days are 2,000 rows", groups, fine},
		{"100 entities and 21 days are more than 2,000 rows", with(groups,
			"time_ranges", []string{`{"type":"date_range","since":"2026-10-14"}`}), refusal{413, "too_many_rows", ""}},
	} {
		expect(t, "service facts 10, conversion insights: "+tt.name,
			w.running.Do(t, "POST", "/conversions/insights", tt.body), tt.want)
	}
}
