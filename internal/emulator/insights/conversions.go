package insights

import (
	"net/http"
	"slices"
	"strings"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// maxConversionRows is the most rows conversion insights answers with (published: 413 above).
const maxConversionRows = 2000

// conversionQuery is the body of POST /conversions/insights (service facts 10).
type conversionQuery struct {
	request
	ids      []string
	grouped  bool // one row an entity
	zeros    bool
	ofEntity level // what ids name
}

func (r *Room) conversionInsights(c *service.Call) (out any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	err = c.View(func() error {
		facts := r.facts(c)
		q := facts.readConversionQuery(c, o)
		if err := o.Err(); err != nil {
			return err
		}
		if err := facts.limitTo(q); err != nil {
			return err
		}
		report := conversionReport{newReport(c, facts, &q.request), q}
		var rows []*row
		err := r.ledger.Read(c.Account, facts.now, func(b *delivery.Book) error {
			rows = report.collect(b)
			return nil
		})
		if err == nil && len(rows) > maxConversionRows {
			err = wire.Refusef(http.StatusRequestEntityTooLarge,
				"too_many_rows", "", "The answer has %d rows, which is more than %d.", len(rows), maxConversionRows)
		}
		out = report.showAll(rows)
		return err
	})
	return out, err
}

func (r *facts) readConversionQuery(c *service.Call, o *wire.Object) *conversionQuery {
	o.Require("aggregation_level")
	q := &conversionQuery{
		ids:     o.Texts("entity_ids", 1, maxConversionRows, nil).V,
		grouped: o.Bool("group_by_entity").Or(true), zeros: o.Bool("include_zero_rows").Or(true),
	}
	q.ofEntity = levelOf(o.Choice("aggregation_level", "campaign", "ad_group", "ad", "ad_account").Or("campaign"))
	q.scope, q.level = r.tree.find(account, r.tree.profile.ID), q.ofEntity
	if !q.grouped {
		q.level = account
	} else if len(q.ids) == 0 && q.ofEntity != account {
		o.Fail("entity_ids", "missing_required_parameter",
			"Missing required parameter: 'entity_ids' with group_by_entity.")
	}
	q.segment = o.Choice("breakdown", "country", "device").V
	q.eventNames = o.Texts("event_names", 0, 100, nil).V
	for _, include := range o.Texts("include", 0, 1, nil).V {
		q.byEvent = include == "attributed_events"
		if !q.byEvent {
			o.Fail("include", "invalid_value",
				"Invalid value: '%s'. Supported values for 'include' are: 'attributed_events'.", include)
		}
	}
	q.attribution = readBodyAttribution(o)
	granularity := o.Choice("time_granularity", none, daily).Or(none)
	span, err := newSpan(c.Points, r.tree.profile.Zone(), r.now, granularity, o.Texts("time_ranges", 0, 1, nil).V)
	if err != nil {
		o.Fail("time_ranges", err.Code, "%s", err.Message)
	}
	q.span = span
	q.span.keep(r.now, 365)
	return q
}

func readBodyAttribution(o *wire.Object) attribution {
	click := o.Int("attribution_window_days", 7, 30).Or(30)
	if click != 7 && click != 14 && click != 30 {
		o.Fail("attribution_window_days", "invalid_value",
			"Invalid 'attribution_window_days': want 7, 14 or 30, but got %d.", click)
	}
	view := o.Int("view_through_attribution_window_days", 0, 1).Or(1)
	basis := o.Choice("attribution_time_basis", "ad_event_time", "conversion_time").Or("ad_event_time")
	return attribution{click: click * dayMs, view: view * dayMs, byConversion: basis == "conversion_time"}
}

// limitTo makes entity_ids a condition. Every one has to exist.
func (r *facts) limitTo(q *conversionQuery) error {
	if len(q.ids) == 0 {
		return nil
	}
	in := map[string]bool{}
	for _, id := range q.ids {
		if r.tree.find(q.ofEntity, id) == nil {
			return wire.Invalidf("entity_ids", "invalid_value", "No %s found with id '%s'.", q.ofEntity, id)
		}
		in[id] = true
	}
	name := q.ofEntity.String() + ".id"
	at := slices.IndexFunc(describing, func(f field) bool { return f.name == name })
	q.filters = append(q.filters, filter{field: describing[at], in: in})
	return nil
}

// conversionReport is a report of conversions alone.
type conversionReport struct {
	*report
	q *conversionQuery
}

// collect sums up conversions.
func (r conversionReport) collect(b *delivery.Book) []*row {
	from := newCollector(r.report, b)
	from.collectTouches()
	from.collectEvents()
	if r.q.zeros && r.segment == "" {
		r.addAsked(from)
	}
	rows := from.finish()
	slices.SortFunc(rows, r.compare)
	return rows
}

// addAsked adds a row for every entity asked for and every bucket.
func (r conversionReport) addAsked(to *collector) {
	q := r.q
	entities := []*entity{q.scope}
	if q.grouped && len(q.ids) > 0 {
		entities = nil
		for _, id := range q.ids {
			entities = append(entities, r.tree.find(q.level, id))
		}
	}
	for _, e := range entities {
		for bucket := range r.span.starts {
			to.at(bucket, e, nil)
		}
	}
}

type conversionRow struct {
	EntityID    *string     `json:"entity_id"` // null when entities are not grouped by
	Date        string      `json:"date,omitempty"`
	Country     string      `json:"country,omitempty"`
	Device      string      `json:"device,omitempty"`
	Conversions int64       `json:"conversions"` // clicks and views
	ByClick     int64       `json:"click_through_conversions"`
	ByView      int64       `json:"view_through_conversions"`
	Sales       string      `json:"order_created_attributed_sales"`
	Events      *[]eventRow `json:"attributed_events,omitempty"`
}

type eventRow struct {
	EntityID      *string            `json:"entity_id"`
	Name          string             `json:"event_name"`
	Kind          string             `json:"event_kind"` // standard, custom
	Count         int64              `json:"attributed_event_count"`
	ByClick       int64              `json:"click_through_conversions"`
	ByView        int64              `json:"view_through_conversions"`
	ValueAmount   string             `json:"attributed_event_value_amount"`
	ValueCount    int64              `json:"attributed_event_value_count"`
	ValueCurrency string             `json:"attributed_event_value_currency"`
	Settings      []settingBreakdown `json:"conversion_event_setting_breakdowns"`

	value int64 // micros
}

// settingBreakdown. assumption: the keys of a breakdown are not published.
type settingBreakdown struct {
	SettingID string `json:"conversion_event_setting_id"`
	Count     int64  `json:"attributed_event_count"`
	ByClick   int64  `json:"click_through_conversions"`
	ByView    int64  `json:"view_through_conversions"`
}

type conversionPage struct {
	Object   string          `json:"object"`
	Currency string          `json:"account_currency"`
	Data     []conversionRow `json:"data"`
	Count    int             `json:"count"`
}

func (r conversionReport) showAll(rows []*row) conversionPage {
	p := conversionPage{Object: "list", Currency: r.tree.profile.Currency, Data: []conversionRow{}}
	for _, row := range rows {
		p.Data = append(p.Data, r.showRow(row))
	}
	p.Count = len(p.Data)
	return p
}

func (r conversionReport) showRow(row *row) conversionRow {
	q := r.q
	v := conversionRow{
		Conversions: row.byClick + row.byView, ByClick: row.byClick, ByView: row.byView, Sales: decimal(row.sales),
	}
	if q.grouped {
		id := row.entity.id()
		v.EntityID = &id
	}
	if q.span.granularity == daily {
		v.Date = q.span.readable(row.bucket)
	}
	switch q.segment {
	case "country":
		v.Country = row.part.id
	case "device":
		v.Device = row.part.id
	}
	if q.byEvent {
		events := r.showEvents(row, v.EntityID)
		v.Events = &events
	}
	return v
}

// showEvents returns a row's events by name, with the settings that counted them.
func (r conversionReport) showEvents(row *row, entityID *string) []eventRow {
	events := []eventRow{}
	for _, s := range r.tree.account.EventSettings.All() {
		if counted := row.events[s.ID]; counted != nil {
			events = r.addEvent(events, entityID, s, counted)
		}
	}
	slices.SortStableFunc(events, func(a, b eventRow) int { return strings.Compare(a.Name, b.Name) })
	return events
}

func (r conversionReport) addEvent(events []eventRow,
	entityID *string, s world.EventSetting, counted *sums) []eventRow {
	name := eventName(s)
	at := slices.IndexFunc(events, func(e eventRow) bool { return e.Name == name })
	if at < 0 {
		kind := "standard"
		if s.CustomEventName != nil {
			kind = "custom"
		}
		at = len(events)
		events = append(events, eventRow{
			EntityID: entityID, Name: name, Kind: kind, ValueCurrency: r.tree.profile.Currency,
		})
	}
	e := &events[at]
	e.ByClick, e.ByView = e.ByClick+counted.byClick, e.ByView+counted.byView
	e.Count = e.ByClick + e.ByView
	e.ValueCount = e.Count
	e.value += counted.sales
	e.ValueAmount = decimal(e.value)
	e.Settings = append(e.Settings,
		settingBreakdown{s.ID, counted.byClick + counted.byView, counted.byClick, counted.byView})
	return events
}
