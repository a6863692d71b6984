package table

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/draft"
)

// selection is an amount and what says which setting it is, in one row.
type selection struct {
	word    draft.Mark
	among   *catalog.Column // the selector's column, nil where the row's cell is blank
	amount  xlsx.Cell
	column  *catalog.Column // of the amount, nil where the row's cell is blank
	twice   bool
	written diag.Position
}

// reselect gives the columns of an amount their meaning once the header has a
// column that selects it: beside Budget type, Budget is no longer the lifetime's.
func (h *headerRow) reselect(t *catalog.Tab) {
	if h.ColumnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleSelector }) == 0 {
		return
	}
	for number, written := range h.Written {
		for i := range t.Also {
			if c := &t.Also[i]; c.Role == catalog.RoleSelected &&
				written != "" && (t.Layout == nil || !t.Layout.IsOwn(written)) &&
				c.Named(celltext.FoldedHeader(written)) {
				h.Columns[number] = c
			}
		}
	}
}

func (r *draftReader) readSelector(d *rowDraft, known *catalog.Column, position diag.Position, c xlsx.Cell) {
	d.selected.among, d.selected.word = known, r.markOf(&d.Draft, position, c)
}

func (d *rowDraft) noteSelected(known *catalog.Column, position diag.Position, c xlsx.Cell) {
	d.selected.twice = d.selected.column != nil
	d.selected.column, d.selected.amount, d.selected.written = known, c, position
}

// readSelected reads the amount as the setting the row selects.
func (r *draftReader) readSelected(d *rowDraft, row int) {
	s := &d.selected
	number := r.Header.ColumnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleSelector })
	switch {
	case s.among == nil && s.column == nil:
		return
	case s.twice:
		r.fail(&d.Draft, s.written, &resource.Finding{
			Code: diag.Conflicting, Message: "amount is in two columns of this row; want it in one",
		})
		return
	case s.among == nil:
		r.fail(&d.Draft, r.At(row, number), &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is missing beside an amount; want %s",
				r.Header.Column(number).Title, catalog.OrWords(s.column)),
		})
		return
	case s.column == nil:
		r.fail(&d.Draft, s.word.Position, &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is %q without an amount; want the amount, or a blank cell",
				s.among.Title, s.word.Text),
		})
		return
	}
	if a := s.among.Choose(s.word.Text); a != nil {
		r.readValue(d, a, s.written, s.amount, s.column.Micros)
		return
	}
	if s.word.Text == "" {
		return // refused where it was read
	}
	r.fail(&d.Draft, s.word.Position, &resource.Finding{
		Code: diag.BadChoice, Message: fmt.Sprintf("%s is %q; want %s",
			s.among.Title, s.word.Text, catalog.OrWords(s.among)),
		Hint: diag.DidYouMean(s.word.Text, s.among.Choices()),
	})
}
