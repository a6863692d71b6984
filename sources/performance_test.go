package sources_test

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/marked"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// twoSpans are the figures of two campaigns, of which one has no conversions that are known,
// and of the ads of one.
func twoSpans() *resource.Figures {
	week := resource.Window{Name: "7d", Since: "2026-11-14", Until: "2026-11-20"}
	month := resource.Window{Name: "last-month", Since: "2026-10-01", Until: "2026-10-31"}
	rows := []resource.FigureRow{
		{Kind: "campaign", Path: []string{"Autumn"}, ID: "cmp_2"},
		{Kind: "campaign", Path: []string{"Spring"}, ID: "cmp_1"},
		{Kind: "ad", Path: []string{"Spring", "Runners", "Hero"}, ID: "ad_hero"},
	}
	return &resource.Figures{
		Windows: []resource.WindowFigures{
			{Window: week, Rows: rows, ByID: map[string]resource.Measured{
				"cmp_1":   {"12345", "67", "89.10", "0.005427", "1.329851", "7.217497", "3", "29.7"},
				"cmp_2":   {"1000", "10", "0.90", "0.01", "0.09", "0.9", "", ""},
				"ad_hero": {"12345", "67", "89.10", "0.005427", "1.329851", "7.217497", "", ""},
			}},
			{Window: month, Rows: rows[:1], ByID: map[string]resource.Measured{"cmp_2": {"5", "0", "0", "0"}}},
		},
		Daily: resource.DailyFigures{Window: week, Rows: []resource.DayRow{
			{Day: "2026-11-14", Path: rows[2].Path, ID: "ad_hero", Measured: resource.Measured{"345", "7", "9.10"}},
			{Day: "2026-11-16", Path: rows[2].Path, ID: "ad_hero", Measured: resource.Measured{"12000", "60", "79.5"}},
			{Day: "2026-11-16", Path: rows[2].Path, ID: "ad_two", Measured: resource.Measured{"1", "0", "0.5"}},
		}},
	}
}

func withFigures(t *testing.T, figures *resource.Figures) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, workbook.WriteExport(&b, kinds.All(), shopSnapshot(t), workbook.Export{Account: dollars, Figures: figures}))
	return b.Bytes()
}

// rowsOf are the cells of Performance from a row on, as they are stored.
func performanceRows(t *testing.T, f *excelize.File, from, to int) [][]string {
	t.Helper()
	rows, err := f.GetRows(workbook.PerformanceTab, excelize.Options{RawCellValue: true})
	must(t, err)
	return rows[from-1 : to]
}

// Every span has a total of each kind; what nobody knows is empty, and never 0.
func TestPerformanceHasEverySpan(t *testing.T) {
	content := withFigures(t, twoSpans())
	checkWhole(t, content)
	f := opened(t, content)
	week, month := "Total shown, 2026-11-14 to 2026-11-20", "Total shown, 2026-10-01 to 2026-10-31"
	want := [][]string{
		{"7d", "Campaign", week, "", "", "", "90", "13345", "77", "0.00576995129262", "1.16883116883117",
			"6.74409891345073", "3"}, // of one campaign the conversions are not known, and so no CPA of both
		{"7d", "Ad group", week},
		{"7d", "Ad", week, "", "", "", "89.1", "12345", "67", "0.00542729850141757", "1.32985074626866",
			"7.21749696233293"},
		{"last-month", "Campaign", month, "", "", "", "0", "5", "0", "0", "", "0"},
		{"last-month", "Ad group", month},
		{"last-month", "Ad", month},
		{"Span", "Level", "Campaign", "Ad group", "Ad", "Review", "Spend (USD)", "Impressions", "Clicks", "CTR",
			"CPC (USD)", "CPM (USD)", "Conversions", "CPA (USD)"},
		{"7d", "Campaign", "Spring", "", "", "", "89.1", "12345", "67", "0.005427", "1.329851",
			"7.217497", "3", "29.7"},
		{"7d", "Campaign", "Autumn", "", "", "", "0.9", "1000", "10", "0.01", "0.09", "0.9"},
		{"7d", "Ad", "Spring", "Runners", "Hero", "rejected: crawl_failed", "89.1", "12345", "67", "0.005427",
			"1.329851", "7.217497"},
		{"last-month", "Campaign", "Autumn", "", "", "", "0", "5", "0", "0"},
	}
	got := performanceRows(t, f, 3, 13)
	for i := range got {
		got[i] = got[i][:min(len(got[i]), 14)]
		for len(got[i]) > 0 && got[i][len(got[i])-1] == "" {
			got[i] = got[i][:len(got[i])-1]
		}
	}
	if d := cmp.Diff(want, got, cmp.Comparer(nearly)); d != "" {
		t.Errorf("Performance (-want +got):\n%s", d)
	}
	days, spends := twoSpans().Daily.Spend()
	if d := cmp.Diff([]string{"9.1", "", "80", "", "", "", ""}, spends); d != "" || days[0] != "2026-11-14" {
		t.Errorf("spend by day from %s (-want +got):\n%s", days[0], d)
	}
}

