package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// firstDay is 00:00 in New York, where the account of the tests is.
var firstDay = time.Date(2026, 11, 2, 5, 0, 0, 0, time.UTC)

// running is an account with ads that have been running for some days.
type running struct {
	*emulatortest.Service
	campaigns, groups, ads []string
}

// run starts two campaigns of two ads each at firstDay and lets them run for days.
func run(t testing.TB, days float64, change ...func(*emulator.Options)) *running {
	t.Helper()
	change = append(change, func(o *emulator.Options) { o.Now = func() time.Time { return firstDay } })
	w := &running{Service: emulatortest.Start(t, change...)}
	for i, budget := range []int64{10_000_000, 80_000_000} {
		body := with(with(emulatortest.CampaignBody(fmt.Sprintf("Campaign %d", i)), "status", "active"),
			"budget", object{"daily_spend_limit_micros": budget})
		c := w.Must(t, "POST", "/campaigns",
			with(body, "targeting", object{"locations": object{"countries": []string{"US", "CA"}}})).ID(t)
		g := w.Must(t, "POST", "/ad_groups", with(emulatortest.AdGroupBody(c, "Group of "+c), "status", "active")).ID(t)
		w.campaigns, w.groups = append(w.campaigns, c), append(w.groups, g)
		for j := range 2 {
			ad := with(emulatortest.AdBody(g, fmt.Sprintf("Ad %d.%d", i, j), w.File(t)), "status", "active")
			w.ads = append(w.ads, w.Must(t, "POST", "/ads", ad).ID(t))
		}
	}
	w.Advance(t, days*86_400)
	return w
}

// insightsPage is a page of insights; numbers stay as they are written.
type insightsPage struct {
	Object  string
	Data    []map[string]any
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
	Count   int
}

func (w *running) insights(t testing.TB, path string, query ...string) insightsPage {
	t.Helper()
	r := w.Must(t, "GET", path+"?"+queryOf(query...), nil)
	var p insightsPage
	d := json.NewDecoder(strings.NewReader(string(r.Body)))
	d.UseNumber()
	if err := d.Decode(&p); err != nil || p.Object != "list" || p.Count != len(p.Data) {
		t.Fatalf("%s = %s, want a list with its count: %v", path, r.Body, err)
	}
	return p
}

