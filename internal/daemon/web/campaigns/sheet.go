package campaigns

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/figures"
)

// SheetName is what the file of the lines is called.
func (f *Found) SheetName() string {
	return fmt.Sprintf("%s-%s-%s.csv", f.asked.Level, f.asked.span.From, f.asked.span.To)
}

// WriteSheet writes all lines that are asked for as CSV, with the columns that the page shows: figures as the service
// has them, and the change of spend, without the plus that would begin a formula.
func (f *Found) WriteSheet(w io.Writer) {
	q := f.asked
	out := csv.NewWriter(w)
	heads := slices.Concat([]string{"from", "to", "in", "name", "id"}, f.columns(), []string{"change"})
	_ = out.Write(heads) // who asked may be gone
	for _, l := range f.lines {
		var above []string
		for _, up := range l.Above {
			above = append(above, up.Name)
		}
		row := []string{q.span.From, q.span.To, csvfile.Plain(strings.Join(above, " › ")), csvfile.Plain(l.Name),
			csvfile.Plain(l.ID)}
		for _, c := range f.columns() {
			row = append(row, csvfile.Plain(f.of(l, c)))
		}
		_ = out.Write(append(row, strings.TrimPrefix(f.change(l), "+")))
	}
	out.Flush()
}

// Document is what programs get.
type Document struct {
	FormatVersion int               `json:"format_version"`
	Level         string            `json:"level"`
	Since         string            `json:"since"`
	Until         string            `json:"until"`
	Currency      string            `json:"currency"`
	Preliminary   bool              `json:"preliminary"`
	Gaps          []string          `json:"gaps"`
	Total         map[string]string `json:"total"`
	Before        map[string]string `json:"before,omitempty"`
	Days          []Figures         `json:"days"`
	Lines         []Figures         `json:"lines"`
}

// Figures are those of a day or a resource, as decimals; those that are not known are absent.
type Figures struct {
	Date  string   `json:"date,omitempty"`
	Gap   bool     `json:"gap,omitempty"`
	ID    string   `json:"id,omitempty"`
	Name  string   `json:"name,omitempty"`
	Above []string `json:"in,omitempty"`
	// Settings are what a resource is set to, by column; those that it does not have are absent.
	Settings map[string]string `json:"settings,omitempty"`
	Paced    *Paced            `json:"paced,omitempty"`
	Cell     string            `json:"cell,omitempty"` // where the files write it
	Figures  map[string]string `json:"figures"`
}

const formatVersion = 1

// Document is the same for programs.
func (f *Found) Document() Document {
	q, now := f.asked, f.now
	d := Document{FormatVersion: formatVersion, Level: q.Level, Since: q.span.From, Until: q.span.To,
		Currency: now.Currency, Preliminary: now.Preliminary(), Gaps: now.Gaps(), Total: q.figuresBy(&now.Total),
		Days: []Figures{}, Lines: []Figures{}}
	if d.Gaps == nil {
		d.Gaps = []string{}
	}
	if f.before != nil {
		d.Before = q.figuresBy(&f.before.Total)
	}
	for i := range now.Days {
		day := Figures{Date: now.Days[i].Date, Gap: now.Days[i].Gap, Figures: map[string]string{}}
		if !day.Gap {
			day.Figures = q.figuresBy(&now.Days[i].Sums)
		}
		d.Days = append(d.Days, day)
	}
	for _, l := range f.lines {
		line := Figures{ID: l.ID, Name: l.Name, Settings: map[string]string{}, Figures: q.figuresBy(&l.Sums)}
		for _, c := range f.columns() {
			if text := settingText(f.settings[l.ID], c); text != "" {
				line.Settings[c] = text
			}
			if paced, known := f.paced[l.ID]; known && c == pacedColumn {
				line.Paced = &paced
			}
			if c == cellColumn {
				line.Cell = f.files[l.ID].cell
			}
		}
		for _, up := range l.Above {
			line.Above = append(line.Above, up.Name)
		}
		d.Lines = append(d.Lines, line)
	}
	return d
}

func (q *Asked) figuresBy(s *figures.Sums) map[string]string {
	known := map[string]string{}
	for _, m := range q.Columns {
		if text := s.Of(m); text != "" {
			known[m] = text
		}
	}
	return known
}
