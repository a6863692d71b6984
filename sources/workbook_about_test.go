package sources_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resultcopy"
	"adsync/sources/marked"
)

func TestACopyWithResultsSaysWhatItIs(t *testing.T) {
	rows := []marked.RowOutcome{
		{Position: inCell("Campaigns", 2, 0), Result: "no change"}, {Position: inCell("Ads", 2, 0), Result: "created"},
		{Position: diag.At("spring.yaml", 3, 1), Result: "created"},
	}
	wrong := diag.Problem{Severity: diag.Error, Code: diag.BadChoice, Position: inCell("Campaigns", 2, 2)}
	wrong.Message = `status is "actve"; want active`
	for _, row := range []struct {
		name  string
		marks marked.Marks
		opens string
		want  []string
	}{
		{name: "all went", marks: marked.Marks{Outcomes: rows},
			opens: "Results", want: []string{"Rows: 1 created, 1 no change"}},
		{name: "a row is not valid", marks: marked.Marks{Outcomes: rows, Problems: []diag.Problem{wrong}},
			opens: "Problems",
			want: []string{"Rows: 1 created, 1 problem",
				"To mend: 1 cell or row is not valid: see the sheet Problems"}},
		{name: "nothing can be planned", marks: marked.Marks{Problems: []diag.Problem{wrong}},
			opens: "Problems",
			want:  []string{"Rows: 1 problem"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.marks.Results, row.marks.At = &resultcopy.Copy{Of: "ads/q4.xlsx"},
				time.Date(2026, 11, 24, 18, 30, 0, 0, time.UTC)
			f := opened(t, writtenBy(t, func(w io.Writer) error {
				return marked.WriteCopy(bookOf(t, campaignsSheet, adGroupsSheet, adsSheet),
					w, "q4.xlsx", row.marks)
			}))
			if opens := f.GetSheetName(f.GetActiveSheetIndex()); opens != row.opens {
				t.Errorf("it opens at %q; want %q", opens, row.opens)
			}
			cells, err := f.GetRows("Results")
			must(t, err)
			var lines []string
			for _, line := range cells[1:] {
				lines = append(lines, strings.Join(line, ": "))
			}
			said := strings.Join(lines, "\n") + "\n"
			row.want = append(row.want, "Edit q4.xlsx: This is a copy of q4.xlsx with results",
				"Written: 2026-11-24 18:30 UTC")
			for _, want := range row.want {
				if !strings.Contains(said, want) {
					t.Errorf("the sheet says\n%swant %q", said, want)
				}
			}
		})
	}
}
