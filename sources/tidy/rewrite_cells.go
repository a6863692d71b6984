package tidy

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/xlsx"
	"adsync/sources/config"
	"adsync/sources/table"
)

// cellEdit is a cell that is written another way.
type cellEdit struct {
	xlsx.At
	form editForm
	text string
	was  string  // what the cell said before
	like xlsx.At // a cell of the sheet whose looks it takes; the zero At leaves its own
	why  string
}

// editForm is what a cell of a workbook holds after an edit. A CSV file holds
// texts alone.
type editForm uint8

const (
	asText editForm = iota
	asExact
	asNumber
	asDay
	asBlank
)

// cellFile is a workbook or a CSV file as tables whose cells can be written
// another way, and no other byte with them.
type cellFile struct {
	tables  []*table.TabReader
	rewrite func(edits map[*table.TabReader][]cellEdit) ([]byte, error)
}

// openCells opens a file of rows of cells.
func (w *rewriter) openCells(ctx context.Context, name string, content []byte) (*cellFile, error) {
	if strings.EqualFold(path.Ext(name), ".xlsx") {
		return w.openWorkbook(ctx, name, content)
	}
	return w.openCSV(ctx, name, content)
}

func (w *rewriter) openWorkbook(ctx context.Context, name string, content []byte) (*cellFile, error) {
	members, finding := xlsx.Open(ctx, content, w.in.Bounds.Workbook())
	if finding != nil {
		return nil, errors.New(finding.Message)
	}
	book, err := xlsx.ReadBook(members)
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%w); want a whole one", err)
	}
	r := &table.BookReader{FileReader: &table.FileReader{Ctx: ctx, In: w.in, File: name}, Book: book}
	tables, err := r.OpenTabs()
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%w); want a whole one", err)
	}
	return &cellFile{tables, func(byTable map[*table.TabReader][]cellEdit) ([]byte, error) {
		var edits []xlsx.Edit
		for _, t := range tables {
			for _, e := range byTable[t] {
				edits = append(edits, xlsx.Edit{
					Sheet: t.Ref.Name, Row: e.Row, Column: e.Column, Value: e.value(), Like: e.like,
				})
			}
		}
		return xlsx.Rewrite(content, edits, w.in.Bounds.Workbook())
	}}, nil
}

func (e cellEdit) value() xlsx.EditValue {
	switch e.form {
	case asNumber:
		return xlsx.Number(e.text)
	case asDay:
		return xlsx.Day(e.text)
	case asBlank:
		return xlsx.Clear()
	}
	return xlsx.Text(e.text)
}

func (w *rewriter) openCSV(ctx context.Context, name string, content []byte) (*cellFile, error) {
	text, fault := csvfile.Decode(content)
	if fault != nil {
		return nil, fault
	}
	chosen, finding := table.ChooseCSV(path.Base(name), text, &w.in)
	if finding != nil {
		return nil, errors.New(finding.Message)
	}
	grid := &table.CSVGrid{Origin: diag.OriginOf(name, ""), Content: text, CSVChoice: chosen, Limits: w.in.Bounds.CSV()}
	book := &table.BookReader{FileReader: &table.FileReader{Ctx: ctx, In: w.in, File: name}}
	rows := &table.TabReader{
		BookReader: book, Grid: grid, Form: chosen.Form, Noun: "file", Delimiter: csvfile.DelimiterName(grid.Delimiter),
	}
	if chosen.Form.Title == config.HintListsTab {
		return &cellFile{}, nil // sentences, which are left as they are
	}
	if err := rows.Open(); err != nil {
		return nil, err
	}
	return &cellFile{[]*table.TabReader{rows}, func(byTable map[*table.TabReader][]cellEdit) ([]byte, error) {
		var edits []csvfile.Edit
		for _, e := range byTable[rows] {
			edits = append(edits, csvfile.Edit{Line: e.Row, Column: e.Column, Field: e.field()})
		}
		return csvfile.Rewrite(content, grid.Delimiter, grid.Limits, edits)
	}}, nil
}

func (e cellEdit) field() string {
	switch e.form {
	case asBlank:
		return ""
	case asExact:
		return csvfile.Exact(e.text)
	case asText:
		return csvfile.Plain(e.text)
	}
	return e.text
}
