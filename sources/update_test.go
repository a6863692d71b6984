package sources_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/marked"
	"adsync/sources/tree"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// knownRows is what a service knows of every row of the files: an id, what its review
// said, and how often it was shown.
func knownRows(d sources.Desired, windows []string) (*resource.Snapshot, *resource.Figures, error) {
	rows, figures := &resource.Snapshot{}, &resource.Figures{}
	for _, name := range windows {
		figures.Windows = append(figures.Windows, resource.WindowFigures{
			Window: resource.Window{Name: name}, ByID: map[string]resource.Measured{},
		})
	}
	for i, a := range d.Snapshot.Addresses() {
		known := &resource.Resource{Address: a, ID: fmt.Sprintf("id_%02d", i)}
		if a.Kind == "ad" {
			known.Facts.Set("review", resource.Text("rejected: =the picture, \"too\" dark"))
			known.Facts.Set("serving_issues", resource.Text("ad_group_paused"))
		}
		rows.Add(known)
		for _, w := range figures.Windows {
			w.ByID[known.ID] = resource.Measured{"1200", "7", "12.50", "0.005833", "1.785714", "10.416667"}
		}
	}
	return rows, figures, nil
}

// updated runs an update of the workbook of a folder and returns what became of it.
func updated(t *testing.T, dir string, u marked.Update) (marked.Updated, error) {
	t.Helper()
	p, problems := config.ReadProject(dir)
	wantProblems(t, problems)
	u.At = someTime
	if u.Known == nil {
		u.Known = knownRows
	}
	return marked.UpdateFile(t.Context(), p, kinds.All(),
		valid(t, sources.Load(t.Context(), p, kinds.All())), "q4.xlsx", u)
}

// valid lets warnings pass: a row of ownBook is hidden.
func valid(t *testing.T, d sources.Desired) sources.Desired {
	t.Helper()
	if diag.HasErrors(d.Problems) {
		t.Fatalf("Load found\n%swant no error", printed(d.Problems))
	}
	return d
}

func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return content
}

// ownBook is a workbook somebody keeps: columns of adsync's and of their own, and
// what people put into workbooks beside.
func ownBook(t *testing.T) []byte {
	t.Helper()
	campaigns := sheetOf{name: "Campaigns", rows: [][]any{
		{"Q4, all shops"},
		{},
		{"#Owner", "Campaign", "Status", "Bidding",
			"Daily budget (USD)", "Impressions 7d", "Spend 7d (USD)", "ID", "#Review"},
		{"Ann", "Spring launch", "paused", "clicks", 50, 3, nil, nil, "ask Bob"},
		{"Bob", "Summer", "paused", "clicks", 60, nil, nil, nil, "mine"},
	}}
	ads := sheetOf{name: "Ads", rows: [][]any{
		{"Campaign", "Ad group", "Ad", "Title", "Body", "Target URL", "Image", "Review", "Serving issues", "ID"},
		{"Spring launch", "Runners", "Hero A", "Shoes",
			"Light.", "https://shop.example/a", "https://img.example/a.png", "in_review", nil, nil},
		{"Spring launch", "Runners", "Hero B", "Boots",
			"Heavy.", "https://shop.example/b", "https://img.example/b.png", "ask Bob about it", nil, nil},
		{"Spring launch", "Runners", "Hero C", "Socks",
			"Warm.", "https://shop.example/c", "https://img.example/c.png", nil, nil, nil},
	}}
	groups := sheetOf{name: "Ad groups", rows: [][]any{
		{"Campaign", "Ad group", "Status", "Max bid (USD)"},
		{"Spring launch", "Runners", "active", 1.25},
	}}
	return bookWith(t, dressed(t), campaigns, groups, ads)
}

// dressed puts into a workbook what no cell of a row is.
func dressed(t *testing.T) func(*excelize.File) {
	return func(f *excelize.File) {
		must(t, f.MergeCell("Campaigns", "A1", "Z1"))
		must(t, f.AutoFilter("Campaigns", "A3:I5", nil))
		must(t, f.SetRowVisible("Campaigns", 5, false))
		must(t, f.AddComment("Campaigns", excelize.Comment{Cell: "H4", Author: "Ann", Text: "why is there no id?"}))
		red, err := f.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "9A0511"}})
		must(t, err)
		must(t, f.SetConditionalFormat("Campaigns",
			"F4:F9", []excelize.ConditionalFormatOptions{{Type: "cell", Criteria: ">", Value: "6", Format: &red}}))
		must(t, f.AddChart("Campaigns", "K8", &excelize.Chart{
			Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Campaigns!$F$3",
				Categories: "Campaigns!$B$4:$B$5", Values: "Campaigns!$F$4:$F$5"}},
		}))
		must(t, f.SetCellFormula("Ads", "H4", `IF(A4="","","in_review")`))
		cents, err := f.NewStyle(&excelize.Style{NumFmt: 4})
		must(t, err)
		must(t, f.SetColStyle("Campaigns", "G", cents))
		_, err = f.NewSheet("#My sums")
		must(t, err)
		must(t, f.SetCellFormula("#My sums", "A1", "SUM(Campaigns!F4:F5)"))
	}
}

