package insights

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"
)

// point is a place of a chart: its label and its sums.
type point struct {
	label       string
	sums        Total
	preliminary bool
}

// series are the points of one segment: over time, or of what the rows are of.
type series struct {
	segment string
	points  []point
	left    int // how many there are beyond those shown
}

// mostBars is how many bars a chart has.
const mostBars = 20

// CheckChart says which of some names is no figure of the report.
func (r *Report) CheckChart(charted []string) error {
	for _, name := range charted {
		if r.columnOf(name) == nil {
			return fmt.Errorf("--chart is %q; the report has the figures %s", name, strings.Join(r.figures(), ", "))
		}
	}
	return nil
}

func (r *Report) columnOf(name string) *Column {
	for i := range r.Columns {
		if c := &r.Columns[i]; c.metric != nil && !c.hidden && c.Name == name {
			return c
		}
	}
	return nil
}

func (r *Report) figures() []string {
	var names []string
	for i := range r.Columns {
		if c := &r.Columns[i]; c.metric != nil && !c.hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

// series adds the rows up: by time where there is any, else by value or name. Rates are
// those of the sums.
func (r *Report) series() ([]*series, error) {
	all := map[string]*series{}
	places := map[string]int{}
	for _, t := range r.Totals {
		all[t.Segment] = &series{segment: t.Segment}
	}
	for row, err := range r.Rows() {
		if err != nil {
			return nil, err
		}
		segment, label := r.labelOf(row)
		s := all[segment]
		at, known := places[segment+"\x00"+label]
		if !known {
			at = len(s.points)
			places[segment+"\x00"+label] = at
			s.points = append(s.points, point{label: label})
		}
		s.points[at].sums.add(r.Columns, row)
		s.points[at].preliminary = s.points[at].preliminary || row.Preliminary
	}
	var in []*series
	for _, t := range r.Totals {
		if s := all[t.Segment]; len(s.points) > 0 {
			if r.By != "none" {
				slices.SortFunc(s.points, func(a, b point) int { return strings.Compare(a.label, b.label) })
			}
			in = append(in, s)
		}
	}
	return in, nil
}

func (r *Report) labelOf(row Row) (segment, label string) {
	cell := func(name string) string {
		i := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == name })
		if i < 0 {
			return ""
		}
		return row.Cells[i]
	}
	segment = cell("segment")
	switch {
	case r.By != "none":
		label = cell("time")
	case segment != "":
		label = cmp.Or(cell("value"), cell("value_id"), "(none)")
	default:
		label = cmp.Or(cell("name"), cell("id"), cell("item_id"))
	}
	return segment, label
}

// largest are the points with the most of a figure, from the largest down.
func (s *series) largest(c *Column) series {
	value := func(p point) int64 { n, _ := Millionths(p.sums.Of(c)); return n }
	points := slices.Clone(s.points)
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(value(b), value(a)) })
	cut := series{segment: s.segment, points: points}
	if len(points) > mostBars {
		cut.points, cut.left = points[:mostBars], len(points)-mostBars
	}
	return cut
}

// values are the figures of the points in millionths, and the largest.
func (s *series) values(c *Column) (values []int64, most int64) {
	for i := range s.points {
		n, _ := Millionths(s.points[i].sums.Of(c))
		values = append(values, max(n, 0))
		most = max(most, n)
	}
	return values, most
}

