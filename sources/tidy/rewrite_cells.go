package tidy

import (
	"context"
	"path"
	"strings"

	"adsync/internal/csvfile"
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
	tables  []*table.Reader
	rewrite func(edits map[*table.Reader][]cellEdit) ([]byte, error)
}

// openCells opens a file of rows of cells.
func (w *rewriter) openCells(ctx context.Context, name string, content []byte) (*cellFile, error) {
	if strings.EqualFold(path.Ext(name), ".xlsx") {
		return w.openWorkbook(ctx, name, content)
	}
	return w.openCSV(ctx, name, content)
}

func (w *rewriter) openWorkbook(ctx context.Context, name string, content []byte) (*cellFile, error) {
	tables, err := table.OpenWorkbook(ctx, w.in, name, content)
	if err != nil {
		return nil, err
	}
	return &cellFile{tables, func(byTable map[*table.Reader][]cellEdit) ([]byte, error) {
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
	rows, err := table.ChooseCSVFile(ctx, w.in, name, content)
	if err != nil {
		return nil, err
	}
	if rows.Form.Title == config.HintListsTab {
		return &cellFile{}, nil // sentences, which are left as they are
	}
	if err := rows.Open(); err != nil {
		return nil, err
	}
	return &cellFile{[]*table.Reader{rows.Reader}, func(byTable map[*table.Reader][]cellEdit) ([]byte, error) {
		var edits []csvfile.Edit
		for _, e := range byTable[rows.Reader] {
			edits = append(edits, csvfile.Edit{Line: e.Row, Column: e.Column, Field: e.field()})
		}
		return rows.Rewrite(edits)
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
