package diag

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// Position is where a value is written: a line and column of a text file, or a
// cell of a workbook's sheet. Lines, rows and columns count from 1; 0 is unknown.
type Position struct {
	File   string // slash-separated, relative to the project's folder
	Sheet  string // set for workbooks only
	Line   int    // line of a text file, or row of a sheet
	Column int    // column in code points of a text file, or column of a sheet (1 is A)
}

// IsZero says that nothing is known of the position.
func (p Position) IsZero() bool { return p == Position{} }

// String gives `spring.yaml:12:9` or `q4.xlsx:Ads!E17`.
func (p Position) String() string {
	if p.Sheet != "" {
		return Printable(p.File) + ":" + Printable(p.Sheet) + cellSuffix(p.Cell())
	}
	s := Printable(p.File)
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
	}
	if p.Line > 0 && p.Column > 0 {
		s += ":" + strconv.Itoa(p.Column)
	}
	return s
}

func cellSuffix(cell string) string {
	if cell == "" {
		return ""
	}
	return "!" + cell
}

// Cell gives the A1 form of a workbook position, a bare row number where the
// column is unknown, and "" for text files.
func (p Position) Cell() string {
	if p.Sheet == "" || p.Line == 0 {
		return ""
	}
	return ColumnName(p.Column) + strconv.Itoa(p.Line)
}

// ColumnName gives the letters of a 1-based column: 1 is A, 27 is AA.
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
	return cmp.Or(
		strings.Compare(p.File, q.File),
		strings.Compare(p.Sheet, q.Sheet),
		cmp.Compare(p.Line, q.Line),
		cmp.Compare(p.Column, q.Column),
	)
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
	return positionJSON{p.File, p.Sheet, p.Cell(), p.Line, p.Column}
}

// UnmarshalJSON reads what MarshalJSON wrote; the cell follows from the rest.
func (p *Position) UnmarshalJSON(data []byte) error {
	var w positionJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*p = Position{File: w.File, Sheet: w.Sheet, Line: w.Line, Column: w.Column}
	return nil
}
