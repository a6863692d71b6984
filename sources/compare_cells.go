package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// cells compares two workbooks cell by cell; where they parse, only what is the
// user's own: adsync's meaning of the rest is compared by attribute.
func (c *comparer) cells(a, b *sideFile, ownOnly bool) {
	from, okA := c.openBook(a)
	to, okB := c.openBook(b)
	if !okA || !okB {
		return
	}
	if !ownOnly {
		c.note("%s has errors; it is compared cell by cell", cmp.Or(b, a).name)
	}
	s := cellComparer{comparer: c, from: a, to: b, ownOnly: ownOnly}
	for _, sheet := range from.sheets {
		other := to.sheetLike(sheet)
		switch {
		case !s.compares(sheet):
		case other != nil:
			s.sheets(sheet, other)
		case sheet.form == nil || !ownOnly: // rows of adsync's own sheets are said by what they mean
			c.add(Difference{
				Action: Removed, What: "sheet " + fmt.Sprintf("%q", sheet.name),
				From: sizeOf(sheet), Was: s.at(a, sheet, nil, 0),
			})
		}
	}
	for _, sheet := range to.sheets {
		if s.compares(sheet) && from.sheetLike(sheet) == nil && (sheet.form == nil || !ownOnly) {
			c.add(Difference{
				Action: Added, What: "sheet " + fmt.Sprintf("%q", sheet.name),
				To: sizeOf(sheet), Is: s.at(b, sheet, nil, 0),
			})
		}
	}
	if s.filled > 0 {
		c.note("%s: %s of columns that adsync fills differ", cmp.Or(b, a).name, counted(s.filled, "cell", "cells"))
	}
}

// compares leaves out the sheets adsync writes, and hint lists where they are
// compared by their entries.
func (s *cellComparer) compares(sheet *cellSheet) bool {
	return !sheet.isOurs && (!s.ownOnly || resource.Fold(sheet.name) != resource.Fold(hintListsTab))
}

func (c *comparer) openBook(f *sideFile) (*cellBook, bool) {
	if f == nil {
		return &cellBook{}, true
	}
	book, finding := openCells(c.ctx, f.content, f.in)
	if finding != nil {
		c.made.Incomplete = true
		if f.parses() {
			c.made.Problems = append(c.made.Problems, bounded.ProblemAt(diag.InFile(f.name), *finding))
		}
		return nil, false
	}
	return book, true
}

func sizeOf(s *cellSheet) string { return counted(len(s.rows), "row", "rows") }

type cellComparer struct {
	*comparer
	from, to *sideFile
	ownOnly  bool
	filled   int // cells adsync filled that differ
}

func (s *cellComparer) at(f *sideFile, sheet *cellSheet, row *cellRow, column int) diag.Position {
	if row == nil {
		return diag.Cell(f.name, sheet.name, 0, column)
	}
	return diag.Cell(f.name, sheet.name, row.number, column)
}

// sheets compares two sheets row by row.
func (s *cellComparer) sheets(a, b *cellSheet) {
	pairs := matchRows(a, b)
	s.columns(a, b)
	taken := map[*cellRow]bool{}
	for _, row := range a.rows {
		other := pairs[row]
		taken[other] = true
		if other == nil {
			s.row(Removed, a, row)
			continue
		}
		s.cellsOf(a, b, row, other)
	}
	for _, row := range b.rows {
		if !taken[row] {
			s.row(Added, b, row)
		}
	}
}

// columns reports the user's own columns that came or went.
func (s *cellComparer) columns(a, b *cellSheet) {
	for _, d := range []struct {
		action    string
		some, all *cellSheet
	}{{Removed, a, b}, {Added, b, a}} {
		for number, name := range d.some.columns {
			if name == "" || d.all.columnNumber(name) > 0 || d.some.described(number) != nil && s.ownOnly {
				continue
			}
			what := Difference{Action: d.action, What: name + " of " + d.some.title()}
			if d.action == Added {
				what.Is = diag.Cell(s.to.name, b.name, b.header, number)
			} else {
				what.Was = diag.Cell(s.from.name, a.name, a.header, number)
			}
			s.add(what)
		}
	}
}

