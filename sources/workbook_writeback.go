package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"adsync/internal/xlsx"
)

// writeWorkbookRows puts results into the cells of a workbook.
func writeWorkbookRows(content []byte, w rowResults) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), w.in.bounds.perFile)
	defer cancel()
	members, finding := xlsx.Open(ctx, content, w.in.bounds.workbook())
	if finding != nil {
		return nil, errors.New(finding.Message)
	}
	b, err := xlsx.ReadBook(members)
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%w); want a whole one", err)
	}
	r := &bookReader{fileReader: &fileReader{ctx: ctx, in: w.in, file: w.file}, book: b}
	tabs, err := r.openTabs()
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%w); want a whole one", err)
	}
	var edits []xlsx.Edit
	for _, t := range tabs {
		own, err := t.resultEdits(w.outcomes)
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", t.ref.Name, err)
		}
		edits = append(edits, own...)
	}
	return xlsx.Rewrite(content, edits, w.in.bounds.workbook())
}

// resultPlaces are the columns of a sheet that results go to; 0 is none.
type resultPlaces struct {
	result, message, key, id int
	added                    []addedColumn
	lookLike                 int // the column whose header new ones look like
}

type addedColumn struct {
	column int
	title  string
}

// resultEdits gives the cells of one sheet that change.
func (r *tabReader) resultEdits(outcomes []RowOutcome) ([]xlsx.Edit, error) {
	byRow := map[int]RowOutcome{}
	for _, o := range outcomes {
		if o.Position.Sheet == r.ref.Name && o.Position.Line > 0 {
			byRow[o.Position.Line] = o
		}
	}
	if len(byRow) == 0 {
		return nil, nil
	}
	stored, last, err := r.storedRows(byRow)
	if err != nil {
		return nil, err
	}
	columns, err := r.findResultPlaces(last)
	if err != nil {
		return nil, err
	}
	var edits []xlsx.Edit
	for _, a := range columns.added {
		edits = append(edits, xlsx.Edit{
			Sheet: r.ref.Name, Row: r.header.number, Column: a.column, Value: xlsx.Text(a.title),
			Like: xlsx.At{Row: r.header.number, Column: columns.lookLike},
		})
	}
	for row, o := range byRow {
		own, err := r.rowEdits(row, o, columns, stored)
		if err != nil {
			return nil, err
		}
		edits = append(edits, own...)
	}
	return edits, nil
}

// storedRows gives the cells of the rows concerned, and the last column any row
// uses.
func (r *tabReader) storedRows(rows map[int]RowOutcome) (stored map[xlsx.At]xlsx.Cell, last int, err error) {
	stored = map[xlsx.At]xlsx.Cell{}
	_, err = xlsx.Walk(r.book, r.ref.Part, func(row *xlsx.Row) error {
		last = max(last, row.Cells[len(row.Cells)-1].Column)
		if _, concerned := rows[row.Number]; !concerned {
			return nil
		}
		for _, c := range row.Cells {
			stored[xlsx.At{Row: row.Number, Column: c.Column}] = c
		}
		return nil
	})
	for _, m := range r.facts.Merges {
		last = max(last, m.ToColumn)
	}
	return stored, last, err
}

// findResultPlaces finds the columns by their headers; Result and Message are
// added after the last one where they are missing.
func (r *tabReader) findResultPlaces(last int) (resultPlaces, error) {
	columnOf := func(matches func(*column) bool) (number int) {
		for _, s := range r.sections {
			number = cmp.Or(number, s.header.columnOf(matches))
		}
		return number
	}
	titled := func(title string) int {
		return columnOf(func(c *column) bool { return c.role == roleOurs && c.title == title })
	}
	found := resultPlaces{result: titled("Result"), message: titled("Message"), lookLike: len(r.header.columns) - 1}
	found.key = columnOf(func(c *column) bool { return c.role == roleKey })
	found.id = columnOf(func(c *column) bool { return c.role == roleID })
	if found.result == 0 && found.message != 0 {
		return found, fmt.Errorf("it has a column Message and no column Result; want both or neither")
	}
	if found.result == 0 {
		last++
		found.result, found.added = last, append(found.added, addedColumn{last, "Result"})
	}
	if found.message == 0 {
		last++
		found.message, found.added = last, append(found.added, addedColumn{last, "Message"})
	}
	if last > xlsx.LastColumn {
		return found, fmt.Errorf("it has no room for the columns Result and Message")
	}
	return found, nil
}

// rowEdits gives the cells of one row that do not hold yet what they should. A
// key or an id somebody wrote stays.
func (r *tabReader) rowEdits(row int, o RowOutcome, columns resultPlaces, stored map[xlsx.At]xlsx.Cell) ([]xlsx.Edit, error) {
	var edits []xlsx.Edit
	for _, want := range []struct {
		column int
		text   string
		keeps  bool // what is there
	}{
		{columns.result, o.Result, false},
		{columns.message, cutText(o.Message), false},
		{columns.key, o.Address.Leaf(), true},
		{columns.id, o.ID, true},
	} {
		at := xlsx.At{Row: row, Column: want.column}
		have, filled := stored[at]
		switch {
		case want.column == 0 || filled && want.keeps && (have.IsFormula || strings.TrimSpace(have.Text) != "") || want.keeps && want.text == "":
			continue
		case have.IsFormula:
			return nil, fmt.Errorf("cell %s holds a formula where a result belongs; want another header over the column", at)
		case have.Text == want.text && (have.Form == xlsx.TextCell || !filled):
			continue
		case !filled && want.text == "":
			continue
		}
		edits = append(edits, xlsx.Edit{Sheet: r.ref.Name, Row: row, Column: want.column, Value: xlsx.Text(want.text)})
	}
	return edits, nil
}
