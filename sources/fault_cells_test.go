package sources_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/testing/office"
	"adsync/sources/draft"

	"github.com/xuri/excelize/v2"
)

// writtenByPython runs a script of python3-openpyxl or python3-xlsxwriter that
// writes a workbook to the path in argv.
func writtenByPython(t testing.TB, script string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "book.xlsx")
	if out, err := exec.Command("/usr/bin/python3", "-c", "import sys\n"+script, name).CombinedOutput(); err != nil {
		t.Fatalf("write a workbook with Python: %v\n%s", err, out)
	}
	return fileBytes(t, name)
}

// cellXML reads a campaign whose cell C2, under a header, is the XML given.
func cellXML(t *testing.T, header, xml string) (value string, problems []diag.Problem) {
	t.Helper()
	content := bookOf(t, sheetOf{name: "Campaigns",
		rows: [][]any{{"Campaign", "Bidding", header}, {"Spring launch", "clicks", "x"}}})
	made := readBytes(rebuild(t, content, "xl/worksheets/sheet1.xml", func(sheet []byte) []byte {
		return replaceCell(t, sheet, "C2", `<c r="C2"`+xml+`</c>`)
	}))
	for _, d := range made.Drafts {
		for _, a := range d.Attributes {
			if a.Value.Position.Column() == 3 {
				value = a.Value.String()
			}
		}
	}
	return value, made.Problems
}

type cellXMLCase struct{ name, header, xml, want, problem string }

func runCellXML(t *testing.T, cases []cellXMLCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, problems := cellXML(t, c.header, c.xml)
			if got != c.want {
				t.Errorf("value = %s, want %s", got, c.want)
			}
			if c.problem == "" {
				wantProblems(t, problems)
			} else {
				wantProblems(t, problems, c.problem)
			}
		})
	}
}

func TestW6AFormulaWithoutAValueIsAnError(t *testing.T) {
	runCellXML(t, []cellXMLCase{
		{name: "a text never calculated", header: "Description",
			xml: `><f>A2&amp;" x"</f>`, want: "", problem: "formula has no value; want the value itself"},
		{name: "as openpyxl writes it", header: "Description",
			xml: `><f>A2&amp;" x"</f><v></v>`, want: "", problem: "formula has no value"},
		{name: "an amount", header: "Daily budget",
			xml: `><f>10*10</f>`, want: "", problem: "formula has no value; want the value itself"},
		{name: "an amount that is a text", header: "Daily budget",
			xml: ` t="str"><f>A2</f><v></v>`, want: "", problem: ""},
		{name: "a text that is empty", header: "Description", xml: ` t="str"><f>""</f><v></v>`, want: "", problem: ""},
		{name: "its last value", header: "Description",
			xml: ` t="str"><f>A2&amp;" x"</f><v>Spring x</v>`, want: `"Spring x"`, problem: ""},
	})
	got := readBytes(writtenByPython(t, `
import openpyxl
book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Campaigns"
sheet.append(["Campaign", "Bidding", "Daily budget", "Description", "Start date"])
sheet.append(["=\"Spring\"", "clicks", "=10*10", "=A2&\" x\"", "=DATE(2026,12,1)"])
book.save(sys.argv[1])`))
	wantProblems(t, got.Problems, "Campaigns!A2: formula has no value", "Campaigns!C2: formula has no value",
		"Campaigns!D2: formula has no value", "Campaigns!E2: formula has no value")
	if got.Rows.Used > 0 {
		t.Errorf("rows = %+v, want none used", got.Rows)
	}
}

