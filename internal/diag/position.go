package diag

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unique"
)

// Position is where a value is written: a line and column of a text file, or a
// cell of a workbook's sheet. Lines, rows and columns count from 1; 0 is unknown.
// Every value of an account has one, so it is 16 bytes. Two are equal exactly
// when file, sheet, line and column are.
type Position struct {
	origin       Origin
	line, column int32
}

// Origin is what the positions of one text file, or of one sheet of a workbook,
// share. A reader asks OriginOf once and makes its positions from that. The zero
// Origin is no file.
type Origin struct{ names unique.Handle[names] }

type names struct {
	file  string // slash-separated, relative to the project's folder
	sheet string // set for workbooks only
}

// OriginOf returns the origin of a file; sheet is "" for a text file.
func OriginOf(file, sheet string) Origin {
	if file == "" && sheet == "" {
		return Origin{}
	}
	return Origin{unique.Make(names{file, sheet})}
}

// At is a line and column of a text file, or a row and column of a sheet.
func (o Origin) At(line, column int) Position {
	return Position{o, narrow(line), narrow(column)}
}

func narrow(n int) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }

// File is slash-separated, relative to the project's folder.
func (o Origin) File() string { return o.split().file }

// Sheet is set for workbooks only.
func (o Origin) Sheet() string { return o.split().sheet }

func (o Origin) split() names {
	if o == (Origin{}) {
		return names{}
	}
	return o.names.Value()
}

// InFile is somewhere in a file.
func InFile(file string) Position { return OriginOf(file, "").At(0, 0) }

// At is a line of a text file, and a column in code points.
func At(file string, line, column int) Position { return OriginOf(file, "").At(line, column) }

// Cell is a row of a workbook's sheet, and a column: 1 is A.
func Cell(file, sheet string, row, column int) Position {
	return OriginOf(file, sheet).At(row, column)
}

// Origin is what the position shares with all others of its file or sheet.
func (p Position) Origin() Origin { return p.origin }

// File is the origin's.
func (p Position) File() string { return p.origin.File() }

// Sheet is the origin's.
func (p Position) Sheet() string { return p.origin.Sheet() }

// Line is the line of a text file, or the row of a sheet.
func (p Position) Line() int { return int(p.line) }

// Column is the column in code points of a text file, or the column of a sheet.
func (p Position) Column() int { return int(p.column) }

// Equal reports whether both are the same position. It is for cmp.Diff, which looks
// into no other package's fields; other code writes ==.
func (p Position) Equal(q Position) bool { return p == q }

// IsZero reports whether nothing is known of the position.
func (p Position) IsZero() bool { return p == Position{} }

// String returns `spring.yaml:12:9` or `q4.xlsx:Ads!E17`.
func (p Position) String() string {
	in := p.origin.split()
	if in.sheet != "" {
		return disarmed(Printable(in.file) + ":" + Printable(in.sheet) + cellSuffix(p.Cell()))
	}
	s := Printable(in.file)
	if p.line > 0 {
		s += ":" + strconv.Itoa(p.Line())
	}
	if p.line > 0 && p.column > 0 {
		s += ":" + strconv.Itoa(p.Column())
	}
	return disarmed(s)
}

func cellSuffix(cell string) string {
	if cell == "" {
		return ""
	}
	return "!" + cell
}

// Cell returns the A1 form of a workbook position, a bare row number where the
// column is unknown, and "" for text files.
func (p Position) Cell() string {
	if p.line == 0 || p.Sheet() == "" {
		return ""
	}
	return ColumnName(p.Column()) + strconv.Itoa(p.Line())
}

// ColumnName returns the letters of a 1-based column: 1 is A, 27 is AA.
func ColumnName(column int) string {
	var letters []byte
	for column > 0 {
		column--
		letters = append([]byte{byte('A' + column%26)}, letters...)
		column /= 26
	}
	return string(letters)
}

// Compare orders positions by file, sheet, line and column.
func (p Position) Compare(q Position) int {
	if p.origin != q.origin {
		a, b := p.origin.split(), q.origin.split()
		return cmp.Or(strings.Compare(a.file, b.file), strings.Compare(a.sheet, b.sheet))
	}
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// positionJSON is the wire form of a position inside a problem.
type positionJSON struct {
	File   string `json:"file"`
	Sheet  string `json:"sheet"`
	Cell   string `json:"cell"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// MarshalJSON writes file, sheet, cell, line and column.
func (p Position) MarshalJSON() ([]byte, error) {
	return json.Marshal(p.wire())
}

func (p Position) wire() positionJSON {
	in := p.origin.split()
	return positionJSON{in.file, in.sheet, p.Cell(), p.Line(), p.Column()}
}

// UnmarshalJSON reads what MarshalJSON wrote; the cell follows from the rest.
func (p *Position) UnmarshalJSON(data []byte) error {
	var w positionJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*p = Cell(w.File, w.Sheet, w.Line, w.Column)
	return nil
}
