package sources_test

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/internal/testing/dialect"
	"adsync/internal/testing/office"
	"adsync/sources"
	"adsync/sources/marked"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// byHand are workbooks made after those of programs, which have less in order than ECMA-376 wants.
var byHand = []string{"Excel", "Excel, days from 1904", "Open XML SDK", "SheetJS", "WPS", "exceljs"}

// spans are those that twoSpans has figures of.
var spans = []string{"7d", "last-month"}

// An update with figures adds the sheet Performance to a workbook without one, whichever program saved that:
// behind the last sheet, as an export has it, with its charts. openpyxl and LibreOffice see all else as it was.
func TestAnUpdateAddsPerformance(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	books := map[string][]byte{"own": ownBook(t), "export": exported(t, shopSnapshot(t))}
	for _, of := range []string{"own", "export"} {
		for program, saved := range savedByEach(t, books[of]) {
			books[of+", "+program] = saved
		}
	}
	for _, program := range dialect.Programs() {
		content, err := dialect.Write(program, t.TempDir())
		must(t, err)
		books[program] = content
	}
	model := withFigures(t, twoSpans())
	want := seenByOpenpyxl(t, model)
	before, after := map[string][]byte{"model": model}, map[string][]byte{"model": model}
	for name, content := range books {
		t.Run(name, func(t *testing.T) {
			dir := performanceFolder(t, content)
			was := valid(t, load(t, dir))
			done, err := updated(t, dir, marked.Update{Known: knowsOne(twoSpans()), Windows: spans})
			must(t, err)
			if done.NotAdded != "" {
				if want := "the workbook is stored as Strict Open XML; save it as an Excel workbook (.xlsx)"; name !=
					"Excel, strict" || done.NotAdded != want || done.Added != "" {
					t.Errorf("no sheet is added, as %s; want %s", done.NotAdded, want)
				}
				return
			}
			saved := readFile(t, dir, "q4.xlsx")
			before[name], after[name] = content, saved
			if d := cmp.Diff(besideIDs(t, was.Snapshot), besideIDs(t, valid(t, load(t, dir)).Snapshot)); d != "" {
				t.Errorf("the workbook says something else (-before +after):\n%s", d)
			}
			onlyGrown(t, content, saved)
			if !slices.Contains(byHand, name) {
				checkWhole(t, saved)
			}
			if seen := seenByOpenpyxl(t, content); seen != nil {
				onlyPerformance(t, want, seen, seenByOpenpyxl(t, saved))
			}
			again, err := updated(t, dir, marked.Update{Known: knowsOne(twoSpans()), Windows: spans})
			must(t, err)
			if again.Kept != "" || !bytes.Equal(saved, readFile(t, dir, "q4.xlsx")) {
				t.Errorf("the same figures again changed %d cells, %+v", again.Cells, again.Left)
			}
		})
	}
	was, is := seenByLibreOffice(t, before), seenByLibreOffice(t, after)
	for name := range after {
		for cell, value := range is["model"] {
			if sheet, _, _ := strings.Cut(cell, "!"); sheet == workbook.PerformanceTab && is[name][cell] != value {
				t.Errorf("%s: LibreOffice sees %s as %q; want %q", name, cell, is[name][cell], value)
			}
		}
		for cell, value := range was[name] {
			if is[name][cell] != value {
				t.Errorf("%s: LibreOffice sees %s as %q; want %q as before", name, cell, is[name][cell], value)
			}
		}
	}
	for name, n := range chartsInLibreOffice(t, after) {
		if want := chartsIn(t, after[name]); n != want {
			t.Errorf("%s: LibreOffice opens %d charts; want %d", name, n, want)
		}
	}
}

type knowing = func(sources.Desired, []string) (*resource.Snapshot, *resource.Figures, error)

// knowsOne is knows, of the ad that figures are of, and of no other.
func knowsOne(figures *resource.Figures) knowing {
	return func(sources.Desired, []string) (*resource.Snapshot, *resource.Figures, error) {
		rows := &resource.Snapshot{}
		hero := &resource.Resource{Address: resource.Address{Kind: "ad", Key: "none/none/hero"}, ID: "ad_hero"}
		hero.Facts.Set("review", resource.Text("rejected: crawl_failed"))
		rows.Add(hero)
		return rows, figures, nil
	}
}

