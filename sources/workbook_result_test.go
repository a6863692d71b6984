package sources_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/approval"
	"adsync/sources/marked"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func inCell(sheet string, row, column int) diag.Position {
	return diag.Cell("q4.xlsx", sheet, row, column)
}

// resultCopyOf writes results into a copy of a workbook with a bold amount, a
// note on it, a formula beside it and a sheet of the user's own.
func resultCopyOf(t *testing.T) *excelize.File {
	t.Helper()
	original := bookWith(t, func(f *excelize.File) {
		bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
		must(t, err)
		must(t, f.SetCellStyle("Campaigns", "D2", "D2", bold))
		must(t, f.SetCellFormula("Campaigns", "H2", "D2*30"))
		must(t, f.AddComment("Campaigns", excelize.Comment{Cell: "D2", Author: "Ann", Text: "ask Bob"}))
		_, err = f.NewSheet("Mine")
		must(t, err)
		must(t, f.SetCellStr("Mine", "A1", "kept"))
	}, campaignsSheet, adGroupsSheet)
	before := bytes.Clone(original)
	outcomes := []marked.RowOutcome{
		{Address: resource.Address{Kind: "ad_group", Key: "spring/runners"},
			Position: inCell("Ad groups", 2, 0), Result: "created"},
		{Address: resource.Address{Kind: "campaign", Key: "spring"}, Position: inCell("Campaigns", 2, 0),
			Result: "failed", Message: "budget is too low; want 25.00", Cell: inCell("Campaigns", 2, 4)},
		{Position: diag.At("other.yaml", 3, 0), Result: "created"},
	}
	problems := []diag.Problem{
		{Severity: diag.Error, Code: diag.BadChoice,
			Position: inCell("Campaigns", 2, 2), Message: "status is odd; want paused", Hint: "did you mean it?"},
		{Severity: diag.Warning, Code: diag.HiddenCells,
			Position: diag.Cell("q4.xlsx", "Ad groups", 0, 0), Message: "1 rows are hidden"},
		{Severity: diag.Error, Code: diag.Syntax, Position: diag.At("other.yaml", 3, 0), Message: "not here"},
	}
	var out bytes.Buffer
	must(t, marked.WriteCopy(original, &out, "q4.xlsx", marked.Marks{Outcomes: outcomes, Problems: problems}))
	if !bytes.Equal(before, original) {
		t.Error("the original was changed")
	}
	return opened(t, out.Bytes())
}

func TestResultsGoToACopy(t *testing.T) {
	f := resultCopyOf(t)
	cells := func(sheet string, names ...string) string {
		var values []string
		for _, name := range names {
			v, err := f.GetCellValue(sheet, name)
			must(t, err)
			values = append(values, v)
		}
		return strings.Join(values, " | ")
	}
	for _, c := range []struct{ got, want string }{
		{cells("Campaigns", "I1", "J1", "I2", "J2"), "Result | Message | failed | budget is too low; want 25.00"},
		{cells("Ad groups", "F1", "G1", "F2", "G2"), "Result | Message | created | "},
		{cells("Problems", "A2", "B2", "C2", "D2", "E2", "F2", "G2"),
			"error | Campaigns | B2 | Status is odd | Paused | did you mean it? | ADS1007"},
		{cells("Problems", "A3", "B3", "C3", "D3", "A4"), "warning | Ad groups | go there | 1 rows are hidden | "},
		{cells("Mine", "A1"), "kept"},
	} {
		if c.got != c.want {
			t.Errorf("cells = %q, want %q", c.got, c.want)
		}
	}
	if formula, err := f.GetCellFormula("Campaigns", "H2"); err != nil || formula != "D2*30" {
		t.Errorf("formula = %q, want it kept", formula)
	}
	if linked, target, err := f.GetCellHyperLink("Problems", "C2"); err != nil ||
		!linked || target != "'Campaigns'!B2" {
		t.Errorf("link = %q, want the cell", target)
	}
}

