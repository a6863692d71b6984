package sources_test

import (
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/sources/draft"

	"github.com/xuri/excelize/v2"
)

func TestW15MergedCellsInTheDataAreAnError(t *testing.T) {
	ads := sheetOf{name: "Ads", rows: [][]any{
		{"Campaign", "Ad group", "Title", "Body", "Target URL", "Image", "Key", "#Mine"},
		{"Spring", "Runners", "Shoes", "Light.", "https://shop.example", "https://i.example/a.png", "k1", "x"},
		{"Spring", "Runners", "Boots", "Light.", "https://shop.example", "https://i.example/a.png", "k2"},
		{"Spring", "Runners", "Socks", "Light.", "https://shop.example", "https://i.example/a.png", "k3"},
	}}
	for _, c := range []struct {
		name, from, to string
		want           []string
		rows           draft.Rows
	}{
		{"down a column", "A2", "A3", []string{"Ads!A2: cells A2 to A3 are merged; want one value a cell"},
			draft.Rows{Read: 3, Used: 1, Failed: 2}},
		{"along a row", "C2", "D2", []string{"Ads!C2: cells C2 to D2 are merged"},
			draft.Rows{Read: 3, Used: 2, Failed: 1}},
		{"from the header down", "A1", "A2", []string{"Ads!A1: cells A1 to A2 are merged"},
			draft.Rows{Read: 3, Used: 2, Failed: 1}},
		{"into the user's own column", "G4", "H4",
			[]string{"Ads!G4: cells G4 to H4 are merged"}, draft.Rows{Read: 3, Used: 2, Failed: 1}},
		{"in the user's own column", "H2", "H3", nil, draft.Rows{Read: 3, Used: 3}},
		{"below the data", "A9", "C9", []string{"Ads!A9: cells A9 to C9 are merged"}, draft.Rows{Read: 3, Used: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readBytes(bookWith(t, func(f *excelize.File) { must(t, f.MergeCell("Ads", c.from, c.to)) }, ads))
			wantProblems(t, got.Problems, c.want...)
			if got.Rows != c.rows {
				t.Errorf("rows = %+v, want %+v", got.Rows, c.rows)
			}
		})
	}
}

func TestW16HiddenRowsColumnsAndSheetsAreReadAndSaid(t *testing.T) {
	for _, c := range []struct {
		name string
		hide func(*excelize.File) error
		want string
	}{
		{"a row", func(f *excelize.File) error { return f.SetRowVisible("Campaigns", 2, false) },
			"Campaigns: warning: 1 row is hidden, and read like the others"},
		{"a column", func(f *excelize.File) error { return f.SetColVisible("Campaigns", "D", false) },
			"Campaigns: warning: 1 column is hidden, and read like the others"},
		{"columns", func(f *excelize.File) error {
			return f.SetColVisible("Campaigns", "C:G", false)
		}, "Campaigns: warning: 5 columns are hidden, and read like the others"},
		{"a sheet", func(f *excelize.File) error { return f.SetSheetVisible("Ad groups", false) },
			"Ad groups: warning: the sheet is hidden, and read like the others"},
		{"a very hidden sheet", func(f *excelize.File) error {
			return f.SetSheetVisible("Ad groups", false, true)
		}, "Ad groups: warning: the sheet is hidden, and read like the others"},
		{"a row behind a filter", func(f *excelize.File) error {
			if err := f.AutoFilter("Campaigns", "A1:G2",
				[]excelize.AutoFilterOptions{{Column: "B", Expression: "x == active"}}); err != nil {
				return err
			}
			return f.SetRowVisible("Campaigns", 2, false)
		}, "Campaigns: warning: 1 row is hidden, and read like the others"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readBytes(bookWith(t, func(f *excelize.File) { must(t, c.hide(f)) }, campaignsSheet, adGroupsSheet))
			wantDrafts(t, got.Drafts, spring, runners)
			wantProblems(t, got.Problems, c.want)
			if diag.HasErrors(got.Problems) {
				t.Error("what is hidden is an error, want a warning")
			}
		})
	}
}

