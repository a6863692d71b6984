package insights

import (
	"fmt"

	"adsync/internal/diag"

	"github.com/xuri/excelize/v2"
)

// chartColumn is where the figures stand that charts are drawn of, right of them.
const chartColumn = 14

// axisFont is dark enough to be read.
var axisFont = excelize.Font{Color: "374151"}

// chartsIn writes the sheet of charts: native ones, and beside them the sums they show.
func (r bookForm) chartsIn(f *excelize.File, styles bookStyles, charted []string) error {
	if _, err := f.NewSheet(chartsSheet); err != nil {
		return err
	}
	in, err := r.series()
	if err != nil {
		return err
	}
	s := sheet{f, chartsSheet, 1, styles}
	place := 1
	for _, name := range charted {
		c := r.columnOf(name)
		for _, of := range in {
			shown, kind := *of, excelize.Line
			if r.By == "none" || len(of.points) < 2 {
				shown, kind = of.largest(c), excelize.Bar
			}
			if err := s.chart(shown, c, kind, place); err != nil {
				return err
			}
			place += 20
			s.row = max(s.row+1, place)
		}
	}
	if err := f.SetColWidth(chartsSheet, "N", "N", 28); err != nil {
		return err
	}
	return f.SetColWidth(chartsSheet, "O", "O", 20)
}

// chart puts the sums of one series beside their chart.
func (s *sheet) chart(of series, c *Column, kind excelize.ChartType, place int) error {
	title := c.Header
	if of.segment != "" {
		title += " by " + of.segment
	}
	first := s.row + 1
	if err := s.cell(chartColumn, s.styles.head, ""); err != nil {
		return err
	}
	if err := s.cell(chartColumn+1, s.styles.head, title); err != nil {
		return err
	}
	s.row++
	for i := range of.points {
		if err := s.cell(chartColumn, 0, clipped(diag.Printable(of.points[i].label), "")); err != nil {
			return err
		}
		if err := s.cell(chartColumn+1, s.styles.of[c.metric.form], number(of.points[i].sums.Of(c))); err != nil {
			return err
		}
		s.row++
	}
	last := s.row - 1
	return s.f.AddChart(s.name, fmt.Sprintf("A%d", place), &excelize.Chart{
		Type: kind,
		Series: []excelize.ChartSeries{{
			Name:       fmt.Sprintf("%s!$O$%d", s.name, first-1),
			Categories: fmt.Sprintf("%s!$N$%d:$N$%d", s.name, first, last),
			Values:     fmt.Sprintf("%s!$O$%d:$O$%d", s.name, first, last),
		}},
		Title:      excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: title}}},
		VaryColors: new(bool),
		Legend:     excelize.ChartLegend{Position: "none"},
		Dimension:  excelize.ChartDimension{Width: 760, Height: 380},
		XAxis:      excelize.ChartAxis{ReverseOrder: kind == excelize.Bar, Font: axisFont},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Font: axisFont,
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: c.metric.form.format()}},
	})
}
