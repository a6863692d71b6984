// Package cellbook is a workbook or a CSV file cell by cell, with no judgement of what it says.
// book.go opens it, csv.go opens a CSV file as one sheet, rows.go names its rows and columns,
// match.go pairs the rows of two versions, previous.go says what a cell said before.
//
// What two people changed can be compared before it is right.
package cellbook

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
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/table"
)

// Book is a workbook cell by cell, with no judgement of what it says: what
// two people changed can be compared before it is right.
type Book struct {
	Book   *xlsx.Book
	CSV    *table.CSVFile // nil for a workbook
	Sheets []*Sheet
}

// Sheet is one sheet. Of a sheet adsync knows, rows and columns have names
// that hold wherever they stand; of any other, they are where they are.
type Sheet struct {
	Name     string
	part     string
	Form     *catalog.Form // nil where the sheet is the user's own
	IsOurs   bool          // adsync writes it and does not read it
	Header   int           // the row of the header; 0 where rows have no names
	Sections []*table.Section
	Columns  []string // the name of each column, by number
	Rows     []*Row
	Lines    []*Row // of a CSV file: the rows, those that hold nothing too
	facts    xlsx.Facts
}

// Row is a row that holds something.
type Row struct {
	Number int
	Line   int     // of a CSV file: the one it begins in; 0 in a workbook
	Cells  []Value // ascending
	Names  rowNames
}

// Value is what a cell stores, and what people would call it.
type Value struct {
	xlsx.Cell
	IsDay bool
	Shown string
	Field string // of a CSV file: as it is written
}

// Cell returns the cell of a column, false where the row has none.
func (r *Row) Cell(column int) (Value, bool) {
	i, found := slices.BinarySearchFunc(r.Cells, column, func(c Value, column int) int { return c.Column - column })
	if !found {
		return Value{}, false
	}
	return r.Cells[i], true
}

// Open reads a workbook whole, or gives the finding that says why not.
func Open(ctx context.Context, content []byte, in draft.Input) (opened *Book, finding *resource.Finding) {
	defer func() {
		if reason := recover(); reason != nil {
			opened, finding = nil, xlsx.Damaged("workbook cannot be read (%v); want a whole one", reason)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, in.Bounds.PerFile)
	defer cancel()
	parts, finding := xlsx.Open(ctx, content, in.Bounds.Workbook())
	if finding != nil {
		return nil, finding
	}
	b, err := xlsx.ReadBook(parts)
	if err != nil {
		return nil, xlsx.Unusable(err)
	}
	opened = &Book{Book: b}
	forms := catalog.Forms(&in)
	for _, ref := range b.Sheets {
		s := &Sheet{
			Name: ref.Name, part: ref.Part, IsOurs: config.IsOurTab(ref.Name),
			Form: table.FormFor(&in.Layout, forms, ref),
		}
		if err := s.read(ctx, b, in.Bounds); err != nil {
			return nil, xlsx.Unusable(fmt.Errorf("sheet %q: %w", ref.Name, err))
		}
		opened.Sheets = append(opened.Sheets, s)
	}
	return opened, nil
}

// SheetLike returns the sheet that means the same: of the same form, else of the
// same name.
func (b *Book) SheetLike(other *Sheet) *Sheet {
	for _, s := range b.Sheets {
		if s.same(other) {
			return s
		}
	}
	return nil
}

func (s *Sheet) same(other *Sheet) bool {
	if s.Form != nil && other.Form != nil {
		return s.Form.Title == other.Form.Title
	}
	return strings.EqualFold(s.Name, other.Name)
}

// Title is what people call the sheet in a list of changes.
func (s *Sheet) Title() string {
	if s.Form != nil {
		return s.Form.Title
	}
	return s.Name
}

func (s *Sheet) read(ctx context.Context, b *xlsx.Book, bounds bounded.Limits) error {
	finder := table.HeaderFinder{Form: s.Form}
	filled := 0
	facts, err := xlsx.Walk(b, s.part, func(row *xlsx.Row) error {
		if filled++; filled%1000 == 0 && ctx.Err() != nil {
			return xlsx.TookLonger(bounds.PerFile)
		}
		if filled > bounds.HintRows {
			return bounds.TooManyRows("hints", filled, bounds.HintRows)
		}
		if s.Form != nil {
			finder.Look(row)
		}
		kept, err := keptRow(b, row)
		s.Rows = append(s.Rows, kept)
		return err
	})
	if err != nil {
		return err
	}
	s.facts = facts
	if s.Form != nil && finder.Matched > 1 {
		s.Sections, s.Header = finder.Sections, finder.Sections[0].Header.Number
		s.nameColumns()
	}
	s.nameRows()
	return nil
}

func keptRow(b *xlsx.Book, row *xlsx.Row) (*Row, error) {
	kept := &Row{Number: row.Number, Cells: make([]Value, len(row.Cells))}
	for i, c := range row.Cells {
		style, err := b.StyleOf(c.Style)
		if err != nil {
			return kept, err
		}
		v := Value{Cell: c, IsDay: style.Date && c.Form == xlsx.NumberCell}
		v.Shown = v.show(b.Date1904)
		kept.Cells[i] = v
	}
	return kept, nil
}

// show returns a cell as people would write it: text in quotes, days as days,
// formulas as they are typed.
func (v Value) show(date1904 bool) string {
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
		return celltext.Truth(v.Text)
	case xlsx.NumberCell:
		if v.IsDay {
			if day, finding := celltext.DayOfSerial(v.Text, date1904); finding == nil {
				return day
			}
		}
	}
	return diag.Printable(v.Text)
}

