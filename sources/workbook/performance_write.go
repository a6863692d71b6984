package workbook

import (
	"bytes"
	"fmt"
	"strconv"

	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// mostFrozen is how many rows stay in sight at most while the others move.
const mostFrozen = 20

// Frozen is how many rows stay in sight: down to the header, or the two of the title where there are many totals.
func (p *Performance) Frozen() int {
	if p.Header > mostFrozen {
		return PerformanceTotals - 1
	}
	return p.Header
}

// writePerformance writes the sheet of spans.
func (b *bookWriter) writePerformance() error {
	if b.Figures == nil {
		return nil
	}
	p := NewPerformance(b.schemas, b.Figures, b.Account.Currency, reviewsOf(b.snapshot))
	w := &performanceWriter{Performance: p, file: b.file, styles: &b.styles}
	for _, step := range []func() error{w.dress, w.draw, w.stream} {
		if err := step(); err != nil {
			return fmt.Errorf("sheet %q: %w", PerformanceTab, err)
		}
	}
	return nil
}

// Book is a workbook of that sheet alone.
func (p *Performance) Book() ([]byte, error) {
	folder, remove, err := bounded.NewScratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	file := excelize.NewFile(excelize.Options{TmpDir: folder})
	defer file.Close()
	w := performanceWriter{Performance: p, file: file,
		styles: &look.StyleBook{File: file, Numbers: map[look.Look]int{}}}
	first := func() error { return file.SetSheetName("Sheet1", PerformanceTab) }
	for _, step := range []func() error{first, w.dress, w.draw, w.stream} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("sheet %q: %w", PerformanceTab, err)
		}
	}
	var b bytes.Buffer
	err = file.Write(&b)
	return b.Bytes(), err
}

// reviewsOf are what the service's review says, by id.
func reviewsOf(s *resource.Snapshot) map[string]string {
	says := map[string]string{}
	for r := range s.All() {
		if text := r.Facts.Value("review").Text(); text != "" {
			says[r.ID] = text
		}
	}
	return says
}

// performanceWriter writes a Performance into a new workbook.
type performanceWriter struct {
	*Performance
	file   *excelize.File
	styles *look.StyleBook
}

// dress colours the cells down to the end of the sheet, and filters them.
func (w *performanceWriter) dress() error {
	bad, err := conditional(w.file, look.ToneBad)
	if err != nil {
		return err
	}
	bound := w.Header + bounded.Defaults().SheetRows
	scale := func(low, middle, high string) excelize.ConditionalFormatOptions {
		return excelize.ConditionalFormatOptions{Type: "3_color_scale", Criteria: "=", MinType: "min",
			MidType: "percentile", MidValue: "50", MaxType: "max", MinColor: low, MidColor: middle, MaxColor: high}
	}
	review := Letters(w.reviewColumn())
	for _, c := range []struct {
		from, to int
		rule     excelize.ConditionalFormatOptions
	}{
		{w.reviewColumn() - 1, w.reviewColumn(), excelize.ConditionalFormatOptions{
			Type: "formula", Format: bad, Criteria: fmt.Sprintf(`LEFT($%s1,8)="rejected"`, review),
		}},
		{w.columnOf("ctr"), w.columnOf("ctr"), scale("#FFFFFF", "#EAF6EC", "#A5D6A7")},
		{w.columnOf("cpa"), w.columnOf("cpa"), scale("#C8E6C9", "#FFFFFF", "#FFCDD2")},
	} {
		if err := w.file.SetConditionalFormat(PerformanceTab,
			fmt.Sprintf("%s1:%s%d", Letters(c.from), Letters(c.to), xlsx.LastRow),
			[]excelize.ConditionalFormatOptions{c.rule}); err != nil {
			return err
		}
	}
	filter := fmt.Sprintf("A%d:%s%d", w.Header, Letters(w.IDColumn()), bound)
	if err := w.file.AutoFilter(PerformanceTab, filter, nil); err != nil {
		return err
	}
	if err := SetUpPrint(w.file, PerformanceTab, ManyPages); err != nil {
		return err
	}
	return ColourTab(w.file, PerformanceTab, "9AA5AC")
}

// The size of a chart, in pixels, and how many rows it takes with one between.
const (
	chartWidth, chartHeight = 640, 320
	chartRows               = 18
)

