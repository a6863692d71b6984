package insights

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/adsapi"
)

// ConversionQuestion is what adsync conversions insights asks (service facts, section 10).
type ConversionQuestion struct {
	Level       string
	IDs         []string // of resources of the level
	Span        Span
	Zone        *time.Location
	By          string // day or none
	Breakdown   string // country, device or ""
	Attribution int    // days after a click; 0: the service's default
	ViewThrough int    // days after a view; -1: the service's default
	Basis       string
	Names       []string // of events; nil: all
	Events      bool     // a row an event
	Zero        bool     // rows without conversions, too
	Sum         bool     // all resources in one row
}

// Breakdowns are those that figures of conversions have.
var Breakdowns = []string{"country", "device"}

// mostEntities is how many ids a question takes; more are asked for in parts.
const mostEntities = 2000

// Check says what the service does not have, by name, before anything is asked.
func (q *ConversionQuestion) Check() error {
	like := Question{Level: q.Level, Span: q.Span, By: q.By, Attribution: q.Attribution, ViewThrough: q.ViewThrough,
		Basis: q.Basis}
	switch err := like.Check(); {
	case err != nil:
		return err
	case q.By != "day" && q.By != "none":
		return fmt.Errorf("--by is %s; the service has day and none for conversions", q.By)
	case q.Span.ofHours():
		return errors.New("--from and --to are hours; figures of conversions have days")
	case q.Breakdown != "" && !slices.Contains(Breakdowns, q.Breakdown):
		return fmt.Errorf("--breakdown is %q; want country or device", q.Breakdown)
	case q.Zero && q.Breakdown != "":
		return errors.New("--zero goes without --breakdown")
	}
	return nil
}

func (q *ConversionQuestion) path() string { return "conversions/insights" }
func (q *ConversionQuestion) by() string   { return q.By }

// whole is the question in one part: by ids where there are any, so that it can be cut by them.
func (q *ConversionQuestion) whole() part { return part{span: q.Span, parents: q.IDs} }

// parentsOf: what has no ids is not cut.
func (q *ConversionQuestion) parentsOf(part) (url.Values, error) { return nil, nil }

// values are the fields of the body.
func (q *ConversionQuestion) values(p part) (url.Values, error) {
	if len(p.parents) > mostEntities && !q.Sum {
		return nil, fmt.Errorf("%w: %d ids; the service takes %d", adsapi.ErrTooManyRows, len(p.parents), mostEntities)
	}
	span, err := (segmentOf{Question: &Question{Zone: q.Zone}}).timeRange(p.span)
	if err != nil {
		return nil, err
	}
	v := url.Values{"aggregation_level": {wireLevel(q.Level)}, "time_ranges": {span},
		"time_granularity": {granularities[q.By]}, "include_zero_rows": {strconv.FormatBool(q.Zero)},
		"group_by_entity": {strconv.FormatBool(!q.Sum)}}
	for name, values := range map[string][]string{"entity_ids": p.parents, "event_names": q.Names} {
		if len(values) > 0 {
			v[name] = values
		}
	}
	for name, text := range map[string]string{"breakdown": q.Breakdown, "attribution_time_basis": q.Basis} {
		if text != "" {
			v.Set(name, text)
		}
	}
	if q.Attribution != 0 {
		v.Set("attribution_window_days", strconv.Itoa(q.Attribution))
	}
	if q.ViewThrough >= 0 {
		v.Set("view_through_attribution_window_days", strconv.Itoa(q.ViewThrough))
	}
	if q.Events {
		v.Set("include", "attributed_events")
	}
	return v, nil
}

// bodyOf is the body of these fields: lists, whole numbers, truths and texts.
func bodyOf(v url.Values) ([]byte, error) {
	body := map[string]any{}
	for name, values := range v {
		switch name {
		case "entity_ids", "event_names", "include", "time_ranges":
			body[name] = values
		case "group_by_entity", "include_zero_rows", "attribution_window_days", "view_through_attribution_window_days":
			body[name] = json.RawMessage(values[0])
		default:
			body[name] = values[0]
		}
	}
	return json.Marshal(body)
}

