package workbook

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/resource"
	"adsync/sources/celltext"
	"adsync/sources/config"
	"adsync/sources/look"
)

// PerformanceTab has a row for every span and resource with figures, below totals
// that follow its filter, and charts beside them. It is not read.
const PerformanceTab = config.PerformanceTab

// PerformanceMark begins the first cell of a sheet that adsync wrote.
const PerformanceMark = "Performance, written by adsync"

// performanceHelp is the second line of the sheet.
const performanceHelp = "Whole days in the account's time zone; today is left out. An empty cell: not known. " +
	"adsync does not read this sheet: sort it, filter it, make charts of it."

// Performance is what the sheet Performance holds, cell by cell.
type Performance struct {
	Columns []PerformanceColumn
	Rows    [][]PerformanceCell // the first is row 1; a row may end before the last column
	Header  int                 // the number of its row: the totals of spans are above
	charts  []performanceChart
	levels  int // kinds that have figures
	last    int // row of a resource
}

// The places of columns, from 0. Those of names follow spanColumn and levelColumn.
func (p *Performance) reviewColumn() int       { return firstName + p.levels }
func (p *Performance) metricColumn(at int) int { return p.reviewColumn() + 1 + at }
func (p *Performance) columnOf(name string) int {
	return p.metricColumn(slices.Index(figureOrder, name))
}
func (p *Performance) shownColumn() int   { return p.IDColumn() + 1 }
func (p *Performance) dayColumn() int     { return p.shownColumn() + 1 }
func (p *Performance) chartedColumn() int { return p.dayColumn() + 2 }

// IDColumn is the place of the ids, from 0: the last column that is shown.
func (p *Performance) IDColumn() int { return p.metricColumn(len(figureOrder)) }

// Last is the row of the last resource, that of the header where there is none.
func (p *Performance) Last() int { return p.last }

// PerformanceColumn is a column with its looks.
type PerformanceColumn struct {
	Title  string
	format string
	width  float64
	hidden bool // feeds totals and charts
}

// PerformanceCell is one cell: text, or the digits of a number, or a formula with its value now.
type PerformanceCell struct {
	Text     string
	IsNumber bool
	Formula  string
}

// Charted returns the last row of what each chart is drawn from, by the cells above: Performance!$Q$4:$Q$. A chart of
// nothing is left out.
func (p *Performance) Charted() map[string]int {
	last := map[string]int{}
	for _, c := range p.charts {
		for _, column := range []int{c.labels, c.values} {
			if c.rows > 0 {
				last[c.above(column)] = PerformanceTotals + c.rows
			}
		}
	}
	return last
}

// above is the cells of a column that a chart is drawn from, without the last row.
func (c performanceChart) above(column int) string {
	letter := Letters(column)
	return fmt.Sprintf("%s!$%s$%d:$%s$", PerformanceTab, letter, PerformanceTotals+1, letter)
}

// performanceChart is a chart of two columns, from the row below their headers on.
type performanceChart struct {
	title          string
	upright        bool
	labels, values int // columns from 0
	rows           int
}

// PerformanceTotals is the row where totals and the cells of charts begin.
const PerformanceTotals = 3

// The columns before those of names.
const spanColumn, levelColumn, firstName = 0, 1, 2

// mostCharted is how many campaigns the chart has.
const mostCharted = 15

// NewPerformance makes the sheet. reviews are the words of the service on ads, by id.
func NewPerformance(schemas resource.Schemas, f *resource.Figures, currency string,
	reviews map[string]string) *Performance {
	p := &performanceMaker{Performance: &Performance{}, figures: f, currency: currency, reviews: reviews}
	for _, s := range schemas {
		if s.Insights != "" {
			p.kinds = append(p.kinds, s)
		}
	}
	p.levels = len(p.kinds)
	p.shape()
	p.writeRows()
	p.writeTotals()
	p.writeChartCells()
	return p.Performance
}

