package sources

import (
	"cmp"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/xlsx"
)

// sheetMerge merges one sheet that ours and theirs have.
type sheetMerge struct {
	*merger
	b, o, t   *cellSheet
	columns   map[string]int  // new columns of ours, by name
	dated     map[int]xlsx.At // a cell of each column of ours that shows a day, once one is asked for
	lastRow   int             // of ours, with rows that are appended
	lastEntry *cellRow        // the last row of ours that an appended one looks like
}

func (m *merger) sheet(b, o, t *cellSheet) error {
	if b == nil {
		b = &cellSheet{name: t.name, form: t.form, header: t.header}
	}
	s := &sheetMerge{merger: m, b: b, o: o, t: t, columns: map[string]int{}, dated: map[int]xlsx.At{}}
	for _, row := range o.rows {
		s.lastRow = row.number
		if row.number > o.header {
			s.lastEntry = row
		}
	}
	if o.header == 0 || t.header == 0 {
		s.places()
	} else {
		s.rows()
	}
	return s.beside()
}

// places merges a sheet of the user's own, cell by cell where they stand.
func (s *sheetMerge) places() {
	byNumber := func(sheet *cellSheet) map[int]*cellRow {
		rows := map[int]*cellRow{}
		for _, row := range sheet.rows {
			rows[row.number] = row
		}
		return rows
	}
	base, ours, theirs := byNumber(s.b), byNumber(s.o), byNumber(s.t)
	for _, sheet := range []*cellSheet{s.b, s.t} {
		for _, row := range sheet.rows {
			if sheet == s.t && base[row.number] != nil {
				continue
			}
			s.cells(base[row.number], cmp.Or(ours[row.number], &cellRow{number: row.number}),
				cmp.Or(theirs[row.number], &cellRow{number: row.number}))
		}
	}
}

// rows merges a sheet whose rows have names.
func (s *sheetMerge) rows() {
	inOurs, inTheirs := matchRows(s.b, s.o), matchRows(s.b, s.t)
	for _, row := range s.b.rows {
		s.row(row, inOurs[row], inTheirs[row])
	}
	freshOurs, freshTheirs := freshRows(s.o, inOurs), freshRows(s.t, inTheirs)
	both := matchRows(freshTheirs, freshOurs)
	for _, row := range freshTheirs.rows {
		if twin := both[row]; twin != nil {
			s.cells(nil, twin, row)
			continue
		}
		s.append(row)
	}
}

// row merges a row of the base.
func (s *sheetMerge) row(base, ours, theirs *cellRow) {
	switch {
	case ours != nil && theirs != nil:
		s.cells(base, ours, theirs)
	case ours == nil && theirs != nil && !sameRow(s.b, s.t, base, theirs):
		s.clash(Conflict{
			What: rowPlace(s.t, theirs), Reason: "ours removed the row and theirs changed it; it stays removed",
			Theirs: textOfRow(theirs),
		})
	case ours != nil && theirs == nil && sameRow(s.b, s.o, base, ours):
		s.remove(ours)
	case ours != nil && theirs == nil:
		s.clash(Conflict{
			What: rowPlace(s.o, ours), Reason: "theirs removed the row and ours changed it; it stays",
			Ours: textOfRow(ours),
		})
	}
}

// rowPlace names a row for people: Ads!17 [hero-a].
func rowPlace(s *cellSheet, row *cellRow) string {
	text := fmt.Sprintf("%s!%d", sheetLabel(s.name), row.number)
	if row.names.label != "" {
		text += " [" + diag.Printable(row.names.label) + "]"
	}
	return text
}

func textOfRow(r *cellRow) string {
	texts := make([]string, len(r.cells))
	for i, c := range r.cells {
		texts[i] = c.shown
	}
	return strings.Join(texts, ", ")
}

// remove empties the cells of a row: what stands below keeps its place, and the
// formulas, rules and charts that point there stay right. A blank row is not read.
func (s *sheetMerge) remove(row *cellRow) {
	step := mergeStep{
		conflict: Conflict{What: rowPlace(s.o, row), Ours: textOfRow(row), Theirs: "(removed)"},
		done:     func(m *Merged) { m.Removed++ },
	}
	for _, c := range row.cells {
		step.edits = append(step.edits, xlsx.Edit{
			Sheet: s.o.name, Row: row.number, Column: c.Column, Value: xlsx.Clear(),
		})
		step.want = append(step.want, optionalCell{})
	}
	s.steps = append(s.steps, step)
}

