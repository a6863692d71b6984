package sources

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// section is what one tab of a form makes of the header: its rows are read with
// it.
type section struct {
	tab     *tab
	header  headerRow
	checked bool
	fits    bool
	missing []*column // that the sheet does not have; nil until it is asked
}

// isBeyond reports whether a field of a CSV stands where its header has ended. In a
// sheet it is somebody's note; in a CSV it is a delimiter too many.
func (r *tabReader) isBeyond(c xlsx.Cell) bool {
	return r.delimiter != "" && c.Column >= len(r.header.columns)
}

// isWide reports a row of a CSV that is longer than the header: its values
// stand in the wrong columns.
func (r *tabReader) isWide(row *xlsx.Row) bool {
	last := row.Cells[len(row.Cells)-1]
	if !r.isBeyond(last) {
		return false
	}
	r.report(r.at(row.Number, last.Column), resource.Finding{
		Code: diag.BadValue,
		Message: fmt.Sprintf("row has %s where the header has %d; want one for each header",
			resource.Counted(last.Column, "value"), len(r.header.columns)-1),
		Hint: fmt.Sprintf("put a text that holds a %s in quotes", r.delimiter),
	})
	return true
}

// choose finds out what a row is, where rows of several kinds stand together.
func (r *tabReader) choose(row *xlsx.Row) bool {
	if len(r.sections) == 1 {
		return true
	}
	number := r.kindColumn()
	position := r.at(row.Number, number)
	d := &draft{}
	word := ""
	for _, c := range row.Cells {
		if c.Column == number {
			word = r.markOf(d, position, c).text
		}
	}
	if s := r.sectionOf(word); s != nil {
		r.section = s
		return true
	}
	if !d.failed {
		words := r.sections[0].header.column(number).words
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
func (r *tabReader) sectionOf(word string) *section {
	if r.byWord == nil {
		r.byWord = map[string]*section{}
		for _, s := range r.sections {
			for _, known := range s.tab.words() {
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
func (r *tabReader) refuseMisplaced(d *draft, row, number int) {
	if !r.reads(number) {
		return
	}
	r.fail(d, r.at(row, number), &resource.Finding{
		Code: diag.UnknownKey,
		Message: fmt.Sprintf("a row of kind %s has a value under %q, which it does not take; want a blank cell",
			r.tab.words()[0], r.header.written[number]),
	})
}