// performanceMaker makes a Performance.
type performanceMaker struct {
	*Performance
	kinds    resource.Schemas // that have figures, from the top down
	figures  *resource.Figures
	currency string
	reviews  map[string]string
	blocks   []block
}

// block is the rows of one kind in one span.
type block struct {
	window *resource.WindowFigures
	level  *resource.Schema
	rows   []resource.FigureRow
}

// figureOrder is the order of the figures on the sheet: money first.
var figureOrder = []string{"spend", "impressions", "clicks", "ctr", "cpc", "cpm", "conversions", "cpa"}

func metricNamed(name string) int {
	return slices.IndexFunc(resource.Metrics[:], func(m resource.Metric) bool { return m.Name == name })
}

func (p *performanceMaker) shape() {
	looks := columnLooks{currency: p.currency, cents: look.HasCents(p.currency)}
	add := func(c PerformanceColumn) { p.Columns = append(p.Columns, c) }
	widest := 10
	for i := range p.figures.Windows {
		widest = max(widest, len(p.figures.Windows[i].Name))
	}
	add(PerformanceColumn{Title: "Span", width: float64(widest + 2)})
	add(PerformanceColumn{Title: "Level", width: 11})
	for _, s := range p.kinds {
		add(PerformanceColumn{Title: s.Title, width: 24})
	}
	add(PerformanceColumn{Title: "Review", width: 20})
	for _, name := range figureOrder {
		metric := metricNamed(name)
		add(PerformanceColumn{Title: p.titled(metric, ""), format: looks.metricFormat(metric), width: 13})
	}
	add(PerformanceColumn{Title: "ID", width: 24})
	add(PerformanceColumn{Title: "Shown", width: 8, hidden: true})
	spend := metricNamed("spend")
	money := looks.metricFormat(spend)
	first := ""
	if len(p.figures.Windows) > 0 {
		first = p.figures.Windows[0].Name
	}
	add(PerformanceColumn{Title: "Day", width: 12, hidden: true})
	add(PerformanceColumn{Title: p.titled(spend, "a day"), format: money, width: 13, hidden: true})
	add(PerformanceColumn{Title: p.kinds[0].Title + " charted", width: 24, hidden: true})
	add(PerformanceColumn{Title: p.titled(spend, first), format: money, width: 13, hidden: true})
}

// titled is the header of a metric, with its currency where it is money.
func (p *performanceMaker) titled(metric int, of string) string {
	m := resource.Metrics[metric]
	text := strings.TrimSpace(m.Header + " " + of)
	if m.Form == resource.Units && p.currency != "" {
		text += " (" + p.currency + ")"
	}
	return text
}

// writeRows writes the resources, span by span and kind by kind, those that spent most first.
func (p *performanceMaker) writeRows() {
	for i := range p.figures.Windows {
		w := &p.figures.Windows[i]
		for _, level := range p.kinds {
			b := block{window: w, level: level}
			for _, row := range w.Rows {
				if row.Kind == level.Kind {
					b.rows = append(b.rows, row)
				}
			}
			spend := metricNamed("spend")
			slices.SortFunc(b.rows, func(x, y resource.FigureRow) int {
				return cmp.Or(digits(w.ByID[y.ID][spend]).Cmp(digits(w.ByID[x.ID][spend])),
					slices.Compare(x.Path, y.Path), cmp.Compare(x.ID, y.ID))
			})
			p.blocks = append(p.blocks, b)
		}
	}
	p.Header = PerformanceTotals + len(p.blocks)
	p.put(1, 0, PerformanceCell{Text: PerformanceMark})
	p.put(2, 0, PerformanceCell{Text: performanceHelp})
	for i := range p.shownColumn() + 1 {
		p.put(p.Header, i, PerformanceCell{Text: p.Columns[i].Title})
	}
	p.last = p.Header
	for _, b := range p.blocks {
		for _, row := range b.rows {
			p.last++
			p.writeRow(b, row)
		}
	}
}

