// Package geo is the room of locations: a search over a compact catalogue of
// countries, regions and markets (service facts 12; not in the interface). It
// refuses a search for nothing. Its invariant: an id names the same place for
// ever, and the search is the same for every account.
package geo

import (
	"net/http"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
)

// Routes of the room.
func Routes() []service.Route {
	return []service.Route{
		{Method: http.MethodGet, Pattern: "/geo_lookup/search",
			Auth: service.Read, Point: openpoint.GeoLookup, Handle: search},
	}
}

// View is a place as the service shows it.
type View struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	CanonicalName string  `json:"canonical_name"`
	Type          string  `json:"type"`
	CountryCode   string  `json:"country_code"`
	RegionCode    *string `json:"region_code"`
	ParentID      *string `json:"parent_id"`
	ParentCountry *string `json:"parent_country"`
}

type results struct {
	Query   string `json:"query"`
	Count   int    `json:"count"` // of results on this page
	Results []View `json:"results"`
}

// search takes q (at least 1 character) and limit (1 to 100; assumption: 20 when
// the request does not say).
func search(c *service.Call) (any, error) {
	if !c.Query.Has("q") {
		c.Query.Fail("q", "missing_required_parameter", "Missing required parameter: 'q'.")
	}
	q := c.Query.Text("q", 1, 0)
	limit := c.Query.Int("limit", 1, 100, 20)
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	found := results{Query: q, Results: []View{}}
	for _, p := range Search(q, int(limit)) {
		found.Results = append(found.Results, p.view())
	}
	found.Count = len(found.Results)
	return found, nil
}

func (p Place) view() View {
	v := View{
		ID: p.ID, Name: p.Name, CanonicalName: p.CanonicalName(), Type: p.Type, CountryCode: p.CountryCode,
		RegionCode: orNull(p.RegionCode), ParentID: orNull(p.ParentID),
	}
	if p.ParentID != "" {
		// assumption: parent_country is the code of the country the place is in.
		v.ParentCountry = &v.CountryCode
	}
	return v
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
