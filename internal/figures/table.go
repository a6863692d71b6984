package figures

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"adsync/internal/insights"
)

// Sums are figures that were added up.
type Sums struct {
	values [len(metrics)]int64
	lacks  [len(metrics)]bool // a row had no such figure, or the sum is too large for us
}

// Unknown returns the sums of days of which none was read.
func Unknown() (s Sums) {
	for m := range s.lacks {
		s.lacks[m] = true
	}
	return s
}

func (s *Sums) add(r *dayRow) {
	for m := range metrics {
		switch {
		case !r.Known[m], r.Values[m] > 0 && s.values[m] > math.MaxInt64-r.Values[m]:
			s.lacks[m] = true
		default:
			s.values[m] += r.Values[m]
		}
	}
}

// Add adds other sums.
func (s *Sums) Add(o *Sums) {
	r := dayRow{Values: o.values}
	for m := range metrics {
		r.Known[m] = !o.lacks[m]
	}
	s.add(&r)
}

// Of returns a figure as decimal text: a sum, or a rate of sums. "" is not known.
func (s *Sums) Of(metric string) string { return insights.Figure(metric, s.sum) }

// sum is false where no row that was added had the figure, too.
func (s *Sums) sum(metric string) (int64, bool) {
	m := slices.Index(metrics[:], metric)
	if m < 0 || s.lacks[m] {
		return 0, false
	}
	return s.values[m], true
}

// Micros returns a sum of spend; false where it is not known.
func (s *Sums) Micros() (int64, bool) { return s.sum("spend") }

// DayTotal is what all resources of a level did on one day.
type DayTotal struct {
	Date        string
	Gap         bool // the day was not read: nothing is known of it
	Preliminary bool // it was read before the day had ended
	Sums
}

// Line is what one resource did in a span.
type Line struct {
	ID string
	Resource
	Above []Resource // where it belongs, from the top down
	Sums
	Spend []int64 // of each day in micros; nil where one is not known, or the span has more than lineDays
}

// lineDays is the most days of which a line has the spend of each.
const lineDays = 92

// Table is what the resources of a level did in a span.
type Table struct {
	Currency string
	Days     []DayTotal
	Lines    []Line // in the order of names, then ids
	Total    Sums
}

// Gaps returns the days of the span that were not read.
func (t *Table) Gaps() (days []string) {
	for _, d := range t.Days {
		if d.Gap {
			days = append(days, d.Date)
		}
	}
	return days
}

// Read reports whether any day of the span was read.
func (t *Table) Read() bool {
	return slices.ContainsFunc(t.Days, func(d DayTotal) bool { return !d.Gap })
}

// Preliminary reports whether a day is in the table that had not ended when it was read.
func (t *Table) Preliminary() bool {
	return slices.ContainsFunc(t.Days, func(d DayTotal) bool { return d.Preliminary })
}

// Table adds up a level over a span of days, both ends inside, in the zone of the account's days.
func (k Kept) Table(level string, span insights.Span) (*Table, error) {
	index, err := k.Index()
	if err != nil {
		return nil, err
	}
	now, _ := index.Now(time.Time{})
	at := slices.Index(Levels[:], level)
	first, noFirst := time.ParseInLocation(dateForm, span.From, now.Location())
	last, noLast := time.ParseInLocation(dateForm, span.To, now.Location())
	if at < 0 || noFirst != nil || noLast != nil || last.Before(first) || first.AddDate(0, 0, KeptDays).Before(last) {
		return nil, fmt.Errorf("figures by %q from %q to %q; want a level and at most %d days",
			level, span.From, span.To, KeptDays)
	}
	t := &Table{Currency: index.Currency}
	lines := map[string]*Line{}
	count := 0
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		count++
	}
	for i := range count {
		day := first.AddDate(0, 0, i)
		total := DayTotal{Date: day.Format(dateForm)}
		var rows []dayRow
		var taken time.Time
		err := fs.ErrNotExist
		if _, read := index.Taken[total.Date]; read {
			rows, taken, err = k.level(total.Date, at)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			total.Gap = true
			t.Days = append(t.Days, total)
			continue
		case err != nil:
			return nil, err
		}
		total.Preliminary = taken.Before(day.AddDate(0, 0, 1))
		for r := range rows {
			row := &rows[r]
			line := lines[row.ID]
			if line == nil {
				line = &Line{ID: row.ID}
				if count <= lineDays {
					line.Spend = make([]int64, count)
				}
				lines[row.ID] = line
			}
			line.add(row)
			total.add(row)
			t.Total.add(row)
			if spend := slices.Index(metrics[:], "spend"); !row.Known[spend] {
				line.Spend = nil
			} else if line.Spend != nil {
				line.Spend[i] = row.Values[spend]
			}
		}
		t.Days = append(t.Days, total)
	}
	if !t.Read() {
		t.Total = Unknown()
	}
	return t, k.name(t, at, lines)
}

// name puts names into the lines, and these into their order.
func (k Kept) name(t *Table, at int, lines map[string]*Line) error {
	known, err := k.Resources()
	if err != nil {
		return err
	}
	for id, line := range lines {
		line.Resource = known[at][id]
		for up, parent := at-1, line.Parent; up >= 0; up-- {
			above := known[up][parent]
			line.Above = append(line.Above, above)
			parent = above.Parent
		}
		slices.Reverse(line.Above)
		t.Lines = append(t.Lines, *line)
	}
	slices.SortFunc(t.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return nil
}
