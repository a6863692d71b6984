package sources_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resultcopy"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/marked"
	"adsync/sources/tree"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// resultsOf is a copy with results of a workbook.
func resultsOf(t *testing.T, original []byte, of string) []byte {
	t.Helper()
	return writtenBy(t, func(w io.Writer) error {
		created := marked.RowOutcome{Position: inCell("Ads", 2, 0), Result: "created"}
		marks := marked.Marks{Outcomes: []marked.RowOutcome{created}, Results: &resultcopy.Copy{Of: of}}
		return marked.WriteCopy(original, w, of, marks)
	})
}

// savedAnew is a workbook in which somebody changed a cell.
func savedAnew(t *testing.T, content []byte, cell, text string) []byte {
	t.Helper()
	f := opened(t, content)
	must(t, f.SetCellStr("Ads", cell, text))
	var b bytes.Buffer
	must(t, f.Write(&b))
	return b.Bytes()
}

func TestACopyWithResultsIsNeverASource(t *testing.T) {
	book := bookOf(t, campaignsSheet, adGroupsSheet, adsSheet)
	exported := writtenBy(t, func(w io.Writer) error {
		return workbook.WriteExport(w, kinds.All(), shopSnapshot(t), workbook.Export{Account: dollars})
	})
	for _, row := range []struct {
		name, file string
		original   []byte
		edited     bool
		want       []string
	}{
		{name: "beside its source", file: "q4 (adsync results).xlsx", original: book},
		{name: "under another name", file: "last week/Kampagnen.xlsx", original: book},
		{name: "of a workbook adsync exported", file: "other.xlsx", original: exported},
		{name: "somebody edited it", file: "mine.xlsx", original: book, edited: true, want: []string{
			`mine.xlsx: warning: file is a copy with results that somebody edited, and is not read; ` +
				`want the changes in "q4.xlsx" (ADS1041)`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			save := func(name string, content []byte) {
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
				must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
			}
			save("q4.xlsx", row.original)
			p := config.Project{Root: dir, Sources: config.DefaultSources, State: ".adsync", Account: dollars}
			alone := sources.Load(context.Background(), p, kinds.All())
			copied := resultsOf(t, row.original, "q4.xlsx")
			if row.edited {
				copied = savedAnew(t, copied, "E2", "Another title")
			}
			save(row.file, copied)
			d := sources.Load(context.Background(), p, kinds.All())
			wantProblems(t, d.Problems, append(problemTexts(alone.Problems), row.want...)...)
			if len(d.Sources) != 1 || d.Snapshot.Len() != alone.Snapshot.Len() || d.Snapshot.Len() == 0 {
				t.Errorf("%d sources with %d resources; want one with %d",
					len(d.Sources), d.Snapshot.Len(), alone.Snapshot.Len())
			}
			if same := d.Hash == alone.Hash; same == row.edited {
				t.Errorf("the sum is the one without the copy: %v; want %v", same, !row.edited)
			}
			for _, read := range [][]string{d.Files, alone.Files} {
				if sum := tree.SumOf(p, read); sum != d.Hash {
					t.Errorf("Sum(%q) = %s; want %s, as what was read", read, sum, d.Hash)
				}
			}
		})
	}
}

func problemTexts(problems []diag.Problem) []string {
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return texts
}

func TestACopyWithResultsThatIsTakenForASourceIsRefused(t *testing.T) {
	book := bookOf(t, campaignsSheet, adGroupsSheet, adsSheet)
	const message = ": file is a copy with results, which is never read; want \"q4.xlsx\" itself (ADS1041)"
	for _, row := range []struct {
		name, file string
		sources    []string
	}{
		{"it lies in the place of its original", "q4.xlsx", config.DefaultSources},
		{"it is named itself", "other.xlsx", []string{"other.xlsx"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, row.file), resultsOf(t, book, "q4.xlsx"), 0o600))
			p := config.Project{Root: dir, Sources: row.sources, State: ".adsync", Account: dollars}
			d := sources.Load(context.Background(), p, kinds.All())
			wantProblems(t, d.Problems, row.file+message)
			if sum := tree.SumOf(p, d.Files); sum != d.Hash {
				t.Errorf("Sum = %s; want %s", sum, d.Hash)
			}
		})
	}
	t.Run("it is dropped in the page", func(t *testing.T) {
		p := config.Project{Root: t.TempDir(), Sources: config.DefaultSources, State: ".adsync", Account: dollars}
		d := sources.LoadContents(context.Background(), p,
			kinds.All(), map[string][]byte{"drop.xlsx": resultsOf(t, book, "q4.xlsx")})
		wantProblems(t, d.Problems, "drop.xlsx"+message)
	})
}

// TestACopyWithResultsKnowsThatItWasSaved: any program that saves it leaves other parts.
func TestACopyWithResultsKnowsThatItWasSaved(t *testing.T) {
	book := bookOf(t, campaignsSheet, adGroupsSheet, adsSheet)
	copied := resultsOf(t, book, "q4.xlsx")
	want := resultcopy.Copy{Of: "q4.xlsx"}
	if c, is := resultcopy.ReadBytes(copied); !is || c != want {
		t.Errorf("as written it says %+v, %v; want %+v", c, is, want)
	}
	want.Edited = true
	if c, is := resultcopy.ReadBytes(savedAnew(t, copied, "A3", "x")); !is || c != want {
		t.Errorf("once saved it says %+v, %v; want %+v", c, is, want)
	}
	again := resultsOf(t, savedAnew(t, copied, "A3", "x"), "other.xlsx")
	if c, _ := resultcopy.ReadBytes(again); c != (resultcopy.Copy{Of: "other.xlsx"}) {
		t.Errorf("a copy of a copy says %+v", c)
	}
	for name, content := range map[string][]byte{"a workbook": book, "no zip": []byte("PK no"), "nothing": nil} {
		if _, is := resultcopy.ReadBytes(content); is {
			t.Errorf("%s is taken for a copy with results", name)
		}
	}
	if visible := opened(t, copied); visibleSheet(visible, config.SyncTab) {
		t.Errorf("the sheet %s is shown", config.SyncTab)
	}
}

func visibleSheet(f *excelize.File, name string) bool {
	visible, err := f.GetSheetVisible(name)
	return err != nil || visible
}

// TestTheListOfResultsIsNoSource: it lies beside the copies, wherever that is.
func TestTheListOfResultsIsNoSource(t *testing.T) {
	dir := t.TempDir()
	list := writtenBy(t, func(w io.Writer) error {
		return marked.WriteResultsCSV(w, []marked.RowOutcome{{Position: inCell("Ads", 2, 0), Result: "created"}})
	})
	must(t, os.WriteFile(filepath.Join(dir, "q4.xlsx"), bookOf(t, campaignsSheet, adGroupsSheet, adsSheet), 0o600))
	must(t, os.MkdirAll(filepath.Join(dir, "out", "runs"), 0o700))
	p := config.Project{Root: dir, Sources: config.DefaultSources, State: ".adsync", Account: dollars}
	before := sources.Load(context.Background(), p, kinds.All())
	for _, name := range []string{"out/results.csv", "out/runs/results.csv"} {
		must(t, os.WriteFile(filepath.Join(dir, name), list, 0o600))
	}
	after := sources.Load(context.Background(), p, kinds.All())
	wantProblems(t, after.Problems, problemTexts(before.Problems)...)
	if after.Hash != before.Hash || tree.SumOf(p, before.Files) != before.Hash {
		t.Error("the sum of the files is another with lists of results among them")
	}
}
