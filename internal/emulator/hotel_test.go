package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// lodging is an account that advertises properties of its hotel feed for days.
func lodging(t testing.TB, days float64) *running {
	t.Helper()
	w := run(t, 0)
	body := with(emulatortest.CampaignBody("Hotels"), "status", "active")
	body["mode"], body["product_feed_id"] = "product_feed", "fd_test"
	c := w.Must(t, "POST", "/campaigns", body).ID(t)
	g := w.Must(t, "POST", "/ad_groups", with(emulatortest.AdGroupBody(c, "Rooms"), "status", "active")).ID(t)
	ad := with(emulatortest.AdBody(g, "Room", ""), "status", "active")
	ad["creative"] = object{"type": "product_ad_template", "title": "{{product.title}}", "body": "{{product.body}}"}
	w.ads = append(w.ads, w.Must(t, "POST", "/ads", ad).ID(t))
	w.campaigns = append(w.campaigns, c)
	w.Advance(t, days*86_400)
	return w
}

var lodgingDays = []string{"start_date", "2026-11-02", "end_date", "2026-11-04"}

func (w *running) hotels(t *testing.T, query ...string) []map[string]any {
	t.Helper()
	return w.insights(t, "/ad_account/hotel_insights", append(append(query, lodgingDays...), "limit", "2000")...).Data
}

func TestHotelInsightsAddUpToTheHotelCampaign(t *testing.T) {
	w := lodging(t, 2.7)
	path := "/campaigns/" + w.campaigns[2] + "/insights"
	whole := w.insights(t, path, everything...).Data
	settled := whole[:2] // the third day is not over
	for _, granularity := range []string{"none", "daily", "monthly"} {
		rows := w.hotels(t, "time_granularity", granularity)
		for _, column := range []string{"impressions", "clicks"} {
			if got, want := micros(t, rows, column), micros(t, whole, column); got != want || want == 0 {
				t.Errorf("part 4, hotel insights: %s by %s = %d, want settled and estimated, %d",
					column, granularity, got, want)
			}
		}
		if got, want := micros(t, rows, "spend"), micros(t, settled, "spend"); got != want || want == 0 {
			t.Errorf("part 4, hotel insights: spend by %s = %d, want settled only, %d", granularity, got, want)
		}
	}
	segmented := w.insights(t, path, "segments[]",
		"hotel", "fields[]", "hotel.impressions", "fields[]", "hotel.name", "limit", "2000").Data
	if got, want := micros(t, segmented, "hotel_impressions"), micros(t, whole, "impressions"); got != want {
		t.Errorf("part 4, insights: impressions by hotel = %d, want %d", got, want)
	}
}

func TestHotelInsightsFilters(t *testing.T) {
	w := lodging(t, 2.7)
	filter := func(field, operator string, value any) string {
		text, _ := json.Marshal(object{"field": field, "operator": operator, "value": value})
		return string(text)
	}
	item := func(feedID, itemID string) string {
		return fmt.Sprintf(`{"inventory_feed_id":%q,"inventory_item_id":%q}`, feedID, itemID)
	}
	for _, tt := range []struct {
		name  string
		query []string
		want  int
	}{
		{"every property with activity", nil, 6},
		{"IN is exact", []string{"filters[]", filter("hotel_brand", "IN", []string{"Lumen"})}, 2},
		{"IN is case-sensitive", []string{"filters[]", filter("hotel_brand", "IN", []string{"lumen"})}, 0},
		{"missing metadata never matches", []string{"filters[]", filter("hotel_name", "IN", []string{""})}, 0},
		{"filters are ANDed", []string{"filters[]", filter("hotel_brand", "IN", []string{"Lumen"}),
			"filters[]", filter("hotel_country_code", "IN", []string{"PT"})}, 1},
		{"GREATER_THAN", []string{"filters[]", filter("impressions", "GREATER_THAN", 0)}, 6},
		{"LESS_THAN", []string{"filters[]", filter("spend", "LESS_THAN", 0.5)}, 0},
		{"inventory items are ORed as pairs", []string{"inventory_items[]", item("fd_test", "prop-001"),
			"inventory_items[]", item("fd_test", "prop-002"), "inventory_items[]", item("fd_other", "prop-003")}, 2},
		{"campaign_ids", []string{"campaign_ids[]", "cmpn_other"}, 0},
		{"ad_ids", []string{"ad_ids[]", w.ads[4]}, 6},
		{"include_zero_activity adds offered properties", []string{"include_zero_activity", "true"}, 7},
	} {
		if got := len(w.hotels(t, append(tt.query, "time_granularity", "none")...)); got != tt.want {
			t.Errorf("part 4, hotel insights, %s: %d rows, want %d", tt.name, got, tt.want)
		}
	}
	daily := w.hotels(t, "include_zero_activity", "true")
	zeros := 0
	for i, row := range daily {
		if fmt.Sprint(row["impressions"]) == "0" {
			zeros++
			if row["start_time"] != daily[len(daily)-1]["start_time"] {
				t.Errorf("part 4, hotel insights: zero row %d is not in the latest requested bucket: %v", i, row)
			}
		}
	}
	if zeros != 1 {
		t.Errorf("part 4, hotel insights: %d zero rows, want one", zeros)
	}
}

