package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"

	"github.com/xuri/excelize/v2"
)

// The sheets of the workbook.
const (
	summarySheet   = "Summary"
	daysSheet      = "Days"
	campaignsSheet = "Campaigns"
	adsSheet       = "Ads"
	changesSheet   = "Changes"
)

// book is a workbook that is written sheet by sheet, each from the top down.
type book struct {
	*excelize.File
	styles map[string]int
	sheet  string
	row    int
	err    error // the first that any call met: those after it do nothing
}

func (b *book) try(err error) {
	if b.err == nil {
		b.err = err
	}
}

// formats are how a spreadsheet program shows the cells of a style.
var formats = map[string]string{
	"count": "#,##0", "money": "#,##0.00", "share": "0.00%", "times": "0.00", "change": "+0.0%;-0.0%;0.0%",
	"used": "0%",
}

// forms are the formats of the figures that are no counts.
var forms = map[string]string{"spend": "money", "ctr": "share", "cpc": "money", "cpm": "money", "cpa": "money",
	sales: "money", "order_created_roas": "times"}

func formOf(metric string) string {
	if form := forms[metric]; form != "" {
		return form
	}
	return "count"
}

// xlsx writes a workbook with native charts. Texts are text cells, which no program takes for formulas.
func (r *Report) xlsx(w io.Writer) error {
	b := &book{File: excelize.NewFile(), styles: map[string]int{}}
	defer func() { _ = b.Close() }() // nothing of it is on the disk
	b.dress()
	b.begin(summarySheet)
	b.summaryIn(r)
	b.begin(daysSheet)
	b.daysIn(r)
	b.begin(campaignsSheet)
	b.campaignsIn(r)
	b.begin(adsSheet)
	b.adsIn(r)
	b.begin(changesSheet)
	b.changesIn(r)
	b.try(b.DeleteSheet("Sheet1"))
	b.SetActiveSheet(0)
	if b.err != nil {
		return fmt.Errorf("sheet %q: %w", b.sheet, b.err)
	}
	return b.Write(w)
}

func (b *book) dress() {
	style := func(name string, s *excelize.Style) {
		number, err := b.NewStyle(s)
		b.styles[name] = number
		b.try(err)
	}
	for name, format := range formats {
		style(name, &excelize.Style{CustomNumFmt: &format})
	}
	for name, side := range map[string]string{"head": "left", "headn": "right"} {
		style(name, &excelize.Style{Font: font(11, "FFFFFF"),
			Alignment: &excelize.Alignment{WrapText: true, Vertical: "center", Horizontal: side},
			Fill:      excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"374151"}}})
	}
	style("title", &excelize.Style{Font: font(14, "1C2430")})
	style("bold", &excelize.Style{Font: font(11, "1C2430")})
	style("wrap", &excelize.Style{Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	style("note", &excelize.Style{Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFF4D6"}}})
}

// font is the bold one of the workbook.
func font(size float64, colour string) *excelize.Font {
	return &excelize.Font{Bold: true, Family: "Calibri", Size: size, Color: colour}
}

// begin begins a sheet that is printed as wide as a page on its side.
func (b *book) begin(name string) {
	_, err := b.NewSheet(name)
	b.try(err)
	b.sheet, b.row = name, 1
	fit, landscape, wide, any := true, "landscape", 1, 0
	b.try(b.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}))
	b.try(b.SetPageLayout(name, &excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &wide,
		FitToHeight: &any}))
}

func (b *book) widths(widths ...float64) {
	for i, width := range widths {
		name, _ := excelize.ColumnNumberToName(i + 1)
		b.try(b.SetColWidth(b.sheet, name, name, width))
	}
}

// at is the name of a cell of the current row.
func (b *book) at(column int) string { return cellAt(column, b.row) }

func cellAt(column, row int) string {
	name, _ := excelize.CoordinatesToCellName(column, row) // both are above zero
	return name
}

