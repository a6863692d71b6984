package sources

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"

	"golang.org/x/text/currency"
)

// headerRows is how far down a sheet its header may stand.
const headerRows = 20

// headerRow is a sheet's header, matched to the columns of its tab.
type headerRow struct {
	number  int
	columns []*column // by the sheet's column; nil is the user's own
	written []string  // by the sheet's column: the header as written, "" where there is none
}

// column returns the description of a sheet's column, nil where it is not known.
func (h *headerRow) column(number int) *column {
	if number < len(h.columns) {
		return h.columns[number]
	}
	return nil
}

// columnOf finds the sheet's column of a role, 0 where there is none.
func (h *headerRow) columnOf(matches func(*column) bool) int {
	for number, c := range h.columns {
		if c != nil && matches(c) {
			return number
		}
	}
	return 0
}

// matchHeader takes a row for the header and says what it would mean.
func matchHeader(t *tab, row *xlsx.Row) headerRow {
	last := row.Cells[len(row.Cells)-1].Column
	h := headerRow{number: row.Number, columns: make([]*column, last+1), written: make([]string, last+1)}
	for _, c := range row.Cells {
		h.written[c.Column] = strings.Join(strings.Fields(trimmed(c.Text)), " ")
		if c.Form == xlsx.TextCell {
			h.columns[c.Column] = t.columnFor(c.Text)
		}
	}
	h.reselect(t)
	return h
}

// headerFinder keeps the best header among the first rows of a sheet.
type headerFinder struct {
	form     *form
	sections []*section
	matched  int // columns that some tab knows
}

func (f *headerFinder) look(row *xlsx.Row) {
	if row.Number > headerRows {
		return
	}
	sections := make([]*section, len(f.form.tabs))
	for i := range f.form.tabs {
		sections[i] = &section{tab: &f.form.tabs[i], header: matchHeader(&f.form.tabs[i], row)}
	}
	matched := 0
	for _, c := range row.Cells {
		if knows(sections, c.Column) {
			matched++
		}
	}
	if matched > f.matched {
		f.matched, f.sections = matched, sections
	}
}

// knows reports whether some section has a description of a column.
func knows(sections []*section, number int) bool {
	return slices.ContainsFunc(sections, func(s *section) bool { return s.header.column(number) != nil })
}

// isComment reports whether the first cell of a row that holds something begins with #.
func isComment(row *xlsx.Row) bool {
	first := row.Cells[0]
	return first.Form == xlsx.TextCell && strings.HasPrefix(first.Text, "#") && !errorWord.MatchString(first.Text)
}

// hasHeader reports a sheet without one. Where rows of several kinds stand
// together, the column that tells them apart belongs to it.
func (r *tabReader) hasHeader() bool {
	if r.matched < 2 {
		r.report(r.at(1, 1), resource.Finding{
			Code: diag.UnknownKey,
			Message: fmt.Sprintf("%s has no header in its first %d rows; want a row with %s",
				r.noun, headerRows, strings.Join(r.form.mainTitles(), ", ")),
		})
		return false
	}
	if len(r.sections) > 1 && r.kindColumn() == 0 {
		r.report(r.at(r.header.number, 0), resource.Finding{
			Code: diag.Required, Message: r.noun + ` has no column "Kind"; want one that says what each row is`,
		})
		return false
	}
	return true
}

func (r *tabReader) kindColumn() int {
	return r.sections[0].header.columnOf(func(c *column) bool { return c.role == roleKind })
}

// checkSection reports, once, what is wrong with the header for the rows of the
// section, and says whether they can be read.
func (r *tabReader) checkSection() bool {
	if r.checked {
		return r.fits
	}
	h := &r.header
	r.checked, r.fits = true, true
	r.checkTwice()
	for number := range h.columns {
		if c := h.columns[number]; c != nil &&
			(c.role == roleSelected || c.attribute != nil && c.attribute.Type == resource.TypeMoney) {
			r.fits = r.checkCurrency(number) && r.fits
		}
	}
	for i := range r.tab.columns {
		c := &r.tab.columns[i]
		if (c.role == roleParent || c.role == roleItem) && h.columnOf(func(have *column) bool {
			return have == c
		}) == 0 {
			r.report(r.at(h.number, 0), resource.Finding{
				Code: diag.Required, Message: fmt.Sprintf("%s has no column %q; want one", r.noun, c.title),
			})
			r.fits = false
		}
	}
	return r.fits
}

// checkTwice reports two columns that mean the same. Where rows of several kinds
// stand together, Campaign may be the name of one and the parent of another; its
// cells are held against each other instead.
func (r *tabReader) checkTwice() {
	first := map[*column]int{}
	for number, c := range r.header.columns {
		if c == nil || len(r.sections) > 1 {
			continue
		}
		if before, twice := first[c]; twice && c.role != roleOurs {
			r.reportPasted(r.at(r.header.number, number), r.header.written[number], resource.Finding{
				Code: diag.Duplicate,
				Message: fmt.Sprintf("header %q means %q, as does column %s; want it once",
					r.header.written[number], c.title, diag.ColumnName(before)),
				Hint: "begin one of them with # if the column is your own",
			})
			r.header.columns[number], r.told[number] = nil, true
			continue
		}
		first[c] = number
	}
}

// scaled is what brackets say where amounts are not in whole units.
var scaled = regexp.MustCompile(`(?i)micro|mikro|mill?i[oó]n|thousand|tausend|^(in )?(k|m|tsd\.?|mio\.?)$|0{3}|cents?$`)

// checkCurrency holds a bracketed currency against the account's, and refuses
// brackets that say that amounts are in thousands or micros.
func (r *tabReader) checkCurrency(number int) bool {
	code := inBrackets(r.header.written[number])
	own := r.in.env.Currency
	if scaled.MatchString(code) {
		r.report(r.at(r.header.number, number), resource.Finding{
			Code: diag.BadMoney,
			Message: fmt.Sprintf("header is %q: its amounts are in %q; want whole amounts under %s",
				r.header.written[number], code, r.titled(r.header.columns[number])),
		})
		return false
	}
	if code == "" || own == "" || !isForeign(code, own) {
		return true
	}
	if _, err := currency.ParseISO(code); err != nil && len([]rune(code)) != 1 {
		return true // a remark, not a currency
	}
	r.report(r.at(r.header.number, number), resource.Finding{
		Code:    diag.BadMoney,
		Message: fmt.Sprintf("header says the currency is %q; want the account's currency %s", code, own),
	})
	return false
}
