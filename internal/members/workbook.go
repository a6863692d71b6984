package members

import (
	"context"
	"errors"
	"fmt"

	"adsync/internal/xlsx"
)

// ReadWorkbook reads the first sheet of a workbook, one person a row.
func ReadWorkbook(ctx context.Context, content []byte, as Identifier, limits xlsx.Limits) (*List, error) {
	parts, finding := xlsx.Open(ctx, content, limits)
	if finding != nil {
		return nil, fault(0, finding.Message, finding.Hint)
	}
	book, err := xlsx.ReadBook(parts)
	if err != nil {
		return nil, fault(0, "workbook is damaged; want a whole one", "")
	}
	if len(book.Sheets) == 0 {
		return nil, fault(0, "workbook has no sheet; want one identifier a row on the first", "")
	}
	b := bookReader{list: &List{Identifier: as}}
	if _, err := xlsx.Walk(book, book.Sheets[0].Part, b.row); err != nil {
		var f *Fault
		if errors.As(err, &f) {
			return nil, f
		}
		// The cause is not given: it may quote a cell.
		return nil, fault(0, fmt.Sprintf("sheet %q is damaged; want a whole workbook", book.Sheets[0].Name), "")
	}
	if b.list.Counts.Read == 0 {
		return nil, fault(0, fmt.Sprintf("sheet %q holds no row beside its header; want one identifier a row",
			book.Sheets[0].Name), "")
	}
	return b.list.end(), nil
}

type bookReader struct {
	list   *List
	column column
	begun  bool
	fields []string
}

func (b *bookReader) row(row *xlsx.Row) error {
	b.fields = b.fields[:0]
	for _, c := range row.Cells {
		for len(b.fields) < c.Column-1 {
			b.fields = append(b.fields, "")
		}
		b.fields = append(b.fields, c.Text)
	}
	if !b.begun {
		b.begun = true
		var f *Fault
		if b.column, f = columnOf(b.list.Identifier, row.Number, b.fields); f != nil {
			return f
		}
		if b.column.header {
			return nil
		}
	}
	if row.Hidden {
		b.list.Hidden++
	}
	if reason := b.notText(row); reason != "" {
		b.list.Counts.Read++
		b.list.reject(row.Number, reason)
		return nil
	}
	b.column.take(b.list, row.Number, b.fields)
	return nil
}

// notText is why the cell of the identifier holds no text to hash.
func (b *bookReader) notText(row *xlsx.Row) Reason {
	for _, c := range row.Cells {
		switch {
		case c.Column-1 != b.column.index:
		case c.IsFormula:
			return formulaCell
		case c.Form == xlsx.NumberCell:
			return numberCell
		case c.Form != xlsx.TextCell:
			return errorCell
		}
	}
	return ""
}
