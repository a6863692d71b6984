package insights

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
)

// About is what a report is of.
type About struct {
	Title     string // "Figures by campaign"
	Account   string
	Currency  string
	Zone      *time.Location // of the days
	Now       time.Time      // in the account's zone
	Level     string
	By        string
	Span      Span
	Segments  []string
	Settings  []string          // what of the question is not the default, as it is typed
	Notes     []string          // what whoever reads the figures has to know
	Addresses map[string]string // of what the files manage, by id
}

// Report is the answer to a question.
type Report struct {
	About
	Columns []Column
	Totals  []*Total // one a segment, in the order of the question
	Before  Span     // what the change is against; zero: nothing

	orders []Order
	gone   int    // rows of the span before that have none now
	spool  *spool // nil: sums alone are kept
	today  int64  // Unix seconds at which the account's current day begins
}

// mark is a state of a report that reset goes back to.
type mark struct {
	entries int
	totals  []Total
}

func newReport(about About, orders []Order, shapes []shape, keep bool) (*Report, error) {
	y, m, d := about.Now.Date()
	r := &Report{About: about, orders: orders,
		today: time.Date(y, m, d, 0, 0, 0, 0, about.Now.Location()).Unix()}
	for _, s := range shapes {
		r.Totals = append(r.Totals, &Total{Segment: s.segment})
	}
	r.Columns = shapes[0].columns
	if !keep {
		return r, nil
	}
	var err error
	r.spool, err = newSpool()
	return r, err
}

// Close gives the file of the rows back.
func (r *Report) Close() error {
	if r == nil || r.spool == nil {
		return nil
	}
	return r.spool.file.Close()
}

// Insights asks a question and, with compare, the same about the span before.
func Insights(ctx context.Context, service Service, q Question, about About, compare bool) (*Report, error) {
	var questions []asking
	for _, s := range segmentsOrNone(q.Segments) {
		questions = append(questions, segmentOf{&q, q.shapeOf(s)})
	}
	r, err := answer(ctx, service, questions, about, q.Sort, true)
	if err != nil || !compare {
		return r, err
	}
	q.Span, q.Sort, q.Zero = q.Span.Before(), nil, false
	if !q.CompareRows && !slices.ContainsFunc(q.Conditions, Condition.ofMetric) {
		q.By = "none" // conditions on figures choose rows, which have to be the same
	}
	questions = nil
	for _, s := range segmentsOrNone(q.Segments) {
		questions = append(questions, segmentOf{&q, q.shapeOf(s)})
	}
	if q.CompareRows {
		return r, r.compareRows(ctx, service, questions, q.Span)
	}
	return r, r.compareWith(ctx, service, questions, q.Span)
}

// Hotels asks a question about properties.
func Hotels(ctx context.Context, service Service, q HotelQuestion,
	about About, orders []Order, compare bool) (*Report, error) {
	r, err := answer(ctx, service, []asking{&q}, about, orders, true)
	if err != nil || !compare {
		return r, err
	}
	q.Span, q.Zero = q.Span.Before(), false
	if q.CompareRows {
		return r, r.compareRows(ctx, service, []asking{&q}, q.Span)
	}
	if !slices.ContainsFunc(q.Conditions, Condition.ofMetric) {
		q.By = "none"
	}
	return r, r.compareWith(ctx, service, []asking{&q}, q.Span)
}

func segmentsOrNone(segments []string) []string {
	if len(segments) == 0 {
		return []string{""}
	}
	return segments
}

func answer(ctx context.Context, service Service,
	questions []asking, about About, orders []Order, keep bool) (*Report, error) {
	var shapes []shape
	for _, q := range questions {
		shapes = append(shapes, q.layout())
	}
	r, err := newReport(about, orders, shapes, keep)
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		if err := ask(ctx, service, r, q); err != nil {
			return r, err
		}
	}
	if keep && r.By == "week" {
		err = r.joinWeeks()
	}
	if keep && err == nil {
		err = r.spool.arrange(r.orders)
	}
	return r, err
}

// compareWith puts the sums of the span before beside those of the report.
func (r *Report) compareWith(ctx context.Context, service Service, questions []asking, before Span) error {
	earlier, err := answer(ctx, service, questions, r.About, nil, false)
	if err != nil {
		return err
	}
	r.Before = before
	for i, t := range earlier.Totals {
		r.Totals[i].Before = t
	}
	return nil
}

func (r *Report) mark() mark {
	m := mark{}
	if r.spool != nil {
		m.entries = len(r.spool.entries)
	}
	for _, t := range r.Totals {
		m.totals = append(m.totals, *t)
	}
	return m
}