func TestUpdateWritesIntoTheColumnsThatAreThereAndIntoNoOtherCell(t *testing.T) {
	original := ownBook(t)
	dir := folder(t, map[string]string{"q4.xlsx": string(original)})
	done, err := updated(t, dir, marked.Update{})
	must(t, err)
	review := `rejected: =the picture, "too" dark`
	want := map[string]string{
		"Campaigns!F4": "3 → 1200", "Campaigns!F5": " → 1200", "Campaigns!G4": " → 12.50", "Campaigns!G5": " → 12.50",
		"Campaigns!H4": " → id_00", "Campaigns!H5": " → id_05",
		"Ads!H2": "in_review → " + review, "Ads!I2": " → ad_group_paused", "Ads!J2": " → id_02",
		"Ads!I3": " → ad_group_paused", "Ads!J3": " → id_03", "Ads!I4": " → ad_group_paused", "Ads!J4": " → id_04",
	}
	if d := cmp.Diff(want, changedCells(t, original, readFile(t, dir, "q4.xlsx"))); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
	var left []string
	for _, l := range done.Left {
		left = append(left, l.At.String()+" "+l.Why)
	}
	if d := cmp.Diff([]string{`q4.xlsx:Ads!H3 it holds "ask Bob about it", which is nothing the service says`,
		"q4.xlsx:Ads!H4 it holds a formula"}, left); d != "" {
		t.Errorf("cells that stay (-want +got):\n%s", d)
	}
	missing := []string{"Campaigns: Serving issues", "Ad groups: ID", "Ad groups: Serving issues"}
	if d := cmp.Diff(missing, done.Missing); d != "" {
		t.Errorf("columns that are missing (-want +got):\n%s", d)
	}
	if done.Cells != len(want) || done.Kept != "q4 (before 2026-11-24 1830).xlsx" ||
		string(readFile(t, dir, done.Kept)) != string(original) {
		t.Errorf("Updated = %+v; want %d cells, and the former file kept", done, len(want))
	}
	if changed := changedParts(t, original, readFile(t, dir, "q4.xlsx")); !slices.Equal(changed,
		[]string{"xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet3.xml"}) {
		t.Errorf("parts that changed: %v; want the two sheets, and the workbook, which asks to be calculated", changed)
	}
	done, err = updated(t, dir, marked.Update{})
	if err != nil || done.Kept != "" || done.Cells != 0 {
		t.Errorf("the second update = %+v, %v; want nothing to write", done, err)
	}
}

// partsOf are the members of a zip file, by name.
func partsOf(t *testing.T, content []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	parts := map[string]string{}
	for _, member := range archive.File {
		r, err := member.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		parts[member.Name] = string(data)
	}
	return parts
}