// chartsInLibreOffice are how many charts it opens of each workbook.
func chartsInLibreOffice(t *testing.T, books map[string][]byte) map[string]int {
	t.Helper()
	dir, names, count := t.TempDir(), slices.Sorted(maps.Keys(books)), map[string]int{}
	var files []string
	for i, name := range names {
		file := filepath.Join(dir, fmt.Sprintf("book%d.xlsx", i))
		write(t, file, string(books[name]))
		files = append(files, file)
	}
	must(t, office.Convert(office.AsXLSX, filepath.Join(dir, "saved"), files...))
	for i, name := range names {
		count[name] = chartsIn(t, fileBytes(t, filepath.Join(dir, "saved", fmt.Sprintf("book%d.xlsx", i))))
	}
	return count
}

func chartsIn(t *testing.T, content []byte) (n int) {
	t.Helper()
	for part := range partsOf(t, content) {
		if strings.HasPrefix(part, "xl/charts/chart") {
			n++
		}
	}
	return n
}

// onlyGrown wants the parts of a workbook to be what they were, but for the lists that name parts, sheets and styles.
func onlyGrown(t *testing.T, before, after []byte) {
	t.Helper()
	was, is := partsOf(t, before), partsOf(t, after)
	for name, part := range was {
		switch {
		case part == is[name]:
		case slices.Contains(lists, name):
			if len(is[name]) <= len(part) {
				t.Errorf("part %s shrank", name)
			}
		default:
			t.Errorf("part %s changed", name)
		}
	}
	if charts := chartsIn(t, after) - chartsIn(t, before); charts != 2 {
		t.Errorf("%d charts were added; want 2", charts)
	}
}

// onlyPerformance wants openpyxl to see the sheet as in an export, and all that was there as it was.
func onlyPerformance(t *testing.T, model, was, is map[string]string) {
	t.Helper()
	of := func(seen map[string]string) map[string]string {
		own := maps.Clone(seen)
		maps.DeleteFunc(own, func(key, _ string) bool {
			return !strings.HasPrefix(key, workbook.PerformanceTab) || strings.Contains(key, " column ")
		})
		return own
	}
	if d := cmp.Diff(of(model), of(is)); d != "" {
		t.Errorf("openpyxl sees the sheet as (-want +got):\n%s", d)
	}
	for key, value := range was {
		now, there := is[key]
		if (now != value || !there) && !strings.Contains(key, "no default style") { // it has one now
			t.Errorf("openpyxl sees %s as %s, %t; want %s as before", key, now, there, value)
		}
	}
}

// A workbook that takes no sheet gets none, and the update says why; its cells are brought up to date all the same.
func TestAWorkbookThatTakesNoSheet(t *testing.T) {
	for _, row := range []struct {
		name, part string
		from, to   string
		want       string
	}{
		{"protected", "xl/workbook.xml", "<sheets>", `<workbookProtection lockStructure="1"/><sheets>`,
			"the structure of the workbook is protected; end that first"},
		{"with a sheet of a chart that has the name", "xl/workbook.xml",
			`<sheet name="#My sums"`, `<sheet name="PERFORMANCE"`,
			"another sheet has that name"},
		{"shared", "xl/_rels/workbook.xml.rels", "</Relationships>", `<Relationship Id="rev" Type="http://schemas.` +
			`openxmlformats.org/officeDocument/2006/relationships/revisionHeaders" Target="styles.xml"/></Relationships>`,
			"several people change the workbook at once, which Excel calls shared; end that first"},
	} {
		t.Run(row.name, func(t *testing.T) {
			content := rebuild(t, ownBook(t), row.part, replaced(row.from, row.to))
			if strings.HasPrefix(row.name, "with a sheet of a chart") {
				content = rebuild(t, content, "xl/_rels/workbook.xml.rels", replaced(
					`sheet4.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"`,
					`sheet4.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartsheet"`))
			}
			dir := performanceFolder(t, content)
			done, err := updated(t, dir, marked.Update{Windows: []string{"7d"}})
			must(t, err)
			if done.NotAdded != row.want || done.Added != "" || done.Cells == 0 {
				t.Errorf("not added: %q, added: %q, %d cells; want none, as %s, and cells", done.NotAdded, done.Added,
					done.Cells, row.want)
			}
		})
	}
}

// knowsSpans is knowsOne, of the spans that are asked for.
func knowsSpans(figures *resource.Figures) knowing {
	return func(d sources.Desired, windows []string) (*resource.Snapshot, *resource.Figures, error) {
		asked := *figures
		asked.Windows = slices.DeleteFunc(slices.Clone(figures.Windows), func(w resource.WindowFigures) bool {
			return !slices.Contains(windows, w.Name)
		})
		return knowsOne(&asked)(d, windows)
	}
}

