package sources

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"

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

// convertedByLibreOffice opens a file in LibreOffice and saves it as a workbook.
func convertedByLibreOffice(t testing.TB, name string, content []byte, arguments ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	arguments = append(append([]string{"-env:UserInstallation=file://" + dir + "/profile", "--headless"}, arguments...),
		"--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", dir+"/out", filepath.Join(dir, name))
	if out, err := exec.Command("soffice", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, out)
	}
	return fileBytes(t, filepath.Join(dir, "out", strings.TrimSuffix(name, filepath.Ext(name))+".xlsx"))
}

// cellXML reads a campaign whose cell C2, under a header, is the XML given.
func cellXML(t *testing.T, header, xml string) (value string, problems []diag.Problem) {
	t.Helper()
	content := bookOf(t, sheetOf{"Campaigns",
		[][]any{{"Campaign", "Bidding", header}, {"Spring launch", "clicks", "x"}}})
	made := readBytes(rebuild(t, content, "xl/worksheets/sheet1.xml", func(sheet []byte) []byte {
		return replaceCell(t, sheet, "C2", `<c r="C2"`+xml+`</c>`)
	}))
	for _, d := range made.drafts {
		for _, a := range d.attributes {
			if a.Value.Position.Column() == 3 {
				value = a.Value.String()
			}
		}
	}
	return value, made.problems
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
		{"a text never calculated", "Description",
			`><f>A2&amp;" x"</f>`, "", "formula has no value; want the value itself"},
		{"as openpyxl writes it", "Description", `><f>A2&amp;" x"</f><v></v>`, "", "formula has no value"},
		{"an amount", "Daily budget", `><f>10*10</f>`, "", "formula has no value; want the value itself"},
		{"an amount that is a text", "Daily budget", ` t="str"><f>A2</f><v></v>`, "", ""},
		{"a text that is empty", "Description", ` t="str"><f>""</f><v></v>`, "", ""},
		{"its last value", "Description", ` t="str"><f>A2&amp;" x"</f><v>Spring x</v>`, `"Spring x"`, ""},
	})
	got := readBytes(writtenByPython(t, `
import openpyxl
book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Campaigns"
sheet.append(["Campaign", "Bidding", "Daily budget", "Description", "Start date"])
sheet.append(["=\"Spring\"", "clicks", "=10*10", "=A2&\" x\"", "=DATE(2026,12,1)"])
book.save(sys.argv[1])`))
	wantProblems(t, got.problems, "Campaigns!A2: formula has no value", "Campaigns!C2: formula has no value",
		"Campaigns!D2: formula has no value", "Campaigns!E2: formula has no value")
	if got.rows.Used > 0 {
		t.Errorf("rows = %+v, want none used", got.rows)
	}
}

