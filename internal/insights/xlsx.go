package insights

import (
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// The sheets of a workbook of figures.
const (
	rowsSheet   = "Figures"
	totalsSheet = "Totals"
	chartsSheet = "Charts"
)

// mostSheetRows is how many rows a sheet can have.
const mostSheetRows = 1_048_576

// bookStyles are the styles of a workbook, by what they are for.
type bookStyles struct {
	head, bold, change int
	of                 map[form]int
}

// xlsx writes a workbook: the rows, the totals, and native charts. Texts are text cells,
// which no program takes for formulas. Rows go through a file, not through memory.
func (r bookForm) xlsx(w io.Writer, charted []string, _ int) (err error) {
	if r.Len() >= mostSheetRows {
		return fmt.Errorf("%d rows; a sheet holds %d at most: want -o csv, or a shorter --span",
			r.Len(), mostSheetRows-1)
	}
	// Its buffers grow by doubling: what they leave behind is collected before there is twice as much.
	defer debug.SetGCPercent(debug.SetGCPercent(30))
	f := excelize.NewFile()
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	styles, err := stylesIn(f)
	if err != nil {
		return err
	}
	if err := f.SetSheetName("Sheet1", totalsSheet); err != nil {
		return err
	}
	if err := r.totalsIn(f, styles); err != nil {
		return err
	}
	if len(charted) > 0 {
		if err := r.chartsIn(f, styles, charted); err != nil {
			return err
		}
	}
	if err := r.rowsIn(f, styles); err != nil {
		return err
	}
	if err := onPaper(f); err != nil {
		return err
	}
	return f.Write(w)
}

// onPaper has each sheet printed as wide as a page that lies on its side.
func onPaper(f *excelize.File) error {
	fit, landscape, wide, any := true, "landscape", 1, 0
	for _, name := range []string{totalsSheet, chartsSheet} {
		if at, err := f.GetSheetIndex(name); err != nil || at < 0 {
			continue
		}
		if err := f.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}); err != nil {
			return err
		}
		layout := &excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &wide, FitToHeight: &any}
		if err := f.SetPageLayout(name, layout); err != nil {
			return err
		}
	}
	return nil
}

func stylesIn(f *excelize.File) (s bookStyles, err error) {
	s.of = map[form]int{}
	signedPercent := "+0.0%;-0.0%;0.0%"
	for _, style := range []struct {
		into  *int
		style *excelize.Style
	}{
		{&s.head, &excelize.Style{Font: &excelize.Font{Bold: true, Color: "FFFFFF", Family: "Calibri"},
			Alignment: &excelize.Alignment{WrapText: true, Vertical: "center"},
			Fill:      excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"374151"}}}},
		{&s.bold, &excelize.Style{Font: &excelize.Font{Bold: true, Size: 14, Family: "Calibri"}}},
		{&s.change, &excelize.Style{CustomNumFmt: &signedPercent}},
	} {
		if *style.into, err = f.NewStyle(style.style); err != nil {
			return s, err
		}
	}
	for _, of := range []form{count, money, share, times} {
		format := of.format()
		if s.of[of], err = f.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
			return s, err
		}
	}
	return s, nil
}

// format is how a spreadsheet program shows a figure.
func (f form) format() string {
	return map[form]string{count: "#,##0", money: "#,##0.00", share: "0.00%", times: "0.00"}[f]
}

