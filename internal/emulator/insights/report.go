package insights

import (
	"time"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
)

// report works out the rows of one request.
type report struct {
	tree    *tree
	review  world.Review
	points  *openpoint.Settings
	seed    uint64
	now     time.Time
	refused error // a refusal that is no fault of a parameter

	newestFirst bool // of rows that no sort orders
	*request

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
func (r *report) collect(b *delivery.Book) []*row {
	r.start(b)
	today := world.DateOf(r.now, r.tree.profile.Zone()).Start(r.tree.profile.Zone()).UnixMilli()
	for _, d := range b.Days(r.span.from, r.span.until) {
		r.collectDay(b, d, d.Start < today)
	}
	if r.uses(needConversions) {
		r.collectTouches(b)
		r.collectEvents()
	}
	r.addZeros()
	return r.finish()
}

func (r *report) start(b *delivery.Book) {
	r.rows, r.parts = map[rowKey]*row{}, map[string]*part{}
	r.ads, r.byID = make([]*source, b.Ads()), map[string]*source{}
}

func (r *report) uses(n need) bool {
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
func (r *report) collectDay(b *delivery.Book, d *delivery.Day, settled bool) {
	first, in := r.span.bucket(d.Start)
	last, alsoIn := r.span.bucket(d.End - 1)
	if in && alsoIn && first == last {
		d.Each(func(ad int, t delivery.Tally) { r.deliver(b, ad, first, t, settled) })
		return
	}
	kept := d.EachHour(func(ad int, start int64, t delivery.Tally) {
		if bucket, ok := r.span.bucket(start); ok {
			r.deliver(b, ad, bucket, t, settled)
		}
	})
	if !kept && in {
		d.Each(func(ad int, t delivery.Tally) { r.deliver(b, ad, first, t, settled) })
	}
}

// deliver adds what one ad had, split among parts where the report is segmented.
func (r *report) deliver(b *delivery.Book, ad, bucket int, t delivery.Tally, settled bool) {
	s := r.source(b, ad)
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

func (r *report) at(bucket int, e *entity, p *part) *row {
	k := rowKey{bucket, e, p}
	found := r.rows[k]
	if found == nil {
		found = &row{rowKey: k}
		r.rows[k] = found
	}
	return found
}

// source is the ad of an index.
func (r *report) source(b *delivery.Book, index int) *source {
	if r.ads[index] == nil {
		id, _, _ := b.Ad(index)
		r.ads[index] = r.sourceOf(id)
	}
	return r.ads[index]
}

// sourceOf is an ad, judged once by scope and filters.
func (r *report) sourceOf(id string) *source {
	if r.byID[id] == nil {
		r.byID[id] = r.judge(r.tree.find(ad, id))
	}
	return r.byID[id]
}

func (r *report) judge(e *entity) *source {
	if e == nil || r.tree.up(e, r.scope.level) != r.scope || !r.chosen(e, nil) {
		return &source{}
	}
	s := &source{
		entity: r.tree.up(e, r.level), perImpression: e.campaign.BillingEvent() == "impression", campaign: e.campaign,
	}
	if r.segment == "" {
		return s
	}
	s.weights = segments[r.segment].parts(r, e)
	for i := range s.weights {
		s.whole += s.weights[i].weight
		s.parts = append(s.parts, r.intern(e, &s.weights[i]))
	}
	return s
}

// intern makes equal parts of different ads one; nil is a part the filters leave out.
func (r *report) intern(e *entity, p *part) *part {
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
func (r *report) chosen(e *entity, p *part) bool {
	for _, f := range r.filters {
		if f.in == nil || (f.of != "") != (p != nil) || f.level > e.level {
			continue
		}
		if !f.holdsFor(r, &row{rowKey: rowKey{entity: e, part: p}}) {
			return false
		}
	}
	return true
}

// finish sums up groups and drops rows the conditions on metrics leave out. The
// rest is in no order.
func (r *report) finish() []*row {
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

func (r *report) group(k rowKey) *sums {
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

func (r *report) passes(row *row) bool {
	for _, f := range r.filters {
		if f.measure != nil && !f.passes(r, row) {
			return false
		}
	}
	return true
}
