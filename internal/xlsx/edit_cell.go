package xlsx

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rawLine is a row with its cells as they are written.
type rawLine struct {
	rawRow
	base  int    // where the row begins in the sheet
	spans []byte // the columns the row says it uses; nil where it does not
	high  []byte // its height in points; nil where it has the usual one
	fixed []byte // whether programs leave it at that; nil where it does not say
	style int    // of cells that have no element yet; -1 where the row has none
	cells []rawCell
}

// rawCell is a cell as it is written. Its element counts from the sheet's start.
type rawCell struct {
	element
	column, style int
	isFormula     bool
	kept          string // attributes that outlive the value
	rest          string // children that outlive the value
}

// line reads the cells of one row.
func (raw *rawSheet) line(row rawRow) (*rawLine, error) {
	s, err := newScanner(raw.data[row.from:row.to])
	if err != nil {
		return nil, err
	}
	if _, err := s.next(); err != nil {
		return nil, err
	}
	l := &rawLine{
		rawRow: row, base: row.from, style: -1,
		spans: s.attr("spans"), high: s.attr("ht"), fixed: s.attr("customHeight"),
	}
	if isTrue(s.attr("customFormat")) {
		if l.style, err = strconv.Atoi(string(s.attr("s"))); err != nil {
			return nil, fmt.Errorf("row %d has style %q; want a number", row.number, s.attr("s"))
		}
	}
	at := At{Row: row.number}
	for {
		kind, err := s.next()
		if err != nil || kind == xmlEnd {
			return l, err
		}
		if kind != xmlOpen || len(s.open) != 2 || string(s.name) != "c" {
			continue
		}
		at = cellAt(s, at)
		c, err := readRawCell(s, at.Column)
		if err != nil {
			return nil, err
		}
		l.cells = append(l.cells, c.moved(l.base))
	}
}

func (c rawCell) moved(by int) rawCell {
	c.from, c.head, c.tail, c.to = c.from+by, c.head+by, c.tail+by, c.to+by
	return c
}

// readRawCell reads the cell just opened. What belongs to the value goes with
// it: its type, its formula, and the numbers of what a program keeps of a
// formula or a picture in the cell.
func readRawCell(s *xmlScanner, column int) (rawCell, error) {
	c := rawCell{element: s.opened(), column: column}
	if given := s.attr("s"); given != nil {
		c.style, _ = strconv.Atoi(string(given)) // Walk found a number there
	}
	for _, a := range s.attrs {
		if !slices.Contains([]string{"r", "s", "t", "cm", "vm"}, string(a.name)) {
			c.kept += attributeXML(a)
		}
	}
	for {
		kind, err := s.next()
		switch {
		case err != nil:
			return c, err
		case kind == xmlClose:
			c.element = s.closed(c.element)
			return c, nil
		case kind != xmlOpen:
			continue
		}
		name := string(s.name)
		child, err := s.passed()
		if err != nil {
			return c, err
		}
		switch name {
		case "f":
			c.isFormula = true
		case "v", "is":
		default:
			c.rest += string(s.data[child.from:child.to])
		}
	}
}

func attributeXML(a xmlAttribute) string {
	quote := `"`
	if bytes.IndexByte(a.value, '"') >= 0 {
		quote = "'"
	}
	return " " + string(a.name) + "=" + quote + string(a.value) + quote
}

// cellXML writes a cell.
func (w *sheetEdit) cellXML(e Edit, style cellStyle, was rawCell) (string, error) {
	name := w.raw.prefix + "c"
	head := fmt.Sprintf(`<%s r="%s"`, name, e.at())
	if style.number != 0 {
		head += fmt.Sprintf(` s="%d"`, style.number)
	}
	holds, filled := e.Value.result(w.book.Date1904, style.Style)
	if e.Value.sort == writesDay && (!style.Date || !filled) {
		return "", fmt.Errorf("cell %s has no date format for the day %s; want a cell that has one",
			e.at(), e.Value.text)
	}
	if holds.IsFormula {
		w.formulas = append(w.formulas, e.at())
	}
	children := was.rest
	if filled {
		typ, value := holds.content(w.raw.prefix)
		if typ != "" {
			head += fmt.Sprintf(` t="%s"`, typ)
		}
		children = value + children
	}
	head += was.kept
	if children == "" {
		return head + "/>", nil
	}
	return head + ">" + children + "</" + name + ">", nil
}

// widened returns spans such as 1:6 so that they reach a column. Spans that do not
// read are left as they are: they are a hint.
func widened(spans []byte, columns []int) string {
	first, last := LastColumn, 1
	for _, pair := range strings.Fields(string(spans)) {
		from, to, _ := strings.Cut(pair, ":")
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			return string(spans)
		}
		first, last = min(first, a), max(last, b)
	}
	if len(columns) == 0 || slices.Min(columns) >= first && slices.Max(columns) <= last {
		return string(spans)
	}
	return fmt.Sprintf("%d:%d", min(first, slices.Min(columns)), max(last, slices.Max(columns)))
}

// restyle gives a cell that stays as it is another style.
func (w *sheetEdit) restyle(c rawCell, style int) error {
	s, err := newScanner(w.raw.data[c.from:c.to])
	if err != nil {
		return err
	}
	if _, err := s.next(); err != nil {
		return err
	}
	for _, change := range s.set(nil, "s", strconv.Itoa(style)) {
		w.put(c.from+change.from, c.from+change.to, change.text)
	}
	return nil
}

// usualHeight is the height of a row in points where neither it nor its sheet says another.
const usualHeight = 15

// heighten makes a row as high as it has to be at least.
func (w *sheetEdit) heighten(l *rawLine) {
	least := w.heights[l.number]
	high, err := strconv.ParseFloat(string(l.high), 64)
	if err != nil {
		high = cmp.Or(w.raw.usualHeight, usualHeight)
	}
	if least <= high {
		return
	}
	w.setOfRow(l, "ht", l.high, points(least))
	if !isTrue(l.fixed) {
		w.setOfRow(l, "customHeight", l.fixed, "1")
	}
}

// setOfRow writes an attribute of a row whose value is was, nil where it has none.
func (w *sheetEdit) setOfRow(l *rawLine, name string, was []byte, text string) {
	if was != nil {
		from := cap(w.raw.data) - cap(was)
		w.put(from, from+len(was), text)
		return
	}
	end := l.from + len("<"+w.raw.prefix+"row")
	w.put(end, end, fmt.Sprintf(` %s="%s"`, name, text))
}

// newHeight is what a row that is new says of its height.
func (w *sheetEdit) newHeight(row int) string {
	least := w.heights[row]
	if least <= cmp.Or(w.raw.usualHeight, usualHeight) {
		return ""
	}
	return fmt.Sprintf(` ht="%s" customHeight="1"`, points(least))
}

func points(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
