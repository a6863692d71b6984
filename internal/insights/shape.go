package insights

import (
	"slices"
	"strings"
)

// Column is one column of a report.
type Column struct {
	Name   string // in CSV and JSON
	Header string // for people
	keys   []string
	metric *metric  // nil: text
	hidden bool     // is there for sums only
	id     bool     // names the row's resource
	names  bool     // is the name of a resource, of any length
	loose  bool     // was asked for by name, and is no figure
	unit   []string // keys of the currency of this money; nil: the account's

	beside *metric // the figure that this is of the span before, or the change of
	change bool
}

// Figure reports whether the column holds figures of the service.
func (c *Column) Figure() bool { return c.metric != nil }

// number reports whether the column holds numbers.
func (c *Column) number() bool { return c.metric != nil || c.beside != nil }

// shape is the columns of the rows of one segment, and the fields that are asked for.
type shape struct {
	segment string
	fields  []string
	columns []Column
}

// valueFields name the values of a segment: the name and, where there is one, the id.
var valueFields = map[string][]string{
	"product": {"product.title", "product.item_id"}, "country": {"country.name"}, "device": {"device.type"},
	"platform": {"platform.name"}, "hotel": {"hotel.name", "hotel.inventory_item_id"},
}

// headers are those of columns whose name does not say it.
var headers = map[string]string{"id": "ID", "address": "Address", "time": "Time", "segment": "Segment",
	"value": "Value", "value_id": "Value ID", "name": "Name", "campaign": "Campaign", "ad_group": "Ad group"}

func text(name string, keys ...string) Column {
	header, ok := headers[name]
	if !ok {
		header = strings.ToUpper(name[:1]) + strings.NewReplacer("_", " ", ".", " ").Replace(name[1:])
	}
	return Column{Name: name, Header: header, keys: keys}
}

// shapeOf lays out the columns of a question for one of its segments; "" is none.
func (q *Question) shapeOf(segment string) shape {
	s := shape{segment: segment}
	if q.By != "none" {
		s.columns = append(s.columns, text("time"))
	}
	if len(q.Segments) > 0 {
		value, id := text("value"), text("value_id")
		for i, field := range valueFields[segment] {
			s.fields = append(s.fields, field)
			[]*Column{&value, &id}[i].keys = []string{wireKey(field)}
		}
		s.columns = append(s.columns, Column{Name: "segment", Header: "Segment"}, value, id)
	}
	s.name(q.Level)
	named := q.Fields
	if len(named) == 0 {
		named = DefaultFields
	}
	for _, field := range named {
		s.add(q.Level, field, false)
	}
	for _, order := range q.Sort {
		s.add(q.Level, order.Field, true)
	}
	for i := range s.columns {
		// there are no others than after clicks
		if m := s.columns[i].metric; m != nil && m.loose && q.ViewThrough == 0 {
			m.loose, m.over, m.under, m.scale = false, "conversions", "clicks", 1
		}
	}
	for _, c := range slices.Clone(s.columns) {
		if c.metric != nil && c.metric.isRate() {
			s.add(q.Level, c.metric.over, true)
			s.add(q.Level, c.metric.under, true)
		}
	}
	if slices.Contains(s.fields, salesCurrency) {
		return s
	}
	if slices.ContainsFunc(s.columns, func(c Column) bool { return c.unit != nil }) {
		s.fields = append(s.fields, salesCurrency)
	}
	return s
}

// name adds what names the rows of a level: names from the top down, id and address.
func (s *shape) name(level string) {
	at := slices.Index(Levels, level)
	for _, upper := range Levels[1:max(at, 1)] {
		s.fields = append(s.fields, upper+".name")
		c := text(upper, upper+"_name")
		c.names = true
		s.columns = append(s.columns, c)
	}
	wire := wireLevel(level)
	s.fields = append(s.fields, wire+".name", wire+".id")
	name, id := text("name", wire+"_name"), text("id", wire+"_id")
	id.id, name.names = true, true
	s.columns = append(s.columns, name, text("address"), id)
}

// The one money of the service that says its currency, which is that of the events.
const (
	sales         = "order_created_attributed_sales"
	salesCurrency = sales + "_currency"
)

// add adds a field, once. A figure may be named with its level or segment before it.
func (s *shape) add(level, field string, hidden bool) {
	of := s.segment
	if of == "" {
		of = wireLevel(level)
	}
	plain := strings.TrimPrefix(field, of+".")
	m, isMetric := metricOf(plain)
	if !isMetric {
		plain = field
	}
	if slices.Contains(s.fields, field) ||
		slices.ContainsFunc(s.columns, func(c Column) bool { return c.Name == plain }) {
		return
	}
	c := text(plain, wireKey(field))
	c.hidden, c.loose = hidden, !isMetric
	if isMetric {
		c.metric, c.Header, c.keys = &m, m.header(), []string{m.name}
		if field = m.name; s.segment != "" {
			field, c.keys = s.segment+"."+m.name, []string{s.segment + "_" + m.name, m.name}
		}
		if m.name == sales {
			c.unit = []string{s.segment + "_" + salesCurrency, salesCurrency}
		}
	}
	s.fields = append(s.fields, field)
	s.columns = append(s.columns, c)
}

// wireKey is the key of a field in a row (service facts, section 10).
func wireKey(field string) string {
	switch field {
	case "product.item_id":
		return "item_id"
	case "product.feed_id":
		return "product_feed_id"
	case "hotel.inventory_item_id", "hotel.inventory_feed_id":
		return strings.TrimPrefix(field, "hotel.")
	}
	return strings.ReplaceAll(strings.TrimPrefix(field, "metadata."), ".", "_")
}