func TestW7WhatAFormulaGaveLastIsSaidOrRefused(t *testing.T) {
	runCellXML(t, []cellXMLCase{
		{name: "an amount", header: "Daily budget",
			xml: `><f>10*10</f><v>100</v>`, want: "100000000", problem: "Campaigns!C2: " +
				"warning: amount is a formula, and its last value 100.00 is read; want it up to date (ADS1019)"},
		{name: "an amount as text", header: "Daily budget", xml: ` t="str"><f>TEXT(A1,"0.00")</f><v>$ 12.50</v>`,
			want: "12500000", problem: "its last value 12.50 is read"},
		{name: "an amount that is an error", header: "Daily budget", xml: ` t="e"><f>1/0</f><v>#DIV/0!</v>`,
			want: "", problem: "Campaigns!C2: cell holds the error #DIV/0!; want a value (ADS1020)"},
		{name: "an amount that is true", header: "Daily budget",
			xml: ` t="b"><f>1=1</f><v>1</v>`, want: "", problem: "cell holds TRUE; want the amount"},
		{name: "an amount below the least", header: "Daily budget",
			xml: `><f>1/2</f><v>0.5</v>`, want: "", problem: "budget.daily is 0.50; want at least 1.00"},
		{name: "the zero XlsxWriter stores for an amount", header: "Daily budget", xml: `><f>10*10</f><v>0</v>`,
			want: "", problem: "formula has 0 as its " +
				"last value, as programs store it that do not calculate; want the amount itself"},
		{name: "a status", header: "Status", xml: ` t="str"><f>"active"</f><v>active</v>`,
			want: "", problem: "want one of its choices itself"},
		{name: "countries", header: "Countries", xml: ` t="str"><f>"US"</f><v>US</v>`, want: `["US"]`, problem: ""},
		{name: "ids of locations", header: "Locations",
			xml: ` t="str"><f>"2000043"</f><v>2000043</v>`, want: "", problem: "want the id itself"},
		{name: "a key", header: "Key", xml: ` t="str"><f>LOWER(A2)</f><v>spring</v>`,
			want: "", problem: "want the key itself"},
		{name: "an id", header: "ID", xml: ` t="str"><f>LOWER(A2)</f><v>cmp_1</v>`,
			want: "", problem: "want the id itself"},
		{name: "the zero XlsxWriter stores for a text", header: "Description",
			xml: `><f>A2&amp;" x"</f><v>0</v>`, want: "", problem: "has the number 0 as its last value"},
		{name: "a shared formula", header: "Daily budget", xml: `><f t="shared" ref="C2:C9" si="0">B2*2</f><v>5</v>`,
			want: "5000000", problem: "its last value 5.00 is read"},
		{name: "the rest of a shared formula", header: "Daily budget",
			xml: `><f t="shared" si="0"/><v>5</v>`, want: "5000000", problem: "its last value 5.00 is read"},
		{name: "an array formula", header: "Daily budget", xml: `><f t="array" ref="C2">SUM(B2:B9)</f><v>5</v>`,
			want: "5000000", problem: "its last value 5.00 is read"},
	})
	got := readBytes(writtenByPython(t, `
import xlsxwriter
book = xlsxwriter.Workbook(sys.argv[1])
sheet = book.add_worksheet("Campaigns")
sheet.write_row("A1", ["Campaign", "Bidding", "Daily budget", "Description", "Status"])
sheet.write_row("A2", ["Spring", "clicks"])
sheet.write_formula("C2", "=10*10")
sheet.write_formula("D2", "=A2&\" x\"")
sheet.write_formula("E2", "=\"active\"", None, "paused")
book.close()`))
	wantProblems(t, got.Problems, "Campaigns!C2: formula has 0 as its last value", "Campaigns!D2: formula "+
		"has the number 0 as its last value", "Campaigns!E2: cell holds a formula; want one of its choices itself")
	wantDrafts(t, got.Drafts, `campaign bidding_type="clicks" name="Spring" FAILED`)
}

