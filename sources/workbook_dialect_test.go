package sources

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/xlsx"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/xuri/excelize/v2"
)

// everyProgram is what each program's workbook of the same content says.
var everyProgram = []string{
	`campaign key=spring bidding_type="clicks" budget.daily=50000000 name="Spring launch" start="2026-12-01" status="paused" targeting.countries=["CA" "US"]`,
	`campaign key=zh bidding_type="impressions" budget.daily=1234500000 name="Zürich & <Söhne> 鞋" start="2027-01-31" status="active" targeting.countries=["NO"]`,
	`ad_group in Spring launch bid.max=1100000 context_hints=["people comparing shoes" "people who run, daily"] name="Runners" status="active"`,
	`ad in Spring launch in Runners body="=1+1 is a sum" image="images/hero-a.png" name="Hero A" target_url="https://shop.example/?a=1&b=2" title="Shoes"`,
}

func TestEveryProgramsWorkbookSaysTheSame(t *testing.T) {
	name := filepath.Join(t.TempDir(), "book.xlsx")
	python := exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/workbook/write_book.py", name)
	if out, err := python.CombinedOutput(); err != nil {
		t.Fatalf("write a workbook with python3-openpyxl: %v\n%s", err, out)
	}
	openpyxl := fileBytes(t, name)
	want := readBytes(openpyxl)
	wantProblems(t, want.problems)
	wantDrafts(t, want.drafts, everyProgram...)
	var resaved bytes.Buffer
	must(t, opened(t, openpyxl).Write(&resaved))
	for program, content := range map[string][]byte{
		"excelize":                 resaved.Bytes(),
		"LibreOffice":              fileBytes(t, "testdata/workbook/libreoffice.xlsx"),
		"one that writes prefixes": prefixed(t, openpyxl),
	} {
		t.Run(program, func(t *testing.T) {
			got := readBytes(content)
			wantProblems(t, got.problems)
			// Positions are compared as well: they are what people are told.
			if diff := cmp.Diff(want.drafts, got.drafts, cmp.AllowUnexported(draft{}, mark{}, hintList{}, hint{}), cmpopts.IgnoreFields(draft{}, "schema", "blanks")); diff != "" {
				t.Errorf("drafts (-openpyxl +%s):\n%s", program, diff)
			}
		})
	}
}

func fileBytes(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	must(t, err)
	return content
}

var tagName = regexp.MustCompile(`<(/?)([a-zA-Z]+)`)

// prefixed gives every element of the sheets a prefix, as the Open XML SDK does.
func prefixed(t testing.TB, content []byte) []byte {
	for _, part := range []string{"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "xl/worksheets/sheet3.xml"} {
		content = rebuild(t, content, part, func(b []byte) []byte {
			b = bytes.Replace(b, []byte(` xmlns="`), []byte(` xmlns:x="`), 1)
			return tagName.ReplaceAll(b, []byte("<${1}x:$2"))
		})
	}
	return content
}

func TestOtherFilesOfSpreadsheetProgramsAreNamed(t *testing.T) {
	for name, want := range map[string]string{
		"testdata/workbook/libreoffice.xls": "an old workbook (.xls)",
		"testdata/workbook/libreoffice.ods": "an OpenDocument file (.ods)",
	} {
		got := readBytes(fileBytes(t, name))
		wantProblems(t, got.problems, want)
	}
}

// What a person sees with another reader is what adsync reads: the texts of
// excelize's own reader agree cell by cell.
func TestCellsAgreeWithAnotherReader(t *testing.T) {
	for _, content := range [][]byte{
		bookOf(t, campaignsSheet, adGroupsSheet, adsSheet), bookOf(t, manyRows(50)),
		fileBytes(t, "testdata/workbook/libreoffice.xlsx"),
	} {
		members, finding := xlsx.Open(t.Context(), content, defaultBounds().workbook())
		if finding != nil {
			t.Fatal(finding.Message)
		}
		b, err := xlsx.ReadBook(members)
		must(t, err)
		f := opened(t, content)
		for _, sheet := range b.Sheets {
			got := map[string]string{}
			_, err := xlsx.Walk(b, sheet.Part, func(row *xlsx.Row) error {
				for _, c := range row.Cells {
					got[diag.ColumnName(c.Column)+" "+string(rune('0'+row.Number))] = c.Text
				}
				return nil
			})
			must(t, err)
			rows, err := f.GetRows(sheet.Name, excelize.Options{RawCellValue: true})
			must(t, err)
			want := map[string]string{}
			for i, row := range rows {
				for j, text := range row {
					if text != "" {
						want[diag.ColumnName(j+1)+" "+string(rune('0'+i+1))] = text
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("sheet %s (-excelize +adsync):\n%s", sheet.Name, diff)
			}
		}
	}
}

func benchmarkBook(b *testing.B) []byte {
	b.Helper()
	f := excelize.NewFile()
	defer f.Close()
	must(b, f.SetSheetName("Sheet1", "Ads"))
	stream, err := f.NewStreamWriter("Ads")
	must(b, err)
	must(b, stream.SetRow("A1", []any{"Campaign", "Ad group", "Ad", "Status", "Title", "Body", "Target URL", "Image", "Tracking", "Key", "ID", "Owner"}))
	for i := range 15_000 {
		n := string(rune('a'+i%26)) + diag.ColumnName(i+1)
		cell, err := excelize.CoordinatesToCellName(1, i+2)
		must(b, err)
		must(b, stream.SetRow(cell, []any{
			"Campaign " + n, "Ad group " + n, "Ad " + n, "paused", "Shoes for muddy trails", "Light, grippy trail shoes. Free returns.",
			"https://shop.example/" + n, "https://img.example/" + n + ".png", "utm_source=chat", "key-" + n, "ad_" + n, i,
		}))
	}
	must(b, stream.Flush())
	var out bytes.Buffer
	must(b, f.Write(&out))
	return out.Bytes()
}

// The two are to be compared: reading whole workbooks into drafts, and
// excelize's Rows over the same cells (goal: at most 1.3 times).
func BenchmarkReadWorkbook(b *testing.B) {
	content := benchmarkBook(b)
	b.Run("drafts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if got := readBytes(content); len(got.drafts) != 15_000 || len(got.problems) > 0 {
				b.Fatalf("%d drafts, problems %v", len(got.drafts), said(got.problems)[:1])
			}
		}
	})
	b.Run("Rows", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := excelize.OpenReader(bytes.NewReader(content))
			must(b, err)
			rows, err := f.Rows("Ads")
			must(b, err)
			for rows.Next() {
				if _, err := rows.Columns(); err != nil {
					b.Fatal(err)
				}
			}
			must(b, f.Close())
		}
	})
}

func BenchmarkWriteWorkbook(b *testing.B) {
	b.Run("export", func(b *testing.B) {
		s := benchmarkSnapshot(5_000)
		b.ReportAllocs()
		for b.Loop() {
			var out bytes.Buffer
			must(b, WriteWorkbook(&out, kinds.All(), s, dollars))
		}
	})
	b.Run("StreamWriter", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			benchmarkBook(b)
		}
	})
}
