package slips

import (
	"math"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// Limits of series.
const (
	seriesFrom        = 4  // adjacent rows, of which
	seriesChangedFrom = 3  // and more than half were edited; the first may be the one it was dragged from
	seriesNewFrom     = 5  // adjacent rows where they are new
	seriesNewPercent  = 5  // and count by at most this share of the least amount
	daySeriesStep     = 1  // days are dragged by one; campaigns a week apart are planned so
	digitsRead        = 15 // of the number in a text
)

// seriesFinder finds series dragged down.
type seriesFinder struct{ *finder }

// findSeries finds adjacent rows that count up or down though they did not
// before: a cell was dragged down. Amounts that rise, days and addresses are
// held; names and other texts are shown. Decreases pass, and only what would be
// held decides whether it is: a run of decreases with a rise or two is shown.
// New rows count in amounts alone, and in small steps: a name with a number is
// how people number things.
func (d *seriesFinder) findSeries(c *column) {
	for first := 0; first < len(c.rows); {
		length, step := c.Counts(first)
		run := c.rows[first : first+length]
		if length < seriesFrom || !d.reportSeries(c, run, step) {
			first += max(length-1, 1)
			continue
		}
		first += length
	}
}

func (d *seriesFinder) reportSeries(c *column, run []row, step int64) bool {
	fresh := where(run, func(r *row) bool { return r.state == added })
	holdable := where(run, func(r *row) bool { return r.state == edited && !r.lowers })
	switch {
	case len(fresh) >= seriesNewFrom && c.creeps(run, step):
		holdable = where(run, func(r *row) bool { return r.state == added || r.state == edited && !r.lowers })
	case isDay(c.attribute) && step != daySeriesStep && step != -daySeriesStep:
		return false
	case c.newlyCounts(run, holdable):
	case c.newlyCounts(run, where(run, wasEdited)):
		holdable = nil
	default:
		return false
	}
	last := &run[len(run)-1]
	a := plan.SuspiciousEdit{
		Hazard: plan.Series, Kind: c.kind.Schema.Kind, Attribute: c.attribute.Name, Source: c.source, Count: len(run),
	}
	way, by := c.stepped(step)
	from, to := run[0].within(c.source), last.within(c.source)
	a.Message = catalogue.Fill("slip.series."+way, "attribute", a.Attribute,
		"rows", several(len(run), c.kind, c.source), "step", by, "first", from, "last", to)
	if isRound(c.attribute) || c.attribute.Type == resource.TypeURL {
		message := catalogue.Fill("slip.series-row."+way, "rows", several(len(run), c.kind, diag.Position{}),
			"step", by, "first", from, "last", to)
		for _, r := range holdable {
			if d.holdRow(r, a.Attribute, plan.Series, message) {
				a.Held++
			}
		}
	}
	var examples []plan.Example
	for i := range run[:examplesShown] {
		examples = append(examples,
			run[i].example(catalogue.Fill("slip.says", "cell", run[i].within(c.source),
				"value", brief(c.attribute, *run[i].desired))))
	}
	d.report(a, examples)
	return true
}

// newlyCounts reports whether these rows are most of a run, and did not count before.
func (c *column) newlyCounts(run []row, changed []*row) bool {
	return len(changed) >= seriesChangedFrom && len(changed)*2 > len(run) && !c.countedBefore(changed)
}

// stepped returns which way a column counts, up or down, and by how much.
func (c *column) stepped(step int64) (way, by string) {
	way = "up"
	if step < 0 {
		way, step = "down", -step
	}
	if c.attribute.Type == resource.TypeMoney {
		return way, resource.FormatMoney(step)
	}
	return way, strconv.FormatInt(step, 10)
}

// creeps reports whether amounts count by little against what they are.
func (c *column) creeps(run []row, step int64) bool {
	least := int64(math.MaxInt64)
	for i := range run {
		n, isNumber := run[i].desired.Number()
		if !isNumber || c.attribute.Type != resource.TypeMoney {
			return false
		}
		least = min(least, n)
	}
	return !drafting.Exceeds(max(step, -step), least, seriesNewPercent)
}

// Counts returns how many rows, from the first on, stand in adjacent lines and
// count by the same step, other than none.
func (c *column) Counts(first int) (length int, step int64) {
	length = 1
	for i := first + 1; i < len(c.rows); i++ {
		next, ok := c.stepTo(&c.rows[i-1], &c.rows[i])
		if !ok || next == 0 || length > 1 && next != step {
			break
		}
		length, step = length+1, next
	}
	return length, step
}

func (c *column) stepTo(above, below *row) (int64, bool) {
	if above.position.Line() == 0 || below.position.Line() != above.position.Line()+1 {
		return 0, false
	}
	from, ok := c.numberOf(*above.desired)
	to, also := c.numberOf(*below.desired)
	return to.n - from.n, ok && also && from.around == to.around
}

// countedBefore reports whether the rows counted already, by whatever step.
func (c *column) countedBefore(rows []*row) bool {
	start, ok := c.numberOf(*rows[0].was)
	second, also := c.numberOf(*rows[1].was)
	if !ok || !also {
		return false
	}
	lines := int64(rows[1].position.Line() - rows[0].position.Line())
	for _, r := range rows {
		at, ok := c.numberOf(*r.was)
		if !ok || at.around != start.around ||
			(at.n-start.n)*lines != (second.n-start.n)*int64(r.position.Line()-rows[0].position.Line()) {
			return false
		}
	}
	return second.n != start.n
}

// numbered is the number in a value, and the text around it.
type numbered struct {
	n      int64
	around string
}

// numberOf returns the amount, the day, or the last number of a text.
func (c *column) numberOf(v resource.Value) (numbered, bool) {
	if n, ok := v.Number(); ok {
		return numbered{n: n}, n < math.MaxInt64/1_000_000 // so that steps times lines do not overflow
	}
	switch c.attribute.Type {
	case resource.TypeDay, resource.TypeLast:
		n, ok := dayNumber(v.Text())
		return numbered{n: n}, ok
	case resource.TypeText, resource.TypeURL, resource.TypeQuery:
		return lastNumber(v.Text())
	}
	return numbered{}, false
}

func lastNumber(s string) (numbered, bool) {
	end := strings.LastIndexAny(s, "0123456789") + 1
	start := len(strings.TrimRight(s[:end], "0123456789"))
	if end == 0 || end-start > digitsRead {
		return numbered{}, false
	}
	n, err := strconv.ParseInt(s[start:end], 10, 64)
	return numbered{n, s[:start] + "\x00" + s[end:]}, err == nil
}

// dayNumber counts the days of the Gregorian calendar up to a day such as
// 2026-12-01; a time of a day has none.
func dayNumber(s string) (int64, bool) {
	parts := strings.Split(s, "-")
	if len(s) != len("2026-12-01") || len(parts) != 3 {
		return 0, false
	}
	var date [3]int64
	for i, p := range parts {
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			return 0, false
		}
		date[i] = n
	}
	year, month, day := date[0], date[1], date[2]
	if month <= 2 { // a year that begins in March ends with its leap day
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day, true
}
