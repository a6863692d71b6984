package slips

import (
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// scales are the factors between the units amounts are given in.
var scales = []struct {
	factor int64
	told   string // the text of what was taken for units of the currency
}{
	{1_000_000, "slip.micros"}, {1_000, "slip.thousandths"}, {100, "slip.cents"},
}

// Limits of amounts far from all others.
const (
	peersFrom     = 5     // resources of the account to compare with
	outlierFactor = 1_000 // times their median
)

// scaled finds amounts that are all a power of ten of what they were.
type scaled struct{ *finder }

// findScale finds amounts that are a round factor times what they were, or a
// round part of it: cents or micros were typed as units, or units as micros.
// What rises is held, until the hazard or the very amount is allowed; what
// falls is shown.
func (d *scaled) findScale(e *edits) {
	if e.attribute.Type != resource.TypeMoney {
		return
	}
	for _, s := range scales {
		up := where(e.rows, func(r *row) bool { return isTimes(*r.desired, *r.was, s.factor) })
		d.reportScale(e, up, "up", s.factor, s.told)
		down := where(e.rows, func(r *row) bool { return isTimes(*r.was, *r.desired, s.factor) })
		d.reportScale(e, down, "down", s.factor, s.told)
	}
}

func isTimes(v, w resource.Value, factor int64) bool {
	n, _ := v.Number()
	m, _ := w.Number()
	high, low := bits.Mul64(uint64(m), uint64(factor))
	return m > 0 && n > 0 && high == 0 && low == uint64(n)
}

// reportScale reports that amounts are so many times what they were, or such a part of it: up or down.
func (d *scaled) reportScale(e *edits, rows []*row, way string, times int64, told string) {
	if len(rows) == 0 {
		return
	}
	a := plan.SuspiciousEdit{
		Hazard: plan.Scale, Kind: e.kind.Schema.Kind, Attribute: e.attribute.Name,
		Source: sourceOf(values(rows)), Count: len(rows),
	}
	factor, unit := thousands(times), catalogue.Fill(told)
	a.Message = catalogue.Fill("slip.scale."+way, "attribute", a.Attribute,
		"rows", several(len(rows), e.kind, a.Source), "factor", factor, "unit", unit)
	var examples []plan.Example
	for _, r := range rows {
		amounts := became(e.attribute, r)
		examples = append(examples, r.example(catalogue.Fill("slip.became", "cell", r.within(a.Source),
			"change", amounts)))
		if !r.lowers && !d.exactlyAllowed(r) && d.holdRow(r, a.Attribute, plan.Scale,
			catalogue.Fill("slip.scale-row."+way, "attribute", a.Attribute, "factor", factor, "change", amounts,
				"unit", unit)) {
			a.Held++
		}
	}
	d.report(a, examples)
}

// outliers finds new amounts far from those of their peers.
type outliers struct{ *finder }

// findOutliers compares the amounts of new resources with the median of those
// of their kind the account has. What is far above it is held, what is far
// below it is shown.
func (d *outliers) findOutliers() {
	if d.Live.Len() < peersFrom {
		return
	}
	for _, s := range d.Schemas {
		for i := range s.Attributes {
			if a := &s.Attributes[i]; a.Type == resource.TypeMoney {
				d.findOutliersOf(d.Kinds[s.Kind], a)
			}
		}
	}
}

// findOutliersOf compares amounts within their unit.
func (d *outliers) findOutliersOf(k *drafting.Kind, a *resource.Attribute) {
	byUnit := map[drafting.Unit][]row{}
	for _, r := range d.newAmounts(k, a) {
		of := d.UnitOf(&d.All[d.Plan.Changes[r.change].Index], a, (*drafting.Entry).Says)
		byUnit[of] = append(byUnit[of], r)
	}
	for _, of := range slices.Sorted(maps.Keys(byUnit)) {
		fresh, peers := byUnit[of], d.peers(k, a, of)
		if len(peers) < peersFrom {
			continue
		}
		median := peers[len(peers)/2]
		d.reportOutliers(k, a, where(fresh, func(r *row) bool { return far(r.amount(), median) }),
			median, len(peers), true)
		d.reportOutliers(k, a, where(fresh, func(r *row) bool { return far(median, r.amount()) }),
			median, len(peers), false)
	}
}

func (d *outliers) newAmounts(k *drafting.Kind, a *resource.Attribute) []row {
	var fresh []row
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Address.Kind != k.Schema.Kind || c.Action != plan.Create {
			continue
		}
		for j := range c.Fields {
			if f := &c.Fields[j]; f.Name == a.Name {
				fresh = append(fresh, rowOf(d.Draft, i, a, &f.Desired))
			}
		}
	}
	sortRows(fresh)
	return fresh
}

func (r *row) amount() int64 {
	n, _ := r.desired.Number()
	return n
}

func far(above, below int64) bool {
	return below > 0 && above/outlierFactor >= below
}

// peers returns the amounts of the resources of a kind that exist and pay for the same,
// sorted: what the files want them to be, else what is live.
func (d *outliers) peers(k *drafting.Kind, a *resource.Attribute, of drafting.Unit) []int64 {
	var amounts []int64
	for i := range d.All {
		t := &d.All[i]
		if t.Kind != k || t.Live == nil || k.Archived(t.Live) {
			continue
		}
		if n, ok := t.Said(a.Name); ok && n > 0 && d.UnitOf(t, a, (*drafting.Entry).Says) == of {
			amounts = append(amounts, n)
		}
	}
	slices.Sort(amounts)
	return amounts
}

func (d *outliers) reportOutliers(k *drafting.Kind,
	a *resource.Attribute, rows []*row, median int64, peers int, holds bool) {
	if len(rows) == 0 {
		return
	}
	key := "slip.far-above"
	if !holds {
		key = "slip.far-below"
	}
	found := plan.SuspiciousEdit{
		Hazard: plan.Scale, Kind: k.Schema.Kind, Attribute: a.Name, Source: sourceOf(values(rows)), Count: len(rows),
	}
	factor, middle, all := thousands(outlierFactor), resource.FormatMoney(median), strconv.Itoa(peers)
	found.Message = catalogue.Fill(key, "attribute", a.Name, "rows", severalNew(len(rows), k, found.Source),
		"factor", factor, "median", middle, "peers", all)
	var examples []plan.Example
	for _, r := range rows {
		value := a.Show(*r.desired)
		examples = append(examples, r.example(catalogue.Fill("slip.says", "cell", r.within(found.Source),
			"value", value)))
		if holds && d.holdRow(r, a.Name, plan.Scale, catalogue.Fill("slip.far-row", "attribute", a.Name,
			"value", value, "factor", factor, "median", middle, "peers", all)) {
			found.Held++
		}
	}
	d.report(found, examples)
}

// exactlyAllowed reports whether somebody allowed a rise to this very amount: who
// wrote it in units means it.
func (d *scaled) exactlyAllowed(r *row) bool {
	amount, _ := r.desired.Number()
	return slices.ContainsFunc(d.Allow, func(w plan.Allowance) bool {
		return w.Hazard == plan.RaisesSpend && w.HasAmount && !w.PerDay && w.Address == *r.address && w.Amount == amount
	})
}
