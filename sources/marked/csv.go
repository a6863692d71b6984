package marked

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/sources/tree"
)

// WriteResultsCSV writes the outcomes, one a line, as CSV with a byte order mark, so that
// spreadsheet programs read it as UTF-8. A text that a program would take for a
// formula gets a leading apostrophe (OWASP, CSV injection).
func WriteResultsCSV(w io.Writer, outcomes []RowOutcome) error {
	sorted := slices.SortedStableFunc(slices.Values(outcomes), func(a, b RowOutcome) int {
		return cmp.Or(a.Position.Compare(b.Position), a.Address.Compare(b.Address))
	})
	table := csvfile.NewWriter(w)
	table.Write(tree.ReportColumns)
	for _, o := range sorted {
		row := ""
		if o.Position.Line() > 0 {
			row = fmt.Sprint(o.Position.Line())
		}
		line := []string{
			o.Result, o.Action, string(o.Address.Kind), o.Address.String(), o.Name, o.ID,
			o.Position.File(), o.Position.Sheet(), row, placeOfCell(o.Cell), o.Code, o.Message,
			o.Review, o.Serving,
		}
		for i := range line {
			line[i] = csvfile.Plain(line[i])
		}
		table.Write(line)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// placeOfCell is B7 on a sheet, and line and character in a text.
func placeOfCell(p diag.Position) string {
	if p.Sheet() != "" || p.Line() == 0 {
		return p.Cell()
	}
	return fmt.Sprintf("%d:%d", p.Line(), p.Column())
}
