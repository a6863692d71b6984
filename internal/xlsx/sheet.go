package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/diag"
)

// Form is how a cell stores its value.
type Form uint8

// The forms of a cell.
const (
	NumberCell Form = iota // digits as written
	TextCell
	BooleanCell // "1" or "0"
	ErrorCell   // "#REF!"
	DateCell    // an ISO 8601 date or time
)

// Cell is what a sheet stores, never what it shows.
type Cell struct {
	Column    int // 1 is A
	Form      Form
	Text      string
	Style     int
	IsFormula bool
	Formula   string
	HasValue  bool // a formula may have none
	// number, from 1, of what the workbook stores for it beside its value: a picture placed in the cell; 0 is nothing
	Meta int
}

// Row is one row with the cells that hold something.
type Row struct {
	Number int
	Hidden bool
	Cells  []Cell
}

// Facts are what is known of a sheet after it was walked to its end.
type Facts struct {
	rows    int    // row elements
	Filled  int    // rows that hold something
	Merges  []Area // merged cells
	Hidden  []Area // hidden columns
	Drawing string // relationship that leads to its pictures
	links   []cellLink
}

// Area is a rectangle of cells, both corners inside.
type Area struct{ FromRow, FromColumn, ToRow, ToColumn int }

// Has reports whether a cell lies in the area.
func (a Area) Has(row, column int) bool {
	return row >= a.FromRow && row <= a.ToRow && column >= a.FromColumn && column <= a.ToColumn
}

// The size of a sheet in every program that writes workbooks.
const (
	LastRow    = 1_048_576
	LastColumn = 16_384
)

// Bounds of a sheet, far above what people make.
const (
	maxMerges = 100_000
	maxStored = 1 << 17 // bytes of a cell; programs stop at 32,767 characters, or at 50,000
)

// sheetWalker walks one sheet's XML and holds it to its own promises: rows and cells
// ascend, every shared text and style exists, every element is whole.
type sheetWalker struct {
	*xmlScanner
	book      *Book
	facts     Facts
	row       Row
	visit     func(*Row) error
	column    int
	described int // columns that have a description
	dated     []datedColumns
}

// datedColumns are columns that show days as a whole.
type datedColumns struct{ from, to, style int }

// Walk visits the rows that hold something. The row handed out is used
// again for the next; a nil visit only checks.
func Walk(b *Book, part string, visit func(*Row) error) (Facts, error) {
	s, err := newScanner(b.parts.content[part])
	if err != nil {
		return Facts{}, err
	}
	w := &sheetWalker{xmlScanner: s, book: b, visit: visit}
	if err := w.walk(); err != nil {
		return Facts{}, err
	}
	if n := countRows(s.data); n != w.facts.rows {
		return Facts{}, fmt.Errorf("%d rows were read where %d are written", w.facts.rows, n)
	}
	return w.facts, nil
}

// countRows counts the starts of row elements without the scanner: a second
// opinion on how many rows there are.
func countRows(data []byte) int {
	count := 0
	for rest := data; ; {
		i := bytes.Index(rest, []byte("row"))
		if i < 0 {
			return count
		}
		before, after := rest[:i], rest[i+3:]
		rest = after
		name := before[bytes.LastIndexByte(before, '<')+1:]
		opens := len(name) < len(before) &&
			(len(name) == 0 || name[len(name)-1] == ':' && !bytes.ContainsAny(name, " /!?>"))
		if opens && len(after) > 0 && bytes.IndexByte([]byte(" >/\t\r\n"), after[0]) >= 0 {
			count++
		}
	}
}

func (w *sheetWalker) walk() error {
	seen := false
	for {
		kind, err := w.next()
		if err != nil {
			return err
		}
		if kind == xmlEnd && !seen {
			return fmt.Errorf("it has no cells part")
		}
		if kind == xmlEnd {
			return nil
		}
		if kind != xmlOpen {
			continue
		}
		switch name := string(w.name); {
		case len(w.open) == 1 && name != "worksheet":
			return fmt.Errorf("it is a <%s>; want a <worksheet>", name)
		case len(w.open) == 2 && name == "sheetData" && seen:
			return fmt.Errorf("it has its cells twice")
		case len(w.open) == 2 && name == "sheetData":
			seen = true
			err = w.sheetData()
		default:
			err = w.besideData(name)
		}
		if err != nil {
			return err
		}
	}
}