func (p *performanceMaker) writeRow(b block, row resource.FigureRow) {
	p.put(p.last, spanColumn, PerformanceCell{Text: b.window.Name})
	p.put(p.last, levelColumn, PerformanceCell{Text: b.level.Title})
	for i, name := range row.Path {
		p.put(p.last, firstName+i, PerformanceCell{Text: CutText(name)})
	}
	p.put(p.last, p.reviewColumn(), PerformanceCell{Text: CutText(p.reviews[row.ID])})
	for _, name := range figureOrder {
		p.put(p.last, p.columnOf(name), number(b.window.ByID[row.ID][metricNamed(name)]))
	}
	p.put(p.last, p.IDColumn(), PerformanceCell{Text: row.ID})
	p.put(p.last, p.shownColumn(), PerformanceCell{Text: "1", IsNumber: true,
		Formula: fmt.Sprintf("SUBTOTAL(103,$A%d)", p.last)})
}

// put writes a cell of a row by its number; what holds nothing is an empty cell.
func (p *performanceMaker) put(row, column int, c PerformanceCell) {
	for len(p.Rows) < row {
		p.Rows = append(p.Rows, nil)
	}
	for len(p.Rows[row-1]) <= column {
		p.Rows[row-1] = append(p.Rows[row-1], PerformanceCell{})
	}
	p.Rows[row-1][column] = c
}

func number(digits string) PerformanceCell {
	if _, ok := celltext.Exact(digits); !ok {
		return PerformanceCell{}
	}
	return PerformanceCell{Text: digits, IsNumber: true}
}

// digits is a figure as a number; what is not known is less than any.
func digits(text string) *big.Rat {
	if n, ok := celltext.Exact(text); ok {
		return n
	}
	return big.NewRat(-1, 1)
}

// summed are the figures that add up; the others follow from them.
var summed = []string{"spend", "impressions", "clicks", "conversions"}

// rates are the figures of totals that are quotients of others.
var rates = []struct {
	name, over, under string
	scale             int64
}{
	{"ctr", "clicks", "impressions", 1}, {"cpc", "spend", "clicks", 1}, {"cpm", "spend", "impressions", 1000},
	{"cpa", "spend", "conversions", 1},
}

// writeTotals writes a row for every span and kind that adds up the rows the filter
// shows, in whatever order they are. What no row knows stays empty.
func (p *performanceMaker) writeTotals() {
	for i, b := range p.blocks {
		at := PerformanceTotals + i
		p.put(at, spanColumn, PerformanceCell{Text: b.window.Name})
		p.put(at, levelColumn, PerformanceCell{Text: b.level.Title})
		p.put(at, firstName, PerformanceCell{Text: "Total shown, " + b.window.Since + " to " + b.window.Until})
		sums := map[string]*big.Rat{}
		for _, name := range summed {
			sums[name] = b.sum(name)
			p.put(at, p.columnOf(name), formula(p.sumFormula(at, name), sums[name]))
		}
		for _, r := range rates {
			over, under := sums[r.over], sums[r.under]
			var value *big.Rat
			if over != nil && under != nil && under.Sign() != 0 && b.alike(r.over, r.under) {
				value = new(big.Rat).Quo(new(big.Rat).Mul(over, big.NewRat(r.scale, 1)), under)
			}
			p.put(at, p.columnOf(r.name), formula(p.rateFormula(at, r.over, r.under, r.scale), value))
		}
	}
}

// sum adds up what the rows of a block know of a metric, nil where none knows any.
func (b block) sum(name string) (sum *big.Rat) {
	metric := metricNamed(name)
	for _, row := range b.rows {
		n, ok := celltext.Exact(b.window.ByID[row.ID][metric])
		switch {
		case !ok:
		case sum == nil:
			sum = n
		default:
			sum = new(big.Rat).Add(sum, n)
		}
	}
	return sum
}

