package insights

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// part is the share of a question that one answer is asked for.
type part struct {
	span    Span
	parents []string // ids of campaigns; nil: all
}

// asking is a question, or one segment of it, as Ask sends it.
type asking interface {
	path() string
	whole() part
	values(p part) (url.Values, error)
	layout() shape
	by() string
	// parentsOf asks for the campaigns that have rows; nil where the question is not cut so.
	parentsOf(p part) (url.Values, error)
}

// segmentOf is a question about one of its segments.
type segmentOf struct {
	*Question
	shape shape
}

func (s segmentOf) layout() shape { return s.shape }
func (s segmentOf) by() string    { return asksBy(s.By) }
func (s segmentOf) whole() part   { return part{span: s.Span} }

// path is the account's, or of one resource its own, which not every service has.
func (s segmentOf) path() string {
	if s.Of != nil && len(s.Of.IDs) == 1 {
		return s.Of.Level + "s/" + s.Of.IDs[0] + "/insights"
	}
	return accountPath
}

const accountPath = "ad_account/insights"

// limit is the largest page (interface, part 8).
const limit = "2000"

func (s segmentOf) values(p part) (url.Values, error) {
	conditions, orders := slices.Clone(s.Conditions), slices.Clone(s.Sort)
	for i := range conditions {
		conditions[i].Field = s.qualified(conditions[i].Field)
	}
	for i := range orders {
		orders[i].Field = s.qualified(orders[i].Field)
	}
	if s.Of != nil {
		conditions = append(conditions, Condition{s.Of.Level + ".id", "IN", s.Of.IDs})
	}
	if p.parents != nil {
		conditions = append(conditions, Condition{"campaign.id", "IN", p.parents})
	}
	filters, err := asJSON(conditions)
	if err != nil {
		return nil, fmt.Errorf("filters: %w", err)
	}
	sort, err := asJSON(orders)
	if err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	ranges, err := s.timeRange(p.span)
	if err != nil {
		return nil, err
	}
	q := url.Values{
		"aggregation_level": {wireLevel(s.Level)}, "time_granularity": {granularities[s.By]},
		"time_ranges": {ranges}, "fields": s.shape.fields, "limit": {limit},
	}
	for name, values := range map[string][]string{"filters": filters, "sort": sort} {
		if len(values) > 0 {
			q[name] = values
		}
	}
	s.addRest(q)
	return q, nil
}

// addRest adds what is asked for only where it is not the service's default.
func (s segmentOf) addRest(q url.Values) {
	if s.Attribution != 0 {
		q.Set("attribution_window_days", strconv.Itoa(s.Attribution))
	}
	if s.ViewThrough >= 0 {
		q.Set("view_through_attribution_window_days", strconv.Itoa(s.ViewThrough))
	}
	if s.Basis != "" {
		q.Set("attribution_time_basis", s.Basis)
	}
	if s.shape.segment != "" {
		q.Set("segments", s.shape.segment)
		if s.SegmentFirst || s.Zero {
			q["override_segment_group_order"] = []string{s.shape.segment, wireLevel(s.Level)}
		}
	}
	switch {
	case s.Zero && s.shape.segment == "product":
		q.Set("includes", "zero_impression_products")
	case s.Zero:
		q.Set("includes", "zero_impression_items")
	}
}

// qualified is a field as a request names it: a figure of a segment has the segment before it.
func (s segmentOf) qualified(field string) string {
	if _, isMetric := metricOf(field); isMetric && s.shape.segment != "" {
		return s.shape.segment + "." + field
	}
	return field
}

func (s segmentOf) timeRange(span Span) (string, error) {
	kind := "date_range"
	if span.ofHours() {
		kind = "hour_range"
	}
	text, err := json.Marshal(struct {
		Type  string `json:"type"`
		Since string `json:"since"`
		Until string `json:"until"`
		Zone  string `json:"timezone,omitempty"`
	}{kind, span.From, span.To, s.Zone.String()})
	return string(text), err
}

// parentsOf asks which campaigns have rows. Rows of the whole account, or figures of a
// group that campaigns share, are not cut by campaign.
func (s segmentOf) parentsOf(p part) (url.Values, error) {
	if s.Level == Levels[0] || s.SegmentFirst || s.Zero {
		return nil, nil
	}
	whole := *s.Question
	whole.Level, whole.By, whole.Sort, whole.Segments = "campaign", "none", nil, nil
	whole.Conditions = slices.DeleteFunc(slices.Clone(s.Conditions), Condition.ofMetric)
	return segmentOf{&whole, shape{fields: []string{"campaign.id"}}}.values(p)
}
