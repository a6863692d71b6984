package insights

import (
	"bytes"
	"encoding/json"

	"adsync/internal/emulator/openpoint"
)

// page is the envelope of insights: that of lists, and how many rows are on the page.
type page struct {
	Object  string  `json:"object"`
	Data    []line  `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
	Count   int     `json:"count"`
}

// line is a row as it is sent: its keys in the order they were asked for.
type line struct {
	id     string
	fields []pair
}

type pair struct {
	key   string
	value any
}

// MarshalJSON writes the keys in their order.
func (l line) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range l.fields {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(p.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func newPage(lines []line, more bool) page {
	p := page{Object: "list", Data: lines, HasMore: more, Count: len(lines)}
	if len(lines) > 0 {
		p.FirstID, p.LastID = &lines[0].id, &lines[len(lines)-1].id
	}
	return p
}

// show is a row with its id, its time in Unix seconds and the fields asked for.
func (r *report) show(row *row) line {
	id := r.rowID(row)
	start, end := r.span.bounds(row.bucket)
	l := line{id, []pair{{"id", id}, {"start_time", start}, {"end_time", end}}}
	for _, f := range r.fields {
		l.fields = append(l.fields, pair{f.wire, r.shown(f, row)})
	}
	return l
}

// shown is a field's value in a row. Metrics are decimals written digit by digit.
func (r *report) shown(f field, row *row) any {
	if f.measure == nil {
		return f.value(r, row)
	}
	return r.number(f.measure(r, row.measured(f)))
}

func (r *report) number(v amount) any {
	if v.void && r.points.Is(openpoint.InsightsUndefined, "null") {
		return nil
	}
	return json.Number(decimal(v.millionths))
}