func TestW7WhatAFormulaGaveLastIsSaidOrRefused(t *testing.T) {
	runCellXML(t, []cellXMLCase{
		{"an amount", "Daily budget", `><f>10*10</f><v>100</v>`, "100000000", "Campaigns!C2: " +
			"warning: amount is a formula, and its last value 100.00 is read; want it up to date (ADS1019)"},
		{"an amount as text", "Daily budget", ` t="str"><f>TEXT(A1,"0.00")</f><v>$ 12.50</v>`,
			"12500000", "its last value 12.50 is read"},
		{"an amount that is an error", "Daily budget", ` t="e"><f>1/0</f><v>#DIV/0!</v>`,
			"", "Campaigns!C2: cell holds the error #DIV/0!; want a value (ADS1020)"},
		{"an amount that is true", "Daily budget", ` t="b"><f>1=1</f><v>1</v>`, "", "cell holds TRUE; want the amount"},
		{"an amount below the least", "Daily budget",
			`><f>1/2</f><v>0.5</v>`, "", "budget.daily is 0.50; want at least 1.00"},
		{"the zero XlsxWriter stores for an amount", "Daily budget", `><f>10*10</f><v>0</v>`,
			"", "formula has 0 as its last value, as programs store it that do not calculate; want the amount itself"},
		{"a status", "Status", ` t="str"><f>"active"</f><v>active</v>`, "", "want one of its choices itself"},
		{"countries", "Countries", ` t="str"><f>"US"</f><v>US</v>`, `["US"]`, ""},
		{"ids of locations", "Locations", ` t="str"><f>"2000043"</f><v>2000043</v>`, "", "want the id itself"},
		{"a key", "Key", ` t="str"><f>LOWER(A2)</f><v>spring</v>`, "", "want the key itself"},
		{"an id", "ID", ` t="str"><f>LOWER(A2)</f><v>cmp_1</v>`, "", "want the id itself"},
		{"the zero XlsxWriter stores for a text", "Description",
			`><f>A2&amp;" x"</f><v>0</v>`, "", "has the number 0 as its last value"},
		{"a shared formula", "Daily budget", `><f t="shared" ref="C2:C9" si="0">B2*2</f><v>5</v>`,
			"5000000", "its last value 5.00 is read"},
		{"the rest of a shared formula", "Daily budget",
			`><f t="shared" si="0"/><v>5</v>`, "5000000", "its last value 5.00 is read"},
		{"an array formula", "Daily budget", `><f t="array" ref="C2">SUM(B2:B9)</f><v>5</v>`,
			"5000000", "its last value 5.00 is read"},
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
	wantProblems(t, got.problems, "Campaigns!C2: formula has 0 as its last value", "Campaigns!D2: formula "+
		"has the number 0 as its last value", "Campaigns!E2: cell holds a formula; want one of its choices itself")
	wantDrafts(t, got.drafts, `campaign bidding_type="clicks" name="Spring" FAILED`)
}

func TestW8ErrorsAreNoValues(t *testing.T) {
	cases := []cellXMLCase{
		{"of a formula", "Description", ` t="e"><f>1/0</f><v>#DIV/0!</v>`, "", "holds the error #DIV/0!"},
		{"of an amount", "Daily budget", ` t="e"><f>1/0</f><v>#REF!</v>`, "", "holds the error #REF!"},
		{"with another cell's style", "Status", ` s="0" t="e"><v>#N/A</v>`, "", "holds the error #N/A"},
	}
	for _, word := range []string{"#REF!", "#DIV/0!",
		"#N/A", "#NAME?", "#NULL!", "#NUM!", "#VALUE!", "#SPILL!", "#CALC!", "Err:502"} {
		cases = append(cases,
			cellXMLCase{word + " stored", "Description",
				` t="e"><v>` + word + `</v>`, "", "cell holds the error " + word},
			cellXMLCase{word + " pasted", "Description",
				` t="str"><v>` + word + `</v>`, "", "text is the error " + word})
	}
	runCellXML(t, cases)
	got := readBytes(bookOf(t, sheetOf{"Campaigns",
		[][]any{{"Campaign", "Bidding"}, {"#REF!", "clicks"}, {"# a remark", "clicks"}, {"#N/A", "clicks"}}}))
	wantProblems(t, got.problems, "Campaigns!A2: text is the error #REF!", "Campaigns!A4: text is the error #N/A")
	if want := (rows{Read: 3, Ignored: 1, Failed: 2}); got.rows != want {
		t.Errorf("rows = %+v, want %+v: an error is no remark", got.rows, want)
	}
	csv := load(t, folder(t, map[string]string{"campaigns.csv": "Campaign,Bidding\n#REF!,clicks\n"}))
	wantRefused(t, csv, "campaigns.csv:2:1: text is the error #REF!")
}

func TestW9AmountsAreWhatIsStoredAndSaidWhereTheyShowOtherwise(t *testing.T) {
	shows := func(what string) string { return "and the cell shows " + what + "; what it stores counts (ADS1031)" }
	runCellCases(t, []cellCase{
		{"rounded by its format", "Daily budget", storedNumber("1234.5", "#,##0"), "1234500000", ""},
		{"as it is", "Daily budget", storedNumber("50", "General"), "50000000", ""},
		{"shown as 2K", "Daily budget", storedNumber("1500", `0,"K"`),
			"1500000000", shows("it in thousands or millions")},
		{"shown as -50", "Daily budget", storedNumber("50", `"-"0`), "50000000", shows("it with a minus sign")},
		{"shown as -50 by an escape", "Daily budget",
			storedNumber("50", `\-0.00`), "50000000", shows("it with a minus sign")},
		{"not shown", "Daily budget", storedNumber("50", ";;;"), "50000000", shows("nothing")},
		{"shown as a text", "Daily budget", storedNumber("50", `"paid"`), "50000000", shows("a text")},
		{"an accounting format", "Daily budget", storedNumber("50", `_-* #,##0.00_-;\-* #,##0.00_-;_-* "-"??_-;_-@_-`),
			"50000000", ""},
		{"thousands from a million on", "Daily budget", storedNumber("50", `[>=1000000]0.0,,"M";0`), "50000000", ""},
		{"a colour", "Daily budget", storedNumber("50", `[Red]0.00;[Blue]-0.00`), "50000000", ""},
		{"own currency", "Daily budget", storedNumber("50", `[$$-409]#,##0.00`), "50000000", ""},
		{"own code", "Daily budget", storedNumber("50", `#,##0.00 "USD"`), "50000000", ""},
		{"another currency", "Daily budget", storedNumber("50", `#,##0.00\ [$€-407]`),
			"", `shown in "€"; want the account's currency USD`},
		{"another code", "Daily budget", storedNumber("50", `#,##0.00 "EUR"`), "", `shown in "EUR"`},
		{"a percentage", "Daily budget", storedNumber("0.5", "0%"), "", "holds a percentage (the number 0.5)"},
		{"a date", "Daily budget", storedNumber("46357", "yyyy-mm-dd"), "", "holds a date (the number 46357)"},
		{"a negative amount shown without its sign",
			"Daily budget", storedNumber("-50", "0;0"), "", `C2: amount is "-50`},
	})
}

func TestW10DigitsAWorkbookDoesNotKeepAreRefused(t *testing.T) {
	runCellCases(t, []cellCase{
		{"2^53+1 where a text is wanted", "Description",
			storedNumber("9007199254740993", "General"), "", "keeps 15 digits"},
		{"as a program saves it", "Description", storedNumber("9.00719925474099E+15", "General"),
			"", "keeps 15 digits"},
		{"an amount of 16 digits", "Daily budget", storedNumber("9007199254.740993", "General"),
			"", "amount is 9007199254.740993, of which a workbook keeps 15 digits"},
		{"an amount of 16 digits and an exponent",
			"Daily budget", storedNumber("9.007199254740993E9", "General"), "", "of which a workbook keeps 15 digits"},
		{"an amount of 15 digits", "Daily budget", storedNumber("900719925.474099", "General"), "900719925474099", ""},
		{"an amount of zeros", "Daily budget", storedNumber("20000", "General"), "20000000000", ""},
		{"six decimals", "Daily budget", storedNumber("1.000001", "0.00"), "1000001", ""},
		{"seven decimals", "Daily budget", storedNumber("1.0000001", "0.00"), "", "want at most six decimals"},
		{"an id", "Conversion goal", storedNumber("123", "General"), "", "want the id as text"},
		{"an id of 17 digits as text", "Conversion goal", storedText("90071992547409931"), `"90071992547409931"`, ""},
	})
}

func TestW11DustOfACalculationIsTakenOff(t *testing.T) {
	runCellCases(t, []cellCase{
		{"above", "Daily budget", storedNumber("100.00000000000001", "0.00"), "100000000", ""},
		{"below", "Daily budget", storedNumber("99.999999999999986", "0.00"), "100000000", ""},
		{"a tenth and two", "Daily budget", storedNumber("1.3000000000000003", "0.00"), "1300000", ""},
		{"as an exponent", "Daily budget", storedNumber("1.5E1", "General"), "15000000", ""},
		{"as a negative exponent", "Daily budget", storedNumber("12500000E-7", "General"), "1250000", ""},
		{"no dust", "Daily budget", storedNumber("1.0000011", "0.00"), "", "want at most six decimals"},
		{"an exponent without an end", "Daily budget",
			storedNumber("1E99999", "General"), "", `C2: amount is "1E99999"`},
	})
}

func TestW12TextsThatReadTwoWaysAreRefused(t *testing.T) {
	cases := []cellCase{
		{"own symbol", "Daily budget", storedText("$50.00"), "50000000", ""},
		{"own code", "Daily budget", storedText("USD 50"), "50000000", ""},
	}
	for _, wrong := range []string{"1.000,50", "1,234", "1,234.50",
		"1 000", "1'000", "€1k", "1k", "50 €", "50%", "(50)", "50-", "fifty", "5O", "٥٠", "50.5.5", "50,-"} {
		cases = append(cases, cellCase{wrong, "Daily budget", storedText(wrong), "", "C2: amount is"})
	}
	runCellCases(t, cases)
}

func TestW13DaysAreReadByTheirStyleAndSystem(t *testing.T) {
	runCellCases(t, []cellCase{
		{"a serial with a date's format", "Start date", storedNumber("46357", "yyyy-mm-dd"), `"2026-12-01"`, ""},
		{"with the built-in format", "Start date", storedNumber("46357", "m/d/yy"), `"2026-12-01"`, ""},
		{"with a locale's", "Start date", storedNumber("46357", "[$-407]d. mmmm yyyy;@"), `"2026-12-01"`, ""},
		{"without one", "Start date", storedNumber("46357", "General"),
			"", "holds the number 46357; want a day such as 2026-12-01"},
		{"with a time", "Start date", storedNumber("46357.5", "yyyy-mm-dd"),
			"", "date is 2026-12-01 with a time of day; want a day alone"},
		{"of before March 1900", "Start date", storedNumber("59", "yyyy-mm-dd"), "", "a day before March 1900"},
		{"beyond the year 9999", "Start date", storedNumber("9999999", "yyyy-mm-dd"), "", "ADS1009"},
		{"a day as text", "Start date", storedText("2026-12-01"), `"2026-12-01"`, ""},
		{"the order of nobody", "Start date", storedText("11-20-26"), "", "ADS1009"},
		{"American order", "Start date", storedText("12/01/2026"), "", "ADS1009"},
		{"European order", "Start date", storedText("01.12.2026"), "", "ADS1009"},
	})
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

// TestW14KeysThatBecameNumbersAreRefused has LibreOffice make a workbook of a
// CSV file, as a person does who opens one and saves it.
func TestW14KeysThatBecameNumbersAreRefused(t *testing.T) {
	const table = "Campaign,Bidding,Key,ID,Conversion " +
		"goal\nSpring,clicks,0123,cmp_1,g-1\nSummer,clicks,1e6,cmp_2,g-2\nAutumn,clicks,s-3,00077,g-3\nWinter,clicks," +
		"s-4,cmp_4,0042\n=1+1,clicks,=1+1,cmp_5,g-5\nMay,clicks,may-1,cmp_6,g-6\nFall,clicks,fall-sale,cmp_7,g-7\n"
	got := readBytes(rebuild(t, convertedByLibreOffice(t,
		"campaigns.csv", []byte(table), "--infilter=CSV:44,34,76,1,,0,false,true,false,false,false,-1"),
		"xl/workbook.xml", replaced(`name="campaigns"`, `name="Campaigns"`)))
	wantProblems(t, got.problems,
		"Campaigns!A6: formula has the number 2 as its last value",
		"Campaigns!C2: cell holds the number 123; want the key as text, because numbers lose zeros and digits",
		"Campaigns!C3: cell holds the number 1000000; want the key as text",
		"Campaigns!C6: cell holds a formula; want the key itself",
		"Campaigns!C7: cell holds the number", // of the first of May
		"Campaigns!D4: cell holds the number 77; want the id as text",
		"Campaigns!E5: cell holds the number 42; want the id as text")
	if got.rows.Used != 1 {
		t.Errorf("rows = %+v, want the last used alone", got.rows)
	}
}
