package sources

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// tabReader reads one sheet.
type tabReader struct {
	*bookReader
	tab      *tab
	ref      sheetRef
	facts    sheetFacts
	header   headerRow
	pictures []anchor
	merged   []area // whole rows with merged cells that are read, disjoint and ascending
	visited  int
	hidden   int          // hidden rows that were read
	told     map[int]bool // columns that were reported

	attributeColumns map[string]int
}

var errTooLong = errors.New("reading takes too long; want a smaller workbook")

// open walks the sheet to its end, finds its header and holds it to the bounds.
func (r *tabReader) open() error {
	finder := headerFinder{tab: r.tab}
	facts, err := walkSheet(r.book, r.ref.part, func(row *sheetRow) error {
		if row.number%1000 == 0 && r.ctx.Err() != nil {
			return errTooLong
		}
		finder.look(row)
		return nil
	})
	if err != nil {
		return err
	}
	bound := r.in.bounds.sheetRows
	if r.tab.list != nil && r.tab.list.many {
		bound = r.in.bounds.hintRows
	}
	if facts.filled > bound {
		return fmt.Errorf("it has %d rows; want at most %d", facts.filled, bound)
	}
	r.facts, r.header, r.told = facts, finder.best, map[int]bool{}
	r.pictures, err = r.book.picturesOn(r.ref.part, facts.drawing)
	return err
}

// readRows makes what the rows below the header say.
func (r *tabReader) readRows() error {
	if r.facts.filled == 0 || !r.checkHeader() {
		return nil
	}
	r.checkMerges()
	r.attributeColumns = r.header.attributeColumns()
	facts, err := walkSheet(r.book, r.ref.part, func(row *sheetRow) error {
		r.visited++
		if r.visited%1000 == 0 && r.ctx.Err() != nil {
			return errTooLong
		}
		if row.number > r.header.number {
			r.readRow(row)
		}
		return nil
	})
	if err == nil && (facts.filled != r.facts.filled || r.visited != facts.filled) {
		return fmt.Errorf("%d rows were read where %d are written", r.visited, r.facts.filled)
	}
	r.warnHidden()
	return err
}

func (r *tabReader) at(row, column int) diag.Position {
	return diag.Position{File: r.file, Sheet: r.ref.name, Line: row, Column: column}
}

// checkMerges reports merged cells from the header down in the columns that
// are read: only the first of them holds the value.
func (r *tabReader) checkMerges() {
	merges := slices.SortedFunc(slices.Values(r.facts.merges), func(a, b area) int { return a.fromRow - b.fromRow })
	for _, m := range merges {
		if r.mergeMatters(m) {
			r.merged = joinRows(r.merged, m)
			r.report(r.at(m.fromRow, m.fromColumn), resource.Finding{
				Code:    diag.MergedCell,
				Message: fmt.Sprintf("cells %s%d to %s%d are merged; want one value a cell", diag.ColumnName(m.fromColumn), m.fromRow, diag.ColumnName(m.toColumn), m.toRow),
				Hint:    "unmerge the cells and fill each of them",
			})
		}
	}
}

// joinRows adds the rows of an area to spans that ascend and do not touch.
func joinRows(spans []area, m area) []area {
	last := len(spans) - 1
	if last >= 0 && m.fromRow <= spans[last].toRow {
		spans[last].toRow = max(spans[last].toRow, m.toRow)
		return spans
	}
	return append(spans, area{fromRow: m.fromRow, toRow: m.toRow})
}

func (r *tabReader) mergeMatters(m area) bool {
	if m.toRow < r.header.number || m.fromRow == m.toRow && m.fromColumn == m.toColumn {
		return false
	}
	for column := m.fromColumn; column <= min(m.toColumn, len(r.header.columns)-1); column++ {
		if c := r.header.column(column); c != nil && c.role != roleOurs {
			return true
		}
	}
	return false
}

// rowIsMerged says that a row has merged cells in columns that are read.
func (r *tabReader) rowIsMerged(row int) bool {
	i, _ := slices.BinarySearchFunc(r.merged, row, func(a area, row int) int { return a.toRow - row })
	return i < len(r.merged) && r.merged[i].fromRow <= row
}

