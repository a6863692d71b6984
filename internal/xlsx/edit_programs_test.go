package xlsx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/testing/office"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// richBook is a workbook with most of what people put into one.
func richBook(t testing.TB) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	must(t, f.SetSheetName("Sheet1", "Ads"))
	bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true, Color: "FF0000"}, NumFmt: 14})
	must(t, err)
	for i := range 8 {
		must(t, f.SetSheetRow("Ads", fmt.Sprintf("A%d", i+1),
			&[]any{fmt.Sprintf("row <%d>", i), i * 3, 45000.5 + float64(i), i%2 == 0, "end "}))
	}
	must(t, f.SetCellStyle("Ads", "C1", "C8", bold))
	must(t, f.SetCellFormula("Ads", "F1", "SUM(B1:B8)"))
	must(t, f.SetCellFormula("Ads", "F2", "B1&A1"))
	must(t, f.MergeCell("Ads", "H1", "J2"))
	must(t, f.AddComment("Ads", excelize.Comment{
		Cell: "B2", Author: "Ann", Paragraph: []excelize.RichTextRun{{Text: "why?"}},
	}))
	must(t, f.SetCellRichText("Ads",
		"A10", []excelize.RichTextRun{{Text: "rich "}, {Text: "text", Font: &excelize.Font{Bold: true}}}))
	must(t, f.SetPanes("Ads", &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
	list := excelize.NewDataValidation(true)
	list.SetSqref("D1:D8")
	must(t, list.SetDropList([]string{"yes", "no"}))
	must(t, f.AddDataValidation("Ads", list))
	red, err := f.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "9A0511"}})
	must(t, err)
	must(t, f.SetConditionalFormat("Ads", "B1:B8",
		[]excelize.ConditionalFormatOptions{{Type: "cell", Criteria: ">", Value: "6", Format: &red},
			{Type: "data_bar", Criteria: "=", MinType: "min", MaxType: "max", BarColor: "#638EC6"}}))
	must(t, f.SetDefinedName(&excelize.DefinedName{Name: "Amounts", RefersTo: "Ads!$B$1:$B$8"}))
	_, err = f.NewSheet("Other")
	must(t, err)
	must(t, f.SetSheetRow("Other", "A1", &[]any{"Month", "Sales"}))
	for i := range 5 {
		must(t, f.SetSheetRow("Other", fmt.Sprintf("A%d", i+2), &[]any{fmt.Sprintf("m%d", i), i}))
	}
	must(t, f.AddTable("Other", &excelize.Table{Range: "A1:B6", Name: "Sales"}))
	must(t, f.AddChart("Other", "E2", &excelize.Chart{
		Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Other!$B$1",
			Categories: "Other!$A$2:$A$6", Values: "Other!$B$2:$B$6"}},
	}))
	_, err = f.NewSheet("Pivot")
	must(t, err)
	must(t, f.AddPivotTable(&excelize.PivotTableOptions{
		DataRange: "Other!A1:B6", PivotTableRange: "Pivot!A3:D10",
		Rows: []excelize.PivotTableField{{Data: "Month"}}, Data: []excelize.PivotTableField{{Data: "Sales"}},
	}))
	var b bytes.Buffer
	must(t, f.Write(&b))
	return b.Bytes()
}

var richEdits = []Edit{
	set("A2", Text(" =edited & <kept> ")), set("B3", Number("1234.50")),
	set("A4", Clear()), set("F2", Text("no formula")),
	like(set("K5", Text("Result")), "A1"), set("C12", Text("appended")), like(set("D12", Day("2026-12-01")), "C1"),
}

// A workbook as real programs see it, before and after: the cells edited differ
// and not one fact more.
func TestProgramsSeeTheEditAndNothingElseChanged(t *testing.T) {
	before := richBook(t)
	after, err := rewrite(before, richEdits)
	must(t, err)
	want := []string{"Ads!A2", "Ads!A4", "Ads!B3", "Ads!C12", "Ads!D12", "Ads!F2", "Ads!K5"}
	for _, program := range []struct {
		name     string
		see      func(testing.TB, []byte) map[string]string
		computes string // the cell whose formula reads an edited one
	}{{"excelize", seenByExcelize, ""}, {"openpyxl", seenByOpenpyxl, ""},
		{"LibreOffice", seenByLibreOffice, "Ads!F1"}} {
		was, is := program.see(t, before), program.see(t, after)
		var changed []string
		for key := range was {
			if is[key] != was[key] {
				changed = append(changed, key)
			}
		}
		for key := range is {
			if _, known := was[key]; !known {
				changed = append(changed, key)
			}
		}
		changed = slices.DeleteFunc(changed, func(cell string) bool { return cell == program.computes })
		slices.Sort(changed)
		if d := cmp.Diff(want, changed); d != "" {
			t.Errorf("%s sees these cells changed (-want +got):\n%s", program.name, d)
		}
		for cell, text := range map[string]string{
			"Ads!A2": "=edited &", "Ads!B3": "1234.5",
			"Ads!F2": "no formula", "Ads!K5": "Result", "Ads!C12": "appended", "Ads!D12": "2026",
		} {
			if !strings.Contains(is[cell], text) {
				t.Errorf("%s sees %s as %q; want %q in it", program.name, cell, is[cell], text)
			}
		}
		if len(was) < 40 {
			t.Errorf("%s sees %d facts; the comparison is worth little", program.name, len(was))
		}
	}
}

