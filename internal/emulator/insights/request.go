package insights

import (
	"slices"
	"strconv"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// request is an insights query, read and checked.
type request struct {
	scope        *entity // whose results are asked for
	level        level
	segment      string // "" is none
	segmentFirst bool   // rows belong to parts before they belong to entities
	span         span
	attribution  attribution
	catalogue    []field
	fields       []field
	filters      []filter
	sort         []order
	zeroItems    bool     // entities that were not shown get rows
	zeroProducts bool     // products that were not shown get rows
	zeroHotels   bool     // properties that had nothing get rows
	eventNames   []string // of conversion insights; empty: every event
	byEvent      bool     // rows keep their conversions by event setting
	page         wire.Page
	refused      error // a refusal that is no fault of a parameter
}

// attribution says which conversions count for which touch (interface, part 4).
type attribution struct {
	click, view  int64 // windows in milliseconds
	byConversion bool  // a conversion counts at its own time, not at that of the click
}

const dayMs = 24 * 3_600_000

// readRequest reads the query of GET …/insights. It is called inside View.
func (r *facts) readRequest(c *service.Call, scope *entity) (*request, error) {
	q := &request{scope: scope, attribution: readAttribution(c.Query)}
	q.level = levelOf(c.Query.Choice("aggregation_level", scope.level.String(), levelNames[scope.level:]...))
	q.readSegment(c, r)
	granularities := []string{hourly, daily, monthly, none}
	if q.segment != "" {
		granularities = granularities[1:]
	}
	q.span = readSpan(c, r.tree.profile.Zone(), r.now, granularities...)
	q.catalogue = q.fieldsOf()
	q.readFields(c.Query)
	q.readFilters(c.Query)
	q.readSort(c.Query)
	q.readIncludes(c.Query)
	q.readPage(c.Query)
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	q.span.keep(r.now, q.retained())
	return q, nil
}

// retained is for how many days results are kept (service facts 10).
func (q *request) retained() int {
	if q.span.granularity == hourly || q.segment == "product" {
		return 30
	}
	return 365
}

func readAttribution(q *wire.Query) attribution {
	click := q.Int("attribution_window_days", 7, 30, 30)
	if click != 7 && click != 14 && click != 30 {
		q.Fail("attribution_window_days", "invalid_value",
			"Invalid 'attribution_window_days': want 7, 14 or 30, but got %d.", click)
	}
	view := q.Int("view_through_attribution_window_days", 0, 1, 1)
	basis := q.Choice("attribution_time_basis", "ad_event_time", "ad_event_time", "conversion_time")
	return attribution{click: click * dayMs, view: view * dayMs, byConversion: basis == "conversion_time"}
}

// readSegment reads segments and override_segment_group_order.
func (q *request) readSegment(c *service.Call, r *facts) {
	names := c.Query.Choices("segments", "product", "country", "device", "platform", "hotel")
	if len(names) > 1 {
		c.Query.Fail("segments", "array_above_max_length",
			"Invalid 'segments': want at most one, but got %d.", len(names))
	}
	if len(names) > 0 {
		q.segment = names[0]
	}
	if q.segment == "hotel" && !r.tree.profile.Features.HotelReporting {
		q.refused = notEnrolled(c)
	}
	order := c.Query.Texts("override_segment_group_order", 0)
	if len(order) == 0 {
		return
	}
	want := []string{q.level.String(), q.segment}
	if q.segment == "" || len(order) != 2 || !slices.Contains(order, want[0]) || !slices.Contains(order, want[1]) {
		c.Query.Fail("override_segment_group_order", "invalid_value",
			"Invalid 'override_segment_group_order': want the aggregation level and the segment, once each.")
	}
	q.segmentFirst = order[0] == q.segment
}

func notEnrolled(c *service.Call) error {
	if c.Points.Is(openpoint.HotelNotEnrolled, "404") {
		return wire.NotFoundf("Not found")
	}
	err := wire.Refusef(403, "hotel_reporting_not_enabled",
		"segments", "Hotel reporting is not enabled for this ad account.")
	err.Type = "permission_error"
	return err
}

// readFields reads fields; without them: impressions, the time and the entity's name.
func (q *request) readFields(query *wire.Query) {
	names := query.Texts("fields", 0)
	if len(names) == 0 {
		names = q.usualFields()
	}
	for _, name := range names {
		f, ok := q.resolve(name)
		switch {
		case !ok:
			query.Fail("fields", "invalid_value", "Invalid 'fields': '%s' is not known with aggregation_level '%s'.",
				name, q.level)
		case f.name == "metadata.readable_time" && q.span.granularity == none:
			query.Fail("fields", "invalid_value",
				"Invalid 'fields': 'metadata.readable_time' needs a time_granularity other than none.")
		case q.segment == "hotel" && f.needs != needDelivery:
			query.Fail("fields", "invalid_value", "Invalid 'fields': '%s' is not supported in hotel reporting.", name)
		case !slices.ContainsFunc(q.fields, func(have field) bool { return have.wire == f.wire }):
			q.fields = append(q.fields, f)
		}
	}
}

func (q *request) usualFields() []string {
	names := []string{"impressions", "metadata.readable_time", q.level.String() + ".name"}
	if q.segment != "" {
		names = append(names, segments[q.segment].fields[0].name)
	}
	if q.span.granularity == none {
		names = slices.Delete(names, 1, 2)
	}
	return names
}

// order is one entry of sort.
type order struct {
	field
	descending bool
}

func (q *request) readSort(query *wire.Query) {
	for i, text := range query.Texts("sort", 0) {
		at := "sort[" + strconv.Itoa(i) + "]"
		o, err := wire.ParseAt(at, []byte(text))
		if err != nil {
			query.Fail(at, err.Code, "%s", err.Message)
			return
		}
		o.Require("field")
		name, direction := o.Text("field", 1, 0), o.Choice("direction", "asc", "desc")
		f, ok := q.resolve(name.V)
		if name.Given() && (!ok || q.segment == "hotel" && f.needs != needDelivery) {
			o.Fail("field", "invalid_value", "Invalid '%s': '%s' cannot be sorted by.", o.At("field"), name.V)
		}
		if err := wire.AsError(o.Err()); o.Err() != nil {
			query.Fail(err.Param, err.Code, "%s", err.Message)
		}
		q.sort = append(q.sort, order{f, direction.Or("asc") == "desc"})
	}
}

func (q *request) readIncludes(query *wire.Query) {
	names := query.Choices("includes", "zero_impression_items", "zero_impression_products")
	if len(names) > 1 {
		query.Fail("includes", "array_above_max_length",
			"Invalid 'includes': want at most one, but got %d.", len(names))
	}
	q.zeroItems = slices.Contains(names, "zero_impression_items")
	q.zeroProducts = slices.Contains(names, "zero_impression_products")
	if q.zeroItems && q.segment != "" {
		query.Fail("includes", "invalid_value", "Invalid 'includes': zero_impression_items goes without segments.")
	}
	if q.zeroProducts && (q.segment != "product" || !q.segmentFirst) {
		query.Fail("includes", "invalid_value", "Invalid 'includes': "+
			"zero_impression_products needs the segment product, first in override_segment_group_order.")
	}
}

func (q *request) readPage(query *wire.Query) {
	q.page = wire.Page{
		Limit: int(query.Int("limit", 1, 2000, 20)),
		After: query.Text("after", 1, 4000), Before: query.Text("before", 1, 4000),
	}
	if q.page.After != "" && q.page.Before != "" {
		query.Fail("before", "invalid_value", "Only one of 'after' and 'before' can be given.")
	}
	if q.segment == "hotel" && q.page.Before != "" {
		query.Fail("before", "invalid_value", "Invalid 'before': hotel reporting supports forward pagination only.")
	}
}

// sortName is the sort of a request as row ids carry it, such as spend.desc.
func (q *request) sortName() string {
	names := make([]string, len(q.sort))
	for i, o := range q.sort {
		names[i] = o.wire + ".asc"
		if o.descending {
			names[i] = o.wire + ".desc"
		}
	}
	return strings.Join(names, ",")
}