func (r *Report) reset(m mark) {
	if r.spool != nil {
		r.spool.entries = r.spool.entries[:m.entries]
	}
	for i := range r.Totals {
		*r.Totals[i] = m.totals[i]
	}
}

// add takes a row of the service up.
func (r *Report) add(s shape, from adsapi.InsightsRow) error {
	segment := slices.IndexFunc(r.Totals, func(t *Total) bool { return t.Segment == s.segment })
	row := Row{Start: from.Start, End: from.End, Cells: make([]string, len(s.columns))}
	row.Preliminary = max(from.End, from.Start+1) > r.today
	for i := range s.columns {
		row.Cells[i] = r.cell(s, &s.columns[i], from)
	}
	if r.spool != nil && r.By == "week" {
		r.weekOf(&row)
		return r.spool.add(row, entry{segment: int32(segment), start: row.Start, tie: same(s.columns, row)})
	}
	return r.keep(segment, s.columns, row)
}

// keep adds a row to the sums of its segment and, where rows are kept, to these.
func (r *Report) keep(segment int, columns []Column, row Row) error {
	r.Totals[segment].add(columns, row)
	if r.spool == nil {
		return nil
	}
	var tie strings.Builder
	for i := range columns {
		if c := &columns[i]; c.metric == nil && c.Name != "time" {
			tie.WriteString(row.Cells[i])
			tie.WriteByte(0)
		}
	}
	e := entry{segment: int32(segment), start: row.Start, tie: tie.String()}
	for _, order := range r.orders {
		e.keys = append(e.keys, keyOf(columns, order, row))
	}
	return r.spool.add(row, e)
}

func (r *Report) cell(s shape, c *Column, from adsapi.InsightsRow) string {
	switch c.Name {
	case "time":
		return r.timeOf(from.Start)
	case "segment":
		return s.segment
	case "address":
		for i := range s.columns {
			if s.columns[i].id {
				return r.Addresses[first(s.columns[i].keys, from)]
			}
		}
	}
	text := first(c.keys, from)
	if in := first(c.unit, from); text != "" && in != "" && in != r.Currency {
		text += " " + in // no number: it is in no sum
	}
	return text
}

func first(keys []string, from adsapi.InsightsRow) string {
	for _, key := range keys {
		if value, ok := from.Fields[key]; ok {
			return value
		}
	}
	return ""
}

// timeOf names the bucket that begins at a time.
func (r *Report) timeOf(start int64) string {
	form := time.DateOnly
	switch r.By {
	case "hour":
		form = "2006-01-02 15:04"
	case "week":
		return monday(time.Unix(start, 0).In(r.Zone)).Format(form)
	case "month":
		form = "2006-01"
	}
	return time.Unix(start, 0).In(r.Zone).Format(form)
}

func keyOf(columns []Column, order Order, row Row) key {
	at := slices.IndexFunc(columns, func(c Column) bool {
		return c.Name == order.Field || strings.HasSuffix(order.Field, "."+c.Name) && c.metric != nil ||
			slices.Contains(c.keys, wireKey(order.Field))
	})
	if at < 0 || row.Cells[at] == "" {
		return key{void: true}
	}
	if n, ok := Millionths(row.Cells[at]); ok && columns[at].metric != nil {
		return key{number: n}
	}
	return key{text: row.Cells[at]}
}

// Rows are the rows in order.
func (r *Report) Rows() iter.Seq2[Row, error] { return r.spool.rows() }

// Len is how many rows there are.
func (r *Report) Len() int { return len(r.spool.places) }

// Preliminary reports whether figures of today are among the rows.
func (r *Report) Preliminary() bool {
	return slices.ContainsFunc(r.Totals, func(t *Total) bool { return t.Preliminary })
}

// forPeople are those that people look at: the change stands behind its figure.
func (r *Report) forPeople() []int {
	var shown []int
	for _, i := range r.visible() {
		c := &r.Columns[i]
		if c.beside != nil {
			continue
		}
		shown = append(shown, i)
		if c.metric == nil {
			continue
		}
		if at := slices.IndexFunc(r.Columns, func(b Column) bool {
			return b.change && b.beside == c.metric
		}); at >= 0 {
			shown = append(shown, at)
		}
	}
	return shown
}

// visible are the indices of the columns that are shown.
func (r *Report) visible() []int {
	var shown []int
	for i := range r.Columns {
		if !r.Columns[i].hidden {
			shown = append(shown, i)
		}
	}
	return shown
}