func TestHotelInsightsRefuse(t *testing.T) {
	w := lodging(t, 2)
	many := func(name string, n int, value string) []string {
		var query []string
		for range n {
			query = append(query, name, value)
		}
		return append(query, lodgingDays...)
	}
	texts := func(n int) []string {
		text, _ := json.Marshal(object{"field": "hotel_name", "operator": "IN", "value": texts(n, "Hotel")})
		return append([]string{"filters[]", string(text)}, lodgingDays...)
	}
	metric := `{"field":"clicks","operator":"GREATER_THAN","value":0}`
	for _, tt := range []struct {
		name  string
		query []string
		want  refusal
	}{
		{"50 filters", many("filters[]", 50, metric), fine},
		{"51 filters", many("filters[]", 51, metric), bad("array_above_max_length", "filters")},
		{"2,000 text values", texts(2000), fine},
		{"2,001 text values", texts(2001), bad("array_above_max_length", "filters")},
		{"2,000 campaign_ids", many("campaign_ids[]", 2000, "c"), fine},
		{"2,001 campaign_ids", many("campaign_ids[]", 2001, "c"), bad("array_above_max_length", "campaign_ids")},
		{"2,001 ad_group_ids", many("ad_group_ids[]", 2001, "g"), bad("array_above_max_length", "ad_group_ids")},
		{"2,001 ad_ids", many("ad_ids[]", 2001, "d"), bad("array_above_max_length", "ad_ids")},
		{"2,001 inventory_items", many("inventory_items[]", 2001, "{}"),
			bad("array_above_max_length", "inventory_items")},
		{"no start_date", []string{"end_date", "2026-11-02"}, bad("missing_required_parameter", "start_date")},
		{"no end_date", []string{"start_date", "2026-11-02"}, bad("missing_required_parameter", "end_date")},
		{"end_date today", []string{"start_date", "2026-11-02", "end_date", "2026-11-04"}, fine},
		{"end_date tomorrow", []string{"start_date", "2026-11-02", "end_date", "2026-11-05"},
			bad("invalid_value", "end_date")},
		{"dates the wrong way round", []string{"start_date", "2026-11-03", "end_date", "2026-11-02"},
			bad("invalid_value", "start_date")},
		{"a short date", []string{"start_date", "2026-11-2", "end_date", "2026-11-03"},
			bad("invalid_value", "start_date")},
		{"an old range is accepted", []string{"start_date", "1999-01-01", "end_date", "2026-11-02"}, fine},
		{"hourly", append([]string{"time_granularity", "hourly"}, lodgingDays...),
			bad("invalid_value", "time_granularity")},
		{"unknown field", append([]string{"filters[]", `{"field":"stars","operator":"GREATER_THAN","value":3}`},
			lodgingDays...), bad("invalid_value", "filters[0].field")},
		{"IN on a number", append([]string{"filters[]", `{"field":"ctr","operator":"IN","value":["1"]}`},
			lodgingDays...), bad("invalid_value", "filters[0].operator")},
		{"a number that is not finite",
			append([]string{"filters[]", `{"field":"ctr","operator":"LESS_THAN","value":1e999}`}, lodgingDays...),
			bad("invalid_value", "filters[0].value")},
		{"a value that is a string", append([]string{"filters[]", `{"field":"ctr","operator":"LESS_THAN","value":"1"}`},
			lodgingDays...), bad("invalid_type", "filters[0].value")},
		{"inventory item without feed", append([]string{"inventory_items[]", `{"inventory_item_id":"x"}`},
			lodgingDays...), bad("missing_required_parameter", "inventory_items[0].inventory_feed_id")},
		{"backward pagination", append([]string{"before", "x"}, lodgingDays...), bad("invalid_value", "before")},
	} {
		got := w.Do(t, "GET", "/ad_account/hotel_insights?"+queryOf(tt.query...), nil)
		expect(t, "part 4, hotel insights: "+tt.name, got, tt.want)
	}
}

func TestHotelReportingNeedsEnrolment(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Accounts[0].Features.HotelReporting = false })
	for _, path := range []string{"/ad_account/hotel_insights?start_date=2026-11-02&end_date=2026-11-02",
		"/ad_account/insights?segments[]=hotel"} {
		if got := s.Do(t, "GET", path, nil); got.Status != http.StatusNotFound {
			t.Errorf("part 4: GET %s of an account that is not enrolled = %d, want 404", path, got.Status)
		}
	}
	s.Must(t, "POST", "/_emulator/open_points", object{"hotel_not_enrolled": "403"})
	if got := s.Do(t, "GET", "/ad_account/insights?segments[]=hotel", nil); got.Status != http.StatusForbidden ||
		!strings.Contains(string(got.Body), "not enabled") {
		t.Errorf("open point hotel_not_enrolled=403: %d %s", got.Status, got.Body)
	}
}
