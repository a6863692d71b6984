package slips

import (
	"cmp"
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Limits of shifted. Amounts and days need more rows: there are few round ones,
// so that two rows meet by chance.
const (
	shiftedFrom      = 3  // rows that took what another said
	shiftedFromRound = 5  // of amounts and days
	shiftedPercent   = 30 // and more than this share of the column
	slidFrom         = 5  // or this many in a run that slid by the same number of lines
	exchangedFrom    = 5  // where values repeat: rows whose values went round among themselves
	exchangedPercent = 90 // of the edited rows
)

// taking is an edited row that says what just one other row said before.
type taking struct{ row, from *row }

// shifts finds columns that moved against their rows.
type shifts struct{ *finder }

// findShifted finds a column whose values stand beside other rows than before:
// it was sorted alone, or a cell was deleted and the rest moved up. It holds
// every edit of the column, decreases too: half of a shuffle is no smaller
// mistake than all of it. Two rows that swapped are shown.
//
// Amounts and days that were only moved along, so that what was less is still
// no more, are no shuffle: every budget a step higher, every campaign a week
// later.
func (d *shifts) findShifted(c *column) {
	changed := where(c.rows, wasEdited)
	if len(changed) < 2 || isRound(c.attribute) && keepsOrder(changed) {
		return
	}
	takings := c.takings()
	n, least := len(takings), shiftedFrom
	if isRound(c.attribute) {
		least = shiftedFromRound
	}
	found := n >= least && n*100 > len(c.rows)*shiftedPercent || longestSlide(takings) >= slidFrom
	if went := exchanged(changed); !found && went*100 > len(c.rows)*shiftedPercent {
		n, found = went, true
	}
	if n < 2 {
		return
	}
	a := plan.SuspiciousEdit{
		Hazard: plan.Shifted, Kind: c.kind.Schema.Kind,
		Attribute: c.attribute.Name, Source: c.source, Count: n, Of: len(c.rows),
	}
	share, key := shareOf(n, a.Of, c.kind, c.source), "slip.exchanged"
	if found {
		key, a.Held = "slip.shifted", d.holdShifted(c, changed, takings, share)
	}
	a.Message = catalogue.Fill(key, "attribute", a.Attribute, "share", share)
	d.report(a, c.shiftedExamples(changed, takings))
}

func (d *shifts) holdShifted(c *column, changed []*row, takings []taking, share string) int {
	from := map[*row]*row{}
	for _, t := range takings {
		from[t.row] = t.from
	}
	held, column := 0, catalogue.Fill("slip.shifted-row", "share", share)
	for _, r := range changed {
		message := column
		if f := from[r]; f != nil {
			message = catalogue.Fill("slip.shifted-from", "cell", near(f.position, r.position, *f.address),
				"share", share)
		}
		if d.holdRow(r, c.attribute.Name, plan.Shifted, message) {
			held++
		}
	}
	return held
}

func (c *column) shiftedExamples(changed []*row, takings []taking) []plan.Example {
	var examples []plan.Example
	for _, t := range takings[:min(len(takings), examplesShown)] {
		e := t.row.example(catalogue.Fill("slip.now-says", "cell", t.row.within(c.source),
			"other", t.from.within(c.source)))
		e.Other = *t.from.address
		examples = append(examples, e)
	}
	if len(takings) > 0 {
		return examples
	}
	for _, r := range changed[:min(len(changed), examplesShown)] {
		examples = append(examples, r.example(catalogue.Fill("slip.became", "cell", r.within(c.source),
			"change", became(c.attribute, r))))
	}
	return examples
}

// isRound reports whether people choose the attribute's values among few.
func isRound(a *resource.Attribute) bool {
	return a.Type == resource.TypeMoney || isDay(a)
}

func isDay(a *resource.Attribute) bool {
	return a.Type == resource.TypeDay || a.Type == resource.TypeLast
}

// keepsOrder reports whether what was less before is no more than the rest now.
func keepsOrder(changed []*row) bool {
	byWas := slices.Clone(changed)
	slices.SortFunc(byWas, func(a, b *row) int {
		return cmp.Or(compare(*a.was, *b.was), compare(*a.desired, *b.desired))
	})
	return slices.IsSortedFunc(byWas, func(a, b *row) int { return compare(*a.desired, *b.desired) })
}

func compare(v, w resource.Value) int {
	n, _ := v.Number()
	m, _ := w.Number()
	return cmp.Or(cmp.Compare(n, m), cmp.Compare(v.Text(), w.Text()))
}

// takings returns the rows that took a value one edited row alone had before; of
// several that took the same, the first.
func (c *column) takings() []taking {
	had := map[valueKey]*row{} // nil where several had it, or one has it still
	for i := range c.rows {
		r := &c.rows[i]
		if r.state != edited {
			had[keyOf(*r.desired)] = nil
			continue
		}
		key := keyOf(*r.was)
		if _, taken := had[key]; taken {
			had[key] = nil
			continue
		}
		had[key] = r
	}
	var takings []taking
	for _, r := range where(c.rows, wasEdited) {
		key := keyOf(*r.desired)
		if from := had[key]; from != nil {
			takings = append(takings, taking{r, from})
			delete(had, key)
		}
	}
	return takings
}

// longestSlide counts the rows of the longest run of adjacent lines that all
// took the value of the line as far above or below them.
func longestSlide(takings []taking) int {
	longest, run := 0, 0
	for i, t := range takings {
		if run == 0 || !slides(takings[i-1], t) {
			run = 0
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func slides(before, t taking) bool {
	line, from := t.row.position.Line(), t.from.position.Line()
	return line > 0 && from > 0 && line == before.row.position.Line()+1 && from == before.from.position.Line()+1
}

// exchanged counts the edited rows whose values went round among them, where
// values repeat: 0 unless nearly all of them did, and the same value became
// several. Where each value became just one other, they were replaced.
func exchanged(changed []*row) int {
	if len(changed) < exchangedFrom {
		return 0
	}
	gave, took, became, scattered := map[valueKey]int{}, map[valueKey]int{}, map[valueKey]valueKey{}, false
	for _, r := range changed {
		was, desired := keyOf(*r.was), keyOf(*r.desired)
		gave[was]++
		took[desired]++
		if other, known := became[was]; known && other != desired {
			scattered = true
		}
		became[was] = desired
	}
	n := 0
	for key, g := range gave {
		n += min(g, took[key])
	}
	if !scattered || n*100 < len(changed)*exchangedPercent {
		return 0
	}
	return n
}
