package table

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// readPublishing finds the cell that says whether the workbook is a draft or ready: it stands to the right of its
// label. Where the label stands twice, the cell counts that does not say ready.
func (r *bookReader) readPublishing() error {
	for _, ref := range r.Book.Sheets {
		if resource.Fold(ref.Name) != resource.Fold(config.StartTab) {
			continue
		}
		_, err := xlsx.Walk(r.Book, ref.Part, func(row *xlsx.Row) error {
			said := &r.made.Publishing
			p := publishingOf(row, diag.OriginOf(r.File, ref.Name))
			if !p.At.IsZero() && (said.At.IsZero() || said.Word == draft.WordReady) {
				*said = p
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("sheet %q: %w", ref.Name, err)
		}
	}
	return nil
}

func publishingOf(row *xlsx.Row, origin diag.Origin) (p draft.Publishing) {
	labelled := 0
	for _, cell := range row.Cells {
		switch {
		case strings.TrimRight(resource.Fold(cell.Text), ":") == resource.Fold(config.PublishLabel):
			labelled = cell.Column
			p.At = origin.At(row.Number, cell.Column+1)
		case labelled > 0 && cell.Column == labelled+1:
			p.Word = strings.ToLower(strings.TrimSpace(cell.Text))
		}
	}
	return p
}
