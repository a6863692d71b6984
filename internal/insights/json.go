package insights

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Document is the JSON form of a report. Figures are decimal text by the service's words;
// rates of totals are worked out from sums.
type Document struct {
	FormatVersion int             `json:"format_version"`
	Title         string          `json:"title"`
	Account       string          `json:"account"`
	Currency      string          `json:"currency"`
	TimeZone      string          `json:"time_zone"`
	Level         string          `json:"level"`
	By            string          `json:"by"`
	Since         string          `json:"since"`
	Until         string          `json:"until"`
	Settings      []string        `json:"settings"`
	Preliminary   bool            `json:"preliminary"` // figures of the account's current day are among them
	Notes         []string        `json:"notes"`
	Totals        []TotalDocument `json:"totals"`
	Before        *SpanDocument   `json:"before"` // null: nothing is compared with
	Gone          int             `json:"gone"`   // with --compare-rows: rows of the span before that have none now
	Rows          []RowDocument   `json:"rows"`
}

// SpanDocument is the span before.
type SpanDocument struct {
	Since string `json:"since"`
	Until string `json:"until"`
}

// TotalDocument is the figures of all rows of a segment.
type TotalDocument struct {
	Segment     string            `json:"segment"`
	Rows        int               `json:"rows"`
	Preliminary bool              `json:"preliminary"`
	Figures     map[string]string `json:"figures"`
	Before      map[string]string `json:"before"`
	Change      map[string]string `json:"change"` // shares: 0.125 is 12.5 % more
}

// RowDocument is one row.
type RowDocument struct {
	Start       int64             `json:"start"` // Unix seconds
	End         int64             `json:"end"`
	Preliminary bool              `json:"preliminary"`
	Of          map[string]string `json:"of"` // what the row is of: time, name, id, address, fields
	Figures     map[string]string `json:"figures"`
	Partial     bool              `json:"partial"` // a week of which not all days are in the span
	Before      map[string]string `json:"before"`  // with --compare-rows; empty where there was no such row
	Change      map[string]string `json:"change"`  // likewise, shares
}

// formatVersion stands in every JSON output.
const formatVersion = 1

func (r jsonForm) document() Document {
	d := Document{
		FormatVersion: formatVersion, Title: r.Title, Account: r.Account, Currency: r.Currency,
		TimeZone: r.Zone.String(), Level: r.Level, By: r.By, Since: r.Span.From, Until: r.Span.To,
		Settings: append([]string{}, r.Settings...), Preliminary: r.Preliminary(),
		Notes: append(append([]string{}, lacking(r.Report)...), r.Notes...), Rows: []RowDocument{}, Gone: r.gone,
	}
	if r.Before != (Span{}) {
		d.Before = &SpanDocument{r.Before.From, r.Before.To}
	}
	for _, t := range r.Totals {
		d.Totals = append(d.Totals, TotalDocument{t.Segment, t.Rows, t.Preliminary,
			r.figuresBy(t.Of), r.figuresBy(t.Before.Of), r.figuresBy(func(c *Column) string {
				if t.Before == nil {
					return ""
				}
				return t.Change(c)
			})})
	}
	return d
}

func (r jsonForm) figuresBy(of func(*Column) string) map[string]string {
	figures := map[string]string{}
	for i := range r.Columns {
		if c := &r.Columns[i]; c.metric != nil && !c.hidden {
			if text := of(c); text != "" {
				figures[c.Name] = text
			}
		}
	}
	return figures
}

// json writes the document row by row: it is never in memory as a whole.
func (r jsonForm) json(w io.Writer, _ []string, _ int) error {
	head, err := marshal(r.document())
	if err != nil {
		return err
	}
	open := bytes.TrimSuffix(head, []byte("[]\n}"))
	if len(open) == len(head) {
		return fmt.Errorf("the document does not end with its rows")
	}
	if _, err := w.Write(append(open, '[')); err != nil {
		return err
	}
	between := "\n    "
	for row, err := range r.Rows() {
		if err != nil {
			return err
		}
		line, err := marshalLine(r.rowDocument(row))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, between+line); err != nil {
			return err
		}
		between = ",\n    "
	}
	end := "\n  ]\n}\n"
	if r.Len() == 0 {
		end = "]\n}\n"
	}
	_, err = io.WriteString(w, end)
	return err
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func marshalLine(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

func (r jsonForm) rowDocument(row Row) RowDocument {
	d := RowDocument{Start: row.Start, End: row.End, Preliminary: row.Preliminary,
		Of: map[string]string{}, Figures: map[string]string{}, Partial: row.Partial,
		Before: map[string]string{}, Change: map[string]string{}}
	for _, i := range r.visible() {
		if row.Cells[i] == "" {
			continue
		}
		switch c := &r.Columns[i]; {
		case c.metric != nil:
			d.Figures[c.Name] = row.Cells[i]
		case c.change:
			d.Change[c.beside.name] = row.Cells[i]
		case c.beside != nil:
			d.Before[c.beside.name] = row.Cells[i]
		default:
			d.Of[r.Columns[i].Name] = row.Cells[i]
		}
	}
	return d
}
