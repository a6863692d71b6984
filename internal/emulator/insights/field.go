package insights

import (
	"encoding/json"
	"strings"

	"adsync/internal/emulator/world"
)

// field is one row of the catalogue of what a report can show, filter and sort.
type field struct {
	name  string // canonical, such as campaign.name
	wire  string // key in a row
	level level  // the highest aggregation that has it
	of    string // the segment it belongs to; "" is none
	value func(r *report, row *row) any
	// numeric marks values that are whole numbers.
	numeric bool
	// metric fields have a measure instead, of the row or, with outer, of the
	// group the row is part of.
	measure func(r *report, s *sums) amount
	outer   bool
	needs   need
}

// need is what a metric makes the report work out.
type need int

const (
	needDelivery need = iota
	needConversions
	needCards
)

// metrics are the measures; row-level ones have no prefix, segmented ones that of
// a level or segment (service facts 10).
var metrics = []field{
	{name: "impressions", measure: func(_ *report, s *sums) amount { return count(s.Impressions) }},
	{name: "clicks", measure: func(_ *report, s *sums) amount { return count(s.Clicks) }},
	{name: "spend", measure: func(_ *report, s *sums) amount { return money(s.Spend) }},
	{name: "ctr", measure: func(_ *report, s *sums) amount { return ratio(s.Clicks, s.Impressions) }},
	{name: "cpc", measure: func(_ *report, s *sums) amount { return rate(s.Spend, s.Clicks) }},
	{name: "cpm", measure: func(_ *report, s *sums) amount { return rate(s.Spend*1000, s.Impressions) }},
	{name: "conversions", needs: needConversions, measure: func(_ *report, s *sums) amount {
		return count(s.byClick + s.byView)
	}},
	{name: "cpa", needs: needConversions, measure: func(_ *report, s *sums) amount {
		return rate(s.Spend, s.byClick+s.byView)
	}},
	{name: "post_click_cvr", needs: needConversions, measure: func(_ *report, s *sums) amount {
		return ratio(s.byClick, s.Clicks)
	}},
	{name: "order_created_attributed_sales", needs: needConversions, measure: func(_ *report, s *sums) amount {
		return money(s.sales)
	}},
	{name: "order_created_roas", needs: needConversions, measure: func(_ *report, s *sums) amount {
		return ratio(s.sales, s.Spend)
	}},
	{name: "carousel_product_card_impressions", needs: needCards, measure: func(_ *report, s *sums) amount {
		return count(s.Impressions)
	}},
	{name: "carousel_product_card_clicks", needs: needCards, measure: func(_ *report, s *sums) amount {
		return count(s.Clicks)
	}},
}

func text(level level, name string, value func(e *entity) any) field {
	return field{name: name, wire: wireName(name), level: level, value: func(_ *report, row *row) any {
		return value(row.entity)
	}}
}

func whole(level level, name string, value func(e *entity) any) field {
	f := text(level, name, value)
	f.numeric = true
	return f
}

// wireName is a canonical name as a key: metadata loses its prefix, dots become underscores.
func wireName(name string) string {
	switch name {
	case "product.item_id":
		return "item_id"
	case "product.feed_id":
		return "product_feed_id"
	}
	return strings.ReplaceAll(strings.TrimPrefix(name, "metadata."), ".", "_")
}

