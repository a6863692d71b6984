package emulator_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/testing/emulatortest"
)

func TestGeoLookup(t *testing.T) {
	s := emulatortest.Start(t)
	got := s.Must(t, "GET", "/geo_lookup/search?q=oakland&limit=100", nil).Map(t)
	want := emulatortest.Reply{Body: []byte(`{"query": "oakland", "count": 1, "results": [{
		"id": "3000194", "name": "San Francisco-Oakland-San Jose", "canonical_name": "San Francisco-Oakland-San Jose, United States",
		"type": "dma", "country_code": "US", "region_code": "807", "parent_id": "1000238", "parent_country": "US"}]}`)}.Map(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts 12, one result (-want +got):\n%s", diff)
	}
	rows := []struct {
		name, query string
		want        refusal
	}{
		{"facts 12, q of 1", "?q=a", fine},
		{"facts 12, limit of 1", "?q=a&limit=1", fine},
		{"facts 12, limit of 100", "?q=a&limit=100", fine},
		{"facts 12, limit of 0", "?q=a&limit=0", bad("integer_below_min_value", "limit")},
		{"facts 12, limit of 101", "?q=a&limit=101", bad("integer_above_max_value", "limit")},
		{"facts 12, without q", "", bad("missing_required_parameter", "q")},
		{"facts 12, empty q", "?q=", bad("invalid_value", "q")},
	}
	for _, row := range rows {
		expect(t, row.name, s.Do(t, "GET", "/geo_lookup/search"+row.query, nil), row.want)
	}
	if n := strings.Count(string(s.Must(t, "GET", "/geo_lookup/search?q=a", nil).Body), `"id"`); n != 20 {
		t.Errorf("search without a limit gives %d places, want 20", n)
	}
}

func TestGeoLookupIsAnAddition(t *testing.T) {
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "profile:interface"))
	if got := s.Do(t, "GET", "/geo_lookup/search?q=a", nil).Status; got != http.StatusNotFound {
		t.Errorf("interface only: search = %d, want 404", got)
	}
}