// cells merges two rows that are the same, cell by cell. A base that is nil
// says that both sides added it.
func (s *sheetMerge) cells(base, ours, theirs *cellRow) {
	names := columnNames(s.o, s.t, ours, theirs)
	for _, name := range columnNames(s.b, s.b, base, nil) {
		if s.o.columnNumber(name) == 0 && s.t.columnNumber(name) == 0 {
			continue
		}
		names = appendNew(names, name)
	}
	for _, name := range names {
		was, is, wants := cellNamed(s.b, base, name), cellNamed(s.o, ours, name), cellNamed(s.t, theirs, name)
		switch {
		case wants.same(was) || wants.same(is):
		case s.o.isFilledByUs(s.o.columnNumber(name)) || s.t.isFilledByUs(s.t.columnNumber(name)):
			s.made.Filled++
		case is.same(was):
			s.take(name, ours, theirs, was, is, wants)
		default:
			s.clash(Conflict{
				What: s.cellPlace(ours, theirs, name), Base: was.show(), Ours: is.show(), Theirs: wants.show(),
			})
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
func (s *sheetMerge) cellPlace(ours, theirs *cellRow, name string) string {
	if number := s.o.columnNumber(name); number > 0 {
		return s.o.place(&cellRow{number: ours.number, names: theirs.names}, number)
	}
	return "theirs " + s.t.place(theirs, s.t.columnNumber(name))
}

// take puts theirs' cell into ours.
func (s *sheetMerge) take(name string, ours, theirs *cellRow, was, is, wants optionalCell) {
	conflict := Conflict{What: s.cellPlace(ours, theirs, name), Base: was.show(), Ours: is.show(), Theirs: wants.show()}
	number, reason := s.columnFor(name)
	edit := xlsx.Edit{Sheet: s.o.name, Row: ours.number, Column: number}
	if reason == "" {
		edit.Value, reason = s.valueFor(ours.number, theirs.number, wants)
	}
	if reason != "" {
		conflict.Reason = reason
		s.clash(conflict)
		return
	}
	if wants.isDay || number >= len(s.o.columns) {
		edit.Like = s.lookFor(ours, number, wants)
	}
	s.steps = append(s.steps, mergeStep{
		edits: []xlsx.Edit{edit}, want: []optionalCell{wants}, conflict: conflict, done: func(m *Merged) { m.Cells++ },
	})
}

// lookFor finds a cell of ours to look like: for a day one that shows days, if
// the cell itself does not; for a new header the last one.
func (s *sheetMerge) lookFor(ours *cellRow, number int, wants optionalCell) xlsx.At {
	if wants.isDay {
		if c, there := ours.cell(number); there && c.isDay {
			return xlsx.At{}
		}
		return s.datedCell(number)
	}
	if s.o.header > 0 && ours.number == s.o.header {
		return xlsx.At{Row: ours.number, Column: len(s.o.columns) - 1}
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
	for _, row := range s.o.rows {
		if c, there := row.cell(number); there && c.isDay {
			s.dated[number] = xlsx.At{Row: row.number, Column: number}
			break
		}
	}
	return s.dated[number]
}

// columnFor returns the number of a column in ours; one that only theirs has comes
// after the last.
func (s *sheetMerge) columnFor(name string) (number int, reason string) {
	if number := s.o.columnNumber(name); number > 0 {
		return number, ""
	}
	if s.b.columnNumber(name) > 0 {
		return 0, "ours removed the column"
	}
	if s.t.columnNumber(name) >= len(s.t.columns) {
		return 0, "the column has no header, and ours has another in its place"
	}
	if number, known := s.columns[name]; known {
		return number, ""
	}
	number = len(s.columns) + 1
	for _, row := range s.o.rows {
		number = max(number, len(s.columns)+1+row.cells[len(row.cells)-1].Column)
	}
	if number > xlsx.LastColumn {
		return 0, "ours has no room for another column"
	}
	s.columns[name] = number
	return number, ""
}

// append puts a row of theirs after the last one of ours, in the looks of that.
func (s *sheetMerge) append(row *cellRow) {
	target := s.lastRow + 1
	step := mergeStep{
		conflict: Conflict{What: "theirs " + rowPlace(s.t, row), Ours: "(none)", Theirs: textOfRow(row)},
		done:     func(m *Merged) { m.Added++ },
	}
	if target > xlsx.LastRow {
		step.conflict.Reason = "ours has no room for another row"
		s.clash(step.conflict)
		return
	}
	for _, c := range row.cells {
		name := s.t.columnName(c.Column)
		number, reason := s.columnFor(name)
		edit := xlsx.Edit{Sheet: s.o.name, Row: target, Column: number}
		wants := optionalCell{c, true}
		if reason == "" {
			edit.Value, reason = s.valueFor(target, row.number, wants)
		}
		if reason != "" && s.t.isFilledByUs(c.Column) {
			s.made.Filled++
			continue
		}
		if reason != "" {
			step.conflict.Reason = name + ": " + reason
			s.clash(step.conflict)
			return
		}
		if s.lastEntry != nil && number < len(s.o.columns) {
			edit.Like = xlsx.At{Row: s.lastEntry.number, Column: number}
		}
		step.edits, step.want = append(step.edits, edit), append(step.want, wants)
	}
	s.lastRow = target
	s.steps = append(s.steps, step)
}
