package diff

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/words/catalogue"
	"adsync/internal/xlsx"
	"adsync/sources/cellbook"
)

// sheetMerge merges one sheet that ours and theirs have.
type sheetMerge struct {
	*merger
	b, o, t   *cellbook.Sheet
	columns   map[string]int  // new columns of ours, by name
	dated     map[int]xlsx.At // a cell of each column of ours that shows a day, once one is asked for
	lastRow   int             // of ours, with rows that are appended
	lastEntry *cellbook.Row   // the last row of ours that an appended one looks like
}

func (m *merger) sheet(b, o, t *cellbook.Sheet) error {
	if b == nil {
		b = &cellbook.Sheet{Name: t.Name, Form: t.Form, Header: t.Header}
	}
	s := &sheetMerge{merger: m, b: b, o: o, t: t, columns: map[string]int{}, dated: map[int]xlsx.At{}}
	for _, row := range o.Rows {
		s.lastRow = row.Number
		if row.Number > o.Header {
			s.lastEntry = row
		}
	}
	if n := len(o.Lines); n > 0 {
		s.lastRow = o.Lines[n-1].Number
	}
	if o.Header == 0 || t.Header == 0 {
		s.places()
	} else {
		s.rows()
	}
	return s.beside()
}

// places merges a sheet of the user's own, cell by cell where they stand.
func (s *sheetMerge) places() {
	byNumber := func(sheet *cellbook.Sheet) map[int]*cellbook.Row {
		rows := map[int]*cellbook.Row{}
		for _, row := range sheet.Rows {
			rows[row.Number] = row
		}
		return rows
	}
	base, ours, theirs := byNumber(s.b), byNumber(s.o), byNumber(s.t)
	for _, sheet := range []*cellbook.Sheet{s.b, s.t} {
		for _, row := range sheet.Rows {
			if sheet == s.t && base[row.Number] != nil {
				continue
			}
			s.cells(base[row.Number], cmp.Or(ours[row.Number], &cellbook.Row{Number: row.Number}),
				cmp.Or(theirs[row.Number], &cellbook.Row{Number: row.Number}))
		}
	}
}

// rows merges a sheet whose rows have names.
func (s *sheetMerge) rows() {
	inOurs, inTheirs := cellbook.MatchRows(s.b, s.o), cellbook.MatchRows(s.b, s.t)
	for _, row := range s.b.Rows {
		s.row(row, inOurs[row], inTheirs[row])
	}
	if s.isSorted(inOurs, inTheirs) {
		s.made.Sorted = append(s.made.Sorted, s.o.Name)
	}
	freshOurs, freshTheirs := freshRows(s.o, inOurs), freshRows(s.t, inTheirs)
	both := cellbook.MatchRows(freshTheirs, freshOurs)
	for _, row := range freshTheirs.Rows {
		if twin := both[row]; twin != nil {
			s.cells(nil, twin, row)
			continue
		}
		s.append(row, Conflict{
			What: s.sides.Theirs + " " + s.t.RowPlace(row), Ours: catalogue.Say("shown.none"), Theirs: textOfRow(row),
		})
	}
}

// isSorted reports whether theirs has the rows that all three have in another order than base, and than ours.
func (s *sheetMerge) isSorted(inOurs, inTheirs cellbook.RowPairs) bool {
	var all []*cellbook.Row
	for _, row := range s.b.Rows {
		if inOurs[row] != nil && inTheirs[row] != nil {
			all = append(all, row)
		}
	}
	byTheirs := func(a, b *cellbook.Row) int { return inTheirs[a].Number - inTheirs[b].Number }
	if slices.IsSortedFunc(all, byTheirs) {
		return false
	}
	slices.SortFunc(all, func(a, b *cellbook.Row) int { return inOurs[a].Number - inOurs[b].Number })
	return !slices.IsSortedFunc(all, byTheirs)
}

