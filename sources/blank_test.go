package sources_test

import (
	"fmt"
	"testing"

	"adsync/internal/resource"
	"adsync/sources/draft"
)

// unseenSpaces are what a cell may hold that people take for blank.
var unseenSpaces = []string{" ", "\u00a0", "\u2003",
	"\u3000", "\u200b", "\ufeff", "\u2060", "\u200d", "\u3164", " \u00a0\u200b\n", "\u200f"}

// TestRowsOfSpacesSayNothing has fifty rows below the data that hold a space each,
// as a filled-down format or a paste leaves them.
func TestRowsOfSpacesSayNothing(t *testing.T) {
	for _, space := range unseenSpaces {
		sheet := [][]any{{"Campaign", "Bidding", "Daily budget", "Include", "Countries", "Key", "Notes"},
			{"Spring", "clicks", 50, space, "NO", "spring", space}}
		for range 51 {
			sheet = append(sheet, []any{space, "", space, "", space})
		}
		for name, made := range map[string]draft.Result{
			"workbook": readBytes(bookOf(t, sheetOf{name: "Campaigns", rows: sheet})),
			"CSV":      readCSVText("campaigns.csv", asCSV(sheet)),
		} {
			wantProblems(t, made.Problems)
			wantDrafts(t, made.Drafts, `campaign key=spring `+
				`bidding_type="clicks" budget.daily=50000000 name="Spring" targeting.countries=["NO"]`)
			if want := (draft.Rows{Read: 1, Used: 1}); made.Rows != want || len(made.Unread) > 0 {
				t.Errorf("%s with %q: rows = %+v, not read %v, want %+v", name, space, made.Rows, made.Unread, want)
			}
		}
	}
}

// TestBlankFormulasAreBlank has =IF(Z3="","",Z3) dragged down below the data.
func TestBlankFormulasAreBlank(t *testing.T) {
	rows := ""
	for row := 3; row < 60; row++ {
		rows += fmt.Sprintf(`<row r="%d">`, row)
		for _, column := range "ABCDEFG" {
			rows += fmt.Sprintf(`<c r="%c%d" t="str"><f>IF(Z3="","",Z3)</f><v></v></c>`, column, row)
		}
		rows += "</row>"
	}
	made := readBytes(rebuild(t, bookOf(t, campaignsSheet),
		"xl/worksheets/sheet1.xml", replaced("</sheetData>", rows+"</sheetData>")))
	wantProblems(t, made.Problems)
	if made.Rows.Read != 1 || made.Rows.Used != 1 {
		t.Errorf("rows = %+v, want one", made.Rows)
	}
}

// TestTextReadsAlikeEverywhere writes one account with odd spaces and letters apart
// from their accents, in each format.
func TestTextReadsAlikeEverywhere(t *testing.T) {
	const odd = "\u00a0\u200bCafe\u0301\u3000"
	for name, files := range map[string]map[string]string{
		"YAML": {"a.yaml": "kind: campaign\nname: \"" + odd + "\"\nbidding_type: \"clicks\u00a0\"\nad_groups:\n" +
			"  - name: Runners\n    bid: {max: \"1.5\u2003\"}\n    context_hints: [\"" + odd + "\", {file: h.txt}]\n",
			"h.txt": odd + "\n\u2003\n  people\u200b\n"},
		"workbook": {"a.xlsx": string(bookOf(t, sheetOf{name: "\u00a0Campaigns\u200b", rows: [][]any{{"Campaign\u3000",
			"\ufeffBidding"}, {odd, "clicks\u00a0"}}}, sheetOf{name: "Ad groups", rows: [][]any{{"Campaign",
			"Ad group", "Max bid", "Context hints"}, {"Café", "Runners", "1.5\u2003", odd + "\n\u2003\nfile: h.txt"}}},
			sheetOf{name: "Sheet\u2003", rows: [][]any{{" ", "\u3000"}}})), "h.txt": odd + "\npeople\n"},
		"CSV": {"campaigns.csv": "\ufeffCampaign\u3000,Bidding\n" + odd + ",clicks\u00a0\n",
			"ad groups.csv": "Campaign,Ad group,Max bid,Context hints\nCafé,Runners\u2060,1.5\u2003,\"" +
				odd + "\npeople\"\n\u00a0,\u2003,\u3000,\u200b\n"},
	} {
		d := wantClean(t, load(t, folder(t, files)))
		if got := valueOf(t, d, "campaign/cafe", "name"); !got.Equal(resource.Text("Café")) {
			t.Errorf("%s: name = %v, want Café in NFC", name, got)
		}
		if got := valueOf(t, d, "ad_group/cafe/runners",
			"context_hints"); !got.Equal(resource.List([]string{"Café", "people"})) {
			t.Errorf("%s: hints = %v", name, got)
		}
	}
}

// TestTwoFormsOfOneNameAreOneName: a name with its accents apart is no second one.
func TestTwoFormsOfOneNameAreOneName(t *testing.T) {
	d := load(t, folder(t, map[string]string{"campaigns.csv": "Campaign,Bidding\nCafé,clicks\nCafe\u0301,clicks\n"}))
	wantProblem(t, d, `campaign/cafe is written twice, first at campaigns.csv:2:1; want it once`)
}

// TestAFileIsFoundInEitherForm: file systems keep é as one character or as two.
func TestAFileIsFoundInEitherForm(t *testing.T) {
	for _, stored := range []string{"Café.txt", "Cafe\u0301.txt"} {
		for _, named := range []string{"Café.txt", "Cafe\u0301.txt"} {
			wantClean(t, load(t, folder(t, map[string]string{
				"a.yaml": springCampaign + "ad_groups:\n  - name: Runners\n" +
					"    bid: {max: 1.5}\n    context_hints: [{file: \"" + named + "\"}]\n", stored: "people who run\n",
			})))
		}
	}
}