func TestW8ErrorsAreNoValues(t *testing.T) {
	cases := []cellXMLCase{
		{name: "of a formula", header: "Description",
			xml: ` t="e"><f>1/0</f><v>#DIV/0!</v>`, want: "", problem: "holds the error #DIV/0!"},
		{name: "of an amount", header: "Daily budget",
			xml: ` t="e"><f>1/0</f><v>#REF!</v>`, want: "", problem: "holds the error #REF!"},
		{name: "with another cell's style", header: "Status",
			xml: ` s="0" t="e"><v>#N/A</v>`, want: "", problem: "holds the error #N/A"},
	}
	for _, word := range []string{"#REF!", "#DIV/0!",
		"#N/A", "#NAME?", "#NULL!", "#NUM!", "#VALUE!", "#SPILL!", "#CALC!", "Err:502"} {
		cases = append(cases,
			cellXMLCase{name: word + " stored", header: "Description",
				xml: ` t="e"><v>` + word + `</v>`, want: "", problem: "cell holds the error " + word},
			cellXMLCase{name: word + " pasted", header: "Description",
				xml: ` t="str"><v>` + word + `</v>`, want: "", problem: "text is the error " + word})
	}
	runCellXML(t, cases)
	got := readBytes(bookOf(t, sheetOf{name: "Campaigns",
		rows: [][]any{{"Campaign", "Bidding"}, {"#REF!", "clicks"}, {"# a remark", "clicks"}, {"#N/A", "clicks"}}}))
	wantProblems(t, got.Problems, "Campaigns!A2: text is the error #REF!", "Campaigns!A4: text is the error #N/A")
	if want := (draft.Rows{Read: 3, Ignored: 1, Failed: 2}); got.Rows != want {
		t.Errorf("rows = %+v, want %+v: an error is no remark", got.Rows, want)
	}
	csv := load(t, folder(t, map[string]string{"campaigns.csv": "Campaign,Bidding\n#REF!,clicks\n"}))
	wantRefused(t, csv, "campaigns.csv:2:1: text is the error #REF!")
}

func TestW9AmountsAreWhatIsStoredAndSaidWhereTheyShowOtherwise(t *testing.T) {
	shows := func(what string) string { return "and the cell shows " + what + "; what it stores counts (ADS1031)" }
	runCellCases(t, []cellCase{
		{name: "rounded by its format", header: "Daily budget",
			set: storedNumber("1234.5", "#,##0"), want: "1234500000", problem: ""},
		{name: "as it is", header: "Daily budget", set: storedNumber("50", "General"), want: "50000000", problem: ""},
		{name: "shown as 2K", header: "Daily budget", set: storedNumber("1500", `0,"K"`),
			want: "1500000000", problem: shows("it in thousands or millions")},
		{name: "shown as -50", header: "Daily budget",
			set: storedNumber("50", `"-"0`), want: "50000000", problem: shows("it with a minus sign")},
		{name: "shown as -50 by an escape", header: "Daily budget",
			set: storedNumber("50", `\-0.00`), want: "50000000", problem: shows("it with a minus sign")},
		{name: "not shown", header: "Daily budget",
			set: storedNumber("50", ";;;"), want: "50000000", problem: shows("nothing")},
		{name: "shown as a text", header: "Daily budget",
			set: storedNumber("50", `"paid"`), want: "50000000", problem: shows("a text")},
		{name: "an accounting format", header: "Daily budget",
			set:  storedNumber("50", `_-* #,##0.00_-;\-* #,##0.00_-;_-* "-"??_-;_-@_-`),
			want: "50000000", problem: ""},
		{name: "thousands from a million on", header: "Daily budget",
			set: storedNumber("50", `[>=1000000]0.0,,"M";0`), want: "50000000", problem: ""},
		{name: "a colour", header: "Daily budget",
			set: storedNumber("50", `[Red]0.00;[Blue]-0.00`), want: "50000000", problem: ""},
		{name: "own currency", header: "Daily budget",
			set: storedNumber("50", `[$$-409]#,##0.00`), want: "50000000", problem: ""},
		{name: "own code", header: "Daily budget",
			set: storedNumber("50", `#,##0.00 "USD"`), want: "50000000", problem: ""},
		{name: "another currency", header: "Daily budget", set: storedNumber("50", `#,##0.00\ [$€-407]`),
			want: "", problem: `shown in "€"; want the account's currency USD`},
		{name: "another code", header: "Daily budget",
			set: storedNumber("50", `#,##0.00 "EUR"`), want: "", problem: `shown in "EUR"`},
		{name: "a percentage", header: "Daily budget",
			set: storedNumber("0.5", "0%"), want: "", problem: "holds a percentage (the number 0.5)"},
		{name: "a date", header: "Daily budget", set: storedNumber("46357", "yyyy-mm-dd"),
			want: "", problem: "holds a date (the number 46357)"},
		{name: "a negative amount shown without its sign",
			header: "Daily budget", set: storedNumber("-50", "0;0"), want: "", problem: `C2: amount is "-50`},
	})
}

