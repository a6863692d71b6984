package adsapi

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var week = InsightsQuery{
	Level: "ad", Granularity: "none", Since: "2026-11-14",
	Until: "2026-11-20", TimeZone: "America/New_York", Fields: []string{"ad.id", "spend"},
}

// figures returns the rows of a query and the error that ended it.
func figures(c *Client, q InsightsQuery) (rows []InsightsRow, err error) {
	for row, err := range c.Insights(context.Background(), q) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Figures come in the largest pages there are, through a client that can change
// nothing, and keep the digits the service wrote.
func TestInsightsKeepTheirDigits(t *testing.T) {
	w := &wire{answers: []answer{
		{status: 200, body: `{"object":"list","data":[{"id":"r1","start_time":1795064400,"end_time":1795669200,"ad_id":"a","spend":12345678901234.567891,"ctr":5e-05,"cpc":1.50,"gone":null,"odd":{"x":1}}],"last_id":"r1","has_more":true,"count":1}`},
		{status: 200, body: `{"object":"list","data":[{"id":"r2","start_time":1795064400,"ad_id":"b","spend":"7.10"}],"last_id":"r2","has_more":false,"count":1}`},
	}}
	rows, err := figures(clientOf(t, w, func(c *Config) { c.ReadOnly = true }), week)
	if err != nil {
		t.Fatal(err)
	}
	want := []InsightsRow{
		{1795064400, 1795669200, map[string]string{
			"id": "r1", "start_time": "1795064400", "end_time": "1795669200",
			"ad_id": "a", "spend": "12345678901234.567891", "ctr": "0.00005", "cpc": "1.50",
		}},
		{1795064400, 0, map[string]string{"id": "r2", "start_time": "1795064400", "ad_id": "b", "spend": "7.10"}},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	asked, err := url.Parse(w.requests()[0].url)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(url.Values{
		"aggregation_level": {"ad"}, "time_granularity": {"none"}, "limit": {"2000"}, "fields[]": {"ad.id", "spend"},
		"time_ranges[]": {
			`{"type":"date_range","since":"2026-11-14","until":"2026-11-20","timezone":"America/New_York"}`},
	}, asked.Query()); asked.Path != "/v1/ad_account/insights" || diff != "" {
		t.Errorf("asked for %s (-want +got):\n%s", asked.Path, diff)
	}
}

func TestInsightsThatAreNoFigures(t *testing.T) {
	for _, row := range []struct{ data, want string }{
		{`{"ad_id":"a"}`, `start_time is ""; want Unix seconds`},
		{`{"start_time":"soon"}`, `start_time is "soon"`},
		{`{"start_time":1,"spend":1e999999999}`, "spend is 1e999999999; want a figure"},
		{`{"start_time":1,"spend":` + strings.Repeat("9", 50) + `}`, "want a figure"},
	} {
		w := &wire{answers: []answer{{status: 200, body: `{"data":[` + row.data + `],"has_more":false}`}}}
		_, err := figures(clientOf(t, w), week)
		if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.data, err, row.want)
		}
	}
}
