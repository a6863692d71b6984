package table

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/draft"
)

// OpenWorkbook opens the sheets of a workbook that are read, for who looks at their cells or writes into them.
func OpenWorkbook(ctx context.Context, in draft.Input, file string, content []byte) ([]*Reader, error) {
	members, finding := xlsx.Open(ctx, content, in.Bounds.Workbook())
	if finding != nil {
		return nil, errors.New(finding.Message)
	}
	book, err := xlsx.ReadBook(members)
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%w); want a whole one", err)
	}
	r := &bookReader{fileReader: &fileReader{ctx: ctx, In: in, File: file}, Book: book}
	tables, err := r.openTabs()
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%w); want a whole one", err)
	}
	return tables, nil
}

// CSVFile is a CSV file whose fields can be written anew.
type CSVFile struct {
	*Reader
	grid    *csvGrid
	content []byte
}

// ChooseCSVFile finds out what a CSV file holds. Its rows are not read before it is opened.
func ChooseCSVFile(ctx context.Context, in draft.Input, file string, content []byte) (*CSVFile, error) {
	text, fault := csvfile.Decode(content)
	if fault != nil {
		return nil, fault
	}
	chosen, finding := chooseCSV(path.Base(file), text, &in)
	if finding != nil {
		return nil, errors.New(finding.Message)
	}
	grid := &csvGrid{Origin: diag.OriginOf(file, ""), Content: text, csvChoice: chosen, Limits: in.Bounds.CSV()}
	book := &bookReader{fileReader: &fileReader{ctx: ctx, In: in, File: file}}
	return &CSVFile{Reader: newReader(&head{
		bookReader: book, grid: grid, Form: chosen.Form, noun: "file", Delimiter: csvfile.DelimiterName(grid.Delimiter),
	}), grid: grid, content: content}, nil
}

// EachRow visits the rows, those that hold nothing too, with their fields as they are written. shown is the number of
// the row in a spreadsheet program, which is less than its line where values above it have several.
func (f *CSVFile) EachRow(visit func(row *xlsx.Row, shown int, fields []csvfile.Field) error) error {
	above := 0
	if f.grid.declared {
		above = 1
	}
	return f.grid.each(func() error {
		r := f.grid.record
		shown := r.Line - above
		above += r.End.Line - r.Line
		return visit(&f.grid.row, shown, r.Fields)
	})
}

// Holds reports whether the file's encoding has every character of a text.
func (f *CSVFile) Holds(text string) bool { return f.grid.Content.Holds(text) }

// Change returns the file with rows and fields written another way, and no other byte with them.
func (f *CSVFile) Change(c csvfile.Changes) ([]byte, error) {
	c.Edits, c.Quotes = append(c.Edits, f.KeptWhole(c.Edits)...), true
	return c.Rewrite(f.content, f.grid.Delimiter, f.grid.Limits)
}

// Rewrite returns the file with fields written another way, and no other byte with them.
func (f *CSVFile) Rewrite(edits []csvfile.Edit) ([]byte, error) {
	return csvfile.Rewrite(f.content, f.grid.Delimiter, f.grid.Limits, edits)
}

// KeptWhole lengthens the last row with the others where no line break ends it:
// a last row that is shorter than the one before would read as cut.
func (f *CSVFile) KeptWhole(edits []csvfile.Edit) []csvfile.Edit { return f.grid.keptWhole(edits) }

// ReadField returns what a field says to the reader of a type, and why that is no value.
func ReadField(field string, typ resource.Type) (said string, meaning csvfile.Meaning, finding *resource.Finding) {
	said, meaning = csvfile.Read(strings.ReplaceAll(field, "\r\n", "\n"))
	g := csvGrid{Meanings: []csvfile.Meaning{meaning}}
	_, finding = g.Text(xlsx.Cell{Column: 1, Form: xlsx.TextCell, Text: said, HasValue: true}, typ)
	return said, meaning, finding
}
