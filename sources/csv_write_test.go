package sources_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/csvfile"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func csvOf(t testing.TB, s *resource.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	must(t, workbook.WriteCSV(&b, kinds.All(), s, dollars))
	return b.String()
}

func loadCSV(t testing.TB, text string) sources.Desired {
	t.Helper()
	return load(t, folder(t, map[string]string{"all.csv": text}))
}

// cannotSay is how a writer refuses a text its format would not give back.
func cannotSay(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "cannot say") ||
		strings.Contains(err.Error(), "no cell can hold"))
}

func TestCSVThatIsWrittenReadsBackTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		want := drawSnapshot(rt, kinds.All())
		if want.Len() == 0 {
			return
		}
		var b bytes.Buffer
		err := workbook.WriteCSV(&b, kinds.All(), want, dollars)
		if cannotSay(err) {
			return
		}
		must(t, err)
		got := loadCSV(t, b.String())
		if a, b := snapshotText(t, want), snapshotText(t, got.Snapshot); a != b {
			rt.Fatalf("load(WriteCSV(x)) =\n%s%swant\n%s", b, printed(got.Problems), a)
		}
		files, err := workbook.WriteCSVFiles(kinds.All(), want, dollars)
		must(t, err)
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		for name, content := range files {
			must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
		got = load(t, dir)
		if a, b := snapshotText(t, want), snapshotText(t, got.Snapshot); a != b {
			rt.Fatalf("load(WriteCSVFiles(x)) =\n%s%swant\n%s", b, printed(got.Problems), a)
		}
	})
}

// The order of rows and columns, and their split into files, say nothing.
func TestTheOrderOfACSVChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSnapshot(rt, kinds.All())
		var b bytes.Buffer
		if err := workbook.WriteCSV(&b, kinds.All(), s, dollars); s.Len() == 0 || cannotSay(err) {
			return
		}
		records := csvRecords(t, b.String())
		columns := make([]int, len(records[0])-1)
		for i := range columns {
			columns[i] = i + 1
		}
		// Kind stays first: another text there may begin with #, which makes a remark.
		columns = append([]int{0}, rapid.Permutation(columns).Draw(rt, "columns")...)
		rows := keepingHints(rapid.Permutation(records[1:]).Draw(rt, "rows"), records[1:])
		var parts [2]bytes.Buffer
		writers := [2]*csvfile.Writer{csvfile.NewWriter(&parts[0]), csvfile.NewWriter(&parts[1])}
		for _, w := range writers {
			w.Write(permuted(records[0], columns))
		}
		for _, row := range rows {
			part := rapid.IntRange(0, 1).Draw(rt, "file")
			if isEntry(row) {
				part = 0 // a list stands in one file
			}
			writers[part].Write(permuted(row, columns))
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		for i, w := range writers {
			must(t, w.Flush())
			must(t, os.WriteFile(filepath.Join(dir, []string{"a.csv", "b.csv"}[i]), parts[i].Bytes(), 0o600))
		}
		got := load(t, dir)
		if a, b := snapshotText(t, s), snapshotText(t, got.Snapshot); a != b {
			rt.Fatalf("in another order it says\n%s%swant\n%s", b, printed(got.Problems), a)
		}
	})
}

// csvRecords are the fields of a CSV file as written.
func csvRecords(t testing.TB, text string) [][]string {
	t.Helper()
	decoded, fault := csvfile.Decode([]byte(text))
	if fault != nil {
		t.Fatal(fault)
	}
	var records [][]string
	must(t, decoded.Walk(',', bounded.Defaults().CSV(), func(r *csvfile.Record) error {
		var fields []string
		for _, f := range r.Fields {
			fields = append(fields, f.Text)
		}
		records = append(records, fields)
		return nil
	}))
	return records
}

// keepingHints puts the rows of entries back into their order among themselves:
// a list has one.
func keepingHints(shuffled, ordered [][]string) [][]string {
	entries := slices.DeleteFunc(slices.Clone(ordered), func(row []string) bool { return !isEntry(row) })
	for i, row := range shuffled {
		if isEntry(row) {
			shuffled[i], entries = entries[0], entries[1:]
		}
	}
	return shuffled
}

func isEntry(row []string) bool { return row[0] == "context hint" || row[0] == "location" }

func permuted(row []string, order []int) []string {
	moved := make([]string, len(row))
	for i, from := range order {
		moved[i] = row[from]
	}
	return moved
}

// What is saved in a spreadsheet program and what it cannot hold are the same
// for a workbook and a CSV file, but for what an encoding would garble.
func TestCSVTextsThatDoNotComeBackAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"GrÃ¼n":       `description is "GrÃ¼n", which a cell cannot say`,
		"lost \ufffd": `which a cell cannot say`,
		"one\r\ntwo":  `which a CSV file cannot say`,
		"a\x01b":      `description holds a character no cell can hold`,
		"[clear]":     `description is "[clear]", which a cell cannot say`,
	} {
		err := workbook.WriteCSV(&bytes.Buffer{}, kinds.All(),
			oneResource(t, "description", resource.Text(text)), dollars)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("WriteCSV(%q) = %v, want %q", text, err, want)
		}
	}
}

func TestCSVIsWrittenAsSpreadsheetProgramsWantIt(t *testing.T) {
	s := oneResource(t, "name", resource.Text("=Spring, \"big\""),
		"budget.daily", resource.Number(12_500_000), "start", resource.Text("2026-12-01"),
		"description", resource.Text("'tis\n+1"), "targeting.countries",
		resource.List([]string{"CA", "US"}), "conversion_goal", resource.Text("00123"), "end", resource.Null())
	const want = "\ufeffKind,Campaign,Bidding,Daily budget " +
		"(USD),Start date,Last day,Countries,Conversion goal,Description,Key,ID\r\n" +
		`campaign,"'=Spring, ""big""",clicks,12.50,2026-12-01,[clear],"CA, US","=""00123""","'tis` +
		"\n+1\",spring,cmp_1\r\n"
	if got := csvOf(t, s); got != want {
		t.Errorf("WriteCSV =\n%q\nwant\n%q", got, want)
	}
}

func TestFilesOfAFolderAreNamedForTheirSheets(t *testing.T) {
	s := benchmarkSnapshot(2)
	group := s.Get(resource.Address{Kind: kinds.AdGroup, Key: "campaign-A/runners"})
	group.Set("context_hints", resource.List([]string{"one\ntwo", "three"}))
	files, err := workbook.WriteCSVFiles(kinds.All(), s, dollars)
	must(t, err)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"ad-groups.csv", "ads.csv", "campaigns.csv", "context-hints.csv"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
