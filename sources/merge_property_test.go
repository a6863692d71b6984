package sources_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/xlsx"
	"adsync/sources/cellbook"
	"adsync/sources/config"
	"adsync/sources/diff"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// drawnChange is what one of two people does to a workbook.
type drawnChange struct {
	cells map[string]string // by sheet and cell
	gone  int               // the row of Ads that is removed, 0 for none
	added []string          // names of rows that are added
	order int               // blank rows put before the first
}

func drawChange(t *rapid.T, who string) drawnChange {
	c := drawnChange{cells: map[string]string{}}
	for range rapid.IntRange(0, 5).Draw(t, who+" cells") {
		sheet, columns := "Ads", "DEFH"
		if rapid.Bool().Draw(t, who+" own sheet") {
			sheet, columns = "My sum", "ABC"
		}
		cell := fmt.Sprintf("%s!%c%d", sheet, rapid.SampledFrom([]byte(columns)).Draw(t, who+" column"),
			rapid.IntRange(2, 4).Draw(t, who+" row"))
		c.cells[cell] = rapid.SampledFrom([]string{"", "one", "two", "=three", "<&>"}).Draw(t, who+" value")
	}
	c.gone = rapid.SampledFrom([]int{0, 0, 3, 4}).Draw(t, who+" gone")
	for i := range rapid.IntRange(0, 2).Draw(t, who+" added") {
		c.added = append(c.added,
			fmt.Sprintf("%s %d", rapid.SampledFrom([]string{who, "both"}).Draw(t, who+" name"), i))
	}
	c.order = rapid.IntRange(0, 2).Draw(t, who+" moved")
	return c
}

func (c drawnChange) apply(t testing.TB) func(*excelize.File) {
	return func(f *excelize.File) {
		for place, text := range c.cells {
			sheet, cell, _ := strings.Cut(place, "!")
			if text == "" {
				must(t, f.SetCellValue(sheet, cell, nil))
				continue
			}
			must(t, f.SetCellStr(sheet, cell, text))
		}
		for i, name := range c.added {
			must(t, f.SetSheetRow("Ads", fmt.Sprintf("A%d", 5+i), &[]any{"Spring launch", "Runners", name, "AAA"}))
		}
		if c.gone > 0 {
			must(t, f.RemoveRow("Ads", c.gone))
		}
		if c.order > 0 {
			must(t, f.InsertRows("Ads", 2, c.order))
		}
	}
}

// byName returns every cell of a workbook under the name of its row and column.
func byName(t interface{ Fatalf(string, ...any) }, content []byte) map[string]string {
	book, finding := cellbook.Open(context.Background(), content, workbookInput())
	if finding != nil {
		t.Fatalf("open: %v", finding)
	}
	cells := map[string]string{}
	for _, s := range book.Sheets {
		rows := map[int]*cellbook.Row{}
		for _, row := range s.Rows {
			rows[row.Number] = row
		}
		for _, row := range s.Rows {
			for _, c := range row.Cells {
				name := s.Called(rows, xlsx.At{Row: row.Number, Column: c.Column})
				if row.Names.Label != "" {
					name = fmt.Sprintf("[%s] %s", row.Names.Label, s.HeaderOf(c.Column))
				}
				cells[s.Name+" "+name] = c.Shown
			}
		}
	}
	return cells
}

