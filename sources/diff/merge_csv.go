package diff

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/internal/xlsx"
	"adsync/sources/cellbook"
	"adsync/sources/draft"
)

// isCSV reports whether a file is a table of text by its name.
func isCSV(file string) bool {
	return slices.Contains([]string{".csv", ".tsv"}, strings.ToLower(path.Ext(file)))
}

func (m *merger) openCSV(ctx context.Context, content []byte, in draft.Input) (*cellbook.Book, *resource.Finding) {
	return cellbook.OpenCSV(ctx, m.sides.File, content, in)
}

// alike refuses CSV files of which one holds the rows of another sheet than the others.
func (m *merger) alike() error {
	if m.ours.CSV == nil {
		return nil
	}
	for _, side := range []struct {
		name string
		book *cellbook.Book
	}{{"base", m.base}, {m.sides.Theirs, m.theirs}} {
		for _, s := range side.book.Sheets {
			if is, want := formOf(s), formOf(m.ours.Sheets[0]); is != want {
				return fmt.Errorf("%s holds rows of %s, and %s rows of %s; want the same in both",
					side.name, is, m.sides.Ours, want)
			}
		}
	}
	return nil
}

func formOf(s *cellbook.Sheet) string {
	if s.Form == nil {
		return "hint lists"
	}
	return s.Form.Title
}

// lastColumn is the number of the last column that a file may have.
func (m *merger) lastColumn() int {
	if m.ours.CSV != nil {
		return m.in.Bounds.CSVColumns
	}
	return xlsx.LastColumn
}

// notInCSV is why a field of theirs cannot be written as it is into ours; "" where it can.
func (s *sheetMerge) notInCSV(target, source int, wants optionalCell) string {
	_, there := lineOf(s.o, target)
	switch {
	case !there && target <= s.o.Lines[len(s.o.Lines)-1].Number:
		return catalogue.Say("merge.blank", "ours", s.sides.Ours)
	case wants.IsFormula && (target != source || !s.columnsAlike()):
		return catalogue.Say("merge.formula-place", "ours", s.sides.Ours)
	case !s.ours.CSV.Holds(wants.Field):
		return catalogue.Say("merge.characters", "ours", s.sides.Ours)
	}
	return ""
}

// lineOf returns the line of a file in which a row begins.
func lineOf(s *cellbook.Sheet, number int) (line int, there bool) {
	i, there := slices.BinarySearchFunc(s.Lines, number, func(r *cellbook.Row, number int) int {
		return r.Number - number
	})
	if there {
		line = s.Lines[i].Line
	}
	return line, there
}

// carryOutCSV writes what was decided, reads the file again, and holds each of its fields against what was promised.
func (m *merger) carryOutCSV(ours []byte) error {
	changes, promised := m.changesOfCSV()
	m.made.Content = ours
	if len(m.steps) > 0 {
		content, err := m.ours.CSV.Change(changes)
		if err != nil {
			return fmt.Errorf("%s: %w", m.sides.Ours, err)
		}
		book, finding := m.openCSV(m.ctx, content, m.in)
		if finding != nil {
			return errors.New("the merged file: " + finding.Message)
		}
		s := book.Sheets[0]
		if formOf(s) != formOf(m.ours.Sheets[0]) || !slices.EqualFunc(promised, fieldsOf(s), maps.Equal) {
			return errors.New("the merged file would not read as it should")
		}
		m.made.Content = content
	}
	for _, s := range m.steps {
		s.done(&m.made)
		m.made.Took = append(m.made.Took, s.conflict)
	}
	return nil
}

// changesOfCSV are the changes of the file, and the fields that it has with them.
func (m *merger) changesOfCSV() (c csvfile.Changes, promised []map[int]string) {
	o := m.ours.Sheets[0]
	rows := map[int]map[int]string{}
	for i, fields := range fieldsOf(o) {
		rows[o.Rows[i].Number] = fields
	}
	added := map[int][]string{}
	for _, step := range m.steps {
		if step.gone != nil {
			c.Removed = append(c.Removed, step.gone.Line)
			delete(rows, step.gone.Number)
			continue
		}
		for n, e := range step.edits {
			field := step.want[n].Field
			if rows[e.Row] == nil {
				rows[e.Row] = map[int]string{}
			}
			if rows[e.Row][e.Column] = field; !step.want[n].there {
				delete(rows[e.Row], e.Column)
			}
			if line, there := lineOf(o, e.Row); there {
				c.Edits = append(c.Edits, csvfile.Edit{Line: line, Column: e.Column, Field: field})
				continue
			}
			for width := max(e.Column, len(o.Columns)-1); len(added[e.Row]) < width; {
				added[e.Row] = append(added[e.Row], "")
			}
			added[e.Row][e.Column-1] = field
		}
	}
	for _, number := range slices.Sorted(maps.Keys(added)) {
		c.Added = append(c.Added, added[number])
	}
	for _, number := range slices.Sorted(maps.Keys(rows)) {
		if len(rows[number]) > 0 {
			promised = append(promised, rows[number])
		}
	}
	return c, promised
}

// fieldsOf are the fields of each row that holds something.
func fieldsOf(s *cellbook.Sheet) (rows []map[int]string) {
	for _, row := range s.Rows {
		fields := map[int]string{}
		for _, c := range row.Cells {
			fields[c.Column] = c.Field
		}
		rows = append(rows, fields)
	}
	return rows
}