// besideData takes note of what stands around the cells. Deeper down and in
// other namespaces, elements of the same names mean something else: where a check
// box lies is said with a row and a col.
func (w *sheetWalker) besideData(name string) error {
	switch depth := len(w.open); {
	case depth == 2 && (name == "row" || name == "c"):
		return fmt.Errorf("a <%s> stands outside the cells part", name)
	case name == "row":
		w.facts.rows++ // of an anchor: countRows counts it too
	case depth == 2 && name == "drawing":
		var err error
		w.facts.Drawing, err = w.attrText("id")
		return err
	case depth == 3 && name == "mergeCell":
		return w.merge()
	case depth == 3 && name == "col":
		return w.describe()
	case depth == 3 && name == "hyperlink":
		return w.link()
	}
	return nil
}

func (w *sheetWalker) merge() error {
	a, err := parseArea(string(w.attr("ref")))
	w.facts.Merges = append(w.facts.Merges, a)
	if err == nil && len(w.facts.Merges) > maxMerges {
		return beyond("unmerge cells", "", "it has more than %d merged ranges; want at most so many", maxMerges)
	}
	return err
}

// describe reads the description of columns.
func (w *sheetWalker) describe() error {
	if w.described++; w.described > LastColumn {
		return beyond(saveAnew, "", "it describes more than %d columns; want at most so many", LastColumn)
	}
	from, _ := strconv.Atoi(string(w.attr("min")))
	to, _ := strconv.Atoi(string(w.attr("max")))
	if isTrue(w.attr("hidden")) {
		w.facts.Hidden = append(w.facts.Hidden, Area{1, from, LastRow, to})
	}
	if n, err := strconv.Atoi(string(w.attr("style"))); err == nil {
		if style, err := w.book.StyleOf(n); err == nil && style.Date {
			w.dated = append(w.dated, datedColumns{from, to, n})
		}
	}
	return nil
}

func isTrue(value []byte) bool { return string(value) == "1" || string(value) == "true" }

func (w *sheetWalker) sheetData() error {
	for {
		kind, err := w.next()
		switch {
		case err != nil:
			return err
		case kind == xmlEnd:
			return fmt.Errorf("XML ends inside the cells part")
		case kind == xmlClose:
			return nil
		case kind == xmlOpen && string(w.name) == "row":
			err = w.readRow()
		case kind == xmlOpen:
			return fmt.Errorf("a <%s> stands where rows are wanted", w.name)
		}
		if err != nil {
			return err
		}
	}
}

func (w *sheetWalker) readRow() error {
	number := w.row.Number + 1
	if r := w.attr("r"); r != nil {
		n, err := strconv.Atoi(string(r))
		if err != nil || n < number || n > LastRow {
			return fmt.Errorf("row %q follows row %d; want rows in ascending order", r, w.row.Number)
		}
		number = n
	}
	if number > LastRow {
		return beyond(saveAnew, "", "it has more than %d rows; want at most so many", LastRow)
	}
	w.facts.rows++
	w.row = Row{Number: number, Hidden: isTrue(w.attr("hidden")), Cells: w.row.Cells[:0]}
	w.column = 0
	for {
		kind, err := w.next()
		switch {
		case err != nil:
			return err
		case kind == xmlClose:
			return w.endRow()
		case kind == xmlOpen && string(w.name) == "c":
			err = w.readCell()
		case kind == xmlOpen:
			err = w.skipElement()
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", number, err)
		}
	}
}

func (w *sheetWalker) endRow() error {
	if len(w.row.Cells) == 0 {
		return nil
	}
	w.facts.Filled++
	if w.visit == nil {
		return nil
	}
	return w.visit(&w.row)
}

// parseCellName reads "AB12" and gives row and column.
func parseCellName(name string) (row, column int, ok bool) {
	i := 0
	for i < len(name) && name[i] >= 'A' && name[i] <= 'Z' && column <= LastColumn {
		column = column*26 + int(name[i]-'A') + 1
		i++
	}
	row, err := strconv.Atoi(name[i:])
	return row, column, err == nil && column >= 1 &&
		column <= LastColumn && row >= 1 && row <= LastRow && name[i] != '+'
}

// parseArea reads a range of cells. That of whole rows is written 9:9 by LibreOffice, of whole columns C:D.
func parseArea(ref string) (Area, error) {
	from, to, pair := strings.Cut(ref, ":")
	switch {
	case !pair:
		to = from
	case strings.Trim(from+to, "0123456789") == "":
		from, to = "A"+from, diag.ColumnName(LastColumn)+to
	case !strings.ContainsAny(from+to, "0123456789"):
		from, to = from+"1", to+strconv.Itoa(LastRow)
	}
	row, column, ok := parseCellName(from)
	row2, column2, ok2 := parseCellName(to)
	if !ok || !ok2 || row2 < row || column2 < column {
		return Area{}, fmt.Errorf("cells %q are merged; want a range such as A1:B2", ref)
	}
	return Area{row, column, row2, column2}, nil
}