// row reports a row that only one side has, where nothing else does: a remark, or
// a row of a sheet that is the user's own.
func (s *cellComparer) row(action string, sheet *cellSheet, row *cellRow) {
	if s.ownOnly && readsAsResource(sheet, row) {
		return
	}
	texts := make([]string, len(row.cells))
	for i, c := range row.cells {
		texts[i] = c.shown
	}
	d := Difference{Action: action, What: sheetWord(sheet) + "!" + fmt.Sprint(row.number)}
	if row.names.label != "" {
		d.What += " [" + diag.Printable(row.names.label) + "]"
	}
	if action == Added {
		d.To, d.Is = strings.Join(texts, ", "), s.at(s.to, sheet, row, 0)
	} else {
		d.From, d.Was = strings.Join(texts, ", "), s.at(s.from, sheet, row, 0)
	}
	s.add(d)
}

func sheetWord(s *cellSheet) string {
	if s.form == nil {
		return "sheet " + fmt.Sprintf("%q", s.name)
	}
	return sheetLabel(s.name)
}

// readsAsResource reports whether adsync reads a row, so that what it says is compared
// by attribute.
func readsAsResource(s *cellSheet, row *cellRow) bool {
	if s.header == 0 || row.number <= s.header || isRemark(row) {
		return false
	}
	for _, c := range row.cells {
		if known := s.described(c.Column); known != nil && known.role == roleInclude {
			yes, ok := yesOrNo(c.Cell)
			return yes || !ok
		}
	}
	return true
}

// cellsOf compares the cells of two rows that are the same.
func (s *cellComparer) cellsOf(a, b *cellSheet, from, to *cellRow) {
	for _, name := range columnNames(a, b, from, to) {
		left, right := cellNamed(a, from, name), cellNamed(b, to, name)
		if left.same(right) {
			continue
		}
		number := cmp.Or(b.columnNumber(name), a.columnNumber(name))
		if to.number == b.header && to.number > 0 && (a.columnNumber(name) == 0 || b.columnNumber(name) == 0) {
			continue // a column that came or went is said as a whole
		}
		if b.isFilledByUs(number) {
			s.filled++
			continue
		}
		if s.ownOnly && readsAsResource(a, from) && readsAsResource(b, to) && isRead(b.described(number)) {
			continue
		}
		what := b.place(to, cmp.Or(b.columnNumber(name), a.columnNumber(name)))
		if b.form == nil {
			what = "sheet " + strings.Replace(what, sheetLabel(b.name), fmt.Sprintf("%q", b.name), 1)
		}
		s.add(Difference{
			Action: Changed, What: what, From: left.show(), To: right.show(),
			Was: s.at(s.from, a, from, a.columnNumber(name)), Is: s.at(s.to, b, to, b.columnNumber(name)),
		})
	}
}

func isRead(c *column) bool { return c != nil && c.role != roleOurs && c.role != roleInclude }

// optionalCell is a cell that may not be there.
type optionalCell struct {
	cellValue
	there bool
}

func cellNamed(s *cellSheet, row *cellRow, name string) optionalCell {
	number := s.columnNumber(name)
	if row == nil || number == 0 {
		return optionalCell{}
	}
	c, there := row.cell(number)
	return optionalCell{c, there}
}

func (c optionalCell) same(d optionalCell) bool {
	return c.there == d.there && (!c.there || sameCell(c.cellValue, d.cellValue))
}

func (c optionalCell) show() string {
	if !c.there {
		return "(blank)"
	}
	return c.shown
}

// columnNames lists the columns in which any of some rows has a cell, as the
// first sheet orders them.
func columnNames(a, b *cellSheet, from, to *cellRow) []string {
	var names []string
	for _, side := range []struct {
		sheet *cellSheet
		row   *cellRow
	}{{a, from}, {b, to}} {
		if side.row == nil {
			continue
		}
		for _, c := range side.row.cells {
			if name := side.sheet.columnName(c.Column); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