// changedParts are the members of a zip file that are not what they were.
func changedParts(t *testing.T, before, after []byte) []string {
	t.Helper()
	was, is := partsOf(t, before), partsOf(t, after)
	var changed []string
	for name := range maps.Keys(was) {
		if was[name] != is[name] {
			changed = append(changed, name)
		}
	}
	for name := range maps.Keys(is) {
		if _, there := was[name]; !there {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

func TestUpdateAddsTheColumnsThatAreNotThereAtTheRightEnd(t *testing.T) {
	original := ownBook(t)
	dir := folder(t, map[string]string{"q4.xlsx": string(original)})
	_, err := updated(t, dir, marked.Update{AddColumns: true, Windows: []string{"7d"}})
	must(t, err)
	changed := changedCells(t, original, readFile(t, dir, "q4.xlsx"))
	got := map[string]string{}
	for _, cell := range []string{"Campaigns!J3", "Campaigns!K3",
		"Campaigns!L3", "Campaigns!M3",
		"Ad groups!E1", "Ad groups!F1", "Ad groups!G1", "Ad groups!E2", "Ads!K1", "Ads!K2"} {
		got[cell] = changed[cell]
	}
	want := map[string]string{
		"Campaigns!J3": " → Serving issues", "Campaigns!K3": " → Clicks 7d", "Campaigns!L3": " → CTR 7d",
		"Campaigns!M3": " → CPC 7d",
		"Ad groups!E1": " → ID", "Ad groups!F1": " → Serving issues", "Ad groups!G1": " → Impressions 7d",
		"Ad groups!E2": " → id_01", "Ads!K1": " → Impressions 7d", "Ads!K2": " → 1200",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
	if done, err := updated(t, dir, marked.Update{AddColumns: true, Windows: []string{"7d"}}); err != nil ||
		done.Kept != "" {
		t.Errorf("the second update = %+v, %v; want nothing to write", done, err)
	}
}

// Somebody else saves the workbook on a shared drive, which leaves no lock, between the
// reading and the rename.
func TestUpdateBeginsAgainWhereTheFileMoves(t *testing.T) {
	for _, c := range []struct {
		name  string
		saves int // of somebody else, one each time the service was asked
		want  string
	}{
		{"once", 1, ""},
		{"twice", 2, ""},
		{"each time", 3,
			"file was saved by somebody else each of the 3 times it was to be replaced"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"q4.xlsx": string(ownBook(t))})
			saved, asked := []byte(nil), 0
			done, err := updated(t, dir,
				marked.Update{Known: func(d sources.Desired,
					windows []string) (*resource.Snapshot, *resource.Figures, error) {
					if asked++; asked <= c.saves {
						saved = withCell(t, readFile(t, dir, "q4.xlsx"), "Ads", "D2", fmt.Sprintf("Title %d", asked))
						write(t, filepath.Join(dir, "q4.xlsx"), string(saved))
					}
					return knownRows(d, windows)
				}})
			after := readFile(t, dir, "q4.xlsx")
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || string(after) != string(saved) {
					t.Errorf("UpdateFile = %v; want %q, and the file as somebody saved it", err, c.want)
				}
				if names, _ := os.ReadDir(dir); len(names) != 1 {
					t.Errorf("folder holds %v; want the workbook alone", names)
				}
				return
			}
			must(t, err)
			if got := changedCells(t, saved, after); got["Ads!J2"] != " → id_02" || got["Ads!D2"] != "" {
				t.Errorf("cells changed since it was saved: %v; want the ids in what was saved", got)
			}
			if string(readFile(t, dir, done.Kept)) != string(saved) {
				t.Error("the former file is not what was saved last")
			}
		})
	}
}

// withCell is the workbook with another text in one cell.
func withCell(t *testing.T, content []byte, sheet, cell, text string) []byte {
	t.Helper()
	f := opened(t, content)
	must(t, f.SetCellStr(sheet, cell, text))
	b, err := f.WriteToBuffer()
	must(t, err)
	return b.Bytes()
}

func TestUpdateRefusesAndLeavesTheFile(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrange func(t *testing.T, dir string) marked.Update
		want    string
	}{
		{"open in Excel", func(t *testing.T, dir string) marked.Update {
			return marked.Update{Known: func(d sources.Desired,
				w []string) (*resource.Snapshot, *resource.Figures, error) {
				write(t, filepath.Join(dir, "~$q4.xlsx"), "") // opened while the service was asked
				return knownRows(d, w)
			}}
		}, "file is open in an editor (~$q4.xlsx is there); want it closed"},
		{"open in LibreOffice", func(t *testing.T, dir string) marked.Update {
			write(t, filepath.Join(dir, ".~lock.q4.xlsx#"), "")
			return marked.Update{}
		}, "file is open in an editor (.~lock.q4.xlsx# is there); want it closed"},
		{"the service fails", func(*testing.T, string) marked.Update {
			return marked.Update{Known: func(sources.Desired, []string) (*resource.Snapshot, *resource.Figures, error) {
				return nil, nil, errors.New("no answer")
			}}
		}, "no answer"},
		{"saved with a problem", func(t *testing.T, dir string) marked.Update {
			return marked.Update{Known: func(d sources.Desired,
				w []string) (*resource.Snapshot, *resource.Figures, error) {
				write(t, filepath.Join(dir, "q4.xlsx"),
					string(withCell(t, readFile(t, dir, "q4.xlsx"), "Ads", "A1", "Kampagne?")))
				return knownRows(d, w)
			}}
		}, "file was saved since it was read, and has problems now; adsync validate shows them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"q4.xlsx": string(ownBook(t))})
			_, err := updated(t, dir, c.arrange(t, dir))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("UpdateFile = %v; want %q", err, c.want)
			}
			if kept, _ := filepath.Glob(filepath.Join(dir, "*before*")); len(kept) > 0 {
				t.Errorf("kept %v of a file that was not replaced", kept)
			}
		})
	}
}

