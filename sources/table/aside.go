package table

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
)

// People keep rows in their tables that are no resources: a total below the data, and
// the header once more. They are not read, and each is named.

var (
	// totalWord is what people write beside a total, in the languages seen most.
	totalWord = pattern.Of(`(?i)^\W*(?:grand[ -]?|sub[ -]?)?(totals?|sum|sums|summe|gesamt(?:summe)?|` +
		`insgesamt|totaal|somme|suma|soma|totale|total g[ée]n[ée]ral|общий итог|итого|всего|合计|总计|小计|合計|` +
		`小計|총계|합계|toplam|jumlah|razem)(?: (?:of )?(?:budgets?|spend|campaigns?|ad ?groups?|ads|amount|[a-z]{3}))?\W*$`)
	// totalFormula is how a total is calculated.
	totalFormula = pattern.Of(
		`(?i)^=?[-+]?\s*(SUM|SUMIFS?|SUBTOTAL|COUNT|COUNTA|AVERAGE|AGGREGATE|MAX|MIN)\s*\(`)
)

// asideReader finds rows beside the data: totals, and headers that are repeated.
type asideReader struct {
	*head
	headerWords map[string]bool // whether a text is a header, once it was asked
	headsAgain  bool            // the cells of the row that is read are headers
}

// isAside recognises a row that is a total, or the header again, and says so.
func (r *asideReader) isAside(row *xlsx.Row) bool {
	why := ""
	r.headsAgain = false
	switch {
	case r.isTotal(row):
		why = "row is taken for a total and not read"
	case r.repeatsHeader(row):
		if r.headsAgain = true; !r.isHeaderAgain(row) {
			return false // refuseHeader says so
		}
		why = "row is the header again and not read"
	default:
		return false
	}
	r.report(r.At(row.Number, 0), resource.Finding{
		Code: diag.IgnoredRows, Severity: diag.Warning, Message: why, Hint: "delete it, or begin its first cell with #",
	})
	return true
}

// isTotal reports whether a row has amounts beside a word for a total, or nothing but
// formulas that add up others.
func (r *asideReader) isTotal(row *xlsx.Row) bool {
	words, sums := 0, 0
	for _, c := range row.Cells {
		switch {
		case !r.reads(c.Column) && c.Form != xlsx.TextCell:
		case c.IsFormula && totalFormula.MatchString(c.Formula):
			sums++
		case c.Form == xlsx.TextCell && totalWord.MatchString(celltext.Trimmed(c.Text)):
			words++
		case c.Form == xlsx.NumberCell || c.IsFormula || r.Delimiter != "" && isDigits(c.Text):
		case r.reads(c.Column):
			return false
		}
	}
	return (words == 1 || words == 0 && sums > 0 && sums == r.readCells(row))
}

func isDigits(text string) bool { return strings.Trim(celltext.Trimmed(text), "0123456789.,' ") == "" }

// readCells counts the cells of a row in columns that are read.
func (r *asideReader) readCells(row *xlsx.Row) int {
	n := 0
	for _, c := range row.Cells {
		if r.reads(c.Column) {
			n++
		}
	}
	return n
}

// repeatsHeader reports whether the cells of a row are headers: two of them at least,
// or one right beneath the header.
func (r *asideReader) repeatsHeader(row *xlsx.Row) bool {
	headers := 0
	for _, c := range row.Cells {
		if !r.reads(c.Column) {
			continue
		}
		if c.Form != xlsx.TextCell || c.IsFormula || !r.isHeader(c.Text) {
			return false
		}
		headers++
	}
	return headers > 1 || headers == 1 && row.Number == r.Header.Number+1 && r.lacksRequired(row)
}

// lacksRequired reports whether a row leaves a column blank that each of its rows needs.
func (r *asideReader) lacksRequired(row *xlsx.Row) bool {
	number := r.Sections[0].Header.ColumnOf(func(c *catalog.Column) bool { return c.Required })
	return number > 0 && !slices.ContainsFunc(row.Cells, func(c xlsx.Cell) bool { return c.Column == number })
}

// mostWords is how many texts are remembered as headers or none.
const mostWords = 10_000

// isHeader reports whether a text is a header in rows of any section.
func (r *asideReader) isHeader(text string) bool {
	is, known := r.headerWords[text]
	if known {
		return is
	}
	is = slices.ContainsFunc(r.Sections, func(s *Section) bool { return s.Tab.ColumnFor(text) != nil })
	if r.headerWords == nil {
		r.headerWords = map[string]bool{}
	}
	if len(r.headerWords) < mostWords {
		r.headerWords[text] = is
	}
	return is
}

// isHeaderAgain reports whether each cell says what its own header says.
func (r *asideReader) isHeaderAgain(row *xlsx.Row) bool {
	for _, c := range row.Cells {
		if r.reads(c.Column) && resource.Fold(c.Text) != resource.Fold(r.headerOf(c.Column)) {
			return false
		}
	}
	return true
}

// refuseHeader reports a header that is not the one above: its second row, or that of
// another table beneath.
func (r *asideReader) refuseHeader(row *xlsx.Row) bool {
	if !r.headsAgain {
		return false
	}
	finding := resource.Finding{
		Code: diag.BadValue, Message: fmt.Sprintf("row has headers "+
			"in it, and the header is in row %d; want one header, and below it rows of one table", r.Header.Number),
		Hint: "put a second table on a sheet of its own, or delete the row",
	}
	if row.Number == r.Header.Number+1 {
		finding.Message = fmt.Sprintf("header stands in rows %d and %d; want it in one row",
			r.Header.Number, row.Number)
		finding.Hint = fmt.Sprintf("write the whole header into row %d, unmerge its cells, and delete row %d",
			r.Header.Number, row.Number)
	}
	r.report(r.At(row.Number, 0), finding)
	return true
}
