package workbook

import (
	"fmt"

	"adsync/internal/resource"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// DailyTab has a row for every day and ad with figures, ready for a pivot table or
// a chart. It is not read.
const DailyTab = config.DailyTab

// writeDaily writes the figures of each day of the shortest window.
func (b *bookWriter) writeDaily() error {
	if b.Figures == nil {
		return nil
	}
	d := &daily{bookWriter: b, of: b.Figures.Daily, titles: measuredTitles(b.schemas)}
	for metric := range resource.Metrics {
		if b.figures.showsMetric(metric) {
			d.metrics = append(d.metrics, metric)
		}
	}
	if err := d.dress(); err != nil {
		return fmt.Errorf("sheet %q: %w", DailyTab, err)
	}
	if err := d.stream(); err != nil {
		return fmt.Errorf("sheet %q: %w", DailyTab, err)
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

type daily struct {
	*bookWriter
	of      resource.DailyFigures
	titles  []string
	metrics []int
}

func (d *daily) width() int { return 1 + len(d.titles) + len(d.metrics) }

func (d *daily) dress() error {
	notes := map[int]string{
		0: "A day in the account's time zone. " + catalog.WindowHelp(d.of.Window) + "\nOne row an " +
			"ad and day with figures. The sheet is not read: sort it, filter it, make a pivot table or a chart of it.",
	}
	for i, metric := range d.metrics {
		notes[1+len(d.titles)+i] = resource.Metrics[metric].Help + " On that day."
	}
	for i := range d.width() {
		if notes[i] == "" {
			continue
		}
		if err := d.file.AddComment(DailyTab, NoteAt(Letters(i)+"1", notes[i])); err != nil {
			return err
		}
	}
	end := fmt.Sprintf("%s%d", Letters(d.width()-1), len(d.of.Rows)+1)
	if err := d.file.AutoFilter(DailyTab, "A1:"+end, nil); err != nil {
		return err
	}
	if err := SetUpPrint(d.file, DailyTab, ManyPages); err != nil {
		return err
	}
	return ColourTab(d.file, DailyTab, "9AA5AC")
}

func (d *daily) stream() error {
	stream, err := d.file.NewStreamWriter(DailyTab)
	if err != nil {
		return err
	}
	styles, err := d.styleColumns(stream)
	if err != nil {
		return err
	}
	header, err := d.header()
	if err != nil {
		return err
	}
	if err := stream.SetRow("A1", header, excelize.RowOpts{Height: 2*LineHeight + 4}); err != nil {
		return err
	}
	shared := &outRow{make([]any, d.width()), make([]excelize.Cell, d.width())}
	for i, row := range d.of.Rows {
		if err := stream.SetRow(fmt.Sprintf("A%d", i+2), d.cells(shared, styles, row)); err != nil {
			return err
		}
	}
	return stream.Flush()
}

func (d *daily) styleColumns(stream *excelize.StreamWriter) ([]int, error) {
	styles := make([]int, d.width())
	for i := range styles {
		l, width := look.Look{Line: true}, 28.0
		switch first := 1 + len(d.titles); {
		case i == 0:
			l.Format, l.Side, width = look.FormatDay, "center", 12
		case i >= first:
			l.Format, l.Side, width = d.metricFormat(d.metrics[i-first]), "right", 14
		}
		var err error
		if styles[i], err = d.styles.Number(l); err != nil {
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

func (d *daily) header() ([]any, error) {
	style, err := d.styles.Number(headerLook(&catalog.Column{Role: catalog.RoleOurs, Ours: catalog.OursFigure}))
	if err != nil {
		return nil, err
	}
	figure, err := d.styles.Number(headerLook(&catalog.Column{
		Role: catalog.RoleOurs, Ours: catalog.OursFigure, Figure: &catalog.FigureColumn{},
	}))
	if err != nil {
		return nil, err
	}
	cells := []any{excelize.Cell{StyleID: style, Value: "Day"}}
	for _, title := range d.titles {
		cells = append(cells, excelize.Cell{StyleID: style, Value: title})
	}
	for _, metric := range d.metrics {
		c := catalog.Column{Title: resource.Metrics[metric].Header, Figure: &catalog.FigureColumn{Metric: metric}}
		cells = append(cells, excelize.Cell{StyleID: figure, Value: d.headerText(&c)})
	}
	return cells, nil
}

// cells fills the one row that every row is written from.
func (d *daily) cells(c *outRow, styles []int, row resource.DayRow) []any {
	c.row[0] = nil
	if serial, ok := SerialOf(row.Day); ok {
		c.put(0, styles[0], serial)
	}
	for i, name := range row.Path {
		c.set(1+i, styles[1+i], CutText(name))
	}
	for i, metric := range d.metrics {
		at := 1 + len(d.titles) + i
		c.setFigure(at, styles[at], row.Measured[metric])
	}
	return c.row
}
