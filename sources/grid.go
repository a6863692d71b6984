package sources

import (
	"context"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// grid is what rows of cells are read from: a sheet of a workbook, or a CSV
// file.
type grid interface {
	// walk visits the rows that hold something from the first to the last. The
	// row handed out is used again for the next.
	walk(visit func(*xlsx.Row) error) (xlsx.Facts, error)
	// at gives the position of a cell of the row that is visited, or of one a
	// header may stand in. Column 0 is the row as a whole.
	at(row, column int) diag.Position
	// text gives what a cell says, in the form Parse wants for a type.
	text(c xlsx.Cell, typ resource.Type) (string, *resource.Finding)
}

// fileReader makes drafts of one file that has rows of cells.
type fileReader struct {
	ctx  context.Context
	in   input
	file string
	made result
	tabs []tab // of every sheet, once a header is looked for among them
}

func (r *fileReader) report(at diag.Position, f resource.Finding) {
	problem := bounded.ProblemAt(at, f)
	if len(r.made.problems) < r.in.bounds.Problems {
		r.made.problems = append(r.made.problems, problem)
		return
	}
	r.made.unlisted++
	r.made.unlistedError = r.made.unlistedError || problem.Severity == diag.Error
}

func (r *fileReader) fail(d *draft, position diag.Position, f *resource.Finding) {
	if f.Severity != diag.Warning {
		d.failed = true
		d.ofCell(nil)
	}
	r.report(position, *f)
}

// reject fails a row for one attribute. What else fails it may be any.
func (r *fileReader) reject(d *draft, a *resource.Attribute, position diag.Position, f *resource.Finding) {
	before := d.effect
	r.fail(d, position, f)
	d.effect = before
	d.ofCell(a)
	d.rejected = append(d.rejected, a.Name)
}

func (r *fileReader) count(failed bool) {
	if failed {
		r.made.rows.Failed++
		return
	}
	r.made.rows.Used++
}

// sheetGrid is a sheet of a workbook.
type sheetGrid struct {
	*bookReader
	ref    xlsx.Sheet
	origin diag.Origin
}

func (g sheetGrid) walk(visit func(*xlsx.Row) error) (xlsx.Facts, error) {
	blank := 0
	facts, err := xlsx.Walk(g.book, g.ref.Part, func(row *xlsx.Row) error {
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

func (g sheetGrid) at(row, column int) diag.Position {
	return g.origin.At(row, column)
}
