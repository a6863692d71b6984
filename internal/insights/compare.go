package insights

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"adsync/internal/words/catalogue"
)

// checkRows says which reports cannot be compared row by row: where the pieces of time are not as
// long as those before, and where the service would choose the rows before by figures of their own.
func checkRows(by string, span Span, conditions []Condition) error {
	switch {
	case by == "week" && span.days()%7 != 0:
		return fmt.Errorf("--compare-rows with --by week goes with whole weeks; "+
			"want such as --span 28d or --span last-week, as %s has %d days", span, span.days())
	case by == "month" && span.months == 0:
		return errors.New("--compare-rows with --by month goes with --span last-month; want that, or --by day")
	case slices.ContainsFunc(conditions, Condition.ofMetric):
		return errors.New("--compare-rows is there with a --filter of figures, " +
			"which would leave rows of the span before out; want one of them")
	}
	return nil
}

// beside are the figures that a row has of the span before, which stand behind its own.
func beside(columns []Column) (added []Column, of []int) {
	for i := range columns {
		c := &columns[i]
		if c.metric == nil || c.hidden {
			continue
		}
		added = append(added,
			Column{Name: c.Name + "_before", Header: catalogue.Say("figure.before", "figure", c.Header),
				beside: c.metric},
			Column{Name: c.Name + "_change", Header: catalogue.Say("figure.change", "figure", c.Header),
				beside: c.metric, change: true})
		of = append(of, i)
	}
	return added, of
}

// compareRows puts the figures of the span before behind those of each row, and their sums beside the sums.
func (r *Report) compareRows(ctx context.Context, service Service,
	questions []asking, before Span) (err error) {
	about := r.About
	about.Span = before
	earlier, err := answer(ctx, service, questions, about, nil, true)
	defer func() { err = errors.Join(err, earlier.Close()) }()
	if err != nil {
		return err
	}
	r.Before = before
	for i, t := range earlier.Totals {
		r.Totals[i].Before = t
	}
	seed := maphash.MakeSeed()
	rows := make(map[uint64]place, earlier.Len())
	at := 0
	for row, err := range earlier.Rows() {
		if err != nil {
			return err
		}
		rows[maphash.String(seed, earlier.placed(row))] = earlier.spool.places[at]
		at++
	}
	return rewrite(r, func(row Row) (Row, bool, error) {
		key := r.placed(row)
		hash := maphash.String(seed, key)
		where, ok := rows[hash]
		if !ok {
			return Row{}, false, nil
		}
		was, err := earlier.spool.read(where)
		if err != nil || earlier.placed(was) != key {
			return Row{}, false, err
		}
		delete(rows, hash)
		r.gone = len(rows)
		return was, true, nil
	}, len(rows))
}

// rewrite writes the rows anew, each with the figures of the row before it.
func rewrite(r *Report, before func(Row) (Row, bool, error), gone int) error {
	into, err := newSpool()
	if err != nil {
		return err
	}
	old := r.spool
	r.gone = gone
	added, of := beside(r.Columns)
	for row, err := range old.rows() {
		if err != nil {
			return errors.Join(err, into.file.Close())
		}
		was, had, err := before(row)
		for _, i := range of {
			then, change := "", ""
			if had {
				then = was.Cells[i]
				change = Change(row.Cells[i], then)
			}
			row.Cells = append(row.Cells, then, change)
		}
		if err = errors.Join(err, into.add(row, entry{})); err != nil {
			return errors.Join(err, into.file.Close())
		}
	}
	if err := into.arrange(nil); err != nil { // they are in order
		return errors.Join(err, into.file.Close())
	}
	r.spool = into
	r.Columns = append(slices.Clip(r.Columns), added...)
	return old.file.Close()
}

// Change returns by what share a figure grew; "" where there is nothing to compare it with.
func Change(now, before string) string {
	n, ok := Millionths(now)
	b, had := Millionths(before)
	if !ok || !had || b <= 0 {
		return ""
	}
	return quotient(n-b, b, 1)
}

// placed is what a row is of, and which piece of its span: the rows of two spans that have the same
// stand beside each other.
func (r *Report) placed(row Row) string { return r.piece(row.Start) + "\x00" + same(r.Columns, row) }

// piece names the piece of the span that begins at a moment, by its distance from the beginning.
func (r *Report) piece(start int64) string {
	at := time.Unix(start, 0).In(r.Zone)
	from, _ := r.Span.ends()
	day := civil(at)
	switch r.By {
	case "none":
		return ""
	case "month":
		return fmt.Sprint((at.Year()-from.Year())*12 + int(at.Month()-from.Month()))
	case "week":
		return fmt.Sprint(civil(monday(at)).Sub(civil(monday(from))) / (24 * time.Hour))
	case "hour":
		if r.Span.ofHours() {
			begins := time.Date(from.Year(), from.Month(), from.Day(), from.Hour(), 0, 0, 0, r.Zone)
			return fmt.Sprint(at.Sub(begins) / time.Hour)
		}
		again := at.Add(-time.Hour).Hour() == at.Hour() // the hour that a clock shows twice
		return fmt.Sprint(day.Sub(civil(from))/(24*time.Hour), at.Hour(), again)
	}
	return fmt.Sprint(day.Sub(civil(from)) / (24 * time.Hour))
}

// civil is the day of a moment, in no zone.
func civil(at time.Time) time.Time {
	y, m, d := at.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