func (b *book) text(column int, style, text string) {
	b.try(b.SetCellStr(b.sheet, b.at(column), diag.Printable(text)))
	if style != "" {
		b.try(b.SetCellStyle(b.sheet, b.at(column), b.at(column), b.styles[style]))
	}
}

// number puts decimal text down as a number. What is not known leaves the cell empty.
func (b *book) number(column int, style, text string) {
	b.try(b.SetCellStyle(b.sheet, b.at(column), b.at(column), b.styles[style]))
	if n, err := strconv.ParseFloat(text, 64); err == nil { // numbers of workbooks are binary fractions
		if style == "change" { // what is shown as 0.0% has neither sign nor colour
			n = math.Round(n*1000)/1000 + 0
		}
		b.try(b.SetCellFloat(b.sheet, b.at(column), n, -1, 64))
	}
}

// head writes a line of heads, of which those from first to last are of numbers.
func (b *book) head(first, last int, titles ...string) {
	b.try(b.SetRowHeight(b.sheet, b.row, 32))
	for i, title := range titles {
		b.text(i+1, map[bool]string{true: "headn", false: "head"}[i+1 >= first && i < last], title)
	}
	b.row++
}

func (b *book) figures(column int, f Figures, metrics []string) {
	for i, m := range metrics {
		b.number(column+i, formOf(m), f[m])
	}
}

// colour is a rule of colours for cells of the current sheet.
func (b *book) colour(cells string, rules ...excelize.ConditionalFormatOptions) {
	b.try(b.SetConditionalFormat(b.sheet, cells, rules))
}

// turned colours changes above and below zero.
func (b *book) turned(cells string, turn int) {
	good, err := b.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "14532D"},
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E3F4E6"}}})
	b.try(err)
	bad, err := b.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "7F1D1D"},
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FDE4E1"}}})
	b.try(err)
	if turn < 0 {
		good, bad = bad, good
	}
	b.colour(cells,
		excelize.ConditionalFormatOptions{Type: "cell", Criteria: ">", Value: "0", Format: &good},
		excelize.ConditionalFormatOptions{Type: "cell", Criteria: "<", Value: "0", Format: &bad})
}

// chartRows is how many lines of a sheet a chart takes, and one between.
const chartRows = 18

// chart draws a column of the current sheet.
func (b *book) chart(at, title string, kind excelize.ChartType, labels, values, format string) {
	zero, axis := 0.0, excelize.Font{Color: "374151"}
	upright, beneath := kind == excelize.Bar, excelize.ChartTickLabelNextToAxis
	if upright { // the first is on top, and the axis with it
		beneath = excelize.ChartTickLabelHigh
	}
	b.try(b.AddChart(b.sheet, at, &excelize.Chart{
		Type: kind,
		Series: []excelize.ChartSeries{{Name: title, Categories: b.sheet + "!" + labels, Values: b.sheet + "!" + values,
			Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"2F6FDB"}}}},
		Title:        excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: title}}},
		VaryColors:   new(bool),
		Legend:       excelize.ChartLegend{Position: "none"},
		Dimension:    excelize.ChartDimension{Width: 720, Height: 320},
		ShowBlanksAs: "gap",
		XAxis:        excelize.ChartAxis{ReverseOrder: upright, Font: axis},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Minimum: &zero, Font: axis, TickLabelPosition: beneath,
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: formats[format]}},
	}))
}

