// Package dialect writes one account in the way each spreadsheet program writes
// its workbooks: what tests of reading want to be told apart by nothing.
//
// It refuses to be part of adsync: only tests import it. Programs that install
// by name write for themselves; of Excel, Google Sheets, Numbers, WPS and the
// libraries of JavaScript the parts are made here, after files they wrote.
//
// Its invariant is that every workbook holds the same content, that of YAML.
package dialect

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"adsync/internal/testing/office"
)

// Sheet is a table: its header, then its rows. A value is a string, a Number, a
// Day or nil for a blank cell.
type Sheet struct {
	Name string
	Rows [][]any
}

// Number is an amount by its digits, Day a day as in 2026-12-01.
type (
	Number string
	Day    string
)

// Sheets is what every workbook holds.
var Sheets = []Sheet{
	{"Campaigns", [][]any{
		{"Campaign", "Status", "Bidding", "Daily budget (USD)",
			"Start date", "Last day", "Countries", "Tracking", "Description", "Key", "Notes", "Include"},
		{"# example", "active", "clicks", Number("5"), nil, nil, nil, nil, nil, nil, nil, nil},
		{"Spring launch", "paused", "clicks", Number("50"), Day("2026-12-01"), Day("2026-12-31"),
			"US, CA", "utm_source=chat&c={campaign_id}", "Two\nlines, & <more>", "0042", "a note", "yes"},
		{"Zürich & <Söhne> 鞋 👟", "active", "Views",
			Number("1234.5"), Day("2027-01-31"), nil, "Norway", nil, "  kept:  a \"b\" 'c'  ", "zh", nil, nil},
		{"Old idea", "paused", "clicks", Number("10"), nil, nil, nil, nil, nil, nil, nil, "no"},
	}},
	{"Ad groups", [][]any{
		{"Campaign", "Ad group", "Status", "Max bid (USD)", "Context hints", "Key"},
		{"Spring launch", "Runners", "active", Number("1.1"), "people comparing shoes\npeople who run, daily", "run"},
		{"zh", "Läufer", "paused", Number("0.3"), nil, nil},
	}},
	{"Context hints", [][]any{
		{"Campaign", "Ad group", "Hint", "Use"},
		{"Zürich & <Söhne> 鞋 👟", "Läufer", "Leute, die laufen", "show for"},
		{"zh", "Läufer", "football boots", "avoid"},
	}},
	{"Ads", [][]any{
		{"Campaign", "Ad group", "Ad", "Status", "Title", "Body", "Target URL", "Image", "Key"},
		{"Spring launch", "Runners", "Hero A", "active", " Shoes ",
			"=1+1 is a sum", "https://shop.example/?a=1&b=2", "https://img.example/a.png?x=1&y='2'", "hero-a"},
		{"Spring launch", "run", nil, nil, "-20% today",
			"+1 for mud", "https://shop.example/%C3%BC", "https://img.example/b.png", nil},
	}},
}

// YAML is the same content.
const YAML = `kind: campaign
key: "0042"
name: Spring launch
status: paused
bidding_type: clicks
budget: {daily: 50}
start: 2026-12-01
end: 2026-12-31
targeting: {countries: [US, CA]}
tracking: utm_source=chat&c={campaign_id}
description: "Two\nlines, & <more>"
ad_groups:
  - key: run
    name: Runners
    status: active
    bid: {max: 1.1}
    context_hints: [people comparing shoes, 'people who run, daily']
    ads:
      - {key: hero-a, name: Hero A, status: active, title: Shoes, body: =1+1 is a sum, target_url: 'https://shop.example/?a=1&b=2', image: "https://img.example/a.png?x=1&y='2'"}
      - {title: -20% today, body: +1 for mud, target_url: 'https://shop.example/%C3%BC', image: 'https://img.example/b.png'}
---
kind: campaign
key: zh
name: Zürich & <Söhne> 鞋 👟
status: active
bidding_type: impressions
budget: {daily: 1234.50}
start: 2027-01-31
targeting: {countries: ['NO']}
description: "kept:  a \"b\" 'c'"
ad_groups:
  - name: Läufer
    status: paused
    bid: {max: 0.30}
    context_hints: ['Leute, die laufen']
    exclusion_hints: [football boots]
`