// A former file beside its successor would have every row twice.
func TestAFormerFileIsNeverASource(t *testing.T) {
	for _, name := range []string{tree.KeptName("q4.xlsx", someTime, 1),
		tree.KeptName("q4.xlsx", someTime, 2), tree.KeptName("a b.csv", someTime, 12)} {
		if !tree.NeverSource(name) {
			t.Errorf("NeverSource(%q) = false", name)
		}
	}
	for _, name := range []string{"q4.xlsx", "q4 (before).xlsx",
		"before 2026-11-24 1830.xlsx", "(before 2026-11-24 1830) q4.xlsx"} {
		if tree.NeverSource(name) {
			t.Errorf("NeverSource(%q) = true", name)
		}
	}
	for _, project := range []string{"", "sources: ['*.xlsx']\n", "sources: ['**/*']\n"} {
		dir := folder(t, map[string]string{
			"q4.xlsx": string(ownBook(t)), "adsync.yaml": "account: {id: a, currency: USD, timezone: UTC}\n" + project,
		})
		before := valid(t, load(t, dir)).Snapshot.Len()
		_, err := updated(t, dir, marked.Update{})
		must(t, err)
		p, _ := config.ReadProject(dir)
		after := sources.Load(t.Context(), p, kinds.All())
		if len(after.Sources) != 1 || after.Snapshot.Len() != before {
			t.Errorf("with %q: sources are %v with %d resources; want the workbook alone with %d",
				project, after.Sources, after.Snapshot.Len(), before)
		}
	}
}

// Two updates within a minute, and a file somebody named so.
func TestNoFileGivesWayToAFormerOne(t *testing.T) {
	dir := folder(t, map[string]string{"q4.xlsx": string(ownBook(t)), "q4 (before 2026-11-24 1830).xlsx": "mine"})
	done, err := updated(t, dir, marked.Update{})
	must(t, err)
	if done.Kept != "q4 (before 2026-11-24 1830, 2).xlsx" ||
		string(readFile(t, dir, "q4 (before 2026-11-24 1830).xlsx")) != "mine" {
		t.Errorf("former file is kept as %q; want another name than one that is taken", done.Kept)
	}
}

func TestResultsGoToTheRowsOfAFileThatWasSavedSince(t *testing.T) {
	w := writtenProject(t, bookOf(t, campaignsSheet, adGroupsSheet))
	first := load(t, w.dir)
	moved := campaignsSheet
	moved.rows = slices.Insert(slices.Clone(moved.rows),
		1, []any{"Another", "paused", "clicks", 5, "2026-12-01", "US", "another"})
	write(t, w.name(), string(bookOf(t, moved, adGroupsSheet)))
	results := marked.Results{Rows: someOutcomes, At: someTime, Again: func(d sources.Desired) []marked.RowOutcome {
		o := someOutcomes[0]
		o.Position = d.Snapshot.Get(o.Address).Position
		return []marked.RowOutcome{o}
	}}
	kept, err := marked.WriteBack(t.Context(), w.project, kinds.All(), w.source, results)
	must(t, err)
	f := opened(t, readFile(t, filepath.Dir(w.name()), "q4.xlsx"))
	if got, _ := f.GetCellValue("Campaigns", "H3"); got != "created" || kept == "" || first.Snapshot.Len() == 0 {
		t.Errorf("Result in row 3 is %q, kept %q; want it beside the row where it is now", got, kept)
	}
}

// Somebody gave the amounts of 7 days a format; those of 30 days look the same.
func TestAnAddedColumnLooksLikeThatOfAnotherWindow(t *testing.T) {
	dir := folder(t, map[string]string{"q4.xlsx": string(ownBook(t))})
	_, err := updated(t, dir, marked.Update{AddColumns: true, Windows: []string{"30d"}})
	must(t, err)
	f := opened(t, readFile(t, dir, "q4.xlsx"))
	header, err := f.GetCellValue("Campaigns", "M3")
	must(t, err)
	want, err := f.GetCellStyle("Campaigns", "G4")
	must(t, err)
	if got, err := f.GetCellStyle("Campaigns", "M4"); err != nil || header != "Spend 30d" || got != want || want == 0 {
		t.Errorf("%q has style %d, %v; want %d, as Spend 7d", header, got, err, want)
	}
}