func (b *book) summaryIn(r *Report) {
	b.widths(34)
	name, _ := excelize.ColumnNumberToName(len(r.Totals) + 1)
	b.try(b.SetColWidth(b.sheet, "B", name, 14))
	b.text(1, "title", r.Title())
	b.row++
	b.text(1, "", r.about())
	b.row++
	for _, note := range r.notes() {
		b.text(1, "note", note)
		b.row++
	}
	b.row++
	heads := []string{""}
	for i := range r.Totals {
		heads = append(heads, r.Totals[i].Header)
	}
	b.head(2, len(heads), heads...)
	rows := []string{r.span()}
	if r.Compared {
		rows = append(rows, r.Before.String(), "Change")
	}
	for n, of := range rows {
		b.text(1, "bold", of)
		for i := range r.Totals {
			f := &r.Totals[i]
			text, form := []string{f.Value, f.Before, f.Change}[n], formOf(f.Name)
			if n == 2 {
				form = "change"
				if turn := turns[f.Name]; turn != 0 {
					b.turned(b.at(i+2), turn)
				}
			}
			b.number(i+2, form, text)
		}
		b.row++
	}
	for _, l := range r.lists(0)[:1] { // what asks for somebody first
		b.listIn(l)
	}
	b.listIn(r.waitsList())
}

// listIn writes sentences, a line each.
func (b *book) listIn(l list) {
	b.row++
	b.text(1, "bold", l.Title)
	b.row++
	if len(l.Lines) == 0 {
		b.text(1, "", l.None)
		b.row++
	}
	for _, one := range l.Lines {
		b.text(1, "", one.What)
		b.row++
		for _, said := range one.Said {
			b.text(1, "", "    "+said)
			b.row++
		}
	}
	if l.More != "" {
		b.text(1, "", l.More)
		b.row++
	}
}

func (r *Report) names() (names []string) {
	for i := range r.Totals {
		names = append(names, r.Totals[i].Name)
	}
	return names
}

func (b *book) daysIn(r *Report) {
	names := r.names()
	b.widths(append([]float64{12}, slices.Repeat([]float64{14}, len(names)+1)...)...)
	if len(r.Days) <= pageDays { // the charts on the same page
		one := 1
		b.try(b.SetPageLayout(b.sheet, &excelize.PageLayoutOptions{FitToHeight: &one}))
	}
	b.head(2, len(names)+1, append(append([]string{"Day"}, headers(names)...), "Note")...)
	first := b.row
	for _, d := range r.Days {
		b.text(1, "", d.Date)
		b.figures(2, d.Figures, names)
		switch {
		case d.Gap:
			b.text(len(names)+2, "note", "not read")
		case d.Preliminary:
			b.text(len(names)+2, "note", "preliminary")
		}
		b.row++
	}
	last := b.row - 1
	if last < first {
		return
	}
	days, spend := fmt.Sprintf("$A$%d:$A$%d", first, last), fmt.Sprintf("$B$%d:$B$%d", first, last)
	b.colour(fmt.Sprintf("B%d:B%d", first, last),
		excelize.ConditionalFormatOptions{Type: "data_bar", Criteria: "=", MinType: "num", MinValue: "0",
			MaxType: "max", BarColor: "#9DBCF0", BarSolid: true})
	b.chart(cellAt(1, last+3), "Spend a day", excelize.Col, days, spend, "money")
	b.chart(cellAt(1, last+3+chartRows), "Clicks a day", excelize.Line, days,
		fmt.Sprintf("$D$%d:$D$%d", first, last), "count")
	b.frozen()
}

