package marked

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/table"
	"adsync/sources/workbook"
)

// resultPlaces are the columns of a sheet that results go to; 0 is none.
type resultPlaces struct {
	result, message, key, id int
	added                    []cellChange // headers of Result and Message where they are missing
}

// cellChange is a cell that is to hold another text.
type cellChange struct {
	xlsx.At
	text   string
	exact  bool    // a key or an id, of which no program may make a number
	number bool    // digits
	like   xlsx.At // a cell of the sheet whose looks it takes; the zero At leaves its own
}

// resultChanges returns the cells of one sheet that change, those in the header first. With earlier, what an earlier
// run said of a row stays where there is nothing to say of it now.
func resultChanges(r *table.Reader, outcomes []RowOutcome, earlier bool) ([]cellChange, error) {
	byRow := map[int]RowOutcome{}
	for _, o := range outcomes {
		if o.Position.Sheet() == r.Ref.Name && o.Position.Line() > 0 {
			byRow[o.Position.Line()] = o
		}
	}
	if len(byRow) == 0 {
		return nil, nil
	}
	stored, last, err := storedRows(r, byRow)
	if err != nil {
		return nil, err
	}
	columns, err := findResultPlaces(r, last)
	if err != nil {
		return nil, err
	}
	var changes []cellChange
	for _, row := range slices.Sorted(maps.Keys(byRow)) {
		places, o := columns, byRow[row]
		if message := stored[xlsx.At{Row: row, Column: columns.message}]; earlier && o.isNothing() &&
			!message.IsFormula && celltext.Trimmed(message.Text) == "" {
			places.result, places.message = 0, 0
		}
		own, err := rowChanges(row, o, places, stored)
		if err != nil {
			return nil, err
		}
		changes = append(changes, own...)
	}
	if earlier && !slices.ContainsFunc(changes, func(c cellChange) bool { return !c.exact }) {
		return changes, nil
	}
	return append(columns.added, changes...), nil
}

// isNothing reports whether there is nothing to say of a row.
func (o *RowOutcome) isNothing() bool { return o.Result == "no change" && o.Message == "" }

// storedRows returns the cells of the rows concerned, and the last column that any
// row from the header down uses.
func storedRows[T any](r *table.Reader, rows map[int]T) (stored map[xlsx.At]xlsx.Cell, last int, err error) {
	stored = map[xlsx.At]xlsx.Cell{}
	_, err = r.Walk(func(row *xlsx.Row) error {
		if row.Number >= r.Header.Number {
			last = max(last, row.Cells[len(row.Cells)-1].Column)
		}
		if _, concerned := rows[row.Number]; !concerned {
			return nil
		}
		for _, c := range row.Cells {
			stored[xlsx.At{Row: row.Number, Column: c.Column}] = c
		}
		return nil
	})
	for _, m := range r.Facts.Merges {
		if m.ToRow >= r.Header.Number {
			last = max(last, m.ToColumn)
		}
	}
	return stored, last, err
}

// findResultPlaces finds the columns by their headers; Result and Message are
// added after the last one where they are missing.
func findResultPlaces(r *table.Reader, last int) (resultPlaces, error) {
	columnOf := func(matches func(*catalog.Column) bool) (number int) {
		for _, s := range r.Sections {
			number = cmp.Or(number, s.Header.ColumnOf(matches))
		}
		return number
	}
	titled := func(title string) int {
		return columnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleOurs && c.Title == title })
	}
	found := resultPlaces{result: titled("Result"), message: titled("Message")}
	found.key = columnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleKey })
	found.id = columnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleID })
	if found.result == 0 && found.message != 0 {
		return found, fmt.Errorf("it has a column Message and no column Result; want both or neither")
	}
	if found.result == 0 {
		last++
		found.result, found.added = last, append(found.added, newHeader(r, last, "Result"))
	}
	if found.message == 0 {
		last++
		found.message, found.added = last, append(found.added, newHeader(r, last, "Message"))
	}
	if last > xlsx.LastColumn {
		return found, fmt.Errorf("it has no room for the columns Result and Message")
	}
	return found, nil
}

func newHeader(r *table.Reader, column int, title string) cellChange {
	return cellChange{At: xlsx.At{Row: r.Header.Number, Column: column}, text: title}
}

// rowChanges returns the cells of one row that do not hold yet what they should. A
// key or an id somebody wrote stays.
func rowChanges(row int, o RowOutcome, columns resultPlaces, stored map[xlsx.At]xlsx.Cell) ([]cellChange, error) {
	var changes []cellChange
	for _, want := range []cellChange{
		{At: xlsx.At{Row: row, Column: columns.result}, text: cmp.Or(o.Shown, o.Result)},
		{At: xlsx.At{Row: row, Column: columns.message}, text: workbook.CutText(o.Message)},
		{At: xlsx.At{Row: row, Column: columns.key}, text: o.Address.Leaf(), exact: true},
		{At: xlsx.At{Row: row, Column: columns.id}, text: o.ID, exact: true},
	} {
		have := stored[want.At]
		switch written := have.IsFormula || celltext.Trimmed(have.Text) != ""; {
		case want.Column == 0 || want.exact && (written || want.text == ""):
			continue
		case have.IsFormula:
			return nil, fmt.Errorf("cell %s holds "+
				"a formula where a result belongs; want another header over the column", want.At)
		case have.Text == want.text && (have.Form == xlsx.TextCell || !written):
			continue
		}
		changes = append(changes, want)
	}
	return changes, nil
}
