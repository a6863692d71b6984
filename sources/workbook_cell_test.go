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
		if a.Value.Position.Column == 3 {
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
		return errors.Join(err, f.SetCellDefault("Campaigns", "C2", raw), f.SetCellStyle("Campaigns", "C2", "C2", style))
	})
}

func storedText(s string) func(testing.TB, *excelize.File) {
	return stored(func(f *excelize.File) error { return f.SetCellStr("Campaigns", "C2", s) })
}

var cellCases = []struct {
	name, header string
	set          func(testing.TB, *excelize.File)
	want         string
	problem      string
}{
	{"a plain amount", "Daily budget", storedNumber("50", "General"), "50000000", ""},
	{"an amount with cents", "Daily budget", storedNumber("1234.5", "#,##0"), "1234500000", ""},
	{"scientific digits", "Daily budget", storedNumber("1.5E1", "General"), "15000000", ""},
	{"scientific digits under one", "Daily budget", storedNumber("12500000E-7", "General"), "1250000", ""},
	{"dust of a calculation", "Daily budget", storedNumber("100.00000000000001", "0.00"), "100000000", ""},
	{"dust below", "Daily budget", storedNumber("99.999999999999986", "0.00"), "100000000", ""},
	{"six decimals", "Daily budget", storedNumber("1.000001", "0.00"), "1000001", ""},
	{"seven decimals", "Daily budget", storedNumber("1.0000001", "0.00"), "", "want at most six decimals"},
	{"a negative amount", "Daily budget", storedNumber("-50", "0;0"), "", `C2: amount is "-50`},
	{"a hidden amount", "Daily budget", storedNumber("50", ";;;"), "50000000", ""},
	{"thousands shown as 2K", "Daily budget", storedNumber("1500", `0,"K"`), "1500000000", ""},
	{"a percentage", "Daily budget", storedNumber("0.5", "0%"), "", "holds a percentage (the number 0.5)"},
	{"a date as amount", "Daily budget", storedNumber("46357", "yyyy-mm-dd"), "", "holds a date (the number 46357)"},
	{"own currency in the format", "Daily budget", storedNumber("50", `[$$-409]#,##0.00`), "50000000", ""},
	{"own code in the format", "Daily budget", storedNumber("50", `#,##0.00 "USD"`), "50000000", ""},
	{"another currency in the format", "Daily budget", storedNumber("50", `#,##0.00\ [$€-407]`), "", `shown in "€"; want the account's currency USD`},
	{"another code in the format", "Daily budget", storedNumber("50", `#,##0.00 "EUR"`), "", `shown in "EUR"`},
	{"a colour is no date", "Daily budget", storedNumber("50", `[Red]0.00;[Blue]-0.00`), "50000000", ""},
	{"text with the own symbol", "Daily budget", storedText("$50.00"), "50000000", ""},
	{"text with another symbol", "Daily budget", storedText("50 €"), "", "C2: amount is"},
	{"text that reads two ways", "Daily budget", storedText("1,234"), "", "C2: amount is"},

	{"a serial with a date's format", "Start date", storedNumber("46357", "yyyy-mm-dd"), `"2026-12-01"`, ""},
	{"a serial with the built-in format", "Start date", storedNumber("46357", "m/d/yy"), `"2026-12-01"`, ""},
	{"a serial without a format", "Start date", storedNumber("46357", "General"), "", "holds the number 46357; want a day such as 2026-12-01"},
	{"a serial with a time", "Start date", storedNumber("46357.5", "yyyy-mm-dd"), "", "has a time of day"},
	{"a day as text", "Start date", storedText("2026-12-01"), `"2026-12-01"`, ""},
	{"a day in American order", "Start date", storedText("12/01/2026"), "", "ADS1009"},
	{"a serial out of range", "Start date", storedNumber("9999999", "yyyy-mm-dd"), "", "ADS1009"},

	{"a year as text", "Description", storedNumber("2026", "General"), `"2026"`, ""},
	{"a fraction as text", "Description", storedNumber("1.5", "General"), "", "holds the number 1.5; want text"},
	{"more digits than a workbook keeps", "Description", storedNumber("9007199254740993", "General"), "", "keeps 15 digits"},
	{"a date as text", "Description", storedNumber("46357", "yyyy-mm-dd"), "", "holds a date (the number 46357); want text"},
	{"spaces around", "Description", storedText("  note "), `"note"`, ""},
	{"a line break", "Description", storedText("one\ntwo"), `"one\ntwo"`, ""},
	{"an escaped character", "Description", storedText("a_x005F_x0041_b"), `"a_x0041_b"`, ""},
	{"cleared", "Description", storedText("[Clear]"), "null", ""},
	{"cleared as the vendor's interface says it", "Tracking", storedText("delete_value"), "null", ""},
	{"the word clear in free text", "Description", storedText("CLEAR"), `"CLEAR"`, ""},
	{"the word clear elsewhere", "Tracking", storedText("CLEAR"), "null", ""},
	{"cleared where it cannot be", "Daily budget", storedText("[clear]"), "", "cannot be cleared"},

	{"a truth as choice", "Status", stored(func(f *excelize.File) error { return f.SetCellBool("Campaigns", "C2", true) }), "", "holds TRUE; want one of its choices"},
	{"a status nobody knows", "Status", storedText("enabled?"), "", "ADS1007"},
	{"an id as number", "Conversion goal", storedNumber("123", "General"), "", "want the id as text"},
	{"location ids as number", "Locations", storedNumber("2000043", "General"), `["2000043"]`, ""},
	{"countries by name", "Countries", storedText("Norway; us | Canada"), `["CA" "NO" "US"]`, ""},
	{"countries as JSON", "Countries", storedText(`["US", "CA"]`), `["CA" "US"]`, ""},
	{"countries as JSON with curly quotes", "Countries", storedText("[“US”, „CA“]"), `["CA" "US"]`, ""},
	{"JSON cut short", "Countries", storedText(`["US", "CA`), "", "ADS1011"},
}