// number is a figure as the cell of a workbook, whose numbers are binary fractions; text
// where it is none.
func number(text string) any {
	if text == "" {
		return nil
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}

// rowsIn writes the rows through a stream.
func (r bookForm) rowsIn(f *excelize.File, styles bookStyles) error {
	if _, err := f.NewSheet(rowsSheet); err != nil {
		return err
	}
	out, err := f.NewStreamWriter(rowsSheet)
	if err != nil {
		return err
	}
	shown := r.visible()
	for n, i := range shown {
		if err := out.SetColWidth(n+1, n+1, columnWidth(&r.Columns[i])); err != nil {
			return err
		}
	}
	freeze := &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}
	if err := out.SetPanes(freeze); err != nil {
		return err
	}
	line := make([]any, len(shown)+1)
	for n, i := range shown {
		line[n] = excelize.Cell{StyleID: styles.head, Value: r.Columns[i].Header}
	}
	line[len(shown)] = excelize.Cell{StyleID: styles.head, Value: "Preliminary"}
	weeks := r.By == "week"
	if weeks {
		line = append(line, excelize.Cell{StyleID: styles.head, Value: "Partial"})
	}
	at := 1
	if err := out.SetRow("A1", line); err != nil {
		return err
	}
	for row, err := range r.Rows() {
		if err != nil {
			return err
		}
		for n, i := range shown {
			line[n] = row.Cells[i]
			switch c := &r.Columns[i]; {
			case c.change:
				line[n] = excelize.Cell{StyleID: styles.change, Value: number(row.Cells[i])}
			case c.beside != nil:
				line[n] = excelize.Cell{StyleID: styles.of[c.beside.form], Value: number(row.Cells[i])}
			case c.metric != nil:
				line[n] = excelize.Cell{StyleID: styles.of[c.metric.form], Value: number(row.Cells[i])}
			}
		}
		line[len(shown)] = yes[row.Preliminary]
		if weeks {
			line[len(shown)+1] = yes[row.Partial]
		}
		at++
		if err := out.SetRow("A"+strconv.Itoa(at), line); err != nil {
			return err
		}
	}
	return out.Flush()
}

func columnWidth(c *Column) float64 {
	if !c.number() && c.Name != "time" && c.Name != "segment" {
		return 24
	}
	return float64(max(12, utf8.RuneCountInString(c.Header)+3))
}

// totalsIn writes what the report is of, the totals, those before and the change.
func (r bookForm) totalsIn(f *excelize.File, styles bookStyles) error {
	title, about := r.heading()
	sheet := sheet{f, totalsSheet, 1, styles}
	if err := sheet.put(styles.bold, title); err != nil {
		return err
	}
	if err := sheet.put(0, about); err != nil {
		return err
	}
	sheet.row++
	var figures []*Column
	head := []any{""}
	for _, i := range r.visible() {
		if c := &r.Columns[i]; c.metric != nil {
			figures = append(figures, c)
			head = append(head, c.Header)
		}
	}
	if err := sheet.put(styles.head, head...); err != nil {
		return err
	}
	for _, t := range r.Totals {
		if err := sheet.total(t, figures); err != nil {
			return err
		}
	}
	sheet.row++
	for _, note := range r.footnotes() {
		if err := sheet.put(0, note); err != nil {
			return err
		}
	}
	if err := f.SetColWidth(totalsSheet, "A", "A", 26); err != nil {
		return err
	}
	return f.SetColWidth(totalsSheet, "B", "Q", 14)
}

// sheet is a sheet that is written from the top down.
type sheet struct {
	f      *excelize.File
	name   string
	row    int
	styles bookStyles
}

// put writes a line of texts in one style.
func (s *sheet) put(style int, cells ...any) error {
	for i, value := range cells {
		if err := s.cell(i+1, style, value); err != nil {
			return err
		}
	}
	s.row++
	return nil
}

func (s *sheet) cell(column, style int, value any) error {
	name, err := excelize.CoordinatesToCellName(column, s.row)
	if err != nil {
		return err
	}
	if err := s.f.SetCellValue(s.name, name, value); err != nil {
		return err
	}
	return s.f.SetCellStyle(s.name, name, name, style)
}

func (s *sheet) total(t *Total, figures []*Column) error {
	of := ""
	if t.Segment != "" {
		of = " by " + t.Segment
	}
	star := map[bool]string{true: " *"}[t.Preliminary]
	lines := []struct {
		name  string
		value func(*Column) string
		style int
	}{{"Total" + of + star, t.Of, 0}}
	if t.Before != nil {
		lines = append(lines, struct {
			name  string
			value func(*Column) string
			style int
		}{"Before" + of, t.Before.Of, 0}, struct {
			name  string
			value func(*Column) string
			style int
		}{"Change" + of, t.Change, s.styles.change})
	}
	for _, l := range lines {
		if err := s.cell(1, 0, l.name); err != nil {
			return err
		}
		for i, c := range figures {
			style := l.style
			if style == 0 {
				style = s.styles.of[c.metric.form]
			}
			if err := s.cell(i+2, style, number(l.value(c))); err != nil {
				return err
			}
		}
		s.row++
	}
	return nil
}
