package sources_test

import (
	"errors"
	"testing"

	"adsync/sources/draft"

	"github.com/xuri/excelize/v2"
)

// oneCell reads a campaign that has one cell of interest, C2, under a header.
func oneCell(t *testing.T, header string, set func(f *excelize.File)) (value string, made draft.Result) {
	t.Helper()
	content := bookWith(t, set, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Bidding type", header},
		{"Spring launch", "clicks"},
	}})
	made = readBytes(content)
	if len(made.Drafts) != 1 {
		t.Fatalf("drafts = %q, want one", drafted(made.Drafts))
	}
	for _, a := range made.Drafts[0].Attributes {
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
				wantProblems(t, made.Problems)
			} else {
				wantProblems(t, made.Problems, c.problem)
			}
		})
	}
}

func TestCellMeansWhatItStoresNotWhatItShows(t *testing.T) {
	runCellCases(t, []cellCase{
		{name: "a year as text", header: "Description",
			set: storedNumber("2026", "General"), want: `"2026"`, problem: ""},
		{name: "a fraction as text", header: "Description",
			set: storedNumber("1.5", "General"), want: "", problem: "holds the number 1.5; want text"},
		{name: "a date as text", header: "Description", set: storedNumber("46357", "yyyy-mm-dd"),
			want: "", problem: "holds a date (the number 46357); want text"},
		{name: "spaces around", header: "Description", set: storedText("  note "), want: `"note"`, problem: ""},
		{name: "a line break", header: "Description", set: storedText("one\ntwo"), want: `"one\ntwo"`, problem: ""},
		{name: "an escaped character", header: "Description",
			set: storedText("a_x005F_x0041_b"), want: `"a_x0041_b"`, problem: ""},
		{name: "cleared", header: "Description", set: storedText("[Clear]"), want: "null", problem: ""},
		{name: "cleared as the vendor's interface says it",
			header: "Tracking", set: storedText("delete_value"), want: "null", problem: ""},
		{name: "the word clear in free text", header: "Description",
			set: storedText("CLEAR"), want: `"CLEAR"`, problem: ""},
		{name: "the word clear elsewhere", header: "Tracking", set: storedText("CLEAR"), want: "null", problem: ""},
		{name: "a truth as choice", header: "Status", set: stored(func(f *excelize.File) error {
			return f.SetCellBool("Campaigns",
				"C2", true)
		}), want: "", problem: "holds TRUE; want one of its choices"},
		{name: "a status nobody knows", header: "Status", set: storedText("enabled?"), want: "", problem: "ADS1007"},
		{name: "an id as number", header: "Conversion goal",
			set: storedNumber("123", "General"), want: "", problem: "want the id as text"},
		{name: "location ids as number", header: "Locations",
			set: storedNumber("2000043", "General"), want: `["2000043"]`, problem: ""},
		{name: "countries by name", header: "Countries",
			set: storedText("Norway; us | Canada"), want: `["CA" "NO" "US"]`, problem: ""},
		{name: "countries as JSON", header: "Countries",
			set: storedText(`["US", "CA"]`), want: `["CA" "US"]`, problem: ""},
		{name: "countries as JSON with curly quotes",
			header: "Countries", set: storedText("[“US”, „CA“]"), want: `["CA" "US"]`, problem: ""},
		{name: "JSON cut short", header: "Countries", set: storedText(`["US", "CA`), want: "", problem: "ADS1011"},
		{name: "cleared where it cannot be", header: "Daily budget",
			set: storedText("[clear]"), want: "", problem: "cannot be cleared"},
	})
}