func oneSpan() *resource.Figures {
	one := twoSpans()
	one.Windows = one.Windows[:1]
	return one
}

// A span that is asked for joins those of the sheet, whichever program saved that: totals, rows and looks are as in an
// export with both, and the filter, the rows that stay in sight and the charts follow the header.
func TestAnUpdateAddsASpan(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	books := savedByEach(t, withFigures(t, oneSpan()))
	books["excelize"] = withFigures(t, oneSpan())
	model := withFigures(t, twoSpans())
	want, after := seenByOpenpyxl(t, model), map[string][]byte{"model": model}
	for name, content := range books {
		t.Run(name, func(t *testing.T) {
			dir := performanceFolder(t, content)
			done, err := updated(t, dir, marked.Update{Known: knowsSpans(twoSpans()), Windows: spans})
			must(t, err)
			if !slices.Equal(done.Spans, []string{"last-month"}) || len(done.Left) > 0 {
				t.Fatalf("the sheet got the spans %q and %+v stays; want last-month", done.Spans, done.Left)
			}
			saved := readFile(t, dir, "q4.xlsx")
			after[name] = saved
			checkWhole(t, saved)
			if name == "excelize" {
				seen := map[string]string{}
				for fact, value := range seenByOpenpyxl(t, saved) { // which says the filter as it is written
					seen[strings.ReplaceAll(fact, "filter A9:O100009", "filter $A$9:$O$100009")] = value
				}
				onlyPerformance(t, want, nil, seen)
			}
			view := "state visible freeze A10 filter A9:O100009"
			if name == "LibreOffice" { // which saves no rows that stay in sight where nobody looks at a sheet
				view = "state visible freeze None filter A9:O100009"
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(seenByOpenpyxl(t, saved))), func(fact string) bool {
				return strings.ReplaceAll(fact, "$", "") == workbook.PerformanceTab+" "+view
			}) {
				t.Errorf("openpyxl sees the sheet without %s", view)
			}
			rows := chartRows(t, model)
			if name == "Gnumeric" {
				rows = nil // ssconvert saves no charts
			}
			if d := cmp.Diff(rows, chartRows(t, saved)); d != "" {
				t.Errorf("the charts begin at rows (-want +got):\n%s", d)
			}
			again, err := updated(t, dir, marked.Update{Known: knowsSpans(twoSpans()), Windows: spans})
			must(t, err)
			if again.Kept != "" || len(again.Spans) > 0 {
				t.Errorf("the same figures again changed %d cells, %+v", again.Cells, again.Left)
			}
		})
	}
	seen := seenByLibreOffice(t, after)
	for name := range after {
		only := func(cells map[string]string) map[string]string {
			own := maps.Clone(cells)
			maps.DeleteFunc(own, func(cell, _ string) bool {
				return !strings.HasPrefix(cell, workbook.PerformanceTab+"!")
			})
			return own
		}
		if d := cmp.Diff(only(seen["model"]), only(seen[name]), cmp.Comparer(nearlyShown)); d != "" {
			t.Errorf("%s: LibreOffice sees (-want +got):\n%s", name, d)
		}
	}
	for name, n := range chartsInLibreOffice(t, after) {
		if want := len(chartRows(t, after[name])); n != want {
			t.Errorf("%s: LibreOffice opens %d charts; want %d", name, n, want)
		}
	}
}

// nearlyShown is nearly, of shares too.
func nearlyShown(a, b string) bool {
	return nearly(strings.TrimSuffix(a, "%"), strings.TrimSuffix(b, "%"))
}

var firstRowOfAnchor = regexp.MustCompile(`(?s)<(?:\w+:)?from>.*?<(?:\w+:)?row>(\d+)</`)

// chartRows are the rows at which the charts of a workbook begin.
func chartRows(t *testing.T, content []byte) (rows []string) {
	t.Helper()
	for name, part := range partsOf(t, content) {
		if strings.HasPrefix(name, "xl/drawings/drawing") {
			for _, m := range firstRowOfAnchor.FindAllStringSubmatch(part, -1) {
				rows = append(rows, m[1])
			}
		}
	}
	slices.Sort(rows)
	return rows
}

