package sources_test

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resultcopy"
	"adsync/sources/marked"
)

// Copies of workbooks of every program, and of one that people dressed as LibreOffice and Gnumeric save it: openpyxl
// and LibreOffice see each fact of the original, the marks beside, and nothing else; a copy of the copy is the same.
func TestProgramsSeeTheMarksAndTheWholeOriginal(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	books := booksOfPrograms(t)
	marks := someMarks()
	marks.Results, marks.At = &resultcopy.Copy{Of: "q4.xlsx"}, time.Date(2026, 11, 24, 18, 30, 0, 0, time.UTC)
	before, after := map[string][]byte{}, map[string][]byte{}
	for name, content := range books {
		t.Run(name, func(t *testing.T) {
			copied, marks := content, marks
			if name == "Numbers" {
				marks = onTables(marks)
			}
			for range 2 {
				from := copied
				copied = writtenBy(t, func(w io.Writer) error { return marked.WriteCopy(from, w, "q4.xlsx", marks) })
			}
			if said, is := resultcopy.ReadBytes(copied); !is || said.Edited || said.Of != "q4.xlsx" {
				t.Errorf("it says %+v, %v; want a copy of q4.xlsx as adsync wrote it", said, is)
			}
			before[name], after[name] = content, copied
			was := seenByOpenpyxl(t, content)
			if was == nil {
				return
			}
			if name != "Numbers" {
				onlyMarked(t, was, seenByOpenpyxl(t, copied))
			}
		})
	}
	was, is := seenByLibreOffice(t, before), seenByLibreOffice(t, after)
	for name := range books {
		for cell, value := range was[name] {
			if is[name][cell] != value && !strings.HasPrefix(cell, "Plan!") {
				t.Errorf("%s: LibreOffice shows %s as %q; want %q as before", name, cell, is[name][cell], value)
			}
		}
		if is[name]["Problems!D2"] != "Status is odd" || is[name]["Plan!D2"] != "+Spring" {
			t.Errorf("%s: LibreOffice shows %q of the problem and %q of the plan",
				name, is[name]["Problems!D2"], is[name]["Plan!D2"])
		}
	}
}

// onTables are marks of the sheets that Numbers makes of tables.
func onTables(m marked.Marks) marked.Marks {
	on := func(p diag.Position) diag.Position {
		if p.Sheet() == "" {
			return p
		}
		return diag.Cell(p.File(), p.Sheet()+" - Table 1", p.Line(), p.Column())
	}
	m.Outcomes, m.Problems, m.Plan = slices.Clone(m.Outcomes), slices.Clone(m.Problems), slices.Clone(m.Plan)
	for i, o := range m.Outcomes {
		m.Outcomes[i].Position, m.Outcomes[i].Cell = on(o.Position), on(o.Cell)
	}
	for i, p := range m.Problems {
		m.Problems[i].Position = on(p.Position)
	}
	for i, p := range m.Plan {
		m.Plan[i].Position = on(p.Position)
	}
	return m
}

// onlyMarked wants every fact that openpyxl saw of the original, but for the colour and the note of the marked cells.
func onlyMarked(t *testing.T, was, is map[string]string) {
	t.Helper()
	notes := map[string]string{
		"Campaigns!A1": "the header is odd", "Campaigns!A2": "the budget is too low",
		"Ads!D2": "status is odd; want paused. Did you mean it?", "Ads!E2": "status is odd",
	}
	for fact, value := range was {
		now, there := is[fact]
		if notes[fact] == "" {
			if (now != value || !there) && !strings.Contains(fact, "default style") { // it has one now
				t.Errorf("openpyxl sees %s as %s; want %s as before", fact, now, value)
			}
			continue
		}
		if looks := strings.LastIndex(value, " ("); !strings.HasPrefix(now, value[:looks]) {
			t.Errorf("openpyxl sees %s as %s; want what it holds, %s", fact, now, value[:looks])
		}
	}
	for cell, says := range notes {
		if _, shown := was[cell]; !shown {
			continue // blank cells are not looked at
		}
		if !strings.Contains(is[cell], says) || !strings.Contains(is[cell], "FFFFC7CE") && cell != "Ads!E2" {
			t.Errorf("openpyxl sees %s as %s; want a colour, and a note that %s", cell, is[cell], says)
		}
	}
}

// TestResultsStandRightOfMergedCells: results stand right of merged cells that reach further than any text.
func TestResultsStandRightOfMergedCells(t *testing.T) {
	original := bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Status"}, {"Spring", "paused"}, {"# Summer is planned in May"},
	}})
	f := opened(t, original)
	must(t, f.MergeCell("Campaigns", "A3", "F3"))
	copied := writtenBy(t, func(w io.Writer) error {
		var merged strings.Builder
		must(t, f.Write(&merged))
		return marked.WriteCopy([]byte(merged.String()), w, "q4.xlsx", marked.Marks{Outcomes: []marked.RowOutcome{
			{Position: inCell("Campaigns", 2, 0), Result: "created"},
			{Position: inCell("Campaigns", 3, 0), Result: "no change"},
		}})
	})
	for cell, want := range map[string]string{"G1": "Result", "G2": "created", "G3": "no change"} {
		if got, err := opened(t, copied).GetCellValue("Campaigns", cell); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", cell, got, err, want)
		}
	}
}

// TestACopyOpensAtOneSheet: what is typed goes into every sheet that is chosen.
func TestACopyOpensAtOneSheet(t *testing.T) {
	f := opened(t, bookOf(t, campaignsSheet, adGroupsSheet, adsSheet))
	f.SetActiveSheet(1)
	var original strings.Builder
	must(t, f.Write(&original))
	problem := diag.Problem{Severity: diag.Error, Code: diag.TooLong, Position: inCell("Ads", 2, 4), Message: "long"}
	copied := writtenBy(t, func(w io.Writer) error {
		return marked.WriteCopy([]byte(original.String()), w, "q4.xlsx",
			marked.Marks{Problems: []diag.Problem{problem}})
	})
	chosen := 0
	for name, part := range partsOf(t, copied) {
		if strings.HasPrefix(name, "xl/worksheets/") && strings.Contains(part, `tabSelected="1"`) ||
			strings.Contains(part, `tabSelected="true"`) {
			chosen++
		}
	}
	f = opened(t, copied)
	if at := f.GetSheetName(f.GetActiveSheetIndex()); at != "Problems" || chosen != 1 {
		t.Errorf("it opens at %q with %d sheets chosen; want Problems alone", at, chosen)
	}
}

// TestRowsThatAreMergedWhole: LibreOffice writes such a merge as rows, and not as cells.
func TestRowsThatAreMergedWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	f := opened(t, bookOf(t, campaignsSheet, adGroupsSheet, adsSheet))
	must(t, f.MergeCell("Campaigns", "A9", "XFD9"))
	var original strings.Builder
	must(t, f.Write(&original))
	saved := savedBy(t, []byte(original.String()), "LibreOffice")
	merges := ""
	for _, part := range partsOf(t, saved) {
		for _, m := range mergeRef.FindAllString(part, -1) {
			merges += m + " "
		}
	}
	if !strings.Contains(merges, `"9:9"`) {
		t.Fatalf("LibreOffice writes %s; want a merge of whole rows", merges)
	}
	wantProblems(t, readBytes(saved).Problems,
		`q4.xlsx:Campaigns!A9: cells A9 to XFD9 are merged; want one value a cell (ADS1025)`)
}

var mergeRef = regexp.MustCompile(`mergeCell ref=("[^"]*")`)
