package insights

import (
	"fmt"
	"math"
	"slices"
)

// Total is the sums of the rows of one segment.
type Total struct {
	Segment     string
	Rows        int
	Preliminary bool
	Before      *Total // the sums of the span before; nil: none

	sums  [sumCount]int64 // millionths, by metrics
	seen  [sumCount]bool
	lacks [sumCount]int  // how many rows have no such figure, or money of another currency
	full  [sumCount]bool // the sum is too large for us
}

const sumCount = 20 // at least as many as metrics

// indexOf is where the sums of a metric stand.
func indexOf(name string) int {
	return slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })
}

func (t *Total) add(columns []Column, row Row) {
	t.Rows++
	t.Preliminary = t.Preliminary || row.Preliminary
	for i := range columns {
		m := columns[i].metric
		if m == nil || m.isRate() || m.loose {
			continue
		}
		n, ok := Millionths(row.Cells[i])
		at := indexOf(m.name)
		if !ok {
			t.lacks[at]++
			continue
		}
		if n > 0 && t.sums[at] > math.MaxInt64-n {
			t.full[at] = true
			continue
		}
		t.sums[at] += n
		t.seen[at] = true
	}
}

// Of is a figure of all rows as decimal text: a sum or a rate of sums; "" where there
// is none.
func (t *Total) Of(c *Column) string {
	m := c.metric
	if t == nil || m == nil || m.loose {
		return ""
	}
	if m.isRate() {
		over, under := indexOf(m.over), indexOf(m.under)
		if !t.seen[over] || !t.seen[under] || t.full[over] || t.full[under] || t.lacks[over]+t.lacks[under] > 0 {
			return ""
		}
		return quotient(t.sums[over], t.sums[under], m.scale)
	}
	at := indexOf(m.name)
	switch {
	case t.full[at] || !t.seen[at] && t.Rows > 0:
		return ""
	}
	return decimal(t.sums[at])
}

// Change is by what share a figure of all rows grew, as decimal text; "" where the span
// before has nothing to compare with.
func (t *Total) Change(c *Column) string {
	if t.lacking(c) || t.Before.lacking(c) {
		return ""
	}
	now, ok := Millionths(t.Of(c))
	before, had := Millionths(t.Before.Of(c))
	if !ok || !had || before <= 0 || t.Of(c) == "" || t.Before.Of(c) == "" {
		return ""
	}
	return quotient(now-before, before, 1)
}

// lacking reports whether some rows have no figure that others have: their sum is not that of all rows.
func (t *Total) lacking(c *Column) bool {
	if t == nil || c.metric == nil {
		return false
	}
	at := indexOf(c.metric.name)
	return t.seen[at] && t.lacks[at] > 0
}

// lacking says of which figures of a report the sums are not those of all rows.
func lacking(r *Report) (notes []string) {
	for i := range r.Columns {
		c := &r.Columns[i]
		for _, t := range r.Totals {
			in, of := "", ""
			if c.metric != nil && c.metric.form == money {
				in = " in " + r.Currency
			}
			if t.Segment != "" {
				of = " by " + t.Segment
			}
			for _, side := range []struct {
				of    *Total
				which string
			}{{t, "rows" + of}, {t.Before, "rows" + of + " of the span before"}} {
				if side.of.lacking(c) {
					notes = append(notes, fmt.Sprintf("%s%s not known of %d of %d %s: the total is of the others, "+
						"and rates and changes of it stay empty", c.Header, in, side.of.lacks[indexOf(c.metric.name)],
						side.of.Rows, side.which))
				}
			}
		}
	}
	return notes
}
