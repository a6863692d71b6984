package sources_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/internal/testing/dialect"
	"adsync/internal/testing/office"
	"adsync/internal/xlsx"
	"adsync/sources/marked"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
)

// Workbooks of every program, and one that people dressed as LibreOffice and
// Gnumeric save it: openpyxl and LibreOffice see the cells that were written, all of
// them right of the last header or in columns that were there, and no other fact.
func TestProgramsSeeTheUpdateAndNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	books := booksOfPrograms(t)
	before, after := map[string][]byte{}, map[string][]byte{}
	for name, content := range books {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{
				"q4.xlsx": string(content), "adsync.yaml": "account: {id: a, currency: USD, timezone: UTC}\n",
			})
			was := valid(t, load(t, dir))
			done, err := updated(t, dir, marked.Update{AddColumns: true, Windows: []string{"7d"}})
			must(t, err)
			if done.Cells < was.Snapshot.Len()*5 {
				t.Errorf("%d cells of %d rows were written; want ids and figures", done.Cells, was.Snapshot.Len())
			}
			if d := cmp.Diff(besideIDs(t, was.Snapshot), besideIDs(t, valid(t, load(t, dir)).Snapshot)); d != "" {
				t.Errorf("the workbook says something else (-before +after):\n%s", d)
			}
			before[name], after[name] = content, readFile(t, dir, "q4.xlsx")
			parts := partsOf(t, content)
			for _, part := range changedParts(t, content, after[name]) {
				if parts[part] != "" && !strings.Contains(part, "/worksheets/sheet") && !slices.Contains(lists, part) {
					t.Errorf("part %s changed; want the sheets, and the lists that name Performance", part)
				}
			}
			if seen := seenByOpenpyxl(t, content); seen != nil {
				onlyFilled(t, "openpyxl", seen, seenByOpenpyxl(t, after[name]))
			}
		})
	}
	was, is := seenByLibreOffice(t, before), seenByLibreOffice(t, after)
	for name := range books {
		onlyFilled(t, name+", LibreOffice", was[name], is[name])
	}
}

// booksOfPrograms are workbooks of every program, and one that people dressed as it is, and as others save it.
func booksOfPrograms(t *testing.T) map[string][]byte {
	t.Helper()
	books := map[string][]byte{}
	for _, program := range dialect.Programs() {
		content, err := dialect.Write(program, t.TempDir())
		must(t, err)
		books[program] = content
	}
	own := ownBook(t)
	books["own"], books["own, LibreOffice"], books["own, Gnumeric"] = own,
		savedBy(t, own, "LibreOffice"), savedBy(t, own, "Gnumeric")
	return books
}

// lists are the parts that name sheets, parts and looks.
var lists = []string{"[Content_Types].xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml"}

// besideIDs is what the files say without the ids of rows.
func besideIDs(t *testing.T, s *resource.Snapshot) string {
	bare := &resource.Snapshot{}
	for r := range s.All() {
		bare.Add(&resource.Resource{Address: r.Address, Attributes: r.Attributes})
	}
	return snapshotText(t, bare)
}

// formulas are the cells of ownBook that are calculated from others.
var formulas = map[string]bool{"#My sums!A1": true, "Ads!H4": true}

// onlyFilled wants cells to differ that were blank or hold what the service says, and
// nothing else.
func onlyFilled(t *testing.T, by string, was, is map[string]string) {
	t.Helper()
	filled := 0
	for key, value := range is {
		cell := strings.Contains(key, "!")
		if strings.HasPrefix(key, workbook.PerformanceTab) {
			continue // is new
		}
		switch before, there := was[key]; {
		case before == value && there, formulas[key]:
		case cell && (!there || strings.HasPrefix(key, "Campaigns!F") ||
			strings.HasPrefix(key, "Campaigns!G") || strings.HasPrefix(key, "Campaigns!H") ||
			strings.HasPrefix(key, "Ads!H") || strings.HasPrefix(key, "Ads!I") || strings.HasPrefix(key, "Ads!J")):
			filled++
		default:
			t.Errorf("%s sees %s as %s; want %s as before", by, key, value, before)
		}
	}
	for key := range was {
		if _, there := is[key]; !there && !strings.Contains(key, "no default style") { // it has one now
			t.Errorf("%s misses %s", by, key)
		}
	}
	if filled < 20 {
		t.Errorf("%s sees %d cells filled; want ids and figures of every row", by, filled)
	}
}