// nearly compares texts, and numbers up to what a float keeps.
func nearly(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil {
		return a == b
	}
	return math.Abs(x-y) <= 1e-12*max(1, math.Abs(x))
}

// LibreOffice calculates the totals that are stored; with a row hidden, as a filter
// hides it, those of the others.
func TestLibreOfficeCalculatesTheTotals(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	content := withFigures(t, twoSpans())
	calculated := func(hide int) *excelize.File {
		f := opened(t, content)
		must(t, f.UpdateLinkedValue()) // takes the stored values away
		if hide > 0 {
			must(t, f.SetRowVisible(workbook.PerformanceTab, hide, false))
		}
		var b bytes.Buffer
		must(t, f.Write(&b))
		return opened(t, savedBy(t, b.Bytes(), "LibreOffice"))
	}
	stored := performanceRows(t, opened(t, content), 3, 13)
	if d := cmp.Diff(stored, performanceRows(t, calculated(0), 3, 13), cmp.Comparer(nearly)); d != "" {
		t.Errorf("LibreOffice calculates (-stored +calculated):\n%s", d)
	}
	const spring = 10
	total := performanceRows(t, calculated(spring), 3, 3)[0]
	want := []string{"0.9", "1000", "10", "0.01", "0.09", "0.9"}
	if d := cmp.Diff(want, total[6:12], cmp.Comparer(nearly)); d != "" || total[12] != "" {
		t.Errorf("with Spring hidden the total is (-want +got):\n%s\nand %q conversions; want none", d, total[12])
	}
}

// performanceBook is an export that somebody works with: a sheet of their own adds up Performance, with a
// chart and a pivot table, and a remark stands right of the columns.
func performanceBook(t *testing.T) []byte {
	t.Helper()
	f := opened(t, withFigures(t, twoSpans()))
	_, err := f.NewSheet("#Mine")
	must(t, err)
	must(t, f.SetCellFormula("#Mine", "A1", `SUMIFS(Performance!G:G,Performance!A:A,"7d",Performance!B:B,"Campaign")`))
	must(t, f.AddChart("#Mine", "C3", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{
		Name: "Mine", Categories: "Performance!$C$10:$C$12", Values: "Performance!$G$10:$G$12",
	}}}))
	must(t, f.AddPivotTable(&excelize.PivotTableOptions{
		DataRange: "Performance!$A$9:$O$13", PivotTableRange: "#Mine!$A$30:$H$60",
		Rows: []excelize.PivotTableField{{Data: "Level"}}, Data: []excelize.PivotTableField{{Data: "Clicks"}},
	}))
	must(t, f.SetCellStr(workbook.PerformanceTab, "W30", "ask Bob"))
	must(t, f.SetColWidth(workbook.PerformanceTab, "C", "C", 55))
	var b bytes.Buffer
	must(t, f.Write(&b))
	return b.Bytes()
}

// knows answers an update with figures, and with the review of the ad.
func knows(figures *resource.Figures) func(sources.Desired, []string) (*resource.Snapshot, *resource.Figures, error) {
	return func(d sources.Desired, windows []string) (*resource.Snapshot, *resource.Figures, error) {
		rows, _, err := knownRows(d, nil)
		for r := range rows.All() {
			if r.Address.Kind == "ad" {
				r.ID = "ad_hero"
				r.Facts.Set("review", resource.Text("rejected: crawl_failed"))
			}
		}
		return rows, figures, err
	}
}

func performanceFolder(t *testing.T, content []byte) string {
	t.Helper()
	return folder(t, map[string]string{
		"q4.xlsx": string(content), "adsync.yaml": "account: {id: act_123, currency: USD, timezone: Europe/Berlin}\n",
	})
}