// SameCell reports whether two cells mean the same: a number is the same whatever
// program wrote its digits, a formula whatever its last value was.
func SameCell(a, b Value) bool {
	switch {
	case a.IsFormula && b.IsFormula && a.Formula != "" && b.Formula != "":
		return a.Formula == b.Formula
	case a.IsFormula != b.IsFormula || a.Form != b.Form || a.IsDay != b.IsDay || a.Meta != 0 != (b.Meta != 0):
		return false
	case a.Form == xlsx.NumberCell && !a.IsDay:
		return a.Text == b.Text || celltext.SameNumber(a.Text, b.Text)
	case a.Form == xlsx.NumberCell:
		return a.Shown == b.Shown
	}
	return a.Text == b.Text
}

// nameColumns gives each column a name that holds wherever it stands: what it
// means to adsync, else its header.
func (s *Sheet) nameColumns() {
	for number, written := range s.Sections[0].Header.Written {
		name := ""
		for _, section := range s.Sections {
			if c := section.Header.Column(number); c != nil {
				name = cmp.Or(name, c.Label())
			}
		}
		if name == "" && written != "" {
			name = "column " + fmt.Sprintf("%q", diag.Printable(written))
		}
		if name != "" && slices.Contains(s.Columns, name) {
			name += " (" + diag.ColumnName(number) + ")"
		}
		s.Columns = append(s.Columns, name)
	}
}

// ColumnName is a column's name; one without a header has that of its place.
func (s *Sheet) ColumnName(number int) string {
	if number < len(s.Columns) && s.Columns[number] != "" {
		return s.Columns[number]
	}
	return "column " + diag.ColumnName(number)
}

// ColumnNumber finds a column by its name, 0 where there is none.
func (s *Sheet) ColumnNumber(name string) int {
	for number := range s.Columns {
		if s.Columns[number] != "" && s.Columns[number] == name {
			return number
		}
	}
	if letters, ok := strings.CutPrefix(name, "column "); ok {
		if number := columnOfLetters(letters); number > 0 && s.ColumnName(number) == name {
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

// Described returns the description of a column in rows of one section or any.
func (s *Sheet) Described(number int) *catalog.Column {
	for _, section := range s.Sections {
		if c := section.Header.Column(number); c != nil {
			return c
		}
	}
	return nil
}

// IsFilledByUs reports whether adsync writes a column and nobody's words are in it.
func (s *Sheet) IsFilledByUs(number int) bool {
	c := s.Described(number)
	return c != nil && c.Role == catalog.RoleOurs && c.Ours != catalog.OursNotes && c.Ours != catalog.OursName
}
