package sources

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// WriteText writes the cells of a workbook as lines of text that git can compare:
// one a cell, each row under its own name and not under its number, sorted, so
// that a row that moved changes no line. What adsync fills and does not read is
// left out. A workbook that is damaged gives one line that says so: what git
// shows goes on.
func WriteText(ctx context.Context, w io.Writer, name string, schemas resource.Schemas, bound string) error {
	out := bufio.NewWriter(w)
	s, err := openSide(ctx, name, schemas, bound)
	if err != nil {
		fmt.Fprintf(out, "# %s\n", diag.Printable(err.Error()))
		return out.Flush()
	}
	defer s.close()
	for i := range s.files {
		writeFileText(ctx, out, &s.files[i])
	}
	return out.Flush()
}

func writeFileText(ctx context.Context, out *bufio.Writer, f *sideFile) {
	if !f.isWorkbook() {
		fmt.Fprintf(out, "# %s\n", "file is no workbook; want one named .xlsx")
		return
	}
	book, finding := openCells(ctx, f.content, f.in)
	if finding != nil {
		fmt.Fprintf(out, "# %s (%s)\n", diag.Printable(finding.Message), finding.Code)
		return
	}
	var left []string
	for _, s := range book.sheets {
		if s.isOurs {
			left = append(left, s.name)
			continue
		}
		writeSheetText(out, s)
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "# not shown: %s\n", diag.Printable(strings.Join(left, ", ")))
	}
}

// textLine is a cell on its way to a line.
type textLine struct {
	row   *cellRow
	order int // of rows without a name: where they stand
	name  string
	rank  int // of the column: as adsync orders them, the user's own last
	text  string
}

func writeSheetText(out *bufio.Writer, s *cellSheet) {
	var lines []textLine
	for _, row := range s.rows {
		for _, c := range row.cells {
			if known := s.described(c.Column); known != nil && known.ours == oursLength && row.number > s.header {
				continue // a formula that counts
			}
			lines = append(lines, lineOfCell(s, row, c))
		}
	}
	slices.SortStableFunc(lines, func(a, b textLine) int {
		return cmp.Or(
			cmp.Compare(a.order, b.order), cmp.Compare(a.row.names.path, b.row.names.path),
			cmp.Compare(a.row.names.id, b.row.names.id),
			cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name),
		)
	})
	for _, line := range lines {
		out.WriteString(line.text)
	}
}

func lineOfCell(s *cellSheet, row *cellRow, c cellValue) textLine {
	line := textLine{row: row, order: row.number, name: s.columnName(c.Column), rank: rankOf(s, c.Column)}
	if row.names.label == "" {
		line.text = fmt.Sprintf("%s!%s%d = %s\n", diag.Printable(sheetLabel(s.name)),
			diag.ColumnName(c.Column), row.number, c.shown)
		return line
	}
	if row.number > s.header {
		line.order = headerRows + 1 // by name
	}
	line.text = fmt.Sprintf("%s [%s] %s = %s\n", diag.Printable(sheetLabel(s.name)),
		diag.Printable(row.names.label), line.name, c.shown)
	return line
}

// rankOf orders the columns as the descriptions do, whatever their order in the
// sheet.
func rankOf(s *cellSheet, number int) int {
	rank := 0
	for _, section := range s.sections {
		if c := section.header.column(number); c != nil {
			return rank + slices.IndexFunc(section.tab.columns, func(have column) bool {
				return have.label() == c.label()
			})
		}
		rank += len(section.tab.columns)
	}
	return rank
}
