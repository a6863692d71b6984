package cellbook

import (
	"context"
	"errors"
	"fmt"
	"path"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/table"
)

// OpenCSV reads a CSV file as a workbook of one sheet, or gives the finding that says why not. Rows have the numbers
// that a spreadsheet program gives them.
func OpenCSV(ctx context.Context, file string,
	content []byte, in draft.Input) (opened *Book, finding *resource.Finding) {
	defer func() {
		if reason := recover(); reason != nil {
			opened, finding = nil, xlsx.Damaged("file cannot be read (%v); want a whole one", reason)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, in.Bounds.PerFile)
	defer cancel()
	f, err := table.ChooseCSVFile(ctx, in, file, content)
	if err != nil {
		return nil, findingOf(err)
	}
	s := &Sheet{Name: path.Base(file), Form: f.Form}
	if f.Form.Title == config.HintListsTab {
		s.Form = nil // cells are where they are
	}
	finder := table.HeaderFinder{Form: f.Form}
	err = f.EachRow(func(row *xlsx.Row, shown int, fields []csvfile.Field) error {
		if ctx.Err() != nil {
			return xlsx.TookLonger(in.Bounds.PerFile)
		}
		if len(s.Rows) > in.Bounds.HintRows {
			return in.Bounds.TooManyRows("rows", len(s.Rows), in.Bounds.HintRows)
		}
		here := &Row{Number: shown, Line: row.Number, Cells: make([]Value, len(row.Cells))}
		if s.Lines = append(s.Lines, here); len(row.Cells) == 0 {
			return nil
		}
		s.Rows = append(s.Rows, here)
		for i, c := range row.Cells {
			here.Cells[i] = Value{Cell: c, Field: fields[c.Column-1].Text}
		}
		if s.Form != nil {
			finder.Look(&xlsx.Row{Number: shown, Cells: row.Cells})
		}
		return nil
	})
	if err != nil {
		return nil, findingOf(err)
	}
	if s.Form != nil && finder.Matched > 1 {
		s.Sections, s.Header = finder.Sections, finder.Sections[0].Header.Number
		s.nameColumns()
	}
	s.readNumbers()
	s.nameRows()
	return &Book{Book: &xlsx.Book{}, CSV: f, Sheets: []*Sheet{s}}, nil
}

func findingOf(err error) *resource.Finding {
	var fault *csvfile.Fault
	if errors.As(err, &fault) {
		f := fault.Finding
		if fault.Line > 0 {
			f.Message = fmt.Sprintf("line %d: %s", fault.Line, f.Message)
		}
		return &f
	}
	if limit := resource.LimitIn(err); limit != nil {
		return limit
	}
	return &resource.Finding{Code: diag.Unreadable, Message: err.Error()}
}

// amount is a number in one way of writing.
var amount = pattern.Of(`^[0-9]{1,15}(\.[0-9]{1,9})?$`)

// readNumbers has amounts compared as numbers: programs write 0.8 where 0.80 was. Every other text counts as written.
func (s *Sheet) readNumbers() {
	var amounts []bool
	for number := range s.Columns {
		c := s.Described(number)
		amounts = append(amounts, c != nil && c.Role == catalog.RoleAttribute && c.Attribute.Type == resource.TypeMoney)
	}
	for _, row := range s.Rows {
		for i := range row.Cells {
			v := &row.Cells[i]
			if v.Column < len(amounts) && amounts[v.Column] && row.Number > s.Header && amount.MatchString(v.Text) {
				v.Form = xlsx.NumberCell
			}
			v.Shown = v.show(false)
		}
	}
}