func (q *ConversionQuestion) layout() shape {
	s := shape{}
	if q.By != "none" {
		s.columns = append(s.columns, text("time"))
	}
	if !q.Sum {
		id := text("id", "entity_id")
		id.id = true
		s.columns = append(s.columns, text("address"), id)
	}
	if q.Breakdown != "" {
		s.columns = append(s.columns, text(q.Breakdown, q.Breakdown))
	}
	figures := []string{"conversions", "click_through_conversions", "view_through_conversions",
		"order_created_attributed_sales"}
	if q.Events {
		s.columns = append(s.columns, text("event", "event_name"), text("kind", "event_kind"))
		figures = []string{"attributed_event_count", "click_through_conversions", "view_through_conversions",
			"attributed_event_value_amount", "attributed_event_value_count"}
	}
	for _, name := range figures {
		m, _ := metricOf(name)
		c := Column{Name: name, Header: m.header(), metric: &m, keys: []string{name}}
		switch name {
		case sales:
			c.unit = []string{salesCurrency}
		case "attributed_event_value_amount":
			c.unit = []string{"attributed_event_value_currency"}
		}
		s.columns = append(s.columns, c)
	}
	if q.Events {
		s.columns = append(s.columns, text("settings", "settings"))
	}
	return s
}

// Conversions asks a question about conversions.
func Conversions(ctx context.Context, service *adsapi.Client, q ConversionQuestion, about About) (*Report, error) {
	return answer(ctx, posting{service, &q}, []asking{&q}, about, nil, true)
}

// posting asks by POST what others ask by GET.
type posting struct {
	service  *adsapi.Client
	question *ConversionQuestion
}

// conversionRow is one row of an answer, or one of its events, by the keys of the service.
type conversionRow map[string]json.RawMessage

func (p posting) Figures(ctx context.Context, _ string, v url.Values) iter.Seq2[adsapi.InsightsRow, error] {
	return func(yield func(adsapi.InsightsRow, error) bool) {
		rows, err := p.ask(ctx, v)
		if err != nil {
			yield(adsapi.InsightsRow{}, err)
			return
		}
		for _, row := range rows {
			one, err := p.rowOf(row)
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

func (p posting) ask(ctx context.Context, v url.Values) (rows []conversionRow, err error) {
	body, err := bodyOf(v)
	if err != nil {
		return nil, err
	}
	answer, err := adsapi.ConversionFigures(ctx, p.service, body)
	if err != nil {
		return nil, err
	}
	var list struct{ Data *[]conversionRow }
	if err := json.Unmarshal(answer, &list); err != nil || list.Data == nil {
		return nil, errors.New("figures of conversions: the service's answer is no list")
	}
	if !p.question.Events {
		return *list.Data, nil
	}
	for _, row := range *list.Data {
		var events []conversionRow
		if raw := row["attributed_events"]; raw != nil && json.Unmarshal(raw, &events) != nil {
			return nil, errors.New("figures of conversions: attributed_events is no list")
		}
		for _, event := range events {
			for _, key := range []string{"date", "country", "device", "entity_id"} {
				if event[key] == nil && row[key] != nil {
					event[key] = row[key]
				}
			}
			rows = append(rows, event)
		}
	}
	return rows, nil
}

// rowOf is a row as those of other figures are: a day begins at its first moment.
func (p posting) rowOf(row conversionRow) (adsapi.InsightsRow, error) {
	one := adsapi.InsightsRow{Fields: map[string]string{}}
	for key, raw := range row {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			one.Fields[key] = text
		} else if raw = bytes.TrimSpace(raw); len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
			one.Fields[key] = string(raw)
		}
	}
	settings, err := settingsOf(row["conversion_event_setting_breakdowns"])
	if err != nil {
		return one, err
	}
	one.Fields["settings"] = settings
	day := one.Fields["date"]
	if day == "" {
		day = p.question.Span.From
	}
	at, err := time.ParseInLocation(time.DateOnly, day, p.question.Zone)
	if err != nil {
		return one, errors.New("figures of conversions: date is no day; want such as 2026-11-02")
	}
	one.Start = at.Unix()
	last := at
	if one.Fields["date"] == "" {
		if last, err = time.ParseInLocation(time.DateOnly, p.question.Span.To, p.question.Zone); err != nil {
			return one, err
		}
	}
	one.End = last.AddDate(0, 0, 1).Unix()
	return one, nil
}

// settingsOf says which event settings counted an event: "ces_1: 3". assumption: their keys are not published.
func settingsOf(raw json.RawMessage) (string, error) {
	var list []struct {
		ID    string      `json:"conversion_event_setting_id"`
		Count json.Number `json:"attributed_event_count"`
	}
	if raw != nil && json.Unmarshal(raw, &list) != nil {
		return "", errors.New("figures of conversions: conversion_event_setting_breakdowns is no list")
	}
	var texts []string
	for _, s := range list {
		texts = append(texts, s.ID+": "+s.Count.String())
	}
	return strings.Join(texts, ", "), nil
}