// tooBare is how openpyxl ends on workbooks with the least of styles a workbook may
// have, as the Open XML SDK writes them.
const tooBare = "_expand_named_style"

// seenByOpenpyxl is what openpyxl sees of a workbook, fact by fact; nil where it
// opens none like it.
func seenByOpenpyxl(t *testing.T, content []byte) map[string]string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "book.xlsx")
	must(t, os.WriteFile(name, content, 0o600))
	out, err := exec.CommandContext(t.Context(), "/usr/bin/python3",
		"../internal/xlsx/testdata/dump_book.py", name).CombinedOutput()
	if err != nil && strings.Contains(string(out), tooBare) {
		return nil
	}
	if err != nil {
		t.Fatalf("read a workbook with python3-openpyxl: %v\n%s", err, out)
	}
	seen := map[string]string{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if at := strings.Index(line, "!"); at > 0 && !strings.Contains(line[:at], " state ") {
			cell, value, _ := strings.Cut(line[at:], " ")
			if !strings.HasPrefix(value, "None ") {
				seen[line[:at]+cell] = value
			}
			continue
		}
		seen[line] = ""
	}
	return seen
}

// seenByLibreOffice is what LibreOffice shows in the cells of each workbook.
func seenByLibreOffice(t *testing.T, books map[string][]byte) map[string]map[string]string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	names := map[string]string{}
	for name, content := range books {
		file := "book" + strings.Map(func(r rune) rune {
			if r == ' ' || r == ',' {
				return -1
			}
			return r
		}, name)
		names[file] = name
		write(t, filepath.Join(dir, file+".xlsx"), string(content))
		files = append(files, filepath.Join(dir, file+".xlsx"))
	}
	must(t, office.Convert(office.AsCSVs, dir, files...))
	seen := map[string]map[string]string{}
	for file, name := range names {
		seen[name] = map[string]string{}
		sheets, _ := filepath.Glob(filepath.Join(dir, file+"-*.csv"))
		for _, sheet := range sheets {
			title := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(sheet), file+"-"), ".csv")
			content, err := os.ReadFile(sheet)
			must(t, err)
			r := csv.NewReader(bytes.NewReader(content))
			r.FieldsPerRecord = -1
			rows, err := r.ReadAll()
			must(t, err)
			for i, row := range rows {
				for k, value := range row {
					if value != "" {
						seen[name][title+"!"+xlsx.At{Row: i + 1, Column: k + 1}.String()] = value
					}
				}
			}
		}
	}
	return seen
}

// savedBy is a workbook as a program saves it again.
func savedBy(t *testing.T, content []byte, program string) []byte {
	t.Helper()
	dir := t.TempDir()
	name, again := filepath.Join(dir, "book.xlsx"), filepath.Join(dir, "again", "book.xlsx")
	must(t, os.Mkdir(filepath.Dir(again), 0o700))
	write(t, name, string(content))
	if program == "LibreOffice" {
		must(t, office.Convert(office.AsXLSX, filepath.Dir(again), name))
	} else if out, err := exec.CommandContext(t.Context(),
		"ssconvert", "--export-type=Gnumeric_Excel:xlsx2", name, again).CombinedOutput(); err != nil {
		t.Fatalf("ssconvert: %v\n%s", err, out)
	}
	saved, err := os.ReadFile(again)
	must(t, err)
	return saved
}
