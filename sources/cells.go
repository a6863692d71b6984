package sources

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// cellBook is a workbook cell by cell, with no judgement of what it says: what
// two people changed can be compared before it is right.
type cellBook struct {
	book   *xlsx.Book
	sheets []*cellSheet
}

// cellSheet is one sheet. Of a sheet adsync knows, rows and columns have names
// that hold wherever they stand; of any other, they are where they are.
type cellSheet struct {
	name     string
	part     string
	form     *form // nil where the sheet is the user's own
	isOurs   bool  // adsync writes it and does not read it
	header   int   // the row of the header; 0 where rows have no names
	sections []*section
	columns  []string // the name of each column, by number
	rows     []*cellRow
	facts    xlsx.Facts
}

// cellRow is a row that holds something.
type cellRow struct {
	number int
	cells  []cellValue // ascending
	names  rowNames
}

// cellValue is what a cell stores, and what people would call it.
type cellValue struct {
	xlsx.Cell
	isDay bool
	shown string
}

func (r *cellRow) cell(column int) (cellValue, bool) {
	i, found := slices.BinarySearchFunc(r.cells, column, func(c cellValue, column int) int { return c.Column - column })
	if !found {
		return cellValue{}, false
	}
	return r.cells[i], true
}

// openCells reads a workbook whole, or gives the finding that says why not.
func openCells(ctx context.Context, content []byte, in input) (opened *cellBook, finding *resource.Finding) {
	defer func() {
		if reason := recover(); reason != nil {
			opened, finding = nil, xlsx.Damaged("workbook cannot be read (%v); want a whole one", reason)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, in.bounds.PerFile)
	defer cancel()
	parts, finding := xlsx.Open(ctx, content, in.bounds.Workbook())
	if finding != nil {
		return nil, finding
	}
	b, err := xlsx.ReadBook(parts)
	if err != nil {
		return nil, xlsx.Unusable(err)
	}
	opened = &cellBook{book: b}
	r := &bookReader{fileReader: &fileReader{ctx: ctx, in: in}, book: b}
	forms := forms(&in)
	for _, ref := range b.Sheets {
		s := &cellSheet{name: ref.Name, part: ref.Part, isOurs: isOurTab(ref.Name), form: r.formFor(forms, ref)}
		if err := s.read(ctx, b, in.bounds); err != nil {
			return nil, xlsx.Unusable(fmt.Errorf("sheet %q: %w", ref.Name, err))
		}
		opened.sheets = append(opened.sheets, s)
	}
	return opened, nil
}

// sheetLike returns the sheet that means the same: of the same form, else of the
// same name.
func (b *cellBook) sheetLike(other *cellSheet) *cellSheet {
	for _, s := range b.sheets {
		if s.same(other) {
			return s
		}
	}
	return nil
}

func (s *cellSheet) same(other *cellSheet) bool {
	if s.form != nil && other.form != nil {
		return s.form.title == other.form.title
	}
	return strings.EqualFold(s.name, other.name)
}

// title is what people call the sheet in a list of changes.
func (s *cellSheet) title() string {
	if s.form != nil {
		return s.form.title
	}
	return s.name
}

func (s *cellSheet) read(ctx context.Context, b *xlsx.Book, bounds bounded.Limits) error {
	finder := headerFinder{form: s.form}
	filled := 0
	facts, err := xlsx.Walk(b, s.part, func(row *xlsx.Row) error {
		if filled++; filled%1000 == 0 && ctx.Err() != nil {
			return xlsx.TookLonger(bounds.PerFile)
		}
		if filled > bounds.HintRows {
			return bounds.TooManyRows("hints", filled, bounds.HintRows)
		}
		if s.form != nil {
			finder.look(row)
		}
		kept, err := keptRow(b, row)
		s.rows = append(s.rows, kept)
		return err
	})
	if err != nil {
		return err
	}
	s.facts = facts
	if s.form != nil && finder.matched > 1 {
		s.sections, s.header = finder.sections, finder.sections[0].header.number
		s.nameColumns()
	}
	s.nameRows()
	return nil
}

func keptRow(b *xlsx.Book, row *xlsx.Row) (*cellRow, error) {
	kept := &cellRow{number: row.Number, cells: make([]cellValue, len(row.Cells))}
	for i, c := range row.Cells {
		style, err := b.StyleOf(c.Style)
		if err != nil {
			return kept, err
		}
		v := cellValue{Cell: c, isDay: style.Date && c.Form == xlsx.NumberCell}
		v.shown = v.show(b.Date1904)
		kept.cells[i] = v
	}
	return kept, nil
}

// show returns a cell as people would write it: text in quotes, days as days,
// formulas as they are typed.
func (v cellValue) show(date1904 bool) string {
	if v.IsFormula {
		if v.Formula == "" { // a part of a formula that several cells share
			return "=… (" + diag.Printable(v.Text) + ")"
		}
		return diag.Printable("=" + v.Formula)
	}
	switch v.Form {
	case xlsx.TextCell:
		return `"` + diag.Printable(v.Text) + `"`
	case xlsx.BooleanCell:
		return truth(v.Text)
	case xlsx.NumberCell:
		if v.isDay {
			if day, finding := dayOfSerial(v.Text, date1904); finding == nil {
				return day
			}
		}
	}
	return diag.Printable(v.Text)
}

// sameCell reports whether two cells mean the same: a number is the same whatever
// program wrote its digits, a formula whatever its last value was.
func sameCell(a, b cellValue) bool {
	switch {
	case a.IsFormula && b.IsFormula && a.Formula != "" && b.Formula != "":
		return a.Formula == b.Formula
	case a.IsFormula != b.IsFormula || a.Form != b.Form || a.isDay != b.isDay || a.Meta != 0 != (b.Meta != 0):
		return false
	case a.Form == xlsx.NumberCell && !a.isDay:
		return a.Text == b.Text || sameNumber(a.Text, b.Text)
	case a.Form == xlsx.NumberCell:
		return a.shown == b.shown
	}
	return a.Text == b.Text
}

// nameColumns returns each column a name that holds wherever it stands: what it
// means to adsync, else its header.
func (s *cellSheet) nameColumns() {
	for number, written := range s.sections[0].header.written {
		name := ""
		for _, section := range s.sections {
			if c := section.header.column(number); c != nil {
				name = cmp.Or(name, c.label())
			}
		}
		if name == "" && written != "" {
			name = "column " + fmt.Sprintf("%q", diag.Printable(written))
		}
		if name != "" && slices.Contains(s.columns, name) {
			name += " (" + diag.ColumnName(number) + ")"
		}
		s.columns = append(s.columns, name)
	}
}

// columnName is a column's name; one without a header has that of its place.
func (s *cellSheet) columnName(number int) string {
	if number < len(s.columns) && s.columns[number] != "" {
		return s.columns[number]
	}
	return "column " + diag.ColumnName(number)
}

// columnNumber finds a column by its name, 0 where there is none.
func (s *cellSheet) columnNumber(name string) int {
	for number := range s.columns {
		if s.columns[number] != "" && s.columns[number] == name {
			return number
		}
	}
	if letters, ok := strings.CutPrefix(name, "column "); ok {
		if number := columnOfLetters(letters); number > 0 && s.columnName(number) == name {
			return number
		}
	}
	return 0
}

func columnOfLetters(letters string) int {
	number := 0
	for _, r := range letters {
		if r < 'A' || r > 'Z' || number > xlsx.LastColumn {
			return 0
		}
		number = number*26 + int(r-'A') + 1
	}
	return number
}

// described returns the description of a column in rows of one section or any.
func (s *cellSheet) described(number int) *column {
	for _, section := range s.sections {
		if c := section.header.column(number); c != nil {
			return c
		}
	}
	return nil
}

// isFilledByUs reports whether adsync writes a column and nobody's words are in it.
func (s *cellSheet) isFilledByUs(number int) bool {
	c := s.described(number)
	return c != nil && c.role == roleOurs && c.ours != oursNotes && c.ours != oursName
}