func TestFailingCellsKeepTheirLookAndTheirNotes(t *testing.T) {
	f := resultCopyOf(t)
	style, err := f.GetCellStyle("Campaigns", "D2")
	must(t, err)
	look, err := f.GetStyle(style)
	must(t, err)
	if !look.Font.Bold || len(look.Fill.Color) == 0 || look.Fill.Color[0] != "FFC7CE" {
		t.Errorf("failing cell has font %+v and fill %+v, want its own font on red", look.Font, look.Fill)
	}
	notes, err := f.GetComments("Campaigns")
	must(t, err)
	var texts []string
	for _, note := range notes {
		text := note.Text
		for _, run := range note.Paragraph {
			text += run.Text
		}
		texts = append(texts, note.Cell+": "+text)
	}
	slices.Sort(texts)
	want := []string{"B2: status is odd; want paused. Did you mean it?",
		"D2: ask Bob\n\nadsync: budget is too low; want 25.00"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// A copy says the same as the original, and a copy of a copy uses the same
// columns and the same sheet.
func TestCopyReadsLikeTheOriginal(t *testing.T) {
	original := bookOf(t, campaignsSheet, adGroupsSheet, adsSheet)
	copied := original
	for range 2 {
		var out bytes.Buffer
		must(t, marked.WriteCopy(copied, &out, "q4.xlsx", marked.Marks{
			Outcomes: []marked.RowOutcome{{Position: inCell("Ads", 2, 0),
				Result: "failed", Message: "no", Cell: inCell("Ads", 2, 4)}},
			Problems: []diag.Problem{{Severity: diag.Error,
				Code: diag.TooLong, Position: inCell("Ads", 2, 4), Message: "long"}},
			Plan: []marked.PlannedChange{{Address: resource.Address{Kind: "ad", Key: "a/b/c"},
				Action: "create", Position: inCell("Ads", 2, 0)}},
		}))
		copied = out.Bytes()
		got := readBytes(copied)
		wantProblems(t, got.Problems)
		wantDrafts(t, got.Drafts, spring, runners, heroA)
	}
	f := opened(t, copied)
	rows, err := f.GetRows("Ads")
	must(t, err)
	if got := strings.Join(rows[0], ","); strings.Count(got, "Result") != 1 {
		t.Errorf("headers of the second copy = %s", got)
	}
	if got := strings.Join(f.GetSheetList(), ","); got != "Campaigns,Ad groups,Ads,Plan,Problems,_sync" {
		t.Errorf("sheets of the second copy = %s", got)
	}
}

func TestCopyOfADamagedWorkbookIsRefused(t *testing.T) {
	whole := bookOf(t, campaignsSheet)
	err := marked.WriteCopy(whole[:len(whole)-9], &bytes.Buffer{}, "q4.xlsx", marked.Marks{})
	if err == nil || !strings.Contains(err.Error(), "copy q4.xlsx: file is a workbook that is cut or damaged") {
		t.Errorf("error = %v", err)
	}
}

func TestResultsCSV(t *testing.T) {
	var out bytes.Buffer
	must(t, marked.WriteResultsCSV(&out, []marked.RowOutcome{
		{Address: resource.Address{Kind: "campaign", Key: "b"},
			Name: "-Beta", Action: "update", Code: "budget_too_low", Position: inCell("Campaigns", 3, 0),
			Result: "failed", Message: "=1+1, \"or\" not", Cell: inCell("Campaigns", 3, 4)},
		{Address: resource.Address{Kind: "campaign", Key: "a"},
			Name: "Alpha", Action: "create", ID: "cmpn_1", Position: diag.At("ads.yaml", 2, 3),
			Result: "created", Review: "in review"},
	}))
	want := "\ufeffresult,action,kind,address,name,id,file,sheet,row,cell,code,message,review,serving\r\n" +
		"created,create,campaign,campaign/a,Alpha,cmpn_1,ads.yaml,,2,,,,in review,\r\n" +
		"failed,update,campaign,campaign/b,'-Beta,,q4.xlsx,Campaigns,3,D3,budget_too_low," +
		"\"'=1+1, \"\"or\"\" not\",,\r\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
}

// TestAnApprovedCopyIsNoSource: a marketer writes yes, and applies the copy itself.
func TestAnApprovedCopyIsNoSource(t *testing.T) {
	marks := marked.Marks{
		Plan: []marked.PlannedChange{{Address: resource.Address{Kind: "ad", Key: "a/b/c"},
			Action: "update", Position: inCell("Ads", 2, 0), Held: "too much", Allow: "--allow raises-spend=ad/a/b/c"}},
	}
	copied := writtenBy(t, func(w io.Writer) error {
		return marked.WriteCopy(bookOf(t, campaignsSheet, adGroupsSheet, adsSheet), w, "q4.xlsx", marks)
	})
	wantProblems(t, readBytes(copied).Problems)
	f := opened(t, copied)
	must(t, f.SetCellValue(approval.PlanTab, "A2", "yes"))
	var approved bytes.Buffer
	must(t, f.Write(&approved))
	wantProblems(t, readBytes(approved.Bytes()).Problems,
		`q4.xlsx:Plan: warning: Approve says yes, `+
			`which counts for nothing in a workbook that is read as a source (ADS1037)`)
}

// TestACopyCannotSayWhatItIs: nothing is put down that would be taken for a source.
func TestACopyCannotSayWhatItIs(t *testing.T) {
	original := bookOf(t, campaignsSheet, sheetOf{name: "_SYNC", rows: [][]any{{"Mine", "too"}}})
	err := marked.WriteCopy(original, io.Discard, "q4.xlsx",
		marked.Marks{Outcomes: []marked.RowOutcome{{Position: inCell("Campaigns", 2, 0), Result: "created"}}})
	const want = `copy q4.xlsx: its sheet "_SYNC" has the name of one of adsync's; want another name`
	if err == nil || err.Error() != want {
		t.Errorf("error %v; want %s", err, want)
	}
}
