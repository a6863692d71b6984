package insights

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Item is a property of a hotel feed.
type Item struct {
	FeedID string `json:"inventory_feed_id"`
	ItemID string `json:"inventory_item_id"`
}

// HotelQuestion is what adsync hotels asks (interface, part 4, hotel insights).
type HotelQuestion struct {
	Span       Span
	By         string // day, week, month or none
	Conditions []Condition
	Campaigns  []string // ids
	AdGroups   []string
	Ads        []string
	Items      []Item
	Zero       bool

	CompareRows bool // each row with that of the span before
}

// The limits of hotel insights (interface, part 8).
const (
	mostHotelFilters = 50
	mostHotelTexts   = 2000
	mostHotelIDs     = 2000
)

var (
	hotelTexts = []string{"hotel_name", "hotel_brand", "hotel_category", "hotel_city", "hotel_region",
		"hotel_country_code"}
	hotelFigures = []string{"impressions", "clicks", "spend", "ctr", "cpc", "cpm"}
)

// Check says what the service does not take, by name, before anything is asked.
func (q *HotelQuestion) Check() error {
	if q.Span.ofHours() {
		return fmt.Errorf("--from and --to are hours; hotel insights have days")
	}
	if err := checkBy(q.By, true); err != nil {
		return fmt.Errorf("hotels: %w", err)
	}
	if err := checkWeeks(q.By, q.Conditions); err != nil {
		return err
	}
	if q.CompareRows {
		if err := checkRows(q.By, q.Span, q.Conditions); err != nil {
			return err
		}
	}
	texts := 0
	for i := range q.Conditions {
		c := &q.Conditions[i]
		isText := slices.Contains(hotelTexts, c.Field)
		switch {
		case !isText && !slices.Contains(hotelFigures, c.Field):
			return fmt.Errorf("--filter is by %q; want %s or %s", c.Field,
				strings.Join(hotelTexts, ", "), strings.Join(hotelFigures, ", "))
		case isText == c.ofMetric():
			return fmt.Errorf("--filter of %s is %s; want = with texts, < and > with figures", c.Field, c.Operator)
		}
		if values, ok := c.Value.([]string); ok {
			texts += len(values)
		}
	}
	for _, bound := range []struct {
		what    string
		n, most int
	}{
		{"filters", len(q.Conditions), mostHotelFilters}, {"values of filters", texts, mostHotelTexts},
		{"campaigns", len(q.Campaigns), mostHotelIDs}, {"ad groups", len(q.AdGroups), mostHotelIDs},
		{"ads", len(q.Ads), mostHotelIDs}, {"items", len(q.Items), mostHotelIDs},
	} {
		if bound.n > bound.most {
			return fmt.Errorf("%d %s; the service takes %d at most", bound.n, bound.what, bound.most)
		}
	}
	return nil
}

// Notes are what whoever reads the figures has to know of them.
func (q *HotelQuestion) Notes(now time.Time) []string {
	return append(retentionNote(q.Span, 365, now),
		"impressions and clicks are settled and estimated; spend, CPC and CPM are settled only")
}

func (q *HotelQuestion) path() string { return "ad_account/hotel_insights" }
func (q *HotelQuestion) by() string   { return asksBy(q.By) }
func (q *HotelQuestion) whole() part  { return part{span: q.Span} }

func (q *HotelQuestion) values(p part) (url.Values, error) {
	filters, err := asJSON(q.Conditions)
	if err != nil {
		return nil, fmt.Errorf("filters: %w", err)
	}
	items, err := asJSON(q.Items)
	if err != nil {
		return nil, fmt.Errorf("items: %w", err)
	}
	v := url.Values{"start_date": {p.span.From}, "end_date": {p.span.To},
		"time_granularity": {granularities[q.By]}, "limit": {limit}}
	for name, values := range map[string][]string{"filters": filters, "inventory_items": items,
		"campaign_ids": q.Campaigns, "ad_group_ids": q.AdGroups, "ad_ids": q.Ads} {
		if len(values) > 0 {
			v[name] = values
		}
	}
	if q.Zero {
		v.Set("include_zero_activity", "true")
	}
	return v, nil
}

// parentsOf: rows are of properties, which campaigns share.
func (q *HotelQuestion) parentsOf(part) (url.Values, error) { return nil, nil }

// layout: assumption: rows have the keys of the filters, flat, as insights rows do.
func (q *HotelQuestion) layout() shape {
	s := shape{}
	if q.By != "none" {
		s.columns = append(s.columns, text("time"))
	}
	for _, key := range hotelTexts {
		s.columns = append(s.columns, text(strings.TrimPrefix(key, "hotel_"), key))
	}
	feed, item := text("feed_id", "inventory_feed_id"), text("item_id", "inventory_item_id")
	item.id = true
	s.columns = append(s.columns, feed, item)
	for _, name := range hotelFigures {
		m, _ := metricOf(name)
		m.loose = m.under == "clicks" || m.over == "spend" // spend is settled only, what it is divided by is not
		s.columns = append(s.columns, Column{Name: name, Header: m.header(), metric: &m, keys: []string{name}})
	}
	return s
}