func TestCellMeansWhatItStoresNotWhatItShows(t *testing.T) {
	for _, c := range cellCases {
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

func TestDaysCountFrom1904WhereTheWorkbookSaysSo(t *testing.T) {
	content := bookWith(t, func(f *excelize.File) {
		must(t, f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: new(true)}))
		must(t, f.SetCellDefault("Campaigns", "C2", "44895"))
		style, err := f.NewStyle(&excelize.Style{NumFmt: 14})
		must(t, err)
		must(t, f.SetCellStyle("Campaigns", "C2", "C2", style))
	}, sheetOf{"Campaigns", [][]any{{"Campaign", "Bidding", "Start date"}, {"Spring", "clicks"}}})
	got := readBytes(content)
	wantProblems(t, got.problems)
	wantDrafts(t, got.drafts, `campaign bidding_type="clicks" name="Spring" start="2026-12-01"`)
}

func TestFormulas(t *testing.T) {
	formula := func(text, cached string, typ string) func([]byte) []byte {
		return func(sheet []byte) []byte {
			return replaceCell(t, sheet, "C2", `<c r="C2"`+typ+`><f>`+text+`</f>`+cached+`</c>`)
		}
	}
	for _, c := range []struct {
		name, header string
		edit         func([]byte) []byte
		want         string
		problem      string
	}{
		{"the last value of a text", "Description", formula(`A2&amp;" x"`, `<v>Spring x</v>`, ` t="str"`), `"Spring x"`, ""},
		{"a text that is empty", "Description", formula(`""`, `<v></v>`, ` t="str"`), "", ""},
		{"a text never calculated", "Description", formula(`A2&amp;" x"`, ``, ``), "", "formula has no value"},
		{"a text never calculated, as openpyxl writes it", "Description", formula(`A2&amp;" x"`, `<v></v>`, ``), "", "formula has no value"},
		{"a text with the zero XlsxWriter stores", "Description", formula(`A2&amp;" x"`, `<v>0</v>`, ``), "", "has the number 0 as its last value"},
		{"an amount", "Daily budget", formula(`10*10`, `<v>100</v>`, ``), "", "want the amount itself"},
		{"a status", "Status", formula(`"active"`, `<v>active</v>`, ` t="str"`), "", "want one of its choices itself"},
		{"a key", "Key", formula(`LOWER(A2)`, `<v>spring</v>`, ` t="str"`), "", "want the key itself"},
		{"an id", "ID", formula(`LOWER(A2)`, `<v>cmp_1</v>`, ` t="str"`), "", "want the id itself"},
		{"an error", "Description", formula(`1/0`, `<v>#DIV/0!</v>`, ` t="e"`), "", "holds the error #DIV/0!"},
		{"an error as amount", "Daily budget", formula(`1/0`, `<v>#REF!</v>`, ` t="e"`), "", "holds the error #REF!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := bookOf(t, sheetOf{"Campaigns", [][]any{{"Campaign", "Bidding", c.header}, {"Spring launch", "clicks", "x"}}})
			made := readBytes(rebuild(t, content, "xl/worksheets/sheet1.xml", c.edit))
			got := ""
			if len(made.drafts) == 1 {
				for _, a := range made.drafts[0].attributes {
					if a.Value.Position.Column == 3 {
						got = a.Value.String()
					}
				}
			}
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

func TestKeyAndIDAreTextCells(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{"Campaigns", [][]any{
		{"Campaign", "Bidding", "Key", "ID"},
		{"Spring", "clicks", 123, "cmp_1"},
		{"Summer", "clicks", "s-1", 77},
	}}))
	wantProblems(t, got.problems, "Campaigns!C2: cell holds the number 123; want the key as text", "Campaigns!D3: cell holds the number 77; want the id as text")
	if want := (rows{Read: 2, Failed: 2}); got.rows != want {
		t.Errorf("rows = %+v, want %+v", got.rows, want)
	}
}
