package workbook

import (
	"fmt"

	"adsync/internal/resource"
	"adsync/sources/catalog"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// PerformanceTab has a row for every day and ad with figures, ready for a pivot
// table or a chart. It is not read.
const PerformanceTab = "Performance"

// writePerformance writes the figures of each day of the shortest window.
func (b *bookWriter) writePerformance() error {
	if b.Figures == nil {
		return nil
	}
	p := &performance{bookWriter: b, daily: b.Figures.Daily, titles: measuredTitles(b.schemas)}
	for metric := range resource.Metrics {
		if b.figures.showsMetric(metric) {
			p.metrics = append(p.metrics, metric)
		}
	}
	if err := p.dress(); err != nil {
		return fmt.Errorf("sheet %q: %w", PerformanceTab, err)
	}
	if err := p.stream(); err != nil {
		return fmt.Errorf("sheet %q: %w", PerformanceTab, err)
	}
	return nil
}

// measuredTitles are the kinds from the top of the tree down to the deepest
// that has figures.
func measuredTitles(schemas resource.Schemas) []string {
	var titles []string
	for _, s := range schemas {
		if s.Insights != "" {
			titles = append(titles, s.Title)
		}
	}
	return titles
}

type performance struct {
	*bookWriter
	daily   resource.DailyFigures
	titles  []string
	metrics []int
}

func (p *performance) width() int { return 1 + len(p.titles) + len(p.metrics) }

func (p *performance) dress() error {
	notes := map[int]string{
		0: "A day in the account's time zone. " + catalog.WindowHelp(p.daily.Window) + "\nOne row an " +
			"ad and day with figures. The sheet is not read: sort it, filter it, make a pivot table or a chart of it.",
	}
	for i, metric := range p.metrics {
		notes[1+len(p.titles)+i] = resource.Metrics[metric].Help + " On that day."
	}
	for i := range p.width() {
		if notes[i] == "" {
			continue
		}
		if err := p.file.AddComment(PerformanceTab, NoteAt(Letters(i)+"1", notes[i])); err != nil {
			return err
		}
	}
	end := fmt.Sprintf("%s%d", Letters(p.width()-1), len(p.daily.Rows)+1)
	if err := p.file.AutoFilter(PerformanceTab, "A1:"+end, nil); err != nil {
		return err
	}
	if err := SetUpPrint(p.file, PerformanceTab, ManyPages); err != nil {
		return err
	}
	return colourTab(p.file, PerformanceTab, "9AA5AC")
}

func (p *performance) stream() error {
	stream, err := p.file.NewStreamWriter(PerformanceTab)
	if err != nil {
		return err
	}
	styles, err := p.styleColumns(stream)
	if err != nil {
		return err
	}
	header, err := p.header()
	if err != nil {
		return err
	}
	if err := stream.SetRow("A1", header, excelize.RowOpts{Height: 2*LineHeight + 4}); err != nil {
		return err
	}
	shared := &outRow{make([]any, p.width()), make([]excelize.Cell, p.width())}
	for i, row := range p.daily.Rows {
		if err := stream.SetRow(fmt.Sprintf("A%d", i+2), p.cells(shared, styles, row)); err != nil {
			return err
		}
	}
	return stream.Flush()
}

func (p *performance) styleColumns(stream *excelize.StreamWriter) ([]int, error) {
	styles := make([]int, p.width())
	for i := range styles {
		l, width := look.Look{Line: true}, 28.0
		switch first := 1 + len(p.titles); {
		case i == 0:
			l.Format, l.Side, width = look.FormatDay, "center", 12
		case i >= first:
			l.Format, l.Side, width = p.metricFormat(p.metrics[i-first]), "right", 14
		}
		var err error
		if styles[i], err = p.styles.Number(l); err != nil {
			return nil, err
		}
		if err := stream.SetColWidth(i+1, i+1, width); err != nil {
			return nil, err
		}
		if err := stream.SetColStyle(i+1, i+1, styles[i]); err != nil {
			return nil, err
		}
	}
	return styles, stream.SetPanes(&excelize.Panes{
		Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
	})
}

func (p *performance) header() ([]any, error) {
	style, err := p.styles.Number(headerLook(&catalog.Column{Role: catalog.RoleOurs, Ours: catalog.OursFigure}))
	if err != nil {
		return nil, err
	}
	figure, err := p.styles.Number(headerLook(&catalog.Column{
		Role: catalog.RoleOurs, Ours: catalog.OursFigure, Figure: &catalog.FigureColumn{},
	}))
	if err != nil {
		return nil, err
	}
	cells := []any{excelize.Cell{StyleID: style, Value: "Day"}}
	for _, title := range p.titles {
		cells = append(cells, excelize.Cell{StyleID: style, Value: title})
	}
	for _, metric := range p.metrics {
		c := catalog.Column{Title: resource.Metrics[metric].Header, Figure: &catalog.FigureColumn{Metric: metric}}
		cells = append(cells, excelize.Cell{StyleID: figure, Value: p.headerText(&c)})
	}
	return cells, nil
}

// cells fills the one row that every row is written from.
func (p *performance) cells(c *outRow, styles []int, row resource.DayRow) []any {
	c.row[0] = nil
	if serial, ok := SerialOf(row.Day); ok {
		c.put(0, styles[0], serial)
	}
	for i, name := range row.Path {
		c.set(1+i, styles[1+i], CutText(name))
	}
	for i, metric := range p.metrics {
		at := 1 + len(p.titles) + i
		c.setFigure(at, styles[at], row.Measured[metric])
	}
	return c.row
}
