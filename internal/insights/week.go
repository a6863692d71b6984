package insights

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// asksBy is the granularity the service is asked in: it has no weeks, which adsync joins from days.
func asksBy(by string) string {
	if by == "week" {
		return "day"
	}
	return by
}

// monday is the first moment of the week that a moment is in.
func monday(at time.Time) time.Time {
	y, m, d := at.Date()
	return time.Date(y, m, d-(int(at.Weekday())+6)%7, 0, 0, 0, 0, at.Location())
}

// weekOf moves a row of a day to its week.
func (r *Report) weekOf(row *Row) {
	first := monday(time.Unix(row.Start, 0).In(r.Zone))
	next := first.AddDate(0, 0, 7)
	row.Start, row.End = first.Unix(), next.Unix()
	row.Partial = first.Format(time.DateOnly) < r.Span.From || next.AddDate(0, 0, -1).Format(time.DateOnly) > r.Span.To
}

// partial reports whether a span ends on another day than weeks do.
func partial(end string, weekday time.Weekday) bool {
	day, err := time.Parse(time.DateOnly, end)
	return err == nil && day.Weekday() != weekday
}

// same is what tells a row from others of its time: ids, or names where there are none.
func same(columns []Column, row Row) string {
	var b strings.Builder
	hasID := false
	for i := range columns {
		c := &columns[i]
		hasID = hasID || c.id && row.Cells[i] != ""
	}
	for i := range columns {
		c := &columns[i]
		switch {
		case c.metric != nil || c.beside != nil || c.loose || c.Name == "time" || c.Name == "address":
			continue
		case c.id || slices.Contains([]string{"segment", "value", "value_id", "feed_id"}, c.Name), !hasID:
			b.WriteString(row.Cells[i])
		}
		b.WriteByte(0)
	}
	return b.String()
}

// joinWeeks puts rows of weeks in the place of the rows of days. Sums are added up, and rates are of
// sums; what cannot be added up stays empty, and so does a field that is not the same all week.
func (r *Report) joinWeeks() (err error) {
	days := r.spool
	if err := days.arrange(nil); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, days.file.Close()) }()
	if r.spool, err = newSpool(); err != nil {
		return err
	}
	for _, t := range r.Totals {
		*t = Total{Segment: t.Segment}
	}
	var week Row
	var sums Total
	is := ""
	end := func() error {
		if sums.Rows == 0 {
			return nil
		}
		for i := range r.Columns {
			if r.Columns[i].metric != nil {
				if week.Cells[i] = sums.Of(&r.Columns[i]); sums.lacking(&r.Columns[i]) {
					week.Cells[i] = "" // a part of a week is not its sum
				}
			}
		}
		return r.keep(segmentAt(r, week), r.Columns, week)
	}
	for row, failed := range days.rows() {
		if failed != nil {
			return failed
		}
		this := same(r.Columns, row)
		if sums.Rows == 0 || this != is || row.Start != week.Start {
			if err := end(); err != nil {
				return err
			}
			week, sums, is = row, Total{}, this
		}
		for i := range r.Columns {
			if c := &r.Columns[i]; c.loose && row.Cells[i] != week.Cells[i] {
				week.Cells[i] = ""
			}
		}
		week.Preliminary = week.Preliminary || row.Preliminary
		sums.add(r.Columns, row)
	}
	return end()
}

// segmentAt is the index of the segment of a row.
func segmentAt(r *Report, row Row) int {
	at := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == "segment" })
	if at < 0 {
		return 0
	}
	return slices.IndexFunc(r.Totals, func(t *Total) bool { return t.Segment == row.Cells[at] })
}

// days is how many days a span of days has.
func (s Span) days() int {
	from, to := s.ends()
	return int(to.Sub(from)/(24*time.Hour)) + 1
}