// draw puts the charts right of the columns, below the rows that stay in sight.
func (w *performanceWriter) draw() error {
	at := w.Header + 1
	for _, c := range w.charts {
		if c.rows == 0 {
			continue
		}
		if err := w.file.AddChart(PerformanceTab,
			fmt.Sprintf("%s%d", Letters(len(w.Columns)), at), c.native(w.Columns[c.values].format)); err != nil {
			return err
		}
		at += chartRows
	}
	return nil
}

func (c performanceChart) native(format string) *excelize.Chart {
	kind, labels, axis, zero := excelize.Col, excelize.ChartTickLabelNextToAxis, excelize.Font{Color: "374151"}, 0.0
	if c.upright { // the first is on top, and the axis with it
		kind, labels = excelize.Bar, excelize.ChartTickLabelHigh
	}
	return &excelize.Chart{
		Type: kind,
		Series: []excelize.ChartSeries{{
			Name:       fmt.Sprintf("%s!$%s$%d", PerformanceTab, Letters(c.values), PerformanceTotals),
			Categories: c.area(c.labels), Values: c.area(c.values), Fill: look.Solid("2F6FDB"),
		}},
		Title:        excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: c.title}}},
		VaryColors:   new(bool),
		Legend:       excelize.ChartLegend{Position: "bottom"},
		Dimension:    excelize.ChartDimension{Width: chartWidth, Height: chartHeight},
		Format:       excelize.GraphicOptions{Positioning: "absolute"},
		ShowBlanksAs: "gap",
		XAxis:        excelize.ChartAxis{ReverseOrder: c.upright, Font: axis},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Minimum: &zero, Font: axis, TickLabelPosition: labels,
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: format}},
	}
}

// area is the cells of a column that a chart is drawn from.
func (c performanceChart) area(column int) string {
	return c.above(column) + strconv.Itoa(PerformanceTotals+c.rows)
}

// stream writes the cells.
func (w *performanceWriter) stream() error {
	stream, err := w.file.NewStreamWriter(PerformanceTab)
	if err != nil {
		return err
	}
	for i, c := range w.Columns {
		style, err := w.styles.Number(c.look())
		if err != nil {
			return err
		}
		if err := stream.SetColWidth(i+1, i+1, c.width); err != nil {
			return err
		}
		if err := stream.SetColStyle(i+1, i+1, style); err != nil {
			return err
		}
		if c.hidden {
			if err := stream.SetColVisible(i+1, i+1, false); err != nil {
				return err
			}
		}
	}
	if err := stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: w.Frozen(),
		TopLeftCell: "A" + strconv.Itoa(w.Frozen()+1), ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	for i, row := range w.Rows {
		cells, err := w.cells(i+1, row)
		if err != nil {
			return err
		}
		if err := stream.SetRow("A"+strconv.Itoa(i+1), cells); err != nil {
			return err
		}
	}
	return stream.Flush()
}

func (w *performanceWriter) cells(number int, row []PerformanceCell) ([]any, error) {
	cells := make([]any, len(row))
	for i, c := range row {
		style, err := w.styles.Number(w.look(number, i))
		if err != nil {
			return nil, err
		}
		cell := excelize.Cell{StyleID: style, Formula: c.Formula, Value: c.Text}
		switch f, err := strconv.ParseFloat(c.Text, 64); {
		case c.IsNumber && err == nil:
			cell.Value = f
		case c.Text == "" && c.Formula == "":
			cell.Value = nil
		}
		cells[i] = cell
	}
	return cells, nil
}

// look is how a cell looks: titles, totals, the header, and rows.
func (w *performanceWriter) look(row, column int) look.Look {
	l := w.Columns[column].look()
	switch {
	case column > w.shownColumn():
	case row == 1:
		return look.Look{Bold: true, Size: 14}
	case row < PerformanceTotals:
		return look.Look{Font: look.ColourQuiet}
	case row < w.Header:
		l.Bold, l.Fill = true, look.ColourReadOnly
	case row == w.Header:
		return look.Look{Font: look.ColourQuiet, Fill: "DFE3E6", Bold: true, Middle: true, Line: true, Side: l.Side}
	}
	return l
}

func (c PerformanceColumn) look() look.Look {
	l := look.Look{Line: true, Format: c.format}
	if c.format != "" {
		l.Side = "right"
	}
	return l
}
