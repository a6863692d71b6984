package marked

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/csvfile"
	"adsync/internal/xlsx"
	"adsync/sources/table"
)

// writeWorkbookCells puts changes into the cells of a workbook.
func writeWorkbookCells(content []byte, w cellsWriting) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), w.in.Bounds.PerFile)
	defer cancel()
	tabs, err := table.OpenWorkbook(ctx, w.in, w.file, content)
	if err != nil {
		return nil, err
	}
	if w.prepare != nil {
		if err := w.prepare(tabs); err != nil {
			return nil, err
		}
	}
	var all xlsx.Changes
	for _, t := range tabs {
		changes, err := w.changes(t)
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", t.Ref.Name, err)
		}
		for _, c := range changes {
			all.Edits = append(all.Edits, sheetEdit(t, c))
		}
	}
	if w.beside != nil {
		if err := w.beside(tabs, &all); err != nil {
			return nil, err
		}
	}
	return w.rewrite(content, all)
}

// rewrite leaves out the cells that cannot be changed alone, where that is wanted.
func (w cellsWriting) rewrite(content []byte, all xlsx.Changes) ([]byte, error) {
	rewritten, err := all.Rewrite(content, w.in.Bounds.Workbook())
	refused := new(xlsx.Refused)
	if w.refused == nil || !errors.As(err, &refused) {
		return rewritten, err
	}
	if all.Lower != nil && slices.ContainsFunc(refused.Cells, func(c xlsx.RefusedCell) bool {
		return c.Sheet == all.Lower.Sheet
	}) { // a sheet moves as a whole or stays
		all.Edits = slices.DeleteFunc(all.Edits, func(e xlsx.Edit) bool { return e.Sheet == all.Lower.Sheet })
		all.Lower, all.Charted = nil, nil
	}
	for _, cell := range refused.Cells {
		if err := w.refused(cell); err != nil {
			return nil, err
		}
		all.Edits = slices.DeleteFunc(all.Edits, func(e xlsx.Edit) bool {
			return e.Sheet == cell.Sheet && e.Row == cell.At.Row && e.Column == cell.At.Column
		})
	}
	return all.Rewrite(content, w.in.Bounds.Workbook())
}

// sheetEdit makes an edit of a change; a new header looks like the last one.
func sheetEdit(r *table.Reader, c cellChange) xlsx.Edit {
	e := xlsx.Edit{Sheet: r.Ref.Name, Row: c.Row, Column: c.Column, Value: xlsx.Text(c.text), Like: c.like}
	if c.number {
		e.Value = xlsx.NumberOrText(c.text)
	}
	if c.Row == r.Header.Number {
		e.Like = xlsx.At{Row: c.Row, Column: len(r.Header.Columns) - 1}
	}
	return e
}

// writeCSVCells puts changes into the fields of a CSV file.
func writeCSVCells(content []byte, w cellsWriting) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), w.in.Bounds.PerFile)
	defer cancel()
	rows, err := table.ChooseCSVFile(ctx, w.in, w.file, content)
	if err != nil {
		return nil, err
	}
	if err := rows.Open(); err != nil {
		return nil, err
	}
	changes, err := w.changes(rows.Reader)
	if err != nil {
		return nil, err
	}
	var edits []csvfile.Edit
	for _, c := range changes {
		field := csvfile.Plain(c.text)
		if c.exact {
			field = csvfile.Exact(c.text)
		}
		edits = append(edits, csvfile.Edit{Line: c.Row, Column: c.Column, Field: field})
	}
	edits = append(edits, rows.KeptWhole(edits)...)
	return rows.Rewrite(edits)
}
