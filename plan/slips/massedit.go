package slips

import (
	"cmp"
	"slices"
	"strconv"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Limits of one value over many rows.
const (
	filledFrom     = 5 // rows that say the same now
	filledOverFrom = 3 // different values they had
)

// fills finds one value pasted over many rows.
type fills struct{ *finder }

// findFill finds many rows that now say the same though they said different
// things: a value was pasted or dragged over them. Budgets that rise and
// addresses are held; texts, bids and tracking are shown. Decreases pass, and
// count for nothing.
func (d *fills) findFill(c *column) {
	if c.attribute.Type.IsList() || isDay(c.attribute) {
		return
	}
	same := map[valueKey][]*row{}
	for _, r := range where(c.rows, func(r *row) bool { return r.state == edited && !r.lowers }) {
		same[keyOf(*r.desired)] = append(same[keyOf(*r.desired)], r)
	}
	var fills [][]*row
	for _, rows := range same {
		if len(rows) >= filledFrom && different(rows) >= filledOverFrom {
			fills = append(fills, rows)
		}
	}
	slices.SortFunc(fills, func(a, b []*row) int {
		return cmp.Or(a[0].position.Compare(b[0].position), a[0].address.Compare(*b[0].address))
	})
	for _, rows := range fills {
		d.reportFill(c, rows)
	}
}

func different(rows []*row) int {
	values := map[valueKey]bool{}
	for _, r := range rows {
		values[keyOf(*r.was)] = true
	}
	return len(values)
}

func (d *fills) reportFill(c *column, rows []*row) {
	a := plan.SuspiciousEdit{
		Hazard: plan.MassEdit, Kind: c.kind.Schema.Kind,
		Attribute: c.attribute.Name, Source: c.source, Count: len(rows), Of: len(c.rows),
	}
	share, had := shareOf(len(rows), a.Of, c.kind, c.source), strconv.Itoa(different(rows))
	a.Message = catalogue.Fill("slip.same", "attribute", a.Attribute, "share", share,
		"value", brief(c.attribute, *rows[0].desired), "n", had)
	if c.attribute.Per != "" || c.attribute.Type == resource.TypeURL {
		message := catalogue.Fill("slip.same-row", "share", share, "n", had)
		for _, r := range rows {
			if d.holdRow(r, a.Attribute, plan.MassEdit, message) {
				a.Held++
			}
		}
	}
	var examples []plan.Example
	for _, r := range rows[:min(len(rows), examplesShown)] {
		examples = append(examples, r.example(catalogue.Fill("slip.said", "cell", r.within(c.source),
			"value", brief(c.attribute, *r.was))))
	}
	d.report(a, examples)
}