// An update writes new figures into the sheet that adsync wrote, makes rows and takes
// rows away, and leaves everything else as it is: sheets, chart, pivot table, widths and
// a remark beside the rows. The same figures again change no byte.
func TestAnUpdateOfPerformance(t *testing.T) {
	content := performanceBook(t)
	dir := performanceFolder(t, content)
	before := valid(t, load(t, dir))
	next := twoSpans()
	next.Windows[0].ByID["cmp_3"] = resource.Measured{"10", "5", "100", "0.5", "20", "10000", "1", "100"}
	next.Windows[0].ByID["cmp_1"] = resource.Measured{"20000", "80", "95.5", "0.004", "1.19375", "4.775", "4", "23.875"}
	next.Windows[0].Rows = append(next.Windows[0].Rows,
		resource.FigureRow{Kind: "campaign", Path: []string{"Winter & <co>"}, ID: "cmp_3"})
	_, err := updated(t, dir, marked.Update{Known: knows(next)})
	must(t, err)
	after := readFile(t, dir, "q4.xlsx")
	checkWhole(t, after)
	f := opened(t, after)
	rows := performanceRows(t, f, 3, 14)
	for row, want := range map[int][]string{
		0:  {"7d", "Campaign", "Total shown, 2026-11-14 to 2026-11-20", "", "", "", "196.4", "21010", "95"},
		7:  {"7d", "Campaign", "Winter & <co>", "", "", "", "100", "10", "5"},
		8:  {"7d", "Campaign", "Spring", "", "", "", "95.5", "20000", "80"},
		11: {"last-month", "Campaign", "Autumn", "", "", "", "0", "5", "0"},
	} {
		if d := cmp.Diff(want, rows[row][:9], cmp.Comparer(nearly)); d != "" {
			t.Errorf("row %d (-want +got):\n%s", row+3, d)
		}
	}
	remark, err := f.GetCellValue(workbook.PerformanceTab, "W30")
	must(t, err)
	width, err := f.GetColWidth(workbook.PerformanceTab, "C")
	must(t, err)
	if remark != "ask Bob" || width != 55 {
		t.Errorf("remark %q and width %v; want them as they were", remark, width)
	}
	drawn := ""
	for _, part := range changedParts(t, content, after) {
		if strings.HasPrefix(part, "xl/charts/") {
			drawn += partsOf(t, after)[part]
			continue
		}
		if !strings.HasPrefix(part, "xl/worksheets/sheet") && part != "xl/workbook.xml" {
			t.Errorf("part %s changed; want the sheets, and the charts of adsync", part)
		}
	}
	for _, area := range []string{"Performance!$S$4:$S$6<", "Performance!$T$4:$T$6<"} {
		if !strings.Contains(drawn, area) || strings.Contains(drawn, "$C$10") {
			t.Errorf("the charts that changed lack %s, or one is somebody's own", area)
		}
	}
	if d := cmp.Diff(besideIDs(t, before.Snapshot), besideIDs(t, valid(t, load(t, dir)).Snapshot)); d != "" {
		t.Errorf("the workbook says something else (-before +after):\n%s", d)
	}

	again, err := updated(t, dir, marked.Update{Known: knows(next)})
	must(t, err)
	if again.Kept != "" || !bytes.Equal(after, readFile(t, dir, "q4.xlsx")) {
		t.Errorf("the same figures again changed %d cells", again.Cells)
	}

	_, err = updated(t, dir, marked.Update{Known: knows(twoSpans())})
	must(t, err)
	f = opened(t, readFile(t, dir, "q4.xlsx"))
	was := performanceRows(t, opened(t, content), 3, 13)
	if d := cmp.Diff(was, performanceRows(t, f, 3, 13), cmp.Comparer(nearly)); d != "" {
		t.Errorf("with the former figures (-want +got):\n%s", d)
	}
	if cell, err := f.GetCellValue(workbook.PerformanceTab, "A14"); err != nil || cell != "" {
		t.Errorf("below the rows stands %q; want nothing", cell)
	}
}

// What adsync did not write, or cannot bring up to date whole, stays as it is, and is said.
func TestAnUpdateLeavesAnotherPerformance(t *testing.T) {
	for _, row := range []struct {
		name string
		edit func(*excelize.File) error
		asks []string
		want string
	}{
		{"somebody's own", func(f *excelize.File) error {
			return f.SetCellStr(workbook.PerformanceTab, "A1", "My performance")
		}, nil, "Performance!A1: adsync did not write this sheet"},
		{"a column was put in", func(f *excelize.File) error { return f.InsertCols(workbook.PerformanceTab, "C", 1) },
			nil, `Performance!A1: cell C9 holds ""; want the header "Campaign"`},
		{"a filter hides rows", func(f *excelize.File) error {
			return f.SetRowVisible(workbook.PerformanceTab, 11, false)
		}, nil, "Performance!A1: rows of the sheet are hidden; show all and update again"},
		{"a remark where a row comes", func(f *excelize.File) error {
			return f.SetCellStr(workbook.PerformanceTab, "B14", "ask Bob")
		}, nil, "Performance!A1: cell B14 holds something where a row is to be; move it away and update again"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := opened(t, withFigures(t, twoSpans()))
			must(t, row.edit(f))
			var b bytes.Buffer
			must(t, f.Write(&b))
			dir := performanceFolder(t, b.Bytes())
			next := twoSpans()
			next.Windows[0].ByID["cmp_3"] = resource.Measured{"10", "5", "100"}
			next.Windows[0].Rows = append(next.Windows[0].Rows,
				resource.FigureRow{Kind: "campaign", Path: []string{"Winter"}, ID: "cmp_3"})
			done, err := updated(t, dir, marked.Update{Known: knows(next), Windows: row.asks})
			must(t, err)
			said := ""
			for _, left := range done.Left {
				said += left.At.String() + ": " + left.Why + "\n"
			}
			if !strings.Contains(said, row.want) {
				t.Errorf("it says\n%swant %s", said, row.want)
			}
			was, is := performanceRows(t, opened(t, b.Bytes()), 3, 13), opened(t, readFile(t, dir, "q4.xlsx"))
			if d := cmp.Diff(was, performanceRows(t, is, 3, 13)); d != "" {
				t.Errorf("Performance changed (-before +after):\n%s", d)
			}
		})
	}
}