// A sheet gets no span where somebody's own formula, name, chart or pivot table would then refer to other cells, or
// cells are in the way. Its own spans are brought up to date all the same.
func TestASpanMovesNothingUnderSomebodysFormula(t *testing.T) {
	tab := workbook.PerformanceTab
	mine := func(f *excelize.File) error { _, err := f.NewSheet("#Mine"); return err }
	for _, row := range []struct {
		name string
		edit func(*excelize.File) error
		want string // "" where it gets it
	}{
		{"a formula of a row", func(f *excelize.File) error {
			return f.SetCellFormula("#Mine", "A1", "SUM('Performance'!$G$7:G9)")
		}, `the sheet "#Mine" refers to cells of it that would move`},
		{"a formula of totals and whole columns", func(f *excelize.File) error {
			return f.SetCellFormula("#Mine", "A1", `Performance!G3+SUMIFS(Performance!G:G,Performance!A:A,"7d")`)
		}, ""},
		{"a formula of another sheet", func(f *excelize.File) error {
			if _, err := f.NewSheet("My Performance"); err != nil {
				return err
			}
			return f.SetCellFormula("#Mine", "A1", "'My Performance'!G10")
		}, ""},
		{"a name", func(f *excelize.File) error {
			return f.SetDefinedName(&excelize.DefinedName{Name: "Mine", RefersTo: "Performance!$A$6:$O$9"})
		}, "a name refers to cells of it that would move"},
		{"a chart", func(f *excelize.File) error {
			return f.AddChart("#Mine", "A1", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{
				Name: "Mine", Categories: "Performance!$C$7:$C$8", Values: "Performance!$G$7:$G$8"}}})
		}, "a chart refers to cells of it that would move"},
		{"a pivot table", func(f *excelize.File) error {
			return f.AddPivotTable(&excelize.PivotTableOptions{
				DataRange: "Performance!$A$6:$O$9", PivotTableRange: "#Mine!$A$30:$H$60",
				Rows: []excelize.PivotTableField{{Data: "Level"}}, Data: []excelize.PivotTableField{{Data: "Clicks"}}})
		}, "a pivot table refers to cells of it that would move"},
		{"a formula beside the rows", func(f *excelize.File) error {
			return f.SetCellFormula(tab, "X7", "G7*2")
		}, "cell X7 refers to cells that would move"},
		{"a remark below the rows", func(f *excelize.File) error { return f.SetCellStr(tab, "B11", "ask Bob") },
			"cell B11 holds something where a row is to be; move it away and update again"},
		{"a merged cell", func(f *excelize.File) error { return f.MergeCell(tab, "C7", "D7") },
			"lies inside the merged cells C7:D7"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := opened(t, withFigures(t, oneSpan()))
			must(t, mine(f))
			must(t, row.edit(f))
			var b bytes.Buffer
			must(t, f.Write(&b))
			dir := performanceFolder(t, b.Bytes())
			next := twoSpans()
			next.Windows[0].ByID["cmp_2"] = resource.Measured{"1000", "20", "0.80"}
			done, err := updated(t, dir, marked.Update{Known: knowsSpans(next), Windows: spans})
			must(t, err)
			said := fmt.Sprint(done.Left)
			if (len(done.Spans) > 0) != (row.want == "") || !strings.Contains(said, row.want) {
				t.Errorf("it got the spans %q and says %s; want %q", done.Spans, said, row.want)
			}
			is := opened(t, readFile(t, dir, "q4.xlsx"))
			clicks, err := is.GetCellValue(tab, map[bool]string{true: "I11", false: "I8"}[row.want == ""])
			must(t, err)
			if want := map[bool]string{true: "20", false: "10"}[!strings.Contains(row.want, "merged")]; clicks != want {
				t.Errorf("Autumn has %s clicks; want %s", clicks, want)
			}
		})
	}
}

// The sheet gets a number and a name of a part that nothing has, however odd those are that are there.
func TestTheNumberOfASheetThatIsAdded(t *testing.T) {
	content := rebuild(t, ownBook(t), "xl/workbook.xml", replaced(`sheetId="1"`, `sheetId="65534"`))
	content = rebuild(t, content, "xl/workbook.xml", replaced(`sheetId="3"`, `sheetId="1"`))
	dir := performanceFolder(t, content)
	_, err := updated(t, dir, marked.Update{Known: knowsOne(twoSpans()), Windows: spans})
	must(t, err)
	saved := partsOf(t, readFile(t, dir, "q4.xlsx"))["xl/workbook.xml"]
	if !strings.Contains(saved, `name="Performance" sheetId="3" r:id=`) {
		t.Errorf("the sheet has another number than the least that is free:\n%s", saved)
	}
}
