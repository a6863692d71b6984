package tidy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/table"
)

// fixCells returns a workbook or a CSV file with what has one reading put right,
// in the cells that have problems and in no other.
func fixCells(ctx context.Context, w *rewriter, r *Rewrite, content []byte, found faults) []byte {
	f, err := w.openCells(ctx, r.File, content)
	if err != nil {
		return content // what cannot be opened has its problem already
	}
	edits := map[*table.Reader][]cellEdit{}
	var fixes []Fix
	for _, t := range f.tables {
		c := &cellFixer{Reader: t, faults: found}
		if err := c.fix(); err != nil {
			return content
		}
		edits[t] = c.edits
		fixes = append(fixes, c.fixes...)
	}
	if len(fixes) == 0 {
		return content
	}
	after, err := f.rewrite(edits)
	if err != nil {
		r.fail(resource.Finding{Code: diag.Unreadable, Message: err.Error() + "; the file is left as it is"})
		return content
	}
	r.Fixes = append(r.Fixes, fixes...)
	return after
}

// cellFixer looks for repairs in one table.
type cellFixer struct {
	*table.Reader
	faults faults
	edits  []cellEdit
	fixes  []Fix
}

func (c *cellFixer) put(at xlsx.At, position diag.Position, was string, form editForm, better repair) {
	c.edits = append(c.edits, cellEdit{At: at, form: form, text: better.text})
	c.fixes = append(c.fixes, Fix{Position: position, Was: was, Is: better.text, Why: better.why})
}

func (c *cellFixer) fix() error {
	if c.Matched < 2 {
		return nil
	}
	for number, written := range c.Header.Written {
		if err := c.fixHeader(number, written); err != nil {
			return err
		}
	}
	if len(c.edits) > 0 {
		return nil // rows are read with the header there is now; the next round has the better one
	}
	rows := &sameRows{}
	err := c.Visit(func(known *catalog.Column, at xlsx.At, cell xlsx.Cell) {
		position := c.At(at.Row, at.Column)
		rows.add(at, position, cell, known.Role != catalog.RoleOurs, c.faults.have(c.At(at.Row, 0), diag.Duplicate) ||
			c.faults.have(position, diag.Duplicate))
		if cell.Form == xlsx.TextCell && !cell.IsFormula && cell.Meta == 0 && c.faults.have(position) {
			c.fixCell(known, at, position, cell)
		}
	})
	for _, cell := range rows.twice() {
		c.put(cell.at, cell.position, cell.text, asBlank,
			repair{"", fmt.Sprintf("the row is the same as row %d, and is said once", cell.first)})
	}
	return err
}

func (c *cellFixer) fixCell(known *catalog.Column, at xlsx.At, position diag.Position, cell xlsx.Cell) {
	switch known.Role {
	case catalog.RoleAttribute:
		if a := known.Attribute; !known.Micros && !celltext.AsksToClear(cell.Text, a.Type) {
			c.fixValue(a, at, position, cell)
		}
	case catalog.RoleKey:
		if better, ok := repairedKey(cell.Text); ok {
			c.put(at, position, cell.Text, asExact, better)
		}
	case catalog.RoleID:
		if better, ok := repairedName(cell.Text); ok {
			c.put(at, position, cell.Text, asExact, better)
		}
	case catalog.RoleParent:
		if better, ok := repairedName(cell.Text); ok {
			c.put(at, position, cell.Text, asText, better)
		}
	}
}

