package insights

import (
	"time"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
)

// facts are what requests are read and reports are worked out from.
type facts struct {
	tree   *tree
	review world.Review
	points *openpoint.Settings
	seed   uint64
	now    time.Time
}

// report orders and shows the rows of one request.
type report struct {
	*facts
	*request
	newestFirst bool // of rows that no sort orders
}

// collector works out the rows of a report from what was delivered.
type collector struct {
	*report
	book  *delivery.Book
	ads   []*source // by index in the book
	byID  map[string]*source
	parts map[string]*part
	rows  map[rowKey]*row
	outer map[rowKey]*sums
}

// sums is what a row counts.
type sums struct {
	delivery.Tally
	settled         delivery.Tally // without the current account-local day
	byClick, byView int64          // conversions
	sales           int64          // micros
}

func (s *sums) add(o sums) {
	s.Tally.Add(o.Tally)
	s.settled.Add(o.settled)
	s.byClick += o.byClick
	s.byView += o.byView
	s.sales += o.sales
}

type rowKey struct {
	bucket int
	entity *entity
	part   *part
}

// row is one line of the report.
type row struct {
	rowKey
	sums
	outer *sums // of the group the row is part of, in segmented reports
	keys  []key // what it is sorted by
	// events are the conversions by event setting, in conversion insights.
	events map[string]*sums
}

// measured is what a metric of the row is taken from.
func (row *row) measured(f field) *sums {
	if f.outer {
		return row.outer
	}
	return &row.sums
}

// source is an ad as the report sees it.
type source struct {
	entity        *entity // of the aggregation level; nil: left out
	parts         []*part
	weights       []part
	whole         int64
	perImpression bool
	campaign      *world.Campaign
}

// collect sums up everything in the span.
func (r *collector) collect() []*row {
	today := world.DateOf(r.now, r.tree.profile.Zone()).Start(r.tree.profile.Zone()).UnixMilli()
	for _, d := range r.book.Days(r.span.from, r.span.until) {
		r.collectDay(d, d.Start < today)
	}
	if r.uses(needConversions) {
		r.collectTouches()
		r.collectEvents()
	}
	r.addZeros()
	return r.finish()
}

func newCollector(r *report, b *delivery.Book) *collector {
	return &collector{
		report: r, book: b, rows: map[rowKey]*row{}, parts: map[string]*part{},
		ads: make([]*source, b.Ads()), byID: map[string]*source{},
	}
}

func (r *collector) uses(n need) bool {
	for _, f := range r.fields {
		if f.needs == n {
			return true
		}
	}
	for _, f := range r.filters {
		if f.needs == n {
			return true
		}
	}
	for _, f := range r.sort {
		if f.needs == n {
			return true
		}
	}
	return false
}

// collectDay adds a day whole where it lies in one bucket, else hour by hour. A
// day whose hours are no longer kept counts at its start.
func (r *collector) collectDay(d *delivery.Day, settled bool) {
	first, in := r.span.bucket(d.Start)
	last, alsoIn := r.span.bucket(d.End - 1)
	if in && alsoIn && first == last {
		d.Each(func(ad int, t delivery.Tally) { r.deliver(ad, first, t, settled) })
		return
	}
	kept := d.EachHour(func(ad int, start int64, t delivery.Tally) {
		if bucket, ok := r.span.bucket(start); ok {
			r.deliver(ad, bucket, t, settled)
		}
	})
	if !kept && in {
		d.Each(func(ad int, t delivery.Tally) { r.deliver(ad, first, t, settled) })
	}
}

// deliver adds what one ad had, split among parts where the report is segmented.
func (r *collector) deliver(ad, bucket int, t delivery.Tally, settled bool) {
	s := r.source(ad)
	if s.entity == nil {
		return
	}
	if r.segment == "" {
		r.at(bucket, s.entity, nil).tally(t, settled)
		return
	}
	if len(s.weights) == 0 {
		return
	}
	for i, share := range split(t, s.weights, s.perImpression) {
		if s.parts[i] != nil && share != (delivery.Tally{}) {
			r.at(bucket, s.entity, s.parts[i]).tally(share, settled)
		}
	}
}

func (s *sums) tally(t delivery.Tally, settled bool) {
	s.Tally.Add(t)
	if settled {
		s.settled.Add(t)
	}
}

func (r *collector) at(bucket int, e *entity, p *part) *row {
	k := rowKey{bucket, e, p}
	found := r.rows[k]
	if found == nil {
		found = &row{rowKey: k}
		r.rows[k] = found
	}
	return found
}

// source is the ad of an index.
func (r *collector) source(index int) *source {
	if r.ads[index] == nil {
		id, _, _ := r.book.Ad(index)
		r.ads[index] = r.sourceOf(id)
	}
	return r.ads[index]
}

// sourceOf is an ad, judged once by scope and filters.
func (r *collector) sourceOf(id string) *source {
	if r.byID[id] == nil {
		r.byID[id] = r.judge(r.tree.find(ad, id))
	}
	return r.byID[id]
}

func (r *collector) judge(e *entity) *source {
	if e == nil || r.tree.up(e, r.scope.level) != r.scope || !r.chosen(e, nil) {
		return &source{}
	}
	s := &source{
		entity: r.tree.up(e, r.level), perImpression: e.campaign.BillingEvent() == "impression", campaign: e.campaign,
	}
	if r.segment == "" {
		return s
	}
	s.weights = segments[r.segment].parts(r.facts, e)
	for i := range s.weights {
		s.whole += s.weights[i].weight
		s.parts = append(s.parts, r.intern(e, &s.weights[i]))
	}
	return s
}

// intern makes equal parts of different ads one; nil is a part the filters leave out.
func (r *collector) intern(e *entity, p *part) *part {
	if !r.chosen(e, p) {
		return nil
	}
	if known := r.parts[p.id]; known != nil {
		return known
	}
	r.parts[p.id] = p
	return p
}

// chosen decides the conditions on text: those on entities with a nil part, those
// on the part otherwise.
func (r *collector) chosen(e *entity, p *part) bool {
	for _, f := range r.filters {
		if f.in == nil || (f.of != "") != (p != nil) || f.level > e.level {
			continue
		}
		if !f.holdsFor(r.report, &row{rowKey: rowKey{entity: e, part: p}}) {
			return false
		}
	}
	return true
}

// finish sums up groups and drops rows the conditions on metrics leave out. The
// rest is in no order.
func (r *collector) finish() []*row {
	r.outer = map[rowKey]*sums{}
	for k, row := range r.rows {
		if r.segment != "" {
			row.outer = r.group(k)
			row.outer.add(row.sums)
		}
	}
	var rows []*row
	for _, row := range r.rows {
		if r.passes(row) {
			row.keys = r.keysOf(row)
			rows = append(rows, row)
		}
	}
	return rows
}

func (r *collector) group(k rowKey) *sums {
	if r.segmentFirst {
		k.entity = nil
	} else {
		k.part = nil
	}
	if r.outer[k] == nil {
		r.outer[k] = &sums{}
	}
	return r.outer[k]
}

func (r *collector) passes(row *row) bool {
	for _, f := range r.filters {
		if f.measure != nil && !f.passes(r.report, row) {
			return false
		}
	}
	return true
}