// describing are the fields that are no metrics.
var describing = []field{
	text(account, "ad_account.id", func(e *entity) any { return e.profile.ID }),
	text(account, "ad_account.name", func(e *entity) any { return e.profile.LegalName }),
	text(account, "ad_account.url", func(e *entity) any { return e.profile.URL }),
	// assumption: an account's own budgets are its spend limits, which no report shows; both are null.
	text(account, "ad_account.budget.lifetime", func(*entity) any { return nil }),
	text(account, "ad_account.budget.daily", func(*entity) any { return nil }),
	text(campaign, "campaign.id", func(e *entity) any { return e.campaign.ID }),
	text(campaign, "campaign.name", func(e *entity) any { return e.campaign.Name }),
	text(campaign, "campaign.description", func(e *entity) any { return orNil(e.campaign.Description) }),
	text(campaign, "campaign.status", func(e *entity) any { return string(e.campaign.Status) }),
	whole(campaign, "campaign.start_time", func(e *entity) any { return orNil(e.campaign.StartTime) }),
	whole(campaign, "campaign.end_time", func(e *entity) any { return orNil(e.campaign.EndTime) }),
	text(campaign, "campaign.budget.lifetime", func(e *entity) any { return units(e.campaign.Budget.Lifetime) }),
	text(campaign, "campaign.budget.daily", func(e *entity) any { return units(e.campaign.Budget.Daily) }),
	text(adGroup, "ad_group.id", func(e *entity) any { return e.group.ID }),
	text(adGroup, "ad_group.name", func(e *entity) any { return e.group.Name }),
	text(adGroup, "ad_group.description", func(e *entity) any { return orNil(e.group.Description) }),
	text(adGroup, "ad_group.status", func(e *entity) any { return string(e.group.Status) }),
	text(ad, "ad.id", func(e *entity) any { return e.ad.ID }),
	text(ad, "ad.name", func(e *entity) any { return e.ad.Name }),
	text(ad, "ad.title", func(e *entity) any { return e.ad.Creative.Title }),
	text(ad, "ad.copy", func(e *entity) any { return e.ad.Creative.Body }),
	text(ad, "ad.link", func(e *entity) any { return orNull(e.ad.Creative.TargetURL) }),
	text(ad, "ad.status", func(e *entity) any { return string(e.ad.Status) }),
	{name: "ad.review_status", wire: "ad_review_status", level: ad, value: (*report).reviewStatus},
	{name: "metadata.readable_time", wire: "readable_time", value: func(r *report, row *row) any {
		return r.span.readable(row.bucket)
	}},
	{name: "metadata.timezone", wire: "timezone", value: func(r *report, _ *row) any { return r.span.zone.String() }},
	{name: "metadata.data_status", wire: "data_status", value: (*report).dataStatus},
	{name: "order_created_attributed_sales_currency", wire: "order_created_attributed_sales_currency",
		needs: needConversions, value: func(r *report, _ *row) any { return r.tree.profile.Currency }},
}

// units is a budget as a decimal of major units.
func units(micros *int64) any {
	if micros == nil {
		return nil
	}
	return json.Number(decimal(*micros))
}

func orNil[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (r *report) reviewStatus(row *row) any {
	status, _ := r.review.Outcome(*row.entity.ad, r.now)
	return status
}

// dataStatus: attribution metrics of the current account-local day are
// preliminary (interface, part 4).
func (r *report) dataStatus(row *row) any {
	_, end := r.span.bounds(row.bucket)
	if today := world.DateOf(r.now, r.tree.profile.Zone()).Start(r.tree.profile.Zone()); end > today.Unix() {
		return "preliminary"
	}
	return "final"
}

// fieldsOf is the catalogue of one request. In a segmented request the metrics
// carry the prefix of the level or of the segment, and a bare metric is that of
// the segment.
func (q *request) fieldsOf() []field {
	all := append([]field{}, describing...)
	for _, m := range metrics {
		all = append(all, q.metricFields(m)...)
	}
	if s := segments[q.segment]; s != nil {
		all = append(all, s.fields...)
	}
	return all
}

func (q *request) metricFields(m field) []field {
	if m.needs == needCards && q.segment != "product" {
		return nil
	}
	if q.segment == "" {
		m.wire, m.name = m.name, q.level.String()+"."+m.name
		return []field{m}
	}
	ofLevel, ofSegment := m, m
	ofLevel.name, ofLevel.wire = q.level.String()+"."+m.name, q.level.String()+"_"+m.name
	ofSegment.name, ofSegment.wire = q.segment+"."+m.name, q.segment+"_"+m.name
	ofSegment.of = q.segment
	ofLevel.outer, ofSegment.outer = !q.segmentFirst, q.segmentFirst
	if m.needs == needCards {
		return []field{ofSegment}
	}
	return []field{ofSegment, ofLevel}
}

// resolve finds a field by its canonical name, its key, or as a bare metric.
func (q *request) resolve(name string) (field, bool) {
	for _, f := range q.catalogue {
		if (f.name == name || f.wire == name) && f.level <= q.level {
			return f, true
		}
	}
	for _, f := range q.catalogue {
		if f.measure != nil && (f.name == q.level.String()+"."+name && q.segment == "" ||
			f.name == q.segment+"."+name) {
			return f, true
		}
	}
	return field{}, false
}
