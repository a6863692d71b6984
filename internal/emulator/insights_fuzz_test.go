package emulator_test

import (
	"net/http"
	"testing"
)

// FuzzReportQueries sends any query to the reports: refused or answered, never a
// fault of the emulator's own.
func FuzzReportQueries(f *testing.F) {
	w := lodging(f, 1.5)
	for _, seed := range []string{
		`aggregation_level=ad&fields[]=ad.spend&sort[]={"field":"ctr","direction":"desc"}&limit=1`,
		`segments[]=product&override_segment_group_order[]=product&` +
			`override_segment_group_order[]=ad_account&includes[]=zero_impression_products`,
		`time_ranges[]={"type":"hour_range","since":"2026-11-02T00","timezone":"Asia/Kolkata"}&` +
			`time_granularity=monthly`,
		`after=start=1793595600:end=1793682000:entity_id=adacct_test:sort=spend.desc:sort_values=1.5&` +
			`sort[]={"field":"spend","direction":"desc"}`,
		`segments[]=hotel&filters[]={"field":"hotel.name","operator":"IN","value":["Harbour ` +
			`House"]}&filters[]={"field":"clicks","operator":"LESS_THAN","value":1e-400}`,
		`start_date=2026-11-02&end_date=2026-11-03&include_zero_activity=true&` +
			`inventory_items[]={"inventory_feed_id":"fd_test","inventory_item_id":"prop-001"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/ad_account/insights",
			"/ads/" + w.ads[0] + "/insights", "/ad_account/hotel_insights"} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", w.BaseURL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.URL.RawQuery = query
			r.Header.Set("Authorization", "Bearer "+w.Key)
			answer, err := w.Client.Do(r)
			if err != nil {
				continue // the query is none that a client can send
			}
			answer.Body.Close()
			if answer.StatusCode >= 500 {
				t.Errorf("GET %s?%s = %d", path, query, answer.StatusCode)
			}
		}
	})
}
