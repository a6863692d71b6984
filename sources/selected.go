package sources

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// selection is an amount and what says which setting it is, in one row.
type selection struct {
	word    mark
	among   *column // the selector's column, nil where the row's cell is blank
	amount  xlsx.Cell
	column  *column // of the amount, nil where the row's cell is blank
	twice   bool
	written diag.Position
}

// reselect returns the columns of an amount their meaning once the header has a
// column that selects it: beside Budget type, Budget is no longer the lifetime's.
func (h *headerRow) reselect(t *tab) {
	if h.columnOf(func(c *column) bool { return c.role == roleSelector }) == 0 {
		return
	}
	for number, written := range h.written {
		for i := range t.also {
			if c := &t.also[i]; c.role == roleSelected &&
				written != "" && (t.layout == nil || !t.layout.isOwn(written)) && c.named(foldedHeader(written)) {
				h.columns[number] = c
			}
		}
	}
}

func (r *tabReader) readSelector(d *rowDraft, known *column, position diag.Position, c xlsx.Cell) {
	d.selected.among, d.selected.word = known, r.markOf(&d.draft, position, c)
}

func (d *rowDraft) noteSelected(known *column, position diag.Position, c xlsx.Cell) {
	d.selected.twice = d.selected.column != nil
	d.selected.column, d.selected.amount, d.selected.written = known, c, position
}

// readSelected reads the amount as the setting the row selects.
func (r *tabReader) readSelected(d *rowDraft, row int) {
	s := &d.selected
	number := r.header.columnOf(func(c *column) bool { return c.role == roleSelector })
	switch {
	case s.among == nil && s.column == nil:
		return
	case s.twice:
		r.fail(&d.draft, s.written, &resource.Finding{
			Code: diag.Conflicting, Message: "amount is in two columns of this row; want it in one",
		})
		return
	case s.among == nil:
		r.fail(&d.draft, r.at(row, number), &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is missing beside an amount; want %s",
				r.header.column(number).title, orWords(s.column)),
		})
		return
	case s.column == nil:
		r.fail(&d.draft, s.word.position, &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is %q without an amount; want the amount, or a blank cell",
				s.among.title, s.word.text),
		})
		return
	}
	if a := s.among.choose(s.word.text); a != nil {
		r.readValue(d, a, s.written, s.amount, s.column.micros)
		return
	}
	if s.word.text == "" {
		return // refused where it was read
	}
	r.fail(&d.draft, s.word.position, &resource.Finding{
		Code: diag.BadChoice, Message: fmt.Sprintf("%s is %q; want %s", s.among.title, s.word.text, orWords(s.among)),
		Hint: diag.DidYouMean(s.word.text, s.among.choices()),
	})
}
