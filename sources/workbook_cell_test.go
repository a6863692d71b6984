package sources

import (
	"errors"
	"testing"

	"github.com/xuri/excelize/v2"
)

// oneCell reads a campaign that has one cell of interest, C2, under a header.
func oneCell(t *testing.T, header string, set func(f *excelize.File)) (value string, made result) {
	t.Helper()
	content := bookWith(t, set, sheetOf{"Campaigns", [][]any{
		{"Campaign", "Bidding type", header},
		{"Spring launch", "clicks"},
	}})
	made = readBytes(content)
	if len(made.drafts) != 1 {
		t.Fatalf("drafts = %q, want one", drafted(made.drafts))
	}
	for _, a := range made.drafts[0].attributes {
		if a.Value.Position.Column() == 3 {
			return a.Value.String(), made
		}
	}
	return "", made
}

// stored puts something into C2.
func stored(set func(f *excelize.File) error) func(testing.TB, *excelize.File) {
	return func(t testing.TB, f *excelize.File) { must(t, set(f)) }
}

func storedNumber(raw, format string) func(testing.TB, *excelize.File) {
	return stored(func(f *excelize.File) error {
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		return errors.Join(err, f.SetCellDefault("Campaigns", "C2", raw),
			f.SetCellStyle("Campaigns", "C2", "C2", style))
	})
}

func storedText(s string) func(testing.TB, *excelize.File) {
	return stored(func(f *excelize.File) error { return f.SetCellStr("Campaigns", "C2", s) })
}

// cellCase is what one cell of a campaign says: a value, or a problem.
type cellCase struct {
	name, header string
	set          func(testing.TB, *excelize.File)
	want         string
	problem      string
}

func runCellCases(t *testing.T, cases []cellCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, made := oneCell(t, c.header, func(f *excelize.File) { c.set(t, f) })
			if got != c.want {
				t.Errorf("value = %s, want %s", got, c.want)
			}
			if c.problem == "" {
				wantProblems(t, made.problems)
			} else {
				wantProblems(t, made.problems, c.problem)
			}
		})
	}
}

func TestCellMeansWhatItStoresNotWhatItShows(t *testing.T) {
	runCellCases(t, []cellCase{
		{"a year as text", "Description", storedNumber("2026", "General"), `"2026"`, ""},
		{"a fraction as text", "Description", storedNumber("1.5", "General"), "", "holds the number 1.5; want text"},
		{"a date as text", "Description", storedNumber("46357", "yyyy-mm-dd"),
			"", "holds a date (the number 46357); want text"},
		{"spaces around", "Description", storedText("  note "), `"note"`, ""},
		{"a line break", "Description", storedText("one\ntwo"), `"one\ntwo"`, ""},
		{"an escaped character", "Description", storedText("a_x005F_x0041_b"), `"a_x0041_b"`, ""},
		{"cleared", "Description", storedText("[Clear]"), "null", ""},
		{"cleared as the vendor's interface says it", "Tracking", storedText("delete_value"), "null", ""},
		{"the word clear in free text", "Description", storedText("CLEAR"), `"CLEAR"`, ""},
		{"the word clear elsewhere", "Tracking", storedText("CLEAR"), "null", ""},
		{"a truth as choice", "Status", stored(func(f *excelize.File) error {
			return f.SetCellBool("Campaigns",
				"C2", true)
		}), "", "holds TRUE; want one of its choices"},
		{"a status nobody knows", "Status", storedText("enabled?"), "", "ADS1007"},
		{"an id as number", "Conversion goal", storedNumber("123", "General"), "", "want the id as text"},
		{"location ids as number", "Locations", storedNumber("2000043", "General"), `["2000043"]`, ""},
		{"countries by name", "Countries", storedText("Norway; us | Canada"), `["CA" "NO" "US"]`, ""},
		{"countries as JSON", "Countries", storedText(`["US", "CA"]`), `["CA" "US"]`, ""},
		{"countries as JSON with curly quotes", "Countries", storedText("[“US”, „CA“]"), `["CA" "US"]`, ""},
		{"JSON cut short", "Countries", storedText(`["US", "CA`), "", "ADS1011"},
		{"cleared where it cannot be", "Daily budget", storedText("[clear]"), "", "cannot be cleared"},
	})
}
