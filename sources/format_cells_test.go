package sources_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/config"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// untidyBook is a workbook as people fill it in: cells E2 and F3 are a number
// and a date, whose formats others take.
func untidyBook(t testing.TB) []byte {
	return bookWith(t, func(f *excelize.File) {
		dates, err := f.NewStyle(&excelize.Style{NumFmt: 14})
		must(t, err)
		amounts, err := f.NewStyle(&excelize.Style{NumFmt: 4})
		must(t, err)
		must(t, f.SetCellStyle("Campaigns", "D2", "D2", amounts))
		must(t, f.SetCellInt("Campaigns", "E3", 46357))
		must(t, f.SetCellStyle("Campaigns", "E3", "E3", dates))
		must(t, f.SetCellFormula("Campaigns", "G2", `"a"&"b"`))
		must(t, f.AddComment("Campaigns", excelize.Comment{Cell: "B2", Author: "x", Text: "mine"}))
	}, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Status", "Bidding", "Lifetime budget (USD)",
			"Start date", "Countries", "#My own", "Key", "Description"},
		{" Spring launch ", "Enabled", "CLICKS", 50.5,
			"2026-12-01", "us, Norway; NO", " kept ", " spring", "  two\nlines "},
		{"Summer", "paused", "clicks", "$25", "2026-12-02", `["US","CA"]`, "x", "summer", "[clear]"},
		{"# remark", "Enabled", "CLICKS", "$25", "2026-12-02", "us", " x ", " y ", " z "},
		{" #1 in shoes", "active", "clicks", "100000", "2026-12-03", "US", "", "one", ""},
	}})
}

func TestFormatWritesCellsTheirOneWay(t *testing.T) {
	original := untidyBook(t)
	r := formatted(t, "q4.xlsx", string(original))
	wantProblems(t, r.Problems)
	want := map[string]string{
		"Campaigns!A2": " Spring launch  → Spring launch",
		"Campaigns!B2": "Enabled → active", "Campaigns!C2": "CLICKS → clicks",
		"Campaigns!D3": "$25 → 25.00", "Campaigns!D5": "100000 → 100,000.00",
		"Campaigns!E2": "2026-12-01 → 12-01-26", "Campaigns!E5": "2026-12-03 → 12-03-26",
		"Campaigns!F2": "us, Norway; NO → US, NO, NO", "Campaigns!F3": `["US","CA"] → US, CA`,
		"Campaigns!H2": " spring → spring", "Campaigns!I2": "  two\nlines  → two\nlines",
	}
	if diff := cmp.Diff(want, changedCells(t, original, r.After)); diff != "" {
		t.Errorf("cells changed (-want +got):\n%s", diff)
	}
	if len(r.Fixes) != len(want) || r.Fixes[0].Position.String() != "q4.xlsx:Campaigns!A2" {
		t.Errorf("%d fixes are told, the first at %s; want %d from A2", len(r.Fixes), r.Fixes[0].Position, len(want))
	}
	in := func(content []byte) string {
		return snapshotText(t, wantClean(t,
			load(t, folder(t, map[string]string{"q4.xlsx": string(content),
				config.ProjectFile: dollarsFile}))).Snapshot)
	}
	if a, b := in(original), in(r.After); a != b {
		t.Errorf("the workbook says\n%swant\n%s", b, a)
	}
	if again := formatted(t, "q4.xlsx", string(r.After)); again.Changes() {
		t.Errorf("a second run changes %v", again.Fixes)
	}
}

func TestFormatWritesFieldsTheirOneWay(t *testing.T) {
	before := "\ufeffCampaign;Status;Bidding;Lifetime budget;Start date;Countries;Key;Mine\r\n" +
		" Spring ;Enabled;\"CLICKS\";$25;2026-12-01;\"us, Norway\"; 007;  x \r\n#no;Enabled;CLICKS;;;;;\r\n"
	want := "\ufeffCampaign;Status;Bidding;Lifetime budget;Start date;Countries;Key;Mine\r\n" +
		"Spring;active;clicks;25.00;2026-12-01;US, NO;\"=\"\"007\"\"\";  x \r\n#no;Enabled;CLICKS;;;;;\r\n"
	r := formatted(t, "campaigns.csv", before)
	if diff := cmp.Diff(want, string(r.After)); diff != "" || len(r.Problems) > 0 {
		t.Errorf("Format = %s(-want +got):\n%s", printed(r.Problems), diff)
	}
}

