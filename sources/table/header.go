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

	"golang.org/x/text/currency"
)

// HeaderRows is how far down a sheet its header may stand.
const HeaderRows = 20

// headerRow is a sheet's header, matched to the columns of its tab.
type headerRow struct {
	Number  int
	Columns []*catalog.Column // by the sheet's column; nil is the user's own
	Written []string          // by the sheet's column: the header as written, "" where there is none
}

// Column returns the description of a sheet's column, nil where it is not known.
func (h *headerRow) Column(number int) *catalog.Column {
	if number < len(h.Columns) {
		return h.Columns[number]
	}
	return nil
}

// ColumnOf finds the sheet's column of a role, 0 where there is none.
func (h *headerRow) ColumnOf(matches func(*catalog.Column) bool) int {
	for number, c := range h.Columns {
		if c != nil && matches(c) {
			return number
		}
	}
	return 0
}

// matchHeader takes a row for the header and says what it would mean.
func matchHeader(t *catalog.Tab, row *xlsx.Row) headerRow {
	last := row.Cells[len(row.Cells)-1].Column
	h := headerRow{Number: row.Number, Columns: make([]*catalog.Column, last+1), Written: make([]string, last+1)}
	for _, c := range row.Cells {
		h.Written[c.Column] = strings.Join(strings.Fields(celltext.Trimmed(c.Text)), " ")
		if c.Form == xlsx.TextCell {
			h.Columns[c.Column] = t.ColumnFor(c.Text)
		}
	}
	h.reselect(t)
	return h
}

// head is a table with its header: what is asked of it for each row.
type head struct {
	*bookReader
	grid
	*Section  // the one of the row that is read
	Form      *catalog.Form
	Sections  []*Section
	Matched   int    // columns of the header that are known
	noun      string // what people call it: sheet or file
	Delimiter string // of a CSV file; a sheet has none
	Ref       xlsx.Sheet
	Facts     xlsx.Facts
	told      map[int]bool        // columns that were reported
	byWord    map[string]*Section // of the column Kind
	from      int                 // problems that were there before the row that is read
	unsure    bool                // nobody knows whether the row that is read is included
}

// HeaderFinder keeps the best header among the first rows of a sheet.
type HeaderFinder struct {
	Form     *catalog.Form
	Sections []*Section
	Matched  int // columns that some tab knows
}

// Look takes a row for the header where it is the best so far.
func (f *HeaderFinder) Look(row *xlsx.Row) {
	if row.Number > HeaderRows {
		return
	}
	sections := make([]*Section, len(f.Form.Tabs))
	for i := range f.Form.Tabs {
		sections[i] = &Section{Tab: &f.Form.Tabs[i], Header: matchHeader(&f.Form.Tabs[i], row)}
	}
	matched := 0
	for _, c := range row.Cells {
		if knows(sections, c.Column) {
			matched++
		}
	}
	if matched > f.Matched {
		f.Matched, f.Sections = matched, sections
	}
}

// knows reports whether some section has a description of a column.
func knows(sections []*Section, number int) bool {
	return slices.ContainsFunc(sections, func(s *Section) bool { return s.Header.Column(number) != nil })
}

// IsComment reports whether the first cell of a row that holds something begins with #.
func IsComment(row *xlsx.Row) bool {
	first := row.Cells[0]
	return first.Form == xlsx.TextCell && strings.HasPrefix(first.Text, "#") &&
		!celltext.ErrorWord.MatchString(first.Text)
}

// hasHeader reports a sheet without one. Where rows of several kinds stand
// together, the column that tells them apart belongs to it.
func (r *head) hasHeader() bool {
	if r.Matched < 2 {
		r.report(r.At(1, 1), resource.Finding{
			Code: diag.UnknownKey,
			Message: fmt.Sprintf("%s has no header in its first %d rows; want a row with %s",
				r.noun, HeaderRows, strings.Join(r.Form.MainTitles(), ", ")),
		})
		return false
	}
	if len(r.Sections) > 1 && r.kindColumn() == 0 {
		r.report(r.At(r.Header.Number, 0), resource.Finding{
			Code: diag.Required, Message: r.noun + ` has no column "Kind"; want one that says what each row is`,
		})
		return false
	}
	return true
}

func (r *head) kindColumn() int {
	return r.Sections[0].Header.ColumnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleKind })
}

// checkSection reports, once, what is wrong with the header for the rows of the
// section, and says whether they can be read.
func (r *head) checkSection() bool {
	if r.checked {
		return r.fits
	}
	h := &r.Header
	r.checked, r.fits = true, true
	r.checkTwice()
	for number := range h.Columns {
		if c := h.Columns[number]; c != nil &&
			(c.Role == catalog.RoleSelected || c.Attribute != nil && c.Attribute.Type == resource.TypeMoney) {
			r.fits = r.checkCurrency(number) && r.fits
		}
	}
	for i := range r.Tab.Columns {
		c := &r.Tab.Columns[i]
		if (c.Role == catalog.RoleParent || c.Role == catalog.RoleItem) && h.ColumnOf(func(have *catalog.Column) bool {
			return have == c
		}) == 0 {
			r.report(r.At(h.Number, 0), resource.Finding{
				Code: diag.Required, Message: fmt.Sprintf("%s has no column %q; want one", r.noun, c.Title),
			})
			r.fits = false
		}
	}
	return r.fits
}

// checkTwice reports two columns that mean the same. Where rows of several kinds
// stand together, Campaign may be the name of one and the parent of another; its
// cells are held against each other instead.
func (r *head) checkTwice() {
	first := map[*catalog.Column]int{}
	for number, c := range r.Header.Columns {
		if c == nil || len(r.Sections) > 1 {
			continue
		}
		if before, twice := first[c]; twice && c.Role != catalog.RoleOurs {
			r.reportPasted(r.At(r.Header.Number, number), r.Header.Written[number], resource.Finding{
				Code: diag.Duplicate,
				Message: fmt.Sprintf("header %q means %q, as does column %s; want it once",
					r.Header.Written[number], c.Title, diag.ColumnName(before)),
				Hint: "begin one of them with # if the column is your own",
			})
			r.Header.Columns[number], r.told[number] = nil, true
			continue
		}
		first[c] = number
	}
}

// scaled is what brackets say where amounts are not in whole units.
var scaled = pattern.Of(`(?i)micro|mikro|mill?i[oó]n|thousand|tausend|^(in )?(k|m|tsd\.?|mio\.?)$|0{3}|cents?$`)

// checkCurrency holds a bracketed currency against the account's, and refuses
// brackets that say that amounts are in thousands or micros.
func (r *head) checkCurrency(number int) bool {
	code := celltext.InBrackets(r.Header.Written[number])
	own := r.In.Env.Currency
	if scaled.MatchString(code) {
		r.report(r.At(r.Header.Number, number), resource.Finding{
			Code: diag.BadMoney,
			Message: fmt.Sprintf("header is %q: its amounts are in %q; want whole amounts under %s",
				r.Header.Written[number], code, r.titled(r.Header.Columns[number])),
		})
		return false
	}
	if code == "" || own == "" || !celltext.IsForeign(code, own) {
		return true
	}
	if _, err := currency.ParseISO(code); err != nil && len([]rune(code)) != 1 {
		return true // a remark, not a currency
	}
	r.report(r.At(r.Header.Number, number), resource.Finding{
		Code:    diag.BadMoney,
		Message: fmt.Sprintf("header says the currency is %q; want the account's currency %s", code, own),
	})
	return false
}