func seenByExcelize(t testing.TB, content []byte) map[string]string {
	f, err := excelize.OpenReader(bytes.NewReader(content))
	must(t, err)
	defer f.Close()
	seen := map[string]string{}
	for _, sheet := range f.GetSheetList() {
		for row := 1; row <= 14; row++ {
			for column := 1; column <= 12; column++ {
				at := At{row, column}.String()
				value, err := f.GetCellValue(sheet, at)
				must(t, err)
				raw, err := f.GetCellValue(sheet, at, excelize.Options{RawCellValue: true})
				must(t, err)
				formula, err := f.GetCellFormula(sheet, at)
				must(t, err)
				style, err := f.GetCellStyle(sheet, at)
				must(t, err)
				if sheet+at == "AdsD12" { // the format of C1 has no century
					value = "2026 as " + value
				}
				if raw != "" || style != 0 || formula != "" {
					seen[sheet+"!"+at] = fmt.Sprintf("%s | %s | =%s | style %d", value, raw, formula, style)
				}
			}
		}
		notes, err := f.GetComments(sheet)
		must(t, err)
		checks, err := f.GetDataValidations(sheet)
		must(t, err)
		conditions, err := f.GetConditionalFormats(sheet)
		must(t, err)
		merged, err := f.GetMergeCells(sheet)
		must(t, err)
		tables, err := f.GetTables(sheet)
		must(t, err)
		pivots, err := f.GetPivotTables(sheet)
		must(t, err)
		beside, err := json.Marshal([]any{notes, checks, conditions, merged, tables, pivots, f.GetDefinedName()})
		must(t, err)
		seen[sheet+" beside"] = string(beside)
	}
	return seen
}

func bookFile(t testing.TB, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "book.xlsx")
	must(t, os.WriteFile(name, content, 0o600))
	return name
}

func seenByOpenpyxl(t testing.TB, content []byte) map[string]string {
	python := exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/dump_book.py", bookFile(t, content))
	out, err := python.CombinedOutput()
	if err != nil {
		t.Fatalf("read a workbook with python3-openpyxl: %v\n%s", err, out)
	}
	seen := map[string]string{}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !strings.Contains(key, "!") {
			key, value = line, ""
		}
		seen[key] = value
	}
	return seen
}

var (
	flatTable = regexp.MustCompile(`(?s)<table:table table:name="([^"]*)".*?</table:table>`)
	flatShape = regexp.MustCompile(`(?s)<table:shapes>.*?</table:shapes>|<draw:frame.*?</draw:frame>`)
	flatCell  = regexp.MustCompile(`(?s)<table:(?:covered-)?table-cell[^>` +
		`]*/>|<table:(?:covered-)?table-cell.*?</table:(?:covered-)?table-cell>|<table:table-row[^>]*>`)
	repeated  = regexp.MustCompile(`number-columns-repeated="(\d+)"`)
	rowsAgain = regexp.MustCompile(`number-rows-repeated="(\d+)"`)
)

// seenByLibreOffice saves the workbook as flat XML and cuts that into cells.
func seenByLibreOffice(t testing.TB, content []byte) map[string]string {
	name := bookFile(t, content)
	dir := filepath.Dir(name)
	must(t, office.Convert(office.AsFlatXML, dir, name))
	flat, err := os.ReadFile(filepath.Join(dir, "book.fods"))
	must(t, err)
	seen := map[string]string{}
	for _, table := range flatTable.FindAllStringSubmatch(flatShape.ReplaceAllString(string(flat), ""), -1) {
		row, column, again := 0, 0, 1
		for _, cell := range flatCell.FindAllString(table[0], -1) {
			if strings.HasPrefix(cell, "<table:table-row") {
				row, column = row+again, 0
				again = times(rowsAgain, cell)
				continue
			}
			column++
			if strings.Contains(cell, "office:value-type") {
				seen[table[1]+"!"+At{row, column}.String()] = cell
			}
			column += times(repeated, cell) - 1
		}
	}
	return seen
}

func times(pattern *regexp.Regexp, tag string) int {
	n := 1
	if m := pattern.FindStringSubmatch(tag); m != nil {
		fmt.Sscan(m[1], &n)
	}
	return n
}