// A table of something else is nobody's to put in order, least of all one of
// people; a workbook that is damaged is said.
func TestFormatLeavesTablesThatAreNoSources(t *testing.T) {
	for name, content := range map[string]string{
		"private/people.csv": "Campaign,Status\n x ,Enabled\n",
		"people.csv":         "email\n a@b.example \n", "notes.tsv": "a\tb\n c \td\n",
	} {
		if r := formatted(t, name, content); r.Changes() || len(r.Problems) > 0 {
			t.Errorf("%s: Format = %q, %s; want nothing", name, r.After, printed(r.Problems))
		}
	}
	whole := untidyBook(t)
	if r := formatted(t, "q4.xlsx", string(whole[:len(whole)/2])); r.Changes() ||
		!strings.Contains(printed(r.Problems), "q4.xlsx: ") {
		t.Errorf("Format of half a workbook changes %v and finds %s; want a problem", r.Changes(), printed(r.Problems))
	}
}

// TestWhatIsWrittenAsCellsIsInOrder: an export has nothing for Format to do.
func TestWhatIsWrittenAsCellsIsInOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSnapshot(rt, kinds.All())
		var book, csv bytes.Buffer
		if s.Len() == 0 || workbook.WriteWorkbook(&book, kinds.All(), s, dollars) != nil ||
			workbook.WriteCSV(&csv, kinds.All(), s, dollars) != nil {
			return
		}
		for name, content := range map[string]string{"a.xlsx": book.String(), "a.csv": csv.String()} {
			if r := formatted(t, name, content); r.Changes() || len(r.Problems) > 0 {
				rt.Fatalf("Format changes an export, %s: %v\n%s", name, r.Fixes, printed(r.Problems))
			}
		}
	})
}

const dollarsFile = "account: {currency: USD}\n"

// TestFormatNeverChangesWhatCellsSay draws cells that are written in many ways.
func TestFormatNeverChangesWhatCellsSay(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	written := map[string][]string{
		"Campaign": {"Spring", " Spring", "Spring\u00a0", " #1", "Example", "[Example] x"},
		"Status":   {"active", "Enabled", " PAUSED ", "sleeping", ""}, "Bidding": {"clicks", "Clicks", "views"},
		"Lifetime budget (USD)": {"25", "$25", "25 USD", "1,000", "25.5", "€5", "0.0000001"},
		"Start date":            {"2026-12-01", " 2026-12-01", "01/02/2026", "2026-12-01T10:00:00Z"},
		"Countries":             {"US", "us, Norway", "Norway|UK", "[clear]", "CLEAR", "[]", `["us"]`},
		"Key": {"a", " b", "007",
			"c d"}, "Description": {"x", " y ", "=1+1", "[clear]", "clear", "'z"}, "Tracking": {"a=b", " a=b ", "?a=b"},
	}
	headers := []string{"Campaign", "Status", "Bidding",
		"Lifetime budget (USD)", "Start date", "Countries", "Key", "Description", "Tracking"}
	rapid.Check(t, func(rt *rapid.T) {
		rows := [][]any{{}}
		for _, h := range headers {
			rows[0] = append(rows[0], h)
		}
		for range rapid.IntRange(1, 4).Draw(rt, "rows") {
			var row []any
			for _, h := range headers {
				row = append(row, rapid.SampledFrom(written[h]).Draw(rt, h))
			}
			rows = append(rows, row)
		}
		var csv strings.Builder
		for _, row := range rows {
			for i, cell := range row {
				fmt.Fprintf(&csv, "%s\"%s\"", map[bool]string{true: ",", false: ""}[i > 0],
					strings.ReplaceAll(cell.(string), `"`, `""`))
			}
			csv.WriteString("\r\n")
		}
		name, content := "campaigns.csv", csv.String()
		if rapid.IntRange(0, 4).Draw(rt, "a workbook") == 0 {
			name, content = "q4.xlsx", string(bookOf(t, sheetOf{name: "Campaigns", rows: rows}))
		}
		r := formatted(t, name, content)
		before, after := load(t, folder(t, map[string]string{name: content, config.ProjectFile: dollarsFile})),
			load(t, folder(t, map[string]string{name: string(r.After), config.ProjectFile: dollarsFile}))
		if a, b := snapshotText(t, before.Snapshot), snapshotText(t, after.Snapshot); a != b ||
			len(before.Problems) != len(after.Problems) {
			rt.Fatalf("%s says\n%s%swant\n%s%s", name, b, printed(after.Problems), a, printed(before.Problems))
		}
		if again := formatted(t, name, string(r.After)); again.Changes() {
			rt.Fatalf("%s: a second run changes %v", name, again.Fixes)
		}
	})
}