func (b *book) frozen() {
	b.try(b.SetPanes(b.sheet, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
}

// mostCharted is how many campaigns the chart has.
const mostCharted = 15

func (b *book) campaignsIn(r *Report) {
	names := r.names()
	heads := append([]string{"Campaign"}, headers(names)...)
	heads = append(heads, "Spend before", "Change", "Budget now", "Budget of these days", "Spent of it", "Budget is",
		"ID")
	b.widths(append(append([]float64{36}, slices.Repeat([]float64{14}, len(names)+6)...), 38)...)
	b.head(2, len(names)+6, heads...)
	first, after := b.row, len(names)+2
	for i := range r.Campaigns {
		c := &r.Campaigns[i]
		b.text(1, "", c.Name)
		b.figures(2, c.Figures, names)
		b.number(after, "money", c.SpendBefore)
		b.number(after+1, "change", c.SpendChange)
		if c.Budget != nil {
			b.number(after+2, "money", c.Budget.Amount)
			b.number(after+3, "money", c.Budget.Within)
			b.number(after+4, "used", c.Budget.Share)
			b.text(after+5, "", c.Budget.Kind)
		}
		b.text(after+6, "", c.ID)
		b.row++
	}
	last := b.row - 1
	b.text(1, "bold", "Total")
	for i := range r.Totals {
		b.number(i+2, formOf(r.Totals[i].Name), r.Totals[i].Value)
	}
	if last < first {
		return
	}
	over, err := b.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "7F1D1D"},
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FDE4E1"}}})
	b.try(err)
	used := cellAt(after+4, first) + ":" + cellAt(after+4, last)
	b.colour(used,
		excelize.ConditionalFormatOptions{Type: "cell", Criteria: ">", Value: "1", Format: &over},
		excelize.ConditionalFormatOptions{Type: "data_bar", Criteria: "=", MinType: "num", MinValue: "0",
			MaxType: "num", MaxValue: "1", BarColor: "#9DBCF0", BarSolid: true})
	shown := min(last, first+mostCharted-1)
	b.chart(cellAt(1, b.row+3), "Spend of campaigns", excelize.Bar, fmt.Sprintf("$A$%d:$A$%d", first, shown),
		fmt.Sprintf("$B$%d:$B$%d", first, shown), "money")
	b.frozen()
}

func (b *book) adsIn(r *Report) {
	names, heads, widths, style := r.names(), []string{"Ad", "In"}, []float64{36, 40}, ""
	if slices.ContainsFunc(append(slices.Clone(r.Top), r.Bottom...), func(a Ad) bool { return a.picture != nil }) {
		heads, widths = append(heads, "Picture"), append(widths, pictureWidth)
		style = "wrap" // a long text would go on behind the picture
	}
	first := len(heads) + 1
	b.widths(append(append(widths, slices.Repeat([]float64{14}, len(names))...), 38)...)
	for _, of := range r.ranks() {
		b.text(1, "title", of.title)
		b.row++
		b.head(first, len(names)+first-1, append(append(slices.Clone(heads), headers(names)...), "ID")...)
		for i := range of.ads {
			b.text(1, style, of.ads[i].Name)
			b.text(2, style, of.ads[i].In)
			b.picture(3, of.ads[i].picture)
			b.figures(first, of.ads[i].Figures, names)
			b.text(len(names)+first, "", of.ads[i].ID)
			b.row++
		}
		b.row++
	}
}

// What a picture takes: the width of its column in letters, the height of its row in points.
const (
	pictureWidth = 8
	pictureHigh  = 42
)

func (b *book) picture(column int, p *Picture) {
	if p == nil {
		return
	}
	b.try(b.SetRowHeight(b.sheet, b.row, pictureHigh))
	b.try(b.AddPictureFromBytes(b.sheet, b.at(column), &excelize.Picture{Extension: ".jpg", File: p.JPEG,
		Format: &excelize.GraphicOptions{AltText: diag.Printable(p.Title), AutoFit: true, LockAspectRatio: true,
			OffsetX: 2, OffsetY: 2, Positioning: "oneCell"}}))
}

func (b *book) changesIn(r *Report) {
	b.widths(22, 30, 30, 90, 14, 44)
	b.head(0, 0, "When", "Who", "Approved by", "What", "Run", "Commit")
	for i := range r.Runs {
		run := &r.Runs[i]
		said := run.Changes
		if len(said) == 0 {
			said = []string{run.Result}
		}
		if run.More > 0 {
			said = append(said[:len(said):len(said)], fmt.Sprintf("and %d more", run.More))
		}
		for _, what := range said {
			b.text(1, "", r.moment(run.Started))
			b.text(2, "", run.By)
			b.text(3, "", strings.Join(run.Approved, ", "))
			b.text(4, "wrap", what)
			b.text(5, "", run.Run)
			b.text(6, "", run.Commit)
			b.row++
		}
	}
	b.frozen()
}