// Whatever two people do: each change of theirs is in the result, or it is said;
// each change of ours is in the result; and nothing else changes.
func TestMergeLosesNothingAndInventsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	base := mergeBase(t, nil)
	was := byName(t, base)
	rapid.Check(t, func(rt *rapid.T) {
		ours, theirs := mergeBase(t, drawChange(rt, "ours").apply(t)), mergeBase(t, drawChange(rt, "theirs").apply(t))
		m, err := diff.Merge(context.Background(), config.Project{}, base, ours, theirs, kinds.All())
		if err != nil {
			rt.Fatalf("Merge = %v", err)
		}
		if m := mergeOf(t, base, ours, base); !bytes.Equal(m.Content, ours) || len(m.Conflicts) > 0 {
			rt.Fatalf("where theirs is the base, ours is changed: %+v, %q", m.Took, clashes(m))
		}
		if m := mergeOf(t, theirs, ours, theirs); !bytes.Equal(m.Content, ours) || len(m.Conflicts) > 0 {
			rt.Fatalf("where theirs is its base, ours is changed: %+v, %q", m.Took, clashes(m))
		}
		if m := mergeOf(t, base, base, theirs); len(m.Conflicts) == 0 {
			alone, wants := byName(rt, m.Content), byName(rt, theirs)
			for place := range wants {
				if alone[place] != wants[place] {
					rt.Fatalf("%s: theirs alone is %q, merged %q", place, wants[place], alone[place])
				}
			}
		}
		said := strings.Join(clashes(m), "\n")
		is, has, wants := byName(rt, m.Content), byName(rt, ours), byName(rt, theirs)
		for _, place := range cellbook.SortedKeys(was, is, has, wants) {
			taken := is[place] == wants[place] && (has[place] == was[place] || has[place] == wants[place])
			kept := is[place] == has[place] && (wants[place] == was[place] || mentions(said, place))
			if taken || kept {
				continue
			}
			rt.Fatalf("%s: base %q, ours %q, theirs %q, merged %q; conflicts:\n%s",
				place, was[place], has[place], wants[place], is[place], said)
		}
		if len(m.Conflicts) == 0 {
			again, err := diff.Merge(context.Background(), config.Project{}, base, m.Content, theirs, kinds.All())
			if err != nil || len(again.Conflicts) > 0 || again.Cells+again.Added+again.Removed > 0 {
				rt.Fatalf("merging theirs again takes %d cells, adds %d, removes %d, %q, %v",
					again.Cells, again.Added, again.Removed, clashes(again), err)
			}
		}
	})
}

// mentions reports whether a conflict names a cell, or the row of it.
func mentions(said, place string) bool {
	sheet, rest, _ := strings.Cut(place, " ")
	if sheet == "My" { // My sum A1
		return strings.Contains(said, "My sum!"+strings.TrimPrefix(rest, "sum ")+" |")
	}
	row, column, _ := strings.Cut(strings.TrimPrefix(rest, "["), "] ")
	for line := range strings.Lines(said) {
		if strings.Contains(line, "["+row+"] "+column+" |") || strings.Contains(line, "["+row+"] |") {
			return true
		}
	}
	return false
}

// FuzzMerge gives the three versions any XML for a sheet: it refuses, or what it
// writes reads whole; it never panics.
func FuzzMerge(f *testing.F) {
	header := `<row r="1"><c r="A1" t="inlineStr"><is><t>Campaign</t></is></c><c r="B1" ` +
		`t="inlineStr"><is><t>Status</t></is></c><c r="C1" t="inlineStr"><is><t>Mine</t></is></c></row>`
	row := func(n int, name, status string) string {
		return fmt.Sprintf(`<row r="%d"><c r="A%[1]d" t="inlineStr"><is><t>%s</t></is></c><c r="B%[1]d" `+
			`t="inlineStr"><is><t>%s</t></is></c><c r="C%[1]d"><f>A%[1]d</f><v>1</v></c></row>`, n, name, status)
	}
	f.Add(header+row(2, "a", "paused"), header+row(2, "a", "active"),
		header+row(2, "a", "paused")+row(3, "b", "paused"), "Campaigns")
	f.Add(header, header+row(2, "a", "x"), header+row(5, "a", "y"), "Campaigns")
	f.Add(row(1, "a", "b"), row(1, "a", "c"), row(1, "d", "b"), "Mine")
	f.Fuzz(func(t *testing.T, base, ours, theirs, name string) {
		version := func(rows string) []byte { return smallBook(t, name, rows) }
		m, err := diff.Merge(context.Background(),
			config.Project{}, version(base), version(ours), version(theirs), kinds.All())
		if err != nil {
			return
		}
		if _, finding := cellbook.Open(context.Background(), m.Content, workbookInput()); finding != nil {
			t.Errorf("merged workbook: %s", finding.Message)
		}
	})
}

// smallBook is a workbook of one sheet with the XML of its rows.
func smallBook(t testing.TB, sheet, rows string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", "<Types/>"},
		{"_rels/.rels", `<Relationships><Relationship ` +
			`Id="r1" Type="t/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="` +
			sheet + `" sheetId="1" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels",
			`<Relationships><Relationship Id="r1" Type="t/worksheet" Target="sheet1.xml"/></Relationships>`},
		{"xl/sheet1.xml", "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"},
	} {
		out, err := w.CreateHeader(&zip.FileHeader{Name: part[0]})
		must(t, err)
		_, err = io.WriteString(out, part[1])
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}