// row merges a row of the base.
func (s *sheetMerge) row(base, ours, theirs *cellbook.Row) {
	switch {
	case ours != nil && theirs != nil:
		s.cells(base, ours, theirs)
	case ours == nil && theirs != nil && !sameRow(s.b, s.t, base, theirs):
		if c := (Conflict{
			What: s.t.RowPlace(theirs), Theirs: textOfRow(theirs), Open: true,
			Reason: catalogue.Say("merge.row-stays-removed", "ours", s.sides.Ours, "theirs", s.sides.Theirs),
		}); s.takes(c) {
			s.append(theirs, c)
		}
	case ours != nil && theirs == nil && sameRow(s.b, s.o, base, ours):
		s.remove(ours, Conflict{
			What: s.o.RowPlace(ours), Ours: textOfRow(ours), Theirs: catalogue.Say("shown.removed"),
		})
	case ours != nil && theirs == nil:
		if c := (Conflict{
			What: s.o.RowPlace(ours), Ours: textOfRow(ours), Open: true,
			Reason: catalogue.Say("merge.row-stays", "ours", s.sides.Ours, "theirs", s.sides.Theirs),
		}); s.takes(c) {
			s.remove(ours, c)
		}
	}
}

func textOfRow(r *cellbook.Row) string {
	texts := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		texts[i] = c.Shown
	}
	return strings.Join(texts, ", ")
}

// remove empties the cells of a row: what stands below keeps its place, and the
// formulas, rules and charts that point there stay right. A blank row is not read.
// Of a CSV file the row goes.
func (s *sheetMerge) remove(row *cellbook.Row, conflict Conflict) {
	step := mergeStep{conflict: conflict, done: func(m *Merged) { m.Removed++ }, gone: row}
	for _, c := range row.Cells {
		step.edits = append(step.edits, xlsx.Edit{
			Sheet: s.o.Name, Row: row.Number, Column: c.Column, Value: xlsx.Clear(),
		})
		step.want = append(step.want, optionalCell{})
	}
	s.steps = append(s.steps, step)
}

// cells merges two rows that are the same, cell by cell. A base that is nil
// says that both sides added it.
func (s *sheetMerge) cells(base, ours, theirs *cellbook.Row) {
	names := columnNames(s.o, s.t, ours, theirs)
	for _, name := range columnNames(s.b, s.b, base, nil) {
		if s.o.ColumnNumber(name) == 0 && s.t.ColumnNumber(name) == 0 {
			continue
		}
		names = appendNew(names, name)
	}
	for _, name := range names {
		was, is, wants := cellNamed(s.b, base, name), cellNamed(s.o, ours, name), cellNamed(s.t, theirs, name)
		switch {
		case wants.same(was) || wants.same(is):
		case s.o.IsFilledByUs(s.o.ColumnNumber(name)) || s.t.IsFilledByUs(s.t.ColumnNumber(name)):
			s.made.Filled++
		case is.same(was):
			s.take(name, ours, theirs, wants, Conflict{
				What: s.cellPlace(ours, theirs, name), Base: was.show(), Ours: is.show(), Theirs: wants.show(),
			})
		default:
			if c := (Conflict{What: s.cellPlace(ours, theirs, name), Base: was.show(), Ours: is.show(),
				Theirs: wants.show(), Open: true}); s.takes(c) {
				s.take(name, ours, theirs, wants, c)
			}
		}
	}
}

func appendNew(names []string, name string) []string {
	for _, have := range names {
		if have == name {
			return names
		}
	}
	return append(names, name)
}

// cellPlace names a cell as ours has it, or where only theirs has it, as theirs.
func (s *sheetMerge) cellPlace(ours, theirs *cellbook.Row, name string) string {
	if number := s.o.ColumnNumber(name); number > 0 {
		return s.o.PlaceAsWritten(&cellbook.Row{Number: ours.Number, Line: ours.Line, Names: theirs.Names}, number)
	}
	return s.sides.Theirs + " " + s.t.PlaceAsWritten(theirs, s.t.ColumnNumber(name))
}

