package table

import (
	"context"
	"errors"
	"path"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// ReadCSV reads a CSV file: the rows of one sheet of a workbook, or rows of
// every kind with a column Kind (formats.md section 3). Which it is, and what
// separates its fields, is found out and never guessed. Nothing of a file that
// is damaged anywhere is used.
func ReadCSV(ctx context.Context, file string, content []byte, in draft.Input) draft.Result {
	if bounded.InPrivate(file) {
		p := bounded.ProblemAt(diag.InFile(file), resource.Finding{
			Code: diag.IgnoredRows, Severity: diag.Warning, Message: "its folder is " +
				"for members files, and no audience names it; want an audience that does, or the file elsewhere",
		})
		return draft.Result{Stray: &p}
	}
	text, fault := csvfile.Decode(content)
	if fault != nil {
		return faulty(file, fault)
	}
	chosen, finding := chooseCSV(path.Base(file), text, &in)
	if finding != nil {
		p := bounded.ProblemAt(diag.InFile(file), *finding)
		return draft.Result{Stray: &p}
	}
	r := &bookReader{fileReader: &fileReader{ctx: ctx, In: in, File: file}}
	if text.Legacy {
		r.report(diag.InFile(file), resource.Finding{
			Code: diag.Unreadable, Severity: diag.Warning,
			Message: "file is not UTF-8 and is read as Windows-1252; want UTF-8", Hint: "save it as CSV UTF-8",
		})
	}
	grid := &csvGrid{Origin: diag.OriginOf(file, ""), Content: text, csvChoice: chosen, Limits: in.Bounds.CSV()}
	if err := r.readGrid(grid, chosen.Form); err != nil {
		return faulty(file, err)
	}
	return r.made
}

// readGrid reads the rows of a CSV file with the reader of sheets.
func (r *bookReader) readGrid(grid *csvGrid, f *catalog.Form) error {
	if f.Title == config.HintListsTab {
		lists := &hintListReader{fileReader: r.fileReader, grid: grid, byColumn: map[int]int{}}
		return lists.read()
	}
	rows := newReader(&head{
		bookReader: r, grid: grid, Form: f, noun: "file", Delimiter: csvfile.DelimiterName(grid.Delimiter),
	})
	if err := rows.Open(); err != nil {
		return err
	}
	return rows.readRows()
}

// faulty is the result of a CSV file nothing can be read from.
func faulty(file string, err error) draft.Result {
	var f *csvfile.Fault
	if errors.As(err, &f) {
		return draft.Result{Problems: []diag.Problem{bounded.ProblemAt(diag.At(file, f.Line, f.Column), f.Finding)}}
	}
	if finding := resource.LimitIn(err); finding != nil {
		finding.Message = strings.Replace(finding.Message, "it has", "file has", 1)
		return draft.Failed(file, *finding)
	}
	return draft.Failed(file, *xlsx.Damaged("file cannot be read (%v); want a whole one", err))
}

// csvGrid is a CSV file.
type csvGrid struct {
	csvChoice
	Origin   diag.Origin
	Content  csvfile.Text
	Limits   csvfile.Limits
	record   *csvfile.Record // that is visited
	Meanings []csvfile.Meaning
	row      xlsx.Row
	early    map[int][]diag.Position // of the fields of the rows a header may stand in
}

// Walk visits the records as rows, by the number of the line they begin in.
func (g *csvGrid) Walk(visit func(*xlsx.Row) error) (xlsx.Facts, error) {
	var facts xlsx.Facts
	err := g.each(func() error {
		if len(g.row.Cells) == 0 {
			return nil
		}
		facts.Filled++
		if visit == nil {
			return nil
		}
		return visit(&g.row)
	})
	return facts, err
}

// each takes every record, also one that holds nothing.
func (g *csvGrid) each(visit func() error) error {
	before := 0
	return g.Content.Walk(g.Delimiter, g.Limits, func(r *csvfile.Record) error {
		if g.declared && r.Line == 1 {
			return nil
		}
		if r.Unclosed && len(r.Fields) < before {
			return &csvfile.Fault{
				Line: r.End.Line, Column: r.End.Column,
				Finding: *xlsx.Damaged("last row ends after %s where the row before has %d, and has no line "+
					"break; want a file that is not cut short", diag.Plural(len(r.Fields), "value"), before),
			}
		}
		before = len(r.Fields)
		g.take(r)
		return visit()
	})
}

// take makes a row of a record: a cell of each field that holds something.
func (g *csvGrid) take(r *csvfile.Record) {
	g.record, g.Meanings = r, g.Meanings[:0]
	g.row = xlsx.Row{Number: r.Line, Cells: g.row.Cells[:0]}
	for i, field := range r.Fields {
		text, meaning := csvfile.Read(field.Text)
		g.Meanings = append(g.Meanings, meaning)
		if celltext.Trimmed(text) == "" {
			continue
		}
		c := xlsx.Cell{Column: i + 1, Form: xlsx.TextCell, Text: text, HasValue: true}
		if meaning == csvfile.Formula {
			c.Text, c.IsFormula, c.Formula, c.HasValue = "", true, text[1:], false
		}
		g.row.Cells = append(g.row.Cells, c)
	}
	if r.Line <= HeaderRows && g.early[r.Line] == nil {
		if g.early == nil {
			g.early = map[int][]diag.Position{}
		}
		for i := range r.Fields {
			g.early[r.Line] = append(g.early[r.Line], g.At(r.Line, i+1))
		}
	}
}

// At returns the physical line and the character a field begins at, the end of
// its record where the record has fewer.
func (g *csvGrid) At(row, column int) diag.Position {
	switch {
	case column == 0:
	case g.record != nil && g.record.Line == row:
		field := g.record.End
		if column <= len(g.record.Fields) {
			field = g.record.Fields[column-1]
		}
		return g.Origin.At(field.Line, field.Column)
	case column <= len(g.early[row]):
		return g.early[row][column-1]
	}
	return g.Origin.At(row, 1)
}

// keptWhole lengthens the last row with the others where no line break ends it:
// a last row that is shorter than the one before would read as cut.
func (g *csvGrid) keptWhole(edits []csvfile.Edit) []csvfile.Edit {
	width, own := 0, false
	for _, e := range edits {
		width = max(width, e.Column)
		own = own || e.Line == g.record.Line && e.Column > len(g.record.Fields)
	}
	if own || !g.record.Unclosed || len(g.record.Fields) >= width {
		return nil
	}
	return []csvfile.Edit{{Line: g.record.Line, Column: width}}
}