func TestW17HeadersAreKnownOnceOrNamed(t *testing.T) {
	plain := `campaign bidding_type="clicks" budget.daily=50000000 name="Spring"`
	without := `campaign bidding_type="clicks" name="Spring"`
	for _, c := range []struct {
		name     string
		header   []any
		drafts   []string
		problems []string
	}{
		{"as the template has them", []any{"Campaign", "Bidding", "Daily budget (USD)"}, []string{plain}, nil},
		{"with spaces nobody sees", []any{"Campaign\u00a0", "\u200bBidding", " Daily  budget\u00a0(USD) "},
			[]string{plain}, nil},
		{"in another case and form", []any{"CAMPAIGN*", "bidding", "daily_budget"}, []string{plain}, nil},
		{"decomposed", []any{"Campaign", "Bidding", "Daily budget (pro Tag u\u0308blich)"}, []string{plain}, nil},
		{"misspelt", []any{"Campaign", "Bidding", "Daily budgett"},
			[]string{without}, []string{`Campaigns!C1: header is "Daily budgett"; want one adsync knows`}},
		{"renamed", []any{"Campaign", "Bidding", "Money"}, []string{without}, []string{`Campaigns!C1: ` +
			`header is "Money", and 1 value under it could be Daily budget or Lifetime budget; want one adsync knows`}},
		{"gone", []any{"Campaign", "Bidding"}, []string{without},
			[]string{"Campaigns!C2: column C has a value and no header; want a header"}},
		{"twice", []any{"Campaign", "Bidding", "Bidding type"}, []string{without},
			[]string{`Campaigns!C1: header "Bidding type" means "Bidding", as does column B; want it once`}},
		{"of a number", []any{"Campaign", "Bidding", 2026},
			[]string{without}, []string{`Campaigns!C1: header is "2026", and 1 value under it could be`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readBytes(bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{c.header, {"Spring", "clicks", 50}}}))
			wantProblems(t, got.Problems, c.problems...)
			wantDrafts(t, got.Drafts, c.drafts...)
		})
	}
	moved := readBytes(bookOf(t,
		sheetOf{name: "Campaigns", rows: [][]any{{"Daily budget", "Bidding", "Campaign"}, {50, "clicks", "Spring"}}}))
	wantProblems(t, moved.Problems)
	wantDrafts(t, moved.Drafts, plain)
}

func TestW18ARowWiderThanItsHeaderIsAnError(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Bidding", "Daily budget"},
		{"Spring", "clicks", 50, nil, "stray"},
		{"Summer", "clicks"},
	}}))
	wantProblems(t, got.Problems, "Campaigns!E2: column E has a value and no header; want a header")
	wantDrafts(t, got.Drafts, `campaign bidding_type="clicks" budget.daily=50000000 name="Spring"`,
		`campaign bidding_type="clicks" name="Summer"`)
	if v := got.Drafts[1].Attributes.Value("budget.daily"); !v.IsAbsent() {
		t.Errorf("the budget of a shorter row = %v, want it absent", v)
	}
}

func TestW19BlankRowsTotalsAndRemarks(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Bidding", "Daily budget", "Include", "Notes", "#Owner"},
		{"# example", "clicks", 5},
		{"Spring", "clicks", 50, "yes"},
		nil,
		{"Summer", "clicks", 50, "No", "later"},
		{nil, nil, nil, nil, "only a note", "Ann"},
		{"Autumn", "clicks", 50, false},
		{"Winter", "clicks", 50, "maybe"},
		{"May", "clicks", 50, true},
		{nil, "clicks", 50},
		{nil, nil, 250},
		{"Total", nil, 250},
	}}))
	wantProblems(t, got.Problems, `Campaigns!D8: Include is "maybe"; want yes or no`,
		"Campaigns!12: warning: row is taken for a total and not read")
	if want := (draft.Rows{Read: 9, Used: 4, Ignored: 4, Failed: 1}); got.Rows != want {
		t.Errorf("rows = %+v, want %+v", got.Rows, want)
	}
	d := load(t, folder(t, map[string]string{"q4.xlsx": string(bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Bidding", "Daily budget"}, {"Spring", "clicks", 50},
		{nil, "clicks", 50}, {nil, nil, 250}, {"Total", nil, 250},
	}}))}))
	for _, want := range []string{"q4.xlsx:Campaigns!A3: campaign has no name",
		"q4.xlsx:Campaigns!A4: campaign has no name", "q4.xlsx:Campaigns!B4: campaign has no bidding_type",
		"q4.xlsx:Campaigns!5: warning: row is taken for a total and not read (ADS1023)"} {
		wantRefused(t, d, want)
	}
	if d.Snapshot.Len() != 1 || d.Sources[0].Rows != (draft.Rows{Read: 4, Used: 1, Ignored: 1, Failed: 2}) {
		t.Errorf("Load = %d campaigns, rows %+v; want the first alone", d.Snapshot.Len(), d.Sources[0].Rows)
	}
	sum := readBytes(rebuild(t,
		bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding", "Daily budget"},
			{"Spring", "clicks", 50}, {nil, nil, "x"}}}), "xl/worksheets/sheet1.xml",
		func(b []byte) []byte { return replaceCell(t, b, "C3", `<c r="C3"><f>SUM(C2:C2)</f><v>50</v></c>`) }))
	wantProblems(t, sum.Problems, "Campaigns!3: warning: row is taken for a total and not read")
	ads := readBytes(bookOf(t, sheetOf{
		name: "Ads", rows: [][]any{{"Campaign", "Ad group", "Title"}, {"Total", nil, nil}},
	}))
	wantProblems(t, ads.Problems, "Ads!2: warning: row is taken for a total and not read")
}