// take puts theirs' cell into ours.
func (s *sheetMerge) take(name string, ours, theirs *cellbook.Row, wants optionalCell, conflict Conflict) {
	number, reason := s.columnFor(name)
	edit := xlsx.Edit{Sheet: s.o.Name, Row: ours.Number, Column: number}
	if reason == "" {
		edit.Value, reason = s.valueFor(ours.Number, theirs.Number, wants)
	}
	if reason != "" {
		conflict.Reason, conflict.Open = reason, false
		s.clash(conflict)
		return
	}
	if wants.IsDay || number >= len(s.o.Columns) {
		edit.Like = s.lookFor(ours, number, wants)
	}
	s.steps = append(s.steps, mergeStep{
		edits: []xlsx.Edit{edit}, want: []optionalCell{wants}, conflict: conflict, done: func(m *Merged) { m.Cells++ },
	})
}

// lookFor finds a cell of ours to look like: for a day one that shows days, if
// the cell itself does not; for a new header the last one.
func (s *sheetMerge) lookFor(ours *cellbook.Row, number int, wants optionalCell) xlsx.At {
	if wants.IsDay {
		if c, there := ours.Cell(number); there && c.IsDay {
			return xlsx.At{}
		}
		return s.datedCell(number)
	}
	if s.o.Header > 0 && ours.Number == s.o.Header {
		return xlsx.At{Row: ours.Number, Column: len(s.o.Columns) - 1}
	}
	return xlsx.At{}
}

// datedCell returns a cell of a column of ours that shows a day, the zero At where
// there is none.
func (s *sheetMerge) datedCell(number int) xlsx.At {
	if at, asked := s.dated[number]; asked {
		return at
	}
	s.dated[number] = xlsx.At{}
	for _, row := range s.o.Rows {
		if c, there := row.Cell(number); there && c.IsDay {
			s.dated[number] = xlsx.At{Row: row.Number, Column: number}
			break
		}
	}
	return s.dated[number]
}

// columnFor returns the number of a column in ours; one that only theirs has comes
// after the last.
func (s *sheetMerge) columnFor(name string) (number int, reason string) {
	if number := s.o.ColumnNumber(name); number > 0 {
		return number, ""
	}
	if s.b.ColumnNumber(name) > 0 {
		return 0, catalogue.Say("merge.column-removed", "ours", s.sides.Ours)
	}
	if s.t.ColumnNumber(name) >= len(s.t.Columns) {
		return 0, catalogue.Say("merge.column-unnamed", "ours", s.sides.Ours)
	}
	if number, known := s.columns[name]; known {
		return number, ""
	}
	number = len(s.columns) + 1
	for _, row := range s.o.Rows {
		number = max(number, len(s.columns)+1+row.Cells[len(row.Cells)-1].Column)
	}
	if number > s.lastColumn() {
		return 0, catalogue.Say("merge.column-full", "ours", s.sides.Ours)
	}
	s.columns[name] = number
	return number, ""
}

// append puts a row of theirs after the last one of ours, in the looks of that.
func (s *sheetMerge) append(row *cellbook.Row, conflict Conflict) {
	target := s.lastRow + 1
	step := mergeStep{conflict: conflict, done: func(m *Merged) { m.Added++ }}
	if target > xlsx.LastRow {
		step.conflict.Reason, step.conflict.Open = catalogue.Say("merge.rows-full", "ours", s.sides.Ours), false
		s.clash(step.conflict)
		return
	}
	for _, c := range row.Cells {
		name := s.t.ColumnName(c.Column)
		number, reason := s.columnFor(name)
		edit := xlsx.Edit{Sheet: s.o.Name, Row: target, Column: number}
		wants := optionalCell{c, true}
		if reason == "" {
			edit.Value, reason = s.valueFor(target, row.Number, wants)
		}
		if reason != "" && s.t.IsFilledByUs(c.Column) {
			s.made.Filled++
			continue
		}
		if reason != "" {
			step.conflict.Reason = catalogue.Say("merge.in-column", "column", s.t.HeaderOf(c.Column), "why", reason)
			step.conflict.Open = false
			s.clash(step.conflict)
			return
		}
		if s.lastEntry != nil && number < len(s.o.Columns) {
			edit.Like = xlsx.At{Row: s.lastEntry.Number, Column: number}
		}
		step.edits, step.want = append(step.edits, edit), append(step.want, wants)
	}
	s.lastRow = target
	s.steps = append(s.steps, step)
}