// queryOf joins names and values in turn.
func queryOf(pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// micros sums a decimal column exactly.
func micros(t testing.TB, rows []map[string]any, column string) (sum int64) {
	t.Helper()
	for _, row := range rows {
		text := fmt.Sprint(row[column])
		whole, rest, _ := strings.Cut(text, ".")
		n, err := strconv.ParseInt(whole+(rest + "000000")[:6], 10, 64)
		if err != nil || len(rest) > 6 {
			t.Fatalf("%s is %q, want a decimal of at most six places", column, text)
		}
		sum += n
	}
	return sum
}

var everything = []string{"fields[]", "impressions", "fields[]", "clicks", "fields[]", "spend", "limit", "2000"}

func TestInsightsAddUpAtEveryLevelGranularityAndSegment(t *testing.T) {
	w := run(t, 3.4)
	want := w.insights(t, "/ad_account/insights", append([]string{"time_granularity", "none"}, everything...)...).Data
	if len(want) != 1 || micros(t, want, "spend") == 0 || micros(t, want, "clicks") == 0 {
		t.Fatalf("the account has %v, want one row with clicks and spend", want)
	}
	for _, column := range []string{"impressions", "clicks", "spend"} {
		total := micros(t, want, column)
		for _, level := range []string{"ad_account", "campaign", "ad_group", "ad"} {
			for _, granularity := range []string{"hourly", "daily", "monthly", "none"} {
				query := append([]string{"aggregation_level", level, "time_granularity", granularity}, everything...)
				rows := w.insights(t, "/ad_account/insights", query...).Data
				if got := micros(t, rows, column); got != total {
					t.Errorf("part 4, insights: %s by %s, %s = %d, want %d", column, level, granularity, got, total)
				}
			}
		}
		for _, segment := range []string{"country", "device", "platform"} {
			rows := w.insights(t, "/ad_account/insights",
				append([]string{"aggregation_level", "ad", "segments[]", segment}, everything...)...).Data
			if got := micros(t, rows, segment+"_"+column); got != total {
				t.Errorf("part 4, insights: %s by %s = %d, want %d", column, segment, got, total)
			}
		}
		var scoped int64
		for _, id := range w.campaigns {
			scoped += micros(t, w.insights(t, "/campaigns/"+id+"/insights", everything...).Data, column)
		}
		if scoped != total {
			t.Errorf("service facts 10: %s of /campaigns/{id}/insights add up to %d, want %d", column, scoped, total)
		}
	}
}

func TestInsightsRespectBudgetsAndBids(t *testing.T) {
	w := run(t, 4)
	for i, budget := range []int64{10_000_000, 80_000_000} {
		for _, row := range w.insights(t, "/campaigns/"+w.campaigns[i]+"/insights", everything...).Data {
			if got := micros(t, []map[string]any{row}, "spend"); got > budget {
				t.Errorf("part 2, budget: campaign %d spent %d on %v, want at most %d",
					i, got, row["start_time"], budget)
			}
			clicks := micros(t, []map[string]any{row}, "clicks") / 1_000_000
			if got := micros(t, []map[string]any{row}, "spend"); got > clicks*1_250_000 {
				t.Errorf("part 2, bid: %d clicks cost %d, want at most 1250000 each", clicks, got)
			}
		}
	}
}

func TestGoingOnInTimeRewritesNoInsights(t *testing.T) {
	w := run(t, 2.5)
	byHour := append([]string{"time_granularity", "hourly", "aggregation_level", "ad"}, everything...)
	before := w.insights(t, "/ad_account/insights", byHour...).Data
	w.Must(t, "POST", "/ads/"+w.ads[0]+"/pause", nil)
	w.Advance(t, 5*3600)
	after := map[any]map[string]any{}
	for _, row := range w.insights(t, "/ad_account/insights", byHour...).Data {
		after[row["id"]] = row
	}
	paused := 0
	for _, row := range before {
		if fmt.Sprint(after[row["id"]]) != fmt.Sprint(row) {
			t.Errorf("hour %v was %v, is %v", row["id"], row, after[row["id"]])
		}
		delete(after, row["id"])
	}
	for id := range after {
		if strings.Contains(fmt.Sprint(id), w.ads[0]) {
			paused++
		}
	}
	if paused > 0 || len(after) == 0 {
		t.Errorf("after the pause: %d new rows, %d of the paused ad, want some and none", len(after), paused)
	}
}

func TestInsightsRowsAndDefaults(t *testing.T) {
	w := run(t, 2)
	row := w.insights(t, "/ad_account/insights").Data[0]
	for _, key := range []string{"id", "start_time", "end_time", "impressions", "readable_time", "ad_account_name"} {
		if _, ok := row[key]; !ok {
			t.Errorf("service facts 10: default row %v has no %s", row, key)
		}
	}
	if want := fmt.Sprintf("start=%d:end=%d:entity_id=%s",
		firstDay.Unix(), firstDay.Unix()+86_400, emulatortest.AccountID); row["id"] != want {
		t.Errorf("row id is %v, want %s", row["id"], want)
	}
	if row["readable_time"] != "2026-11-02" || len(row) != 6 {
		t.Errorf("row is %v, want day 2026-11-02 and six keys", row)
	}
	sorted := w.insights(t, "/ads/"+w.ads[2]+"/insights",
		"fields[]", "ad.spend", "sort[]", `{"field":"spend","direction":"desc"}`).Data
	first := sorted[0]
	if want := fmt.Sprintf(":entity_id=%s:sort=spend.desc:sort_values=%v",
		w.ads[2], first["spend"]); !strings.HasSuffix(fmt.Sprint(first["id"]), want) {
		t.Errorf("sorted row id is %v, want it to end with %s", first["id"], want)
	}
	prefixed := w.insights(t, "/ad_account/insights", "aggregation_level", "ad", "segments[]",
		"country", "fields[]", "country.spend", "fields[]", "ad.spend", "fields[]", "country.name").Data[0]
	for _, key := range []string{"country_spend", "ad_spend", "country_name"} {
		if prefixed[key] == nil {
			t.Errorf("segmented row %v has no %s", prefixed, key)
		}
	}
	if !strings.Contains(fmt.Sprint(prefixed["id"]), "entity_id=v2%3A") {
		t.Errorf("segmented row id is %v, want a URL-encoded entity id that begins with v2", prefixed["id"])
	}
}

func TestInsightsPagesMeetEveryRowOnce(t *testing.T) {
	for _, points := range []string{"", "insights_row_order=newest_first,insights_undefined_ratio=zero"} {
		t.Run(points, func(t *testing.T) { pagesMeetEveryRowOnce(t, run(t, 3, emulatortest.WithPoints(t, points))) })
	}
}

func pagesMeetEveryRowOnce(t *testing.T, w *running) {
	for _, sort := range []string{"", `{"field":"ctr","direction":"desc"}`,
		`{"field":"ad.name"}`, `{"field":"cpc","direction":"asc"}`} {
		query := []string{"aggregation_level", "ad", "time_granularity", "hourly", "fields[]", "cpc", "fields[]", "ctr"}
		if sort != "" {
			query = append(query, "sort[]", sort)
		}
		whole := w.insights(t, "/ad_account/insights", append(query, "limit", "2000")...)
		var forward []any
		next := insightsPage{HasMore: true}
		for cursor := ""; next.HasMore; cursor = *next.LastID {
			page := append(slices.Clone(query), "limit", "37")
			if cursor != "" {
				page = append(page, "after", cursor)
			}
			next = w.insights(t, "/ad_account/insights", page...)
			for _, row := range next.Data {
				forward = append(forward, row["id"])
			}
		}
		if len(forward) != len(whole.Data) || len(forward) < 100 {
			t.Errorf("sort %s: pages have %d rows, the whole has %d", sort, len(forward), len(whole.Data))
			continue
		}
		for i, row := range whole.Data {
			if forward[i] != row["id"] {
				t.Fatalf("sort %s: row %d is %v, want %v", sort, i, forward[i], row["id"])
			}
		}
		back := w.insights(t, "/ad_account/insights",
			append(query, "limit", "37", "before", fmt.Sprint(forward[40]))...)
		if back.Data[0]["id"] != forward[3] || back.Count != 37 || !back.HasMore {
			t.Errorf("sort %s: the page before row 40 begins with %v, want row 3", sort, back.Data[0]["id"])
		}
	}
}

func TestInsightsFiltersAndZeroRows(t *testing.T) {
	w := run(t, 2)
	w.Campaign(t, "Never shown")
	count := func(query ...string) int {
		return w.insights(t, "/ad_account/insights",
			append(query, "limit", "2000", "time_granularity", "none")...).Count
	}
	in := func(field string, values ...string) string {
		text, _ := json.Marshal(object{"field": field, "operator": "IN", "value": values})
		return string(text)
	}
	for _, tt := range []struct {
		name  string
		query []string
		want  int
	}{
		{"every ad", []string{"aggregation_level", "ad"}, 4},
		{"IN on an id", []string{"aggregation_level", "ad", "filters[]", in("ad.id", w.ads[0], w.ads[3])}, 2},
		{"IN on an ancestor", []string{"aggregation_level", "ad", "filters[]", in("campaign.name", "Campaign 1")}, 2},
		{"IN on a lower level", []string{"aggregation_level", "campaign", "filters[]", in("ad_id", w.ads[0])}, 1},
		{"filters are ANDed", []string{"aggregation_level",
			"ad", "filters[]", in("ad.id", w.ads[0]), "filters[]", in("campaign_id", w.campaigns[1])}, 0},
		{"GREATER_THAN", []string{"aggregation_level",
			"ad", "filters[]", `{"field":"impressions","operator":"GREATER_THAN","value":0}`}, 4},
		{"LESS_THAN", []string{"aggregation_level",
			"ad", "filters[]", `{"field":"ad.spend","operator":"LESS_THAN","value":0.000001}`}, 0},
		{"campaigns that were shown", []string{"aggregation_level", "campaign"}, 2},
		{"zero_impression_items", []string{"aggregation_level", "campaign", "includes[]", "zero_impression_items"}, 3},
		{"a country", []string{"aggregation_level",
			"campaign", "segments[]", "country", "filters[]", in("country.code", "CA")}, 2},
		{"countries of the targeting", []string{"aggregation_level", "campaign", "segments[]", "country"}, 4},
	} {
		if got := count(tt.query...); got != tt.want {
			t.Errorf("%s: %d rows, want %d", tt.name, got, tt.want)
		}
	}
}

func TestInsightsRefuse(t *testing.T) {
	w := run(t, 1)
	for _, tt := range []struct {
		name  string
		query []string
		want  refusal
	}{
		{"part 4: limit 2000", []string{"limit", "2000"}, fine},
		{"part 4: limit 2001", []string{"limit", "2001"}, bad("integer_above_max_value", "limit")},
		{"part 4: limit 0", []string{"limit", "0"}, bad("integer_below_min_value", "limit")},
		{"part 4: click window 14", []string{"attribution_window_days", "14"}, fine},
		{"part 4: click window 8", []string{"attribution_window_days", "8"},
			bad("invalid_value", "attribution_window_days")},
		{"part 4: view window 1", []string{"view_through_attribution_window_days", "1"}, fine},
		{"part 4: view window 2", []string{"view_through_attribution_window_days", "2"},
			bad("integer_above_max_value", "view_through_attribution_window_days")},
		{"part 4: time basis", []string{"attribution_time_basis", "conversion_time"}, fine},
		{"part 4: unknown time basis", []string{"attribution_time_basis", "never"},
			bad("invalid_value", "attribution_time_basis")},
		{"both cursors", []string{"after", "a", "before", "b"}, bad("invalid_value", "before")},
		{"a cursor of nothing", []string{"after", "zzz"}, bad("invalid_cursor", "after")},
		{"unknown granularity", []string{"time_granularity", "weekly"}, bad("invalid_value", "time_granularity")},
		{"hourly segments", []string{"time_granularity", "hourly", "segments[]", "device"},
			bad("invalid_value", "time_granularity")},
		{"two segments", []string{"segments[]", "device", "segments[]", "country"},
			bad("array_above_max_length", "segments")},
		{"unknown field", []string{"fields[]", "profit"}, bad("invalid_value", "fields")},
		{"a field below the level", []string{"fields[]", "ad.name"}, bad("invalid_value", "fields")},
		{"readable time without granularity",
			[]string{"time_granularity", "none", "fields[]", "metadata.readable_time"}, bad("invalid_value", "fields")},
		{"sort is no object", []string{"sort[]", "spend"}, bad("invalid_type", "sort[0]")},
		{"sort by nothing known", []string{"sort[]", `{"field":"luck"}`}, bad("invalid_value", "sort[0].field")},
		{"filter with an unknown key",
			[]string{"filters[]", `{"field":"spend","operator":"LESS_THAN","value":1,"also":2}`},
			bad("unknown_parameter", "filters[0].also")},
		{"IN on a metric", []string{"filters[]", `{"field":"spend","operator":"IN","value":["1"]}`},
			bad("invalid_value", "filters[0].operator")},
		{"filter without value", []string{"filters[]", `{"field":"spend","operator":"LESS_THAN"}`},
			bad("missing_required_parameter", "filters[0].value")},
		{"zero items with segments", []string{"includes[]", "zero_impression_items", "segments[]", "device"},
			bad("invalid_value", "includes")},
		{"zero products without product first", []string{"includes[]",
			"zero_impression_products", "segments[]", "product"}, bad("invalid_value", "includes")},
		{"zero products with product first", []string{"includes[]", "zero_impression_products", "segments[]", "product",
			"override_segment_group_order[]", "product", "override_segment_group_order[]", "ad_account"}, fine},
		{"group order names a level twice", []string{"segments[]",
			"product", "override_segment_group_order[]", "product", "override_segment_group_order[]", "product"},
			bad("invalid_value", "override_segment_group_order")},
		{"date range", []string{"time_ranges[]", `{"type":"date_range","since":"2026-11-01","until":"2026-11-03"}`},
			fine},
		{"date range in a time zone",
			[]string{"time_ranges[]", `{"type":"date_range","since":"2026-11-01","timezone":"Asia/Kolkata"}`}, fine},
		{"hour range", []string{"time_ranges[]",
			`{"type":"hour_range","since":"2026-11-02T00","until":"2026-11-02T05"}`}, fine},
		{"unix range", []string{"time_ranges[]",
			fmt.Sprintf(`{"type":"unix_range","start":%d,"end":%d}`, firstDay.Unix(), firstDay.Unix()+7)}, fine},
		{"no bound", []string{"time_ranges[]", `{"type":"date_range"}`}, bad("invalid_value", "time_ranges[0]")},
		{"the future", []string{"time_ranges[]", `{"type":"date_range","since":"2026-11-02","until":"2026-11-04"}`},
			bad("invalid_value", "time_ranges[0].until")},
		{"six years back", []string{"time_ranges[]", `{"type":"date_range","since":"2020-11-02"}`},
			bad("invalid_value", "time_ranges")},
		{"two ranges", []string{"time_ranges[]", `{"type":"date_range","since":"2026-11-02"}`, "time_ranges[]",
			`{"type":"date_range","since":"2026-11-02"}`}, bad("array_above_max_length", "time_ranges")},
		{"a day that is none", []string{"time_ranges[]", `{"type":"date_range","since":"2026-02-30"}`},
			bad("invalid_value", "time_ranges[0].since")},
		{"part 4: hotel reporting pages forward only",
			[]string{"segments[]", "hotel", "before", "x"}, bad("invalid_value", "before")},
		{"part 4: property conversions are unsupported",
			[]string{"segments[]", "hotel", "fields[]", "conversions"}, bad("invalid_value", "fields")},
	} {
		expect(t, tt.name, w.Do(t, "GET", "/ad_account/insights?"+queryOf(tt.query...), nil), tt.want)
	}
	expect(t, "another account's campaign", w.Do(t, "GET", "/campaigns/cmpn_x/insights", nil),
		refusal{404, "not_found", ""})
}

func TestScopedInsightsAreAdditions(t *testing.T) {
	w := run(t, 1, emulatortest.WithPoints(t, "profile:interface"))
	expect(t, "scoped", w.Do(t, "GET", "/campaigns/"+w.campaigns[0]+"/insights", nil), refusal{404, "not_found", ""})
	expect(t, "conversions", w.Do(t, "POST", "/conversions/insights", "{}"), refusal{404, "not_found", ""})
	expect(t, "account", w.Do(t, "GET", "/ad_account/insights", nil), fine)
}

func TestABudgetThatIsSpentIsAServingIssue(t *testing.T) {
	w := run(t, 0.95)
	for i, want := range []bool{true, false} {
		r := w.Must(t, "GET", "/campaigns/"+w.campaigns[i]+"?include[]=serving_issues", nil)
		if got := strings.Contains(string(r.Body), "campaign_budget_exhausted"); got != want {
			t.Errorf("campaign %d exhausted its budget by the evening: %v, want %v\n%s", i, got, want, r.Body)
		}
	}
}

func TestSpendLimitsBoundTheDay(t *testing.T) {
	w := run(t, 0)
	w.Must(t, "POST", "/ad_account/daily_spend_limit",
		`{"amount_micros":6000000,"expected_revision":0,"start_date":"2026-11-03"}`)
	w.Advance(t, 3*86_400-3600)
	rows := w.insights(t, "/ad_account/insights", everything...).Data
	for i, row := range rows {
		got := micros(t, []map[string]any{row}, "spend")
		if limited := i > 0; limited != (got <= 6_000_000) {
			t.Errorf("part 4, spend limit rule 7: day %d spent %d under a limit of 6000000 from the second day", i, got)
		}
	}
	spent := w.Must(t, "GET", "/ad_account/spend_limit_windows",
		nil).Map(t)["daily_limit"].(map[string]any)["spent_micros"]
	if want := micros(t, rows[2:], "spend"); fmt.Sprint(spent) != fmt.Sprint(want) {
		t.Errorf("spent_micros of the daily limit is %v, insights say %d", spent, want)
	}
}

func TestARestartedEmulatorReportsTheSame(t *testing.T) {
	dir := t.TempDir()
	onDisk := func(o *emulator.Options) { o.Dir = dir }
	w := run(t, 2.3, onDisk)
	before := w.insights(t, "/ad_account/insights",
		append([]string{"aggregation_level", "ad", "time_granularity", "hourly"}, everything...)...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again := &running{Service: emulatortest.Start(t, onDisk, func(o *emulator.Options) {
		o.Now = func() time.Time { return firstDay }
	})}
	after := again.insights(t, "/ad_account/insights",
		append([]string{"aggregation_level", "ad", "time_granularity", "hourly"}, everything...)...)
	if diff := cmp.Diff(before, after); diff != "" || before.Count == 0 {
		t.Errorf("%d rows before; after a restart (-before +after):\n%s", before.Count, diff)
	}
}

func TestAClockThatGoesBackTakesDeliveriesBack(t *testing.T) {
	w := run(t, 2)
	byHour := append([]string{"time_granularity", "hourly"}, everything...)
	day := w.insights(t, "/ad_account/insights", byHour...).Data
	w.Advance(t, -86_400)
	first := w.insights(t, "/ad_account/insights", byHour...).Data
	if len(first) == 0 || len(first) >= len(day) {
		t.Fatalf("%d hours a day earlier, want some and fewer than %d", len(first), len(day))
	}
	if diff := cmp.Diff(day[:len(first)], first); diff != "" {
		t.Errorf("the first day differs (-before +after):\n%s", diff)
	}
	w.Must(t, "POST", "/ad_account/pause", nil)
	w.Advance(t, 86_400)
	if again := w.insights(t, "/ad_account/insights", byHour...).Data; len(again) != len(first) {
		t.Errorf("%d hours after a pause at the end of the first day, want %d", len(again), len(first))
	}
}