func TestW22OtherFormatsUnderTheNameAreNamed(t *testing.T) {
	book := bookOf(t, campaignsSheet)
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"a password": {withPassword(t, book),
			"file is a workbook with a password; want it saved without one"},
		"an old workbook": {fileBytes(t, "testdata/workbook/libreoffice.xls"),
			"file is an old workbook (.xls); want it saved as .xlsx"},
		"an OpenDocument file": {fileBytes(t, "testdata/workbook/libreoffice.ods"),
			"file is an OpenDocument file (.ods)"},
		"a flat OpenDocument": {[]byte(`<?xml version="1.0"?><office:document xmlns:office="x"/>`),
			"file is XML; want it saved as a workbook (.xlsx)"},
		"a workbook of 2003": {[]byte(`<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>`),
			"file is XML"},
		"CSV": {[]byte("Campaign,Bidding\nSpring,clicks\n"), "file is text such as CSV"},
		"a table of a web page": {[]byte("<!DOCTYPE html><html><table><tr><td>Campaign</td></tr></table></html>"),
			"file is a web page"},
		"nothing":                 {nil, "file is empty"},
		"a workbook in a gzip":    {append([]byte{0x1f, 0x8b, 8}, book...), "file is no workbook"},
		"a workbook behind bytes": {append([]byte("HTTP/1.1 200 OK\r\n\r\n"), book...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := load(t, folder(t, map[string]string{"q4.xlsx": string(c.content)}))
			if c.want == "" {
				wantProblem(t, d, "q4.xlsx: ")
				return
			}
			wantRefused(t, d, "q4.xlsx: "+c.want)
		})
	}
}

// withPassword encrypts a workbook as Excel does.
func withPassword(t testing.TB, content []byte) []byte {
	t.Helper()
	encrypted, err := excelize.Encrypt(content, &excelize.Options{Password: "secret"})
	must(t, err)
	return encrypted
}

func TestW27TheSameResourceOnTwoSheetsNamesBoth(t *testing.T) {
	campaign := func(sheet, key string) sheetOf {
		return sheetOf{name: sheet, rows: [][]any{{"Campaign", "Bidding", "Key"}, {"Spring", "clicks", key}}}
	}
	d := load(t, folder(t, map[string]string{
		"q4.xlsx": string(bookOf(t, campaign("Campaigns", "spring"), campaign("Campaign", "spring"))),
	}))
	wantRefused(t, d, `q4.xlsx:Campaign: sheet means "Campaigns", as does sheet "Campaigns"; want one of them`)

	d = load(t, folder(t, map[string]string{
		"q3.xlsx": string(bookOf(t, campaign("Campaigns", "spring"))),
		"q4.xlsx": string(bookOf(t, campaign("Campaigns", "spring"))),
	}))
	wantRefused(t, d, "q4.xlsx:Campaigns!2: campaign/spring "+
		"is written twice, first at q3.xlsx:Campaigns!2; want it once (ADS1012)")

	d = load(t, folder(t, map[string]string{
		"q3.xlsx": string(bookOf(t, campaign("Campaigns", "spring"))), "ads.yaml": springCampaign,
	}))
	wantRefused(t, d, "q3.xlsx:Campaigns!2: campaign/spring "+
		"is written twice, first at ads.yaml:1:1; want it once (ADS1012)")

	d = load(t, folder(t, map[string]string{
		"q4.xlsx": string(bookOf(t,
			sheetOf{
				name: "Campaigns", rows: [][]any{{"Campaign", "Bidding"}, {"Spring", "clicks"}, {"Spring", "views"}},
			})),
	}))
	wantRefused(t, d, "q4.xlsx:Campaigns!3: campaign/spring is written twice, first at q4.xlsx:Campaigns!2")
	if !strings.Contains(d.Problems[0].Hint, "give one of them a key of its own") {
		t.Errorf("hint = %q, want the way out", d.Problems[0].Hint)
	}
}