// alike reports whether each row knows both of two metrics or neither: only then their quotient is one.
func (b block) alike(one, other string) bool {
	return !slices.ContainsFunc(b.rows, func(row resource.FigureRow) bool {
		known := b.window.ByID[row.ID]
		_, has := celltext.Exact(known[metricNamed(one)])
		_, hasOther := celltext.Exact(known[metricNamed(other)])
		return has != hasOther
	})
}

func formula(text string, value *big.Rat) PerformanceCell {
	if value == nil {
		return PerformanceCell{Formula: text}
	}
	f, _ := value.Float64()
	return PerformanceCell{Formula: text, IsNumber: true, Text: strconv.FormatFloat(f, 'f', -1, 64)}
}

func (p *performanceMaker) sumFormula(at int, name string) string {
	letter := Letters(p.columnOf(name))
	return fmt.Sprintf(`IF(COUNTIFS(%[1]s,%[2]s,"<>")=0,"",SUMIFS(%[2]s,%[1]s))`, p.shownOf(at), p.column(letter))
}

// shownOf are the conditions of the rows of a total that the filter shows.
func (p *performanceMaker) shownOf(at int) string {
	return fmt.Sprintf("%s,$A%d,%s,$B%d,%s,1", p.column("A"), at, p.column("B"), at, p.column(Letters(p.shownColumn())))
}

// column is the cells of a column below the header.
func (p *performanceMaker) column(letter string) string {
	return fmt.Sprintf("$%s$%d:$%s$%d", letter, p.Header+1, letter, max(p.last, p.Header+1))
}

func (p *performanceMaker) rateFormula(at int, over, under string, scale int64) string {
	times := ""
	if scale != 1 {
		times = "*" + strconv.FormatInt(scale, 10)
	}
	letterA, letterB := Letters(p.columnOf(over)), Letters(p.columnOf(under))
	a, b := fmt.Sprintf("%s%d", letterA, at), fmt.Sprintf("%s%d", letterB, at)
	one := fmt.Sprintf(`COUNTIFS(%[1]s,%[2]s,"<>",%[3]s,"=")+COUNTIFS(%[1]s,%[2]s,"=",%[3]s,"<>")`,
		p.shownOf(at), p.column(letterA), p.column(letterB))
	return fmt.Sprintf(`IF(OR(%[2]s="",%[2]s=0,%[1]s="",%[4]s>0),"",%[1]s/%[2]s%[3]s)`, a, b, times, one)
}

// writeChartCells writes the cells the charts are drawn from. They keep their places
// however many totals and rows there are.
func (p *performanceMaker) writeChartCells() {
	for _, i := range []int{p.dayColumn(), p.dayColumn() + 1, p.chartedColumn(), p.chartedColumn() + 1} {
		p.put(PerformanceTotals, i, PerformanceCell{Text: p.Columns[i].Title})
	}
	if len(p.blocks) > 0 {
		spend, rows := metricNamed("spend"), p.blocks[0].rows
		rows = rows[:min(len(rows), mostCharted)]
		for i, row := range rows {
			p.put(PerformanceTotals+1+i, p.chartedColumn(), PerformanceCell{Text: CutText(row.Path[len(row.Path)-1])})
			p.put(PerformanceTotals+1+i, p.chartedColumn()+1, number(p.blocks[0].window.ByID[row.ID][spend]))
		}
		p.charts = append(p.charts, performanceChart{"Spend of campaigns", true,
			p.chartedColumn(), p.chartedColumn() + 1, len(rows)})
	}
	days, spends := p.figures.Daily.Spend()
	for i, day := range days {
		// As text: LibreOffice would write the number of a day below its bar.
		p.put(PerformanceTotals+1+i, p.dayColumn(), PerformanceCell{Text: day})
		p.put(PerformanceTotals+1+i, p.dayColumn()+1, number(spends[i]))
	}
	p.charts = append(p.charts, performanceChart{"Spend by day", false, p.dayColumn(), p.dayColumn() + 1, len(days)})
}
