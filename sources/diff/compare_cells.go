package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/cellbook"
	"adsync/sources/config"
	"adsync/sources/table"
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
	for _, sheet := range from.Sheets {
		other := to.SheetLike(sheet)
		switch {
		case !s.compares(sheet):
		case other != nil:
			s.sheets(sheet, other)
		case sheet.Form == nil || !ownOnly: // rows of adsync's own sheets are said by what they mean
			c.add(Difference{
				Action: Removed, What: "sheet " + fmt.Sprintf("%q", sheet.Name),
				From: sizeOf(sheet), Was: s.at(a, sheet, nil, 0),
			})
		}
	}
	for _, sheet := range to.Sheets {
		if s.compares(sheet) && from.SheetLike(sheet) == nil && (sheet.Form == nil || !ownOnly) {
			c.add(Difference{
				Action: Added, What: "sheet " + fmt.Sprintf("%q", sheet.Name),
				To: sizeOf(sheet), Is: s.at(b, sheet, nil, 0),
			})
		}
	}
	if s.filled > 0 {
		c.note("%s: %s of columns that adsync fills differ",
			cmp.Or(b, a).name, diag.Counted(s.filled, "cell", "cells"))
	}
}

// compares leaves out the sheets adsync writes, and hint lists where they are
// compared by their entries.
func (s *cellComparer) compares(sheet *cellbook.Sheet) bool {
	return !sheet.IsOurs && (!s.ownOnly || resource.Fold(sheet.Name) != resource.Fold(config.HintListsTab))
}

func (c *comparer) openBook(f *sideFile) (*cellbook.Book, bool) {
	if f == nil {
		return &cellbook.Book{}, true
	}
	book, finding := cellbook.Open(c.ctx, f.content, f.in)
	if finding != nil {
		c.made.Incomplete = true
		if f.parses() {
			c.made.Problems = append(c.made.Problems, bounded.ProblemAt(diag.InFile(f.name), *finding))
		}
		return nil, false
	}
	return book, true
}

func sizeOf(s *cellbook.Sheet) string { return diag.Counted(len(s.Rows), "row", "rows") }

type cellComparer struct {
	*comparer
	from, to *sideFile
	ownOnly  bool
	filled   int // cells adsync filled that differ
}

func (s *cellComparer) at(f *sideFile, sheet *cellbook.Sheet, row *cellbook.Row, column int) diag.Position {
	if row == nil {
		return diag.Cell(f.name, sheet.Name, 0, column)
	}
	return diag.Cell(f.name, sheet.Name, row.Number, column)
}

// sheets compares two sheets row by row.
func (s *cellComparer) sheets(a, b *cellbook.Sheet) {
	pairs := cellbook.MatchRows(a, b)
	s.columns(a, b)
	taken := map[*cellbook.Row]bool{}
	for _, row := range a.Rows {
		other := pairs[row]
		taken[other] = true
		if other == nil {
			s.row(Removed, a, row)
			continue
		}
		s.cellsOf(a, b, row, other)
	}
	for _, row := range b.Rows {
		if !taken[row] {
			s.row(Added, b, row)
		}
	}
}

// columns reports the user's own columns that came or went.
func (s *cellComparer) columns(a, b *cellbook.Sheet) {
	for _, d := range []struct {
		action    string
		some, all *cellbook.Sheet
	}{{Removed, a, b}, {Added, b, a}} {
		for number, name := range d.some.Columns {
			if name == "" || d.all.ColumnNumber(name) > 0 || d.some.Described(number) != nil && s.ownOnly {
				continue
			}
			what := Difference{Action: d.action, What: name + " of " + d.some.Title()}
			if d.action == Added {
				what.Is = diag.Cell(s.to.name, b.Name, b.Header, number)
			} else {
				what.Was = diag.Cell(s.from.name, a.Name, a.Header, number)
			}
			s.add(what)
		}
	}
}

