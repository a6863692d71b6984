package xlsx

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
)

// sheetEdit rewrites the XML of one sheet.
type sheetEdit struct {
	*packageEdit
	heights  map[int]float64 // points that rows have at least
	raw      *rawSheet
	splices  []splice
	lastRows strings.Builder // rows after the last there is
	used     []At            // cells that get a value
	formulas []At            // formulas that were overwritten or written
}

// editSheet puts the edits of one sheet into its part, and returns those that were made. Rows that they are in become
// as high as heights say, where they are lower.
func (p *packageEdit) editSheet(edits []Edit, heights map[int]float64) ([]Edit, error) {
	part := p.partOf(edits[0].Sheet)
	content := p.book.parts.content[part]
	facts, err := Walk(p.book, part, nil)
	if err != nil {
		return nil, fmt.Errorf("it is damaged (%w); want a whole one", err)
	}
	raw, err := survey(content)
	if err != nil {
		return nil, err
	}
	if edits, err = p.refuse(part, edits, facts, raw); err != nil || len(p.refused) > 0 {
		return nil, err
	}
	w := &sheetEdit{packageEdit: p, raw: raw, heights: heights}
	for i := 0; i < len(edits); {
		end := i + 1
		for end < len(edits) && edits[end].Row == edits[i].Row {
			end++
		}
		if err := w.editRow(edits[i:end]); err != nil {
			return nil, err
		}
		i = end
	}
	w.appendRows()
	if len(w.splices) == 0 {
		return edits, nil
	}
	w.widenDimension()
	p.change(part, raw.data, w.splices)
	p.overwritten = append(p.overwritten, w.formulas...)
	return edits, nil
}

// editRow makes the changes of one row, which may not be there yet.
func (w *sheetEdit) editRow(edits []Edit) error {
	i, found := w.raw.rowAt(edits[0].Row)
	if found {
		line, err := w.raw.line(w.raw.rows[i])
		if err != nil {
			return err
		}
		return w.editLine(line, edits)
	}
	cells, err := w.newCells(edits, -1)
	if err != nil || cells == "" {
		return err
	}
	name := w.raw.prefix + "row"
	row := fmt.Sprintf(`<%[1]s r="%[2]d"%[4]s>%[3]s</%[1]s>`, name, edits[0].Row, cells, w.newHeight(edits[0].Row))
	if i == len(w.raw.rows) {
		w.lastRows.WriteString(row)
		return nil
	}
	w.put(w.raw.rows[i].from, w.raw.rows[i].from, row)
	return nil
}

func (w *sheetEdit) put(from, to int, text string) {
	w.splices = append(w.splices, splice{from, to, text})
}

// newCells writes cells where none are; clearing what is not there is nothing.
func (w *sheetEdit) newCells(edits []Edit, rowStyle int) (string, error) {
	var cells string
	for _, e := range edits {
		if (e.Value.sort == clears || e.Value.sort == keeps) && e.Like == (At{}) && e.Look == 0 && e.Fill == 0 {
			continue
		}
		style, err := w.styleOf(e, func() int { return w.defaultStyle(rowStyle, e.Column) })
		if err != nil {
			return "", err
		}
		xml, err := w.cellXML(e, style, rawCell{})
		if err != nil {
			return "", err
		}
		w.used = append(w.used, e.at())
		cells += xml
	}
	return cells, nil
}

// defaultStyle is what a cell looks like that has no element: as its row does,
// else as its column.
func (w *sheetEdit) defaultStyle(rowStyle, column int) int {
	if rowStyle >= 0 {
		return rowStyle
	}
	return w.raw.columnStyleOf(column)
}

// cellStyle is a style of the workbook, with what it says of a number.
type cellStyle struct {
	number int
	Style
}

// styleOf returns the style that an edit asks for: of the cell it is to look like, of the workbook whose sheets are
// added, else its own.
func (w *sheetEdit) styleOf(e Edit, own func() int) (s cellStyle, err error) {
	switch {
	case e.Look != 0:
		s.number = w.looks.cell(e.Look)
		s.Style, err = w.donor.StyleOf(e.Look)
		return s, err
	case e.Like == (At{}):
		s.number = own()
	default:
		s.number, err = w.styleLike(e.Like)
	}
	if err != nil {
		return s, err
	}
	if s.Style, err = w.book.StyleOf(s.number); err == nil && e.Fill != 0 {
		s.number = w.filled(s.number, e.Fill)
	}
	return s, err
}

