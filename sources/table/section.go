package table

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/draft"
)

// Section is what one tab of a form makes of the header: its rows are read with
// it.
type Section struct {
	Tab     *catalog.Tab
	Header  headerRow
	checked bool
	fits    bool
	missing []*catalog.Column // that the sheet does not have; nil until it is asked
}

// isBeyond reports whether a field of a CSV stands where its header has ended. In a
// sheet it is somebody's note; in a CSV it is a delimiter too many.
func (r *head) isBeyond(c xlsx.Cell) bool {
	return r.Delimiter != "" && c.Column >= len(r.Header.Columns)
}

// isWide reports a row of a CSV that is longer than the header: its values
// stand in the wrong columns.
func (r *head) isWide(row *xlsx.Row) bool {
	last := row.Cells[len(row.Cells)-1]
	if !r.isBeyond(last) {
		return false
	}
	r.report(r.At(row.Number, last.Column), resource.Finding{
		Code: diag.BadValue,
		Message: fmt.Sprintf("row has %s where the header has %d; want one for each header",
			diag.Plural(last.Column, "value"), len(r.Header.Columns)-1),
		Hint: fmt.Sprintf("put a text that holds a %s in quotes", r.Delimiter),
	})
	return true
}

// choose finds out what a row is, where rows of several kinds stand together.
func (r *head) choose(row *xlsx.Row) bool {
	if len(r.Sections) == 1 {
		return true
	}
	number := r.kindColumn()
	position := r.At(row.Number, number)
	d := &draft.Draft{}
	word := ""
	for _, c := range row.Cells {
		if c.Column == number {
			word = r.markOf(d, position, c).Text
		}
	}
	if s := r.sectionOf(word); s != nil {
		r.Section = s
		return true
	}
	if !d.Failed {
		words := r.Sections[0].Header.Column(number).Words
		finding := resource.Finding{
			Code: diag.BadChoice, Message: fmt.Sprintf("Kind is %q; want one of %s", word, strings.Join(words, ", ")),
			Hint: diag.DidYouMean(word, words),
		}
		if word == "" {
			finding = resource.Finding{
				Code: diag.Required, Message: "Kind is missing; want one of " + strings.Join(words, ", "),
			}
		}
		r.report(position, finding)
	}
	return false
}

// sectionOf finds the rows a word of the column Kind means.
func (r *head) sectionOf(word string) *Section {
	if r.byWord == nil {
		r.byWord = map[string]*Section{}
		for _, s := range r.Sections {
			for _, known := range s.Tab.Words() {
				r.byWord[resource.Fold(known)] = s
			}
		}
	}
	if s := r.byWord[word]; s != nil { // as most rows have it
		return s
	}
	return r.byWord[resource.Fold(word)]
}

// refuseMisplaced reports a value under a column that rows of another kind have
// and this one has not.
func (r *head) refuseMisplaced(d *draft.Draft, row, number int) {
	if !r.reads(number) {
		return
	}
	r.fail(d, r.At(row, number), &resource.Finding{
		Code: diag.UnknownKey,
		Message: fmt.Sprintf("a row of kind %s has a value under %q, which it does not take; want a blank cell",
			r.Tab.Words()[0], r.Header.Written[number]),
	})
}
