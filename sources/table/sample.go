package table

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/celltext"
)

// A workbook somebody else made may hold rows that only show what a row looks
// like (docs/develop/assumptions.md, "Sample rows"). They are not read, and each is
// named.

var (
	// sampleMark is what marks a row, or the rows beneath, as samples.
	sampleMark = pattern.Of(`(?i)^\W*(examples?|samples?)( ` +
		`(rows?|data|campaigns?|ad ?groups?|ads?))?( ?#?[0-9]+)?\W*$`)
	// sampleStart is a sample that says so before its name: "[Example] Spring".
	sampleStart = pattern.Of(`(?i)^\W*(example|sample)\s*(?:[\])}>:]|[-–—]\s)`)
	// severalSamples is a mark that speaks of more than one row.
	severalSamples = pattern.Of(`(?i)^\W*(examples|samples|(example|sample) ` +
		`(rows|data|campaigns|ad ?groups|ads))\W*$`)
	// instruction is a cell that says what belongs into its column.
	instruction = pattern.Of(`(?i)^\W*(required|` +
		`optional|mandatory|conditional|string|text|number|integer|decimal|date|enum|url|json|array|list|boolean)\b`)
)

// sampleState follows the rows of a sheet: what the row before said of those
// beneath it.
type sampleState struct {
	last      int  // row number of the sample or mark before
	next      bool // the next row is one
	block     bool // all rows up to a blank one are
	from      int  // row of the mark of the block
	belowHead bool // only instructions have come since the header
}

// sampleReader finds rows that only show what a row looks like.
type sampleReader struct {
	*head
	samples sampleState
	lastRow int // that was read
}

// isSample recognises a row that is there to be looked at, and says so.
func (r *sampleReader) isSample(row *xlsx.Row) bool {
	r.lastRow = row.Number
	why := r.sampleReason(row)
	if why == "" {
		return false
	}
	r.samples.last = row.Number
	r.report(r.At(row.Number, 0), resource.Finding{
		Code: diag.IgnoredRows, Severity: diag.Warning,
		Message: "row is taken for a sample and not read: " + why,
		Hint:    "delete it, or write the row anew if it is meant",
	})
	return true
}

func (r *sampleReader) sampleReason(row *xlsx.Row) string {
	s := &r.samples
	below := s.belowHead
	s.belowHead = false
	follows := row.Number == s.last+1
	first := row.Cells[0]
	switch {
	case s.next && follows:
		s.next = false
		return "the row above says so"
	case s.block && follows:
		return fmt.Sprintf("row %d says so of those beneath it", s.from)
	}
	s.next, s.block = false, false
	switch {
	case below && r.instructs(row):
		s.belowHead = true
		return "its cells say what belongs into the columns"
	case first.Form != xlsx.TextCell:
		return ""
	case sampleMark.MatchString(first.Text) && len(row.Cells) == 1:
		s.block = severalSamples.MatchString(first.Text)
		s.next, s.from = !s.block, row.Number
		return fmt.Sprintf("it says %q", celltext.Trimmed(first.Text))
	case sampleMark.MatchString(first.Text), sampleStart.MatchString(first.Text):
		return fmt.Sprintf("it begins with %q", celltext.Trimmed(first.Text))
	}
	return ""
}

// instructs reports whether every cell that would be read says what belongs there.
func (r *sampleReader) instructs(row *xlsx.Row) bool {
	count := 0
	for _, c := range row.Cells {
		if !r.reads(c.Column) {
			continue
		}
		if c.Form != xlsx.TextCell || !instruction.MatchString(strings.TrimSpace(c.Text)) {
			return false
		}
		count++
	}
	return count > 1
}

// reportBlock refuses samples that run to the end of the sheet: rows of the
// user's own may be among them.
func (r *sampleReader) reportBlock() {
	if !r.samples.block || r.samples.last != r.lastRow || r.samples.last == r.samples.from {
		return
	}
	r.report(r.At(r.samples.from, 0), resource.Finding{
		Code: diag.IgnoredRows,
		Message: fmt.Sprintf("all rows beneath this mark "+
			"of samples, to row %d, have no blank row between them; want one after the last sample", r.samples.last),
		Hint: "put a blank row between the samples and your own rows, or delete the mark and the samples",
	})
}