func (w *sheetEdit) styleLike(at At) (int, error) {
	i, found := w.raw.rowAt(at.Row)
	if !found {
		return w.raw.columnStyleOf(at.Column), nil
	}
	line, err := w.raw.line(w.raw.rows[i])
	if err != nil {
		return 0, err
	}
	if c, found := line.cell(at.Column); found {
		return line.cells[c].style, nil
	}
	return w.defaultStyle(line.style, at.Column), nil
}

// cell returns the index of a column's cell, or of the first cell after it.
func (l *rawLine) cell(column int) (int, bool) {
	return slices.BinarySearchFunc(l.cells, column, func(c rawCell, column int) int { return c.column - column })
}

// editLine makes the changes of a row that is there.
func (w *sheetEdit) editLine(l *rawLine, edits []Edit) error {
	var last []Edit // of cells after the last there is
	for _, e := range edits {
		i, found := l.cell(e.Column)
		switch {
		case found:
			if err := w.replaceCell(e, l.cells[i]); err != nil {
				return err
			}
		case i == len(l.cells):
			last = append(last, e)
		default:
			cells, err := w.newCells([]Edit{e}, l.style)
			if err != nil {
				return err
			}
			w.put(l.cells[i].from, l.cells[i].from, cells)
		}
	}
	cells, err := w.newCells(last, l.style)
	if err != nil {
		return err
	}
	w.appendCells(l, cells)
	w.widenSpans(l)
	w.heighten(l)
	return nil
}

func (w *sheetEdit) replaceCell(e Edit, was rawCell) error {
	style, err := w.styleOf(e, func() int { return was.style })
	if err != nil {
		return err
	}
	if e.Value.sort == keeps {
		return w.restyle(was, style.number)
	}
	xml, err := w.cellXML(e, style, was)
	if err != nil {
		return err
	}
	if was.isFormula {
		w.formulas = append(w.formulas, e.at())
	}
	w.put(was.from, was.to, xml)
	return nil
}

// appendCells puts cells behind the last one of a row, before whatever else the
// row holds.
func (w *sheetEdit) appendCells(l *rawLine, cells string) {
	switch {
	case cells == "":
	case l.empty:
		w.put(l.head-2, l.head, ">"+cells+"</"+w.raw.prefix+"row>")
	case len(l.cells) == 0:
		w.put(l.head, l.head, cells)
	default:
		end := l.cells[len(l.cells)-1].to
		w.put(end, end, cells)
	}
}

// widenSpans keeps the row's own note of its columns right.
func (w *sheetEdit) widenSpans(l *rawLine) {
	if l.spans == nil {
		return
	}
	var columns []int
	for i := len(w.used) - 1; i >= 0 && w.used[i].Row == l.number; i-- { // rows come in order
		columns = append(columns, w.used[i].Column)
	}
	if spans := widened(l.spans, columns); spans != string(l.spans) {
		from := cap(w.raw.data) - cap(l.spans)
		w.put(from, from+len(l.spans), spans)
	}
}

// appendRows puts the rows behind the last one.
func (w *sheetEdit) appendRows() {
	rows, cells := w.lastRows.String(), w.raw.cells
	switch {
	case rows == "":
	case cells.empty:
		w.put(cells.head-2, cells.head, ">"+rows+"</"+w.raw.prefix+"sheetData>")
	default:
		w.put(cells.tail, cells.tail, rows)
	}
}

// widenDimension keeps the sheet's own note of its area right. One that does not
// read is left as it is: it is a hint.
func (w *sheetEdit) widenDimension() {
	ref := w.raw.dimension
	area, err := parseArea(string(ref))
	if ref == nil || err != nil {
		return
	}
	wide := area
	for _, at := range w.used {
		wide = Area{min(wide.FromRow, at.Row), min(wide.FromColumn, at.Column),
			max(wide.ToRow, at.Row), max(wide.ToColumn, at.Column)}
	}
	if wide == area {
		return
	}
	from := cap(w.raw.data) - cap(ref)
	w.put(from, from+len(ref), wide.String())
}

// String returns the area's name, such as A1:F20.
func (a Area) String() string {
	return fmt.Sprintf("%s%d:%s%d", diag.ColumnName(a.FromColumn), a.FromRow, diag.ColumnName(a.ToColumn), a.ToRow)
}
