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
