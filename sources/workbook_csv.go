package sources

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteResultsCSV writes the outcomes as CSV with a byte order mark, so that
// spreadsheet programs read it as UTF-8. A text that a program would take for a
// formula gets a leading apostrophe (OWASP, CSV injection).
func WriteResultsCSV(w io.Writer, outcomes []RowOutcome) error {
	sorted := slices.SortedStableFunc(slices.Values(outcomes), func(a, b RowOutcome) int {
		return cmp.Or(a.Position.Compare(b.Position), a.Address.Compare(b.Address))
	})
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	table := csv.NewWriter(w)
	lines := [][]string{{"result", "address", "file", "sheet", "row", "cell", "message"}}
	for _, o := range sorted {
		row := ""
		if o.Position.Line > 0 {
			row = fmt.Sprint(o.Position.Line)
		}
		lines = append(lines, []string{o.Result, o.Address.String(), o.Position.File, o.Position.Sheet, row, o.Cell.Cell(), o.Message})
	}
	for _, line := range lines {
		for i := range line {
			line[i] = plainCSV(line[i])
		}
		if err := table.Write(line); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

func plainCSV(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