func TestW10DigitsAWorkbookDoesNotKeepAreRefused(t *testing.T) {
	runCellCases(t, []cellCase{
		{name: "2^53+1 where a text is wanted", header: "Description",
			set: storedNumber("9007199254740993", "General"), want: "", problem: "keeps 15 digits"},
		{name: "as a program saves it", header: "Description", set: storedNumber("9.00719925474099E+15", "General"),
			want: "", problem: "keeps 15 digits"},
		{name: "an amount of 16 digits", header: "Daily budget", set: storedNumber("9007199254.740993", "General"),
			want: "", problem: "amount is 9007199254.740993, of which a workbook keeps 15 digits"},
		{name: "an amount of 16 digits and an exponent",
			header: "Daily budget", set: storedNumber("9.007199254740993E9", "General"),
			want: "", problem: "of which a workbook keeps 15 digits"},
		{name: "an amount of 15 digits", header: "Daily budget",
			set: storedNumber("900719925.474099", "General"), want: "900719925474099", problem: ""},
		{name: "an amount of zeros", header: "Daily budget",
			set: storedNumber("20000", "General"), want: "20000000000", problem: ""},
		{name: "six decimals", header: "Daily budget",
			set: storedNumber("1.000001", "0.00"), want: "1000001", problem: ""},
		{name: "seven decimals", header: "Daily budget",
			set: storedNumber("1.0000001", "0.00"), want: "", problem: "want at most six decimals"},
		{name: "an id", header: "Conversion goal",
			set: storedNumber("123", "General"), want: "", problem: "want the id as text"},
		{name: "an id of 17 digits as text", header: "Conversion goal",
			set: storedText("90071992547409931"), want: `"90071992547409931"`, problem: ""},
	})
}

func TestW11DustOfACalculationIsTakenOff(t *testing.T) {
	runCellCases(t, []cellCase{
		{name: "above", header: "Daily budget", set: storedNumber("100.00000000000001", "0.00"),
			want: "100000000", problem: ""},
		{name: "below", header: "Daily budget", set: storedNumber("99.999999999999986", "0.00"),
			want: "100000000", problem: ""},
		{name: "a tenth and two", header: "Daily budget",
			set: storedNumber("1.3000000000000003", "0.00"), want: "1300000", problem: ""},
		{name: "as an exponent", header: "Daily budget",
			set: storedNumber("1.5E1", "General"), want: "15000000", problem: ""},
		{name: "as a negative exponent", header: "Daily budget",
			set: storedNumber("12500000E-7", "General"), want: "1250000", problem: ""},
		{name: "no dust", header: "Daily budget", set: storedNumber("1.0000011", "0.00"),
			want: "", problem: "want at most six decimals"},
		{name: "an exponent without an end", header: "Daily budget",
			set: storedNumber("1E99999", "General"), want: "", problem: `C2: amount is "1E99999"`},
	})
}

func TestW12TextsThatReadTwoWaysAreRefused(t *testing.T) {
	cases := []cellCase{
		{name: "own symbol", header: "Daily budget", set: storedText("$50.00"), want: "50000000", problem: ""},
		{name: "own code", header: "Daily budget", set: storedText("USD 50"), want: "50000000", problem: ""},
	}
	for _, wrong := range []string{"1.000,50", "1,234", "1,234.50",
		"1 000", "1'000", "€1k", "1k", "50 €", "50%", "(50)", "50-", "fifty", "5O", "٥٠", "50.5.5", "50,-"} {
		cases = append(cases, cellCase{
			name: wrong, header: "Daily budget", set: storedText(wrong), want: "", problem: "C2: amount is",
		})
	}
	runCellCases(t, cases)
}

