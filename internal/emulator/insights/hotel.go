package insights

import (
	"slices"
	"strconv"

	"adsync/internal/emulator/feed"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Limits of hotel insights (interface, part 8).
const (
	maxHotelFilters = 50
	maxHotelTexts   = 2000
	maxHotelIDs     = 2000
	maxItemJSON     = 1000 // characters of an inventory item; not published
)

// hotelMetrics: impressions and clicks are settled and estimated, spend and what
// it is divided by are settled only (interface, part 4).
var hotelMetrics = []field{
	{name: "impressions", wire: "impressions", measure: func(_ *report, s *sums) amount {
		return count(s.Impressions)
	}},
	{name: "clicks", wire: "clicks", measure: func(_ *report, s *sums) amount { return count(s.Clicks) }},
	{name: "spend", wire: "spend", measure: func(_ *report, s *sums) amount { return money(s.settled.Spend) }},
	{name: "ctr", wire: "ctr", measure: func(_ *report, s *sums) amount { return ratio(s.Clicks, s.Impressions) }},
	{name: "cpc", wire: "cpc", measure: func(_ *report, s *sums) amount {
		return rate(s.settled.Spend, s.settled.Clicks)
	}},
	{name: "cpm", wire: "cpm", measure: func(_ *report, s *sums) amount {
		return rate(s.settled.Spend*1000, s.settled.Impressions)
	}},
}

// hotelInsights answers GET /ad_account/hotel_insights.
// assumption: the answer is that of insights, a row a property and bucket; limit
// and after are taken as there, forward only.
func (r *Room) hotelInsights(c *service.Call) (out any, err error) {
	err = c.View(func() error {
		facts := r.facts(c)
		if !facts.tree.profile.Features.HotelReporting {
			return notEnrolled(c)
		}
		q := facts.readHotelRequest(c.Query)
		if err := c.Query.Err(); err != nil {
			return err
		}
		out, err = r.page(c, newReport(c, facts, q))
		return err
	})
	return out, err
}

func (r *facts) readHotelRequest(query *wire.Query) *request {
	q := &request{scope: r.tree.find(account, r.tree.profile.ID), level: account, segment: "hotel", segmentFirst: true}
	named := hotelFields("hotel")
	q.catalogue = slices.Concat(named[6:], named[:6], hotelMetrics)
	q.fields = q.catalogue
	q.span = r.readDates(query)
	q.readHotelFilters(query)
	for _, name := range []string{"campaign", "ad_group", "ad"} {
		q.readIDs(query, name)
	}
	q.readItems(query)
	q.zeroHotels = query.Choice("include_zero_activity", "false", "true", "false") == "true"
	if query.Has("before") {
		query.Fail("before", "invalid_value", "Invalid 'before': hotel reporting supports forward pagination only.")
	}
	q.page = wire.Page{Limit: int(query.Int("limit", 1, 2000, 20)), After: query.Text("after", 1, 4000)}
	return q
}

// readDates reads start_date and end_date, both inclusive, in the account's time zone.
func (r *facts) readDates(query *wire.Query) span {
	s := span{zone: r.tree.profile.Zone(), granularity: query.Choice("time_granularity", daily, none, daily, monthly)}
	first, last := readDate(query, "start_date"), readDate(query, "end_date")
	switch {
	case query.Err() != nil:
		return s
	case last > world.DateOf(r.now, s.zone):
		query.Fail("end_date", "invalid_value", "Invalid 'end_date': %s is later than today.", last)
	case first > last:
		query.Fail("start_date", "invalid_value", "Invalid 'start_date': %s is after end_date %s.", first, last)
	default:
		s.from, s.until = first.Start(s.zone).UnixMilli(), last.Add(1).Start(s.zone).UnixMilli()
		s.keep(r.now, 365)
		if s.starts == nil {
			s.cut()
		}
	}
	return s
}

func readDate(query *wire.Query, name string) world.Date {
	if !query.Has(name) {
		query.Fail(name, "missing_required_parameter", "Missing required parameter: '%s'.", name)
		return ""
	}
	text := query.Text(name, 10, 10)
	date, ok := world.ParseDate(text)
	if !ok {
		query.Fail(name, "invalid_value", "Invalid '%s': '%s' is no date; want YYYY-MM-DD.", name, text)
	}
	return date
}

func (q *request) readHotelFilters(query *wire.Query) {
	texts := 0
	for i, text := range query.Texts("filters", maxHotelFilters) {
		at := "filters[" + strconv.Itoa(i) + "]"
		o, bad := wire.ParseAt(at, []byte(text))
		if bad != nil {
			query.Fail(at, bad.Code, "%s", bad.Message)
			return
		}
		f := readFilter(o, q.hotelFilterable)
		if err := o.Err(); err != nil {
			bad := wire.AsError(err)
			query.Fail(bad.Param, bad.Code, "%s", bad.Message)
			return
		}
		texts += f.count
		q.filters = append(q.filters, f)
	}
	if texts > maxHotelTexts {
		query.Fail("filters", "array_above_max_length",
			"Invalid 'filters': want at most %d text values in total, but got %d.", maxHotelTexts, texts)
	}
}

// hotelFilterable finds a field of the table in part 4, by its key alone.
func (q *request) hotelFilterable(name string) (field, bool) {
	for _, f := range q.catalogue[2:] {
		if f.wire == name {
			return f, true
		}
	}
	return field{}, false
}

// readIDs reads campaign_ids, ad_group_ids or ad_ids.
func (q *request) readIDs(query *wire.Query, name string) {
	ids := query.Texts(name+"_ids", maxHotelIDs)
	if len(ids) == 0 {
		return
	}
	in := map[string]bool{}
	for _, id := range ids {
		in[id] = true
	}
	at := slices.IndexFunc(describing, func(f field) bool { return f.name == name+".id" })
	q.filters = append(q.filters, filter{field: describing[at], in: in})
}

// readItems reads inventory_items, pairs of feed and item that are ORed.
func (q *request) readItems(query *wire.Query) {
	in := map[string]bool{}
	for i, text := range query.Texts("inventory_items", maxHotelIDs) {
		at := "inventory_items[" + strconv.Itoa(i) + "]"
		o, bad := wire.ParseAt(at, []byte(text))
		if bad != nil {
			query.Fail(at, bad.Code, "%s", bad.Message)
			return
		}
		o.Require("inventory_feed_id", "inventory_item_id")
		feedID, itemID := o.Text("inventory_feed_id", 1, maxItemJSON), o.Text("inventory_item_id", 1, maxItemJSON)
		if err := o.Err(); err != nil {
			bad := wire.AsError(err)
			query.Fail(bad.Param, bad.Code, "%s", bad.Message)
			return
		}
		in[feedID.V+"/"+itemID.V] = true
	}
	if len(in) > 0 {
		pair := partText("hotel", "hotel.item", func(p *part) any { return p.id })
		q.filters = append(q.filters, filter{field: pair, in: in})
	}
}

// addZeroHotels adds the properties of the account's hotel feeds that are offered
// and had nothing; in the latest bucket only.
func (r *collector) addZeroHotels() {
	if len(r.span.starts) == 0 {
		return
	}
	active := map[string]bool{}
	for k := range r.rows {
		active[k.part.id] = true
	}
	latest := len(r.span.starts) - 1
	for _, feedID := range feed.HotelFeeds(r.tree.profile) {
		for _, h := range feed.Hotels(feedID) {
			p := &part{id: h.FeedID + "/" + h.ItemID, hotel: h}
			if !h.Expired && !active[p.id] {
				if p = r.intern(r.scope, p); p != nil {
					r.at(latest, r.scope, p)
				}
			}
		}
	}
}
