package table

import (
	"context"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/draft"
)

// grid is what rows of cells are read from: a sheet of a workbook, or a CSV
// file.
type grid interface {
	// walk visits the rows that hold something from the first to the last. The
	// row handed out is used again for the next.
	Walk(visit func(*xlsx.Row) error) (xlsx.Facts, error)
	// at gives the position of a cell of the row that is visited, or of one a
	// header may stand in. Column 0 is the row as a whole.
	At(row, column int) diag.Position
	// text gives what a cell says, in the form Parse wants for a type.
	Text(c xlsx.Cell, typ resource.Type) (string, *resource.Finding)
}

// fileReader makes drafts of one file that has rows of cells.
type fileReader struct {
	ctx  context.Context
	In   draft.Input
	File string
	made draft.Result
	tabs []catalog.Tab // of every sheet, once a header is looked for among them
}

func (r *fileReader) report(at diag.Position, f resource.Finding) {
	problem := bounded.ProblemAt(at, f)
	if len(r.made.Problems) < r.In.Bounds.Problems {
		r.made.Problems = append(r.made.Problems, problem)
		return
	}
	r.made.Unlisted++
	r.made.UnlistedError = r.made.UnlistedError || problem.Severity == diag.Error
}

func (r *fileReader) fail(d *draft.Draft, position diag.Position, f *resource.Finding) {
	if f.Severity != diag.Warning {
		d.Failed = true
		d.OfCell(nil)
	}
	r.report(position, *f)
}

// reject fails a row for one attribute. What else fails it may be any.
func (r *fileReader) reject(d *draft.Draft, a *resource.Attribute, position diag.Position, f *resource.Finding) {
	before := d.Effect
	r.fail(d, position, f)
	d.Effect = before
	d.OfCell(a)
	d.Rejected = append(d.Rejected, a.Name)
}

func (r *fileReader) count(failed bool) {
	if failed {
		r.made.Rows.Failed++
		return
	}
	r.made.Rows.Used++
}

// sheetGrid is a sheet of a workbook.
type sheetGrid struct {
	*bookReader
	ref    xlsx.Sheet
	origin diag.Origin
}

// Walk visits the rows of the sheet that hold something.
func (g sheetGrid) Walk(visit func(*xlsx.Row) error) (xlsx.Facts, error) {
	blank := 0
	facts, err := xlsx.Walk(g.Book, g.ref.Part, func(row *xlsx.Row) error {
		row.Cells = slices.DeleteFunc(row.Cells, isBlankCell)
		switch {
		case len(row.Cells) == 0:
			blank++
		case visit != nil:
			return visit(row)
		}
		return nil
	})
	facts.Filled -= blank
	return facts, err
}

// At returns the position of a cell of the sheet.
func (g sheetGrid) At(row, column int) diag.Position {
	return g.origin.At(row, column)
}