// drawText draws bars, or lines over time.
func (r *Report) drawText(w io.Writer, charted []string, width int) error {
	if width <= 0 {
		width = 80
	}
	in, err := r.series()
	if err != nil {
		return err
	}
	for _, name := range charted {
		c := r.columnOf(name)
		for _, s := range in {
			title := c.Header
			if s.segment != "" && r.By == "none" {
				title += " by " + s.segment
			}
			fmt.Fprintf(w, "%s\n", title)
			if r.By != "none" && len(s.points) > 1 {
				err = drawLine(w, s, c, width)
			} else {
				err = drawBars(w, s.largest(c), c, width)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

var eighths = []rune(" ▏▎▍▌▋▊▉█")

func drawBars(w io.Writer, s series, c *Column, width int) error {
	values, most := s.values(c)
	labels, room, figures := make([]string, len(values)), 0, 0
	for i, p := range s.points {
		labels[i] = clipped(diag.Printable(p.label), "")
		room = max(room, utf8.RuneCountInString(labels[i]))
		figures = max(figures, len(c.metric.form.shown(p.sums.Of(c))))
	}
	full := int64(max(10, width-room-figures-4))
	for i, v := range values {
		eights := int64(0)
		if most > 0 {
			eights = share8(v, most, full*8)
		}
		bar := strings.Repeat("█", int(eights/8))
		if rest := eights % 8; rest > 0 {
			bar += string(eighths[rest])
		}
		if _, err := fmt.Fprintf(w, "%-*s  %*s  %s\n", room, labels[i],
			figures, c.metric.form.shown(s.points[i].sums.Of(c)), bar); err != nil {
			return err
		}
	}
	if s.left > 0 {
		fmt.Fprintf(w, "and %d more\n", s.left)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// share8 is v ÷ most × of, rounded, without overflow.
func share8(v, most, of int64) int64 {
	n, _ := Millionths(quotient(v, most, 1))
	return (n*of + 500_000) / 1_000_000
}

// chartHeight is how many lines a chart over time has.
const chartHeight = 8

// drawLine draws a figure over time as a line, left to right. Where there are more
// points than columns, each column has the largest of its points.
func drawLine(w io.Writer, s *series, c *Column, width int) error {
	values, most := s.values(c)
	top := c.metric.form.shown(decimal(most))
	room := max(len(top), len("0"))
	columns := max(10, width-room-3)
	at := squeezed(values, columns)
	cells := make([][]rune, chartHeight)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(" ", len(at)))
	}
	level := func(v int64) int {
		if most == 0 {
			return 0
		}
		return int(share8(v, most, chartHeight-1))
	}
	for x := range at {
		here := level(at[x])
		from := here
		if x > 0 {
			from = level(at[x-1])
		}
		plot(cells, x, from, here)
	}
	for y := chartHeight - 1; y >= 0; y-- {
		label := ""
		if y == chartHeight-1 {
			label = top
		} else if y == 0 {
			label = "0"
		}
		if _, err := fmt.Fprintf(w, "%*s ┤%s\n", room, label, strings.TrimRight(string(cells[y]), " ")); err != nil {
			return err
		}
	}
	first, last := s.points[0].label, s.points[len(s.points)-1].label
	gap := max(1, len(at)-len(first)-len(last))
	_, err := fmt.Fprintf(w, "%*s  %s%s%s\n\n", room, "", first, strings.Repeat(" ", gap), last)
	return err
}

// plot joins the level before a column with that of the column.
func plot(cells [][]rune, x, from, to int) {
	if from == to {
		cells[to][x] = '─'
		return
	}
	low, high := min(from, to), max(from, to)
	for y := low + 1; y < high; y++ {
		cells[y][x] = '│'
	}
	if to > from {
		cells[from][x], cells[to][x] = '╯', '╭'
	} else {
		cells[from][x], cells[to][x] = '╮', '╰'
	}
}

// squeezed stretches or squeezes values to columns; of several in one the largest stays.
func squeezed(values []int64, columns int) []int64 {
	if len(values) <= columns {
		each := max(1, min(columns/len(values), 6))
		wide := make([]int64, 0, len(values)*each)
		for _, v := range values {
			for range each {
				wide = append(wide, v)
			}
		}
		return wide
	}
	narrow := make([]int64, columns)
	for i, v := range values {
		at := i * columns / len(values)
		narrow[at] = max(narrow[at], v)
	}
	return narrow
}
