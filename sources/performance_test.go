package sources_test

import (
	"bytes"
	"math"
	"strconv"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
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
		{Kind: "campaign", Path: []string{"Autumn"}, ID: "cmp_2"}, {Kind: "campaign", Path: []string{"Spring"}, ID: "cmp_1"},
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
			"6.74409891345073", "3", "30"},
		{"7d", "Ad group", week},
		{"7d", "Ad", week, "", "", "", "89.1", "12345", "67", "0.00542729850141757", "1.32985074626866",
			"7.21749696233293"},
		{"last-month", "Campaign", month, "", "", "", "0", "5", "0", "0", "", "0"},
		{"last-month", "Ad group", month},
		{"last-month", "Ad", month},
		{"Span", "Level", "Campaign", "Ad group", "Ad", "Review", "Spend (USD)", "Impressions", "Clicks", "CTR",
			"CPC (USD)", "CPM (USD)", "Conversions", "CPA (USD)"},
		{"7d", "Campaign", "Spring", "", "", "", "89.1", "12345", "67", "0.005427", "1.329851", "7.217497", "3", "29.7"},
		{"7d", "Campaign", "Autumn", "", "", "", "0.9", "1000", "10", "0.01", "0.09", "0.9"},
		{"7d", "Ad", "Spring", "Runners", "Hero", "rejected: crawl_failed", "89.1", "12345", "67", "0.005427", "1.329851",
			"7.217497"},
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
	if d := cmp.Diff([]string{"0.9", "1000", "10", "0.01", "0.09", "0.9"}, total[6:12], cmp.Comparer(nearly)); d != "" ||
		total[12] != "" {
		t.Errorf("with Spring hidden the total is (-want +got):\n%s\nand %q conversions; want none", d, total[12])
	}
}