func TestW13DaysAreReadByTheirStyleAndSystem(t *testing.T) {
	runCellCases(t, []cellCase{
		{name: "a serial with a date's format", header: "Start date",
			set: storedNumber("46357", "yyyy-mm-dd"), want: `"2026-12-01"`, problem: ""},
		{name: "with the built-in format", header: "Start date",
			set: storedNumber("46357", "m/d/yy"), want: `"2026-12-01"`, problem: ""},
		{name: "with a locale's", header: "Start date",
			set: storedNumber("46357", "[$-407]d. mmmm yyyy;@"), want: `"2026-12-01"`, problem: ""},
		{name: "without one", header: "Start date", set: storedNumber("46357", "General"),
			want: "", problem: "holds the number 46357; want a day such as 2026-12-01"},
		{name: "with a time", header: "Start date", set: storedNumber("46357.5", "yyyy-mm-dd"),
			want: "", problem: "date is 2026-12-01 with a time of day; want a day alone"},
		{name: "of before March 1900", header: "Start date",
			set: storedNumber("59", "yyyy-mm-dd"), want: "", problem: "a day before March 1900"},
		{name: "beyond the year 9999", header: "Start date",
			set: storedNumber("9999999", "yyyy-mm-dd"), want: "", problem: "ADS1009"},
		{name: "a day as text", header: "Start date", set: storedText("2026-12-01"), want: `"2026-12-01"`, problem: ""},
		{name: "the order of nobody", header: "Start date", set: storedText("11-20-26"), want: "", problem: "ADS1009"},
		{name: "American order", header: "Start date", set: storedText("12/01/2026"), want: "", problem: "ADS1009"},
		{name: "European order", header: "Start date", set: storedText("01.12.2026"), want: "", problem: "ADS1009"},
	})
	content := bookWith(t, func(f *excelize.File) {
		must(t, f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: new(true)}))
		must(t, f.SetCellDefault("Campaigns", "C2", "44895"))
		style, err := f.NewStyle(&excelize.Style{NumFmt: 14})
		must(t, err)
		must(t, f.SetCellStyle("Campaigns", "C2", "C2", style))
	}, sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding", "Start date"}, {"Spring", "clicks"}}})
	got := readBytes(content)
	wantProblems(t, got.Problems)
	wantDrafts(t, got.Drafts, `campaign bidding_type="clicks" name="Spring" start="2026-12-01"`)
}

// TestW14KeysThatBecameNumbersAreRefused has LibreOffice make a workbook of a
// CSV file, as a person does who opens one and saves it.
func TestW14KeysThatBecameNumbersAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	const table = "Campaign,Bidding,Key,ID,Conversion " +
		"goal\nSpring,clicks,0123,cmp_1,g-1\nSummer,clicks,1e6,cmp_2,g-2\nAutumn,clicks,s-3,00077,g-3\nWinter,clicks," +
		"s-4,cmp_4,0042\n=1+1,clicks,=1+1,cmp_5,g-5\nMay,clicks,may-1,cmp_6,g-6\nFall,clicks,fall-sale,cmp_7,g-7\n"
	dir := t.TempDir()
	write(t, filepath.Join(dir, "campaigns.csv"), table)
	must(t, office.ConvertBy(office.CSV+",,0,false,true,false,false,false,-1", office.AsXLSX, dir,
		filepath.Join(dir, "campaigns.csv")))
	got := readBytes(rebuild(t, fileBytes(t, filepath.Join(dir, "campaigns.xlsx")),
		"xl/workbook.xml", replaced(`name="campaigns"`, `name="Campaigns"`)))
	wantProblems(t, got.Problems,
		"Campaigns!A6: formula has the number 2 as its last value",
		"Campaigns!C2: cell holds the number 123; want the key as text, because numbers lose zeros and digits",
		"Campaigns!C3: cell holds the number 1000000; want the key as text",
		"Campaigns!C6: cell holds a formula; want the key itself",
		"Campaigns!C7: cell holds the number", // of the first of May
		"Campaigns!D4: cell holds the number 77; want the id as text",
		"Campaigns!E5: cell holds the number 42; want the id as text")
	if got.Rows.Used != 1 {
		t.Errorf("rows = %+v, want the last used alone", got.Rows)
	}
}