// programs write the content; a folder is theirs for their files.
var programs = map[string]func(folder string) ([]byte, error){
	"excelize":              func(string) ([]byte, error) { return byExcelize() },
	"openpyxl":              byOpenpyxl,
	"XlsxWriter":            func(folder string) ([]byte, error) { return byPython(folder, xlsxWriter) },
	"LibreOffice":           byLibreOffice,
	"Gnumeric":              byGnumeric,
	"Excel":                 func(string) ([]byte, error) { return zipped(excel(false)) },
	"Excel, days from 1904": func(string) ([]byte, error) { return zipped(excel(true)) },
	"Excel, strict":         func(string) ([]byte, error) { return zipped(strict()) },
	"Google Sheets":         func(string) ([]byte, error) { return zipped(google()) },
	"Numbers":               func(string) ([]byte, error) { return zipped(numbers()) },
	"WPS":                   func(string) ([]byte, error) { return zipped(wps()) },
	"SheetJS":               func(string) ([]byte, error) { return zipped(sheetJS()) },
	"exceljs":               func(string) ([]byte, error) { return zipped(excelJS()) },
	"Open XML SDK":          func(string) ([]byte, error) { return zipped(openXML()) },
}

// Programs are the names of all that Write knows, in order.
func Programs() []string { return slices.Sorted(maps.Keys(programs)) }

// Write returns the workbook as a program writes it. The folder is for files it
// needs on the way.
func Write(program, folder string) ([]byte, error) {
	content, err := programs[program](folder)
	if err != nil {
		return nil, fmt.Errorf("write a workbook with %s: %w", program, err)
	}
	return content, nil
}

//go:embed openpyxl.py
var openpyxl string

//go:embed xlsxwriter.py
var xlsxWriter string

// byPython runs a script with the sheets on its standard input and the name of
// the workbook to write as its argument.
func byPython(folder, script string) ([]byte, error) {
	sheets, err := json.Marshal(described())
	if err != nil {
		return nil, err
	}
	name := filepath.Join(folder, "book.xlsx")
	python := exec.Command("/usr/bin/python3", "-c", script, name)
	python.Stdin = bytes.NewReader(sheets)
	if out, err := python.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(name)
}

// described puts the sheets in a form of JSON: a number and a day say so.
func described() []Sheet {
	var sheets []Sheet
	for _, s := range Sheets {
		d := Sheet{Name: s.Name}
		for _, row := range s.Rows {
			values := make([]any, len(row))
			for i, value := range row {
				values[i] = value
				switch v := value.(type) {
				case Number:
					values[i] = map[string]string{"number": string(v)}
				case Day:
					values[i] = map[string]string{"day": string(v)}
				}
			}
			d.Rows = append(d.Rows, values)
		}
		sheets = append(sheets, d)
	}
	return sheets
}

func byOpenpyxl(folder string) ([]byte, error) { return byPython(folder, openpyxl) }

// byLibreOffice and byGnumeric open what openpyxl wrote, and save it.
func byLibreOffice(folder string) ([]byte, error) {
	return saved(folder, func(from, to string) error {
		return office.Convert(office.AsXLSX, filepath.Dir(to), from)
	})
}

func byGnumeric(folder string) ([]byte, error) {
	return saved(folder, func(from, to string) error {
		out, err := exec.Command("ssconvert", "--export-type=Gnumeric_Excel:xlsx2", from, to).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

func saved(folder string, save func(from, to string) error) ([]byte, error) {
	if _, err := byOpenpyxl(folder); err != nil {
		return nil, err
	}
	to := filepath.Join(folder, "saved", "book.xlsx")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return nil, err
	}
	if err := save(filepath.Join(folder, "book.xlsx"), to); err != nil {
		return nil, err
	}
	return os.ReadFile(to)
}

// zipped makes a workbook of its parts.
func zipped(parts map[string]string) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write([]byte(parts[name])); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