func (r *tabReader) warnHidden() {
	columns := 0
	for number, c := range r.header.columns {
		if c != nil && c.role != roleOurs && slices.ContainsFunc(r.facts.hidden, func(a area) bool { return a.has(1, number) }) {
			columns++
		}
	}
	var parts []string
	if r.ref.hidden {
		parts = append(parts, "the sheet is hidden")
	}
	if r.hidden > 0 {
		parts = append(parts, counted(r.hidden, "row is hidden", "rows are hidden"))
	}
	if columns > 0 {
		parts = append(parts, counted(columns, "column is hidden", "columns are hidden"))
	}
	if len(parts) > 0 && r.visited > 0 {
		r.report(diag.Position{File: r.file, Sheet: r.ref.name}, resource.Finding{
			Code: diag.HiddenCells, Severity: diag.Warning, Message: strings.Join(parts, " and ") + ", and read like the others",
		})
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// readRow decides what a row is: a remark, left out, blank, or something to read.
func (r *tabReader) readRow(row *sheetRow) {
	switch {
	case isComment(row):
		r.made.rows.Read++
		r.made.rows.Ignored++
		return
	case !r.saysSomething(row):
		return
	}
	r.made.rows.Read++
	if row.hidden {
		r.hidden++
	}
	included, finding := r.included(row)
	switch {
	case finding != nil:
		r.made.rows.Failed++
	case !included:
		r.made.rows.Ignored++
	case r.tab.list != nil:
		r.readEntry(row)
	default:
		r.readDraft(row)
	}
}

// saysSomething reports strange columns with values, and whether any column
// that is read has one.
func (r *tabReader) saysSomething(row *sheetRow) bool {
	says := false
	for _, c := range row.cells {
		known := r.header.column(c.column)
		switch {
		case known == nil && !c.isFormula:
			r.reportStrange(row.number, c.column)
		case known != nil && known.role != roleOurs:
			says = true
		}
	}
	return says
}

// reportStrange reports, once a column, values under a header that is nearly a
// known one, or under none.
func (r *tabReader) reportStrange(row, number int) {
	if r.told[number] {
		return
	}
	written, near := "", ""
	if number < len(r.header.written) {
		written, near = r.header.written[number], r.header.near[number]
	}
	if written != "" && near == "" || strings.HasPrefix(written, "#") {
		return
	}
	r.told[number] = true
	if written == "" {
		r.report(r.at(row, number), resource.Finding{
			Code: diag.UnknownKey, Message: fmt.Sprintf("column %s has a value and no header; want a header", diag.ColumnName(number)),
			Hint: "begin its header with # if the column is your own",
		})
		return
	}
	r.report(r.at(r.header.number, number), resource.Finding{
		Code: diag.UnknownKey, Message: fmt.Sprintf("header is %q; want one adsync knows", written),
		Hint: fmt.Sprintf("did you mean %q? Begin it with # if the column is your own", near),
	})
}

// included reads the column Include.
func (r *tabReader) included(row *sheetRow) (bool, *resource.Finding) {
	for _, c := range row.cells {
		known := r.header.column(c.column)
		if known == nil || known.role != roleInclude {
			continue
		}
		yes, ok := yesOrNo(c)
		if ok {
			return yes, nil
		}
		finding := &resource.Finding{Code: diag.BadChoice, Message: fmt.Sprintf("Include is %q; want yes or no", c.text)}
		r.report(r.at(row.number, c.column), *finding)
		return false, finding
	}
	return true, nil
}

func yesOrNo(c cell) (yes, ok bool) {
	switch word := resource.Fold(c.text); {
	case c.form == errorCell || c.isFormula && !c.hasValue:
		return false, false
	case slices.Contains([]string{"yes", "y", "true", "1", ""}, word):
		return true, true
	case slices.Contains([]string{"no", "n", "false", "0"}, word):
		return false, true
	}
	return false, false
}
