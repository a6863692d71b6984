package sources_test

import (
	"bytes"
	"os"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/dialect"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// TestW26EveryProgramsWorkbookSaysWhatItsTwinInYAMLSays reads the same content as
// each program writes it.
func TestW26EveryProgramsWorkbookSaysWhatItsTwinInYAMLSays(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	project := map[string]string{
		"adsync.yaml": "account: {id: a, currency: USD, timezone: UTC}\n", "ads.yaml": dialect.YAML,
	}
	want := snapshotText(t, wantClean(t, load(t, folder(t, project))).Snapshot)
	var positions map[string]diag.Position
	for _, program := range dialect.Programs() {
		t.Run(program, func(t *testing.T) {
			content, err := dialect.Write(program, t.TempDir())
			must(t, err)
			delete(project, "ads.yaml")
			project["q4.xlsx"] = string(content)
			d := wantClean(t, load(t, folder(t, project)))
			if diff := cmp.Diff(want, snapshotText(t, d.Snapshot)); diff != "" {
				t.Errorf("resources (-YAML +%s):\n%s", program, diff)
			}
			if got, want := d.Sources[0].Rows, (draft.Rows{Read: 10, Used: 8, Ignored: 2}); got != want {
				t.Errorf("rows = %+v, want %+v", got, want)
			}
			if program == "Numbers" {
				return // its sheets have other names, and a row more
			}
			if positions == nil {
				positions = whereWritten(d.Snapshot)
			}
			if diff := cmp.Diff(positions, whereWritten(d.Snapshot)); diff != "" {
				t.Errorf("positions differ from those of the program before:\n%s", diff)
			}
		})
	}
}

// whereWritten returns where each value of a snapshot stands.
func whereWritten(s *resource.Snapshot) map[string]diag.Position {
	at := map[string]diag.Position{}
	for r := range s.All() {
		at[r.Address.String()] = r.Position
		for _, a := range r.Attributes {
			at[r.Address.String()+" "+a.Name] = a.Value.Position
		}
	}
	return at
}

func TestAWorkbookWithoutAKnownSheetIsSaid(t *testing.T) {
	files := map[string]string{
		"notes.xlsx": string(bookOf(t, sheetOf{
			name: "Sheet1", rows: [][]any{{"Idea", "Bidding"}, {"Spring", "clicks"}},
		})),
		"ads.yaml": springCampaign,
	}
	d := load(t, folder(t, files))
	wantProblem(t, d, "notes.xlsx: warning: file is "+
		"not read: no sheet has a name adsync knows; want one of Campaigns, Ad groups,")
	if diag.HasErrors(d.Problems) {
		t.Errorf("Load found\n%swant a warning where the sources are not named", printed(d.Problems))
	}
	files["adsync.yaml"] = "sources: [ads.yaml, notes.xlsx]\n"
	wantRefused(t, load(t, folder(t, files)), "notes.xlsx: no sheet has a name adsync knows")
}

func fileBytes(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	must(t, err)
	return content
}

func TestOtherFilesOfSpreadsheetProgramsAreNamed(t *testing.T) {
	for name, want := range map[string]string{
		"testdata/workbook/libreoffice.xls": "an old workbook (.xls)",
		"testdata/workbook/libreoffice.ods": "an OpenDocument file (.ods)",
	} {
		got := readBytes(fileBytes(t, name))
		wantProblems(t, got.Problems, want)
	}
}

// What a person sees with another reader is what adsync reads: the texts of
// excelize's own reader agree cell by cell.
func TestCellsAgreeWithAnotherReader(t *testing.T) {
	for _, content := range [][]byte{
		bookOf(t, campaignsSheet, adGroupsSheet, adsSheet), bookOf(t, manyRows(50)),
		fileBytes(t, "testdata/workbook/libreoffice.xlsx"),
	} {
		members, finding := xlsx.Open(t.Context(), content, bounded.Defaults().Workbook())
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
	must(b, stream.SetRow("A1", []any{"Campaign", "Ad group",
		"Ad", "Status", "Title", "Body", "Target URL", "Image", "Tracking", "Key", "ID", "Owner"}))
	for i := range 15_000 {
		n := string(rune('a'+i%26)) + diag.ColumnName(i+1)
		cell, err := excelize.CoordinatesToCellName(1, i+2)
		must(b, err)
		must(b, stream.SetRow(cell, []any{
			"Campaign " + n, "Ad group " + n, "Ad " + n,
			"paused", "Shoes for muddy trails", "Light, grippy trail shoes. Free returns.",
			"https://shop.example/" + n, "https://img.example/" + n + ".png",
			"utm_source=chat", "key-" + n, "ad_" + n, i,
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
			if got := readBytes(content); len(got.Drafts) != 15_000 || len(got.Problems) > 0 {
				b.Fatalf("%d drafts, problems %v", len(got.Drafts), said(got.Problems)[:1])
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
			must(b, workbook.WriteWorkbook(&out, kinds.All(), s, dollars))
		}
	})
	b.Run("StreamWriter", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			benchmarkBook(b)
		}
	})
}