func (c *cellFixer) fixValue(a *resource.Attribute, at xlsx.At, position diag.Position, cell xlsx.Cell) {
	form := asText
	if a.Type == resource.TypeID || a.Type == resource.TypeIDs {
		form = asExact
	}
	if !a.Type.IsList() {
		if better, ok := repaired(a, naming(c.Tab.Schema, a), cell.Text, c.In.Env); ok {
			c.put(at, position, cell.Text, form, better)
		}
		return
	}
	items, finding := celltext.ListItems(a, cell.Text)
	if finding != nil || a.Type == resource.TypeHints {
		return
	}
	why := ""
	for i, item := range items {
		better, ok := repaired(a, false, item, c.In.Env)
		switch {
		case ok:
			items[i], why = better.text, better.why
		case !reads(a, item, c.In.Env):
			return // one of them cannot be put right: a part of the list would be another list
		}
	}
	if why != "" {
		c.put(at, position, cell.Text, form, repair{strings.Join(items, ", "), why})
	}
}

var headerEnd = pattern.Of(`\s*(?:[(\[][^)\]]*[)\]])?[\s*]*$`)

// fixHeader repairs a misspelt header, if one letter is wrong, no other header
// is as near, the one that is meant is not there, and every value under it fits.
func (c *cellFixer) fixHeader(number int, written string) error {
	position := c.At(c.Header.Number, number)
	if written == "" || len(c.Sections) > 1 || !c.faults.have(position, diag.UnknownKey) {
		return nil
	}
	end := headerEnd.FindString(written)
	meant, ok := c.Tab.Misspelt(strings.TrimSuffix(written, end))
	if !ok || c.Header.ColumnOf(func(have *catalog.Column) bool { return have == meant }) != 0 ||
		meant.Role != catalog.RoleAttribute {
		return nil
	}
	fits, filled := true, 0
	_, err := c.Walk(func(row *xlsx.Row) error {
		for _, cell := range row.Cells {
			if cell.Column == number && row.Number > c.Header.Number && !table.IsComment(row) {
				text, finding := c.Text(cell, meant.Attribute.Type)
				filled++
				fits = fits && finding == nil &&
					(celltext.AsksToClear(text, meant.Attribute.Type) && meant.Attribute.Clearable ||
						c.fitsColumn(meant, text))
			}
		}
		return nil
	})
	if fits && filled > 0 {
		c.put(xlsx.At{Row: c.Header.Number, Column: number}, position,
			written, asText, repair{meant.Title + end, "no other header is as near, and every value under it fits"})
	}
	return err
}

func (c *cellFixer) fitsColumn(meant *catalog.Column, text string) bool {
	if !meant.Attribute.Type.IsList() {
		return reads(meant.Attribute, text, c.In.Env)
	}
	items, finding := celltext.ListItems(meant.Attribute, text)
	return finding == nil && !slices.ContainsFunc(items, func(item string) bool {
		return !reads(meant.Attribute, item, c.In.Env)
	})
}

// sameRows finds rows of a table that say the same in every column that is read.
type sameRows struct {
	rows []tableRow
}

// tableRow is a row as its cells say it.
type tableRow struct {
	number int
	twice  bool // a problem says that it stands twice
	says   string
	cells  []droppedCell
}

type droppedCell struct {
	at       xlsx.At
	position diag.Position
	text     string
	first    int // row that says the same
}

func (s *sameRows) add(at xlsx.At, position diag.Position, c xlsx.Cell, read, twice bool) {
	if len(s.rows) == 0 || s.rows[len(s.rows)-1].number != at.Row {
		s.rows = append(s.rows, tableRow{number: at.Row})
	}
	row := &s.rows[len(s.rows)-1]
	row.twice = row.twice || twice
	if read {
		row.says += fmt.Sprintf("%d %d %q %q\n", at.Column, c.Form, c.Text, c.Formula)
		row.cells = append(row.cells, droppedCell{at: at, position: position, text: c.Text})
	}
}

// twice returns the cells of every row that an earlier one says already.
func (s *sameRows) twice() []droppedCell {
	first := map[string]int{}
	var cells []droppedCell
	for _, row := range s.rows {
		before, said := first[row.says]
		if !said {
			first[row.says] = row.number
			continue
		}
		if !row.twice {
			continue
		}
		for _, cell := range row.cells {
			cell.first = before
			cells = append(cells, cell)
		}
	}
	return cells
}