// row reports a row that only one side has, where nothing else does: a remark, or
// a row of a sheet that is the user's own.
func (s *cellComparer) row(action string, sheet *cellbook.Sheet, row *cellbook.Row) {
	if s.ownOnly && readsAsResource(sheet, row) {
		return
	}
	texts := make([]string, len(row.Cells))
	for i, c := range row.Cells {
		texts[i] = c.Shown
	}
	d := Difference{Action: action, What: sheetWord(sheet) + "!" + fmt.Sprint(row.Number)}
	if row.Names.Label != "" {
		d.What += " [" + diag.Printable(row.Names.Label) + "]"
	}
	if action == Added {
		d.To, d.Is = strings.Join(texts, ", "), s.at(s.to, sheet, row, 0)
	} else {
		d.From, d.Was = strings.Join(texts, ", "), s.at(s.from, sheet, row, 0)
	}
	s.add(d)
}

func sheetWord(s *cellbook.Sheet) string {
	if s.Form == nil {
		return "sheet " + fmt.Sprintf("%q", s.Name)
	}
	return cellbook.SheetLabel(s.Name)
}

// readsAsResource reports whether adsync reads a row, so that what it says is compared
// by attribute.
func readsAsResource(s *cellbook.Sheet, row *cellbook.Row) bool {
	if s.Header == 0 || row.Number <= s.Header || cellbook.IsRemark(row) {
		return false
	}
	for _, c := range row.Cells {
		if known := s.Described(c.Column); known != nil && known.Role == catalog.RoleInclude {
			yes, ok := table.YesOrNo(c.Cell)
			return yes || !ok
		}
	}
	return true
}

// cellsOf compares the cells of two rows that are the same.
func (s *cellComparer) cellsOf(a, b *cellbook.Sheet, from, to *cellbook.Row) {
	for _, name := range columnNames(a, b, from, to) {
		left, right := cellNamed(a, from, name), cellNamed(b, to, name)
		if left.same(right) {
			continue
		}
		number := cmp.Or(b.ColumnNumber(name), a.ColumnNumber(name))
		if to.Number == b.Header && to.Number > 0 && (a.ColumnNumber(name) == 0 || b.ColumnNumber(name) == 0) {
			continue // a column that came or went is said as a whole
		}
		if b.IsFilledByUs(number) {
			s.filled++
			continue
		}
		if s.ownOnly && readsAsResource(a, from) && readsAsResource(b, to) && isRead(b.Described(number)) {
			continue
		}
		what := b.Place(to, cmp.Or(b.ColumnNumber(name), a.ColumnNumber(name)))
		if b.Form == nil {
			what = "sheet " + strings.Replace(what, cellbook.SheetLabel(b.Name), fmt.Sprintf("%q", b.Name), 1)
		}
		s.add(Difference{
			Action: Changed, What: what, From: left.show(), To: right.show(),
			Was: s.at(s.from, a, from, a.ColumnNumber(name)), Is: s.at(s.to, b, to, b.ColumnNumber(name)),
		})
	}
}

func isRead(c *catalog.Column) bool {
	return c != nil && c.Role != catalog.RoleOurs && c.Role != catalog.RoleInclude
}

// optionalCell is a cell that may not be there.
type optionalCell struct {
	cellbook.Value
	there bool
}

func cellNamed(s *cellbook.Sheet, row *cellbook.Row, name string) optionalCell {
	number := s.ColumnNumber(name)
	if row == nil || number == 0 {
		return optionalCell{}
	}
	c, there := row.Cell(number)
	return optionalCell{c, there}
}

func (c optionalCell) same(d optionalCell) bool {
	return c.there == d.there && (!c.there || cellbook.SameCell(c.Value, d.Value))
}

func (c optionalCell) show() string {
	if !c.there {
		return "(blank)"
	}
	return c.Shown
}

// columnNames lists the columns in which any of some rows has a cell, as the
// first sheet orders them.
func columnNames(a, b *cellbook.Sheet, from, to *cellbook.Row) []string {
	var names []string
	for _, side := range []struct {
		sheet *cellbook.Sheet
		row   *cellbook.Row
	}{{a, from}, {b, to}} {
		if side.row == nil {
			continue
		}
		for _, c := range side.row.Cells {
			if name := side.sheet.ColumnName(c.Column); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
