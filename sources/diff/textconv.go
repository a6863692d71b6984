package diff

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
	"adsync/sources/catalog"
	"adsync/sources/cellbook"
	"adsync/sources/table"
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
	book, finding := cellbook.Open(ctx, f.content, f.in)
	if finding != nil {
		fmt.Fprintf(out, "# %s (%s)\n", diag.Printable(finding.Message), finding.Code)
		return
	}
	var left []string
	for _, s := range book.Sheets {
		if s.IsOurs {
			left = append(left, s.Name)
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
	row   *cellbook.Row
	order int // of rows without a name: where they stand
	name  string
	rank  int // of the column: as adsync orders them, the user's own last
	text  string
}

func writeSheetText(out *bufio.Writer, s *cellbook.Sheet) {
	var lines []textLine
	for _, row := range s.Rows {
		for _, c := range row.Cells {
			if known := s.Described(c.Column); known != nil &&
				known.Ours == catalog.OursLength && row.Number > s.Header {
				continue // a formula that counts
			}
			lines = append(lines, lineOfCell(s, row, c))
		}
	}
	slices.SortStableFunc(lines, func(a, b textLine) int {
		return cmp.Or(
			cmp.Compare(a.order, b.order), cmp.Compare(a.row.Names.Path, b.row.Names.Path),
			cmp.Compare(a.row.Names.ID, b.row.Names.ID),
			cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name),
		)
	})
	for _, line := range lines {
		out.WriteString(line.text)
	}
}

func lineOfCell(s *cellbook.Sheet, row *cellbook.Row, c cellbook.Value) textLine {
	line := textLine{row: row, order: row.Number, name: s.ColumnName(c.Column), rank: rankOf(s, c.Column)}
	if row.Names.Label == "" {
		line.text = fmt.Sprintf("%s!%s%d = %s\n", diag.Printable(cellbook.SheetLabel(s.Name)),
			diag.ColumnName(c.Column), row.Number, c.Shown)
		return line
	}
	if row.Number > s.Header {
		line.order = table.HeaderRows + 1 // by name
	}
	line.text = fmt.Sprintf("%s [%s] %s = %s\n", diag.Printable(cellbook.SheetLabel(s.Name)),
		diag.Printable(row.Names.Label), line.name, c.Shown)
	return line
}

// rankOf orders the columns as the descriptions do, whatever their order in the
// sheet.
func rankOf(s *cellbook.Sheet, number int) int {
	rank := 0
	for _, section := range s.Sections {
		if c := section.Header.Column(number); c != nil {
			return rank + slices.IndexFunc(section.Tab.Columns, func(have catalog.Column) bool {
				return have.Label() == c.Label()
			})
		}
		rank += len(section.Tab.Columns)
	}
	return rank
}
