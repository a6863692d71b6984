package sources_test

import (
	"bytes"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources/workbook"
)

// What only the service says is beside the rows and never read as one of them,
// under whatever windows.
func TestFiguresAreNotRead(t *testing.T) {
	want := shopSnapshot(t)
	for _, name := range []string{"7d", "30d", "yesterday", "1d", "365d", "2026-11-01..2026-11-15"} {
		figures := shopFigures()
		figures.Windows = []resource.WindowFigures{{Window: resource.Window{Name: name,
			Since: "2026-11-01", Until: "2026-11-15"}, ByID: map[string]resource.Measured{
			"cmp_1": {"1", "1", "1", "1", "1", "1"},
			"adg_1": {"1", "1", "1", "1", "1", "1"}, "ad_hero": {"1", "1", "1", "1", "1", "1"},
		}}}
		var b bytes.Buffer
		must(t, workbook.WriteExport(&b, kinds.All(), want, workbook.Export{Account: dollars, Figures: figures}))
		got := loadWorkbook(t, b.Bytes())
		wantProblems(t, got.Problems)
		if a, b := snapshotText(t, want), snapshotText(t, got.Snapshot); a != b {
			t.Errorf("with figures of %s the workbook reads as\n%swant\n%s", name, b, a)
		}
	}
}

// Conversions are shown where there are any.
func TestFiguresAreNumbersWithTheirDigits(t *testing.T) {
	figures := shopFigures()
	figures.Windows = figures.Windows[:1]
	figures.Windows[0].ByID["cmp_1"] = resource.Measured{"12345",
		"67", "12345678901234.567891", "0.005427", "1.329851", "7.217",
		"3", "29.7"}
	var b bytes.Buffer
	must(t, workbook.WriteExport(&b, kinds.All(), shopSnapshot(t), workbook.Export{Account: dollars, Figures: figures}))
	f := opened(t, b.Bytes())
	rows, err := f.GetRows("Campaigns")
	must(t, err)
	if got, want := strings.Join(rows[0][19:], " | "),
		"Impressions 7d | Clicks 7d | Spend 7d (USD) | CTR 7d | CPC 7d (USD) | "+
			"CPM 7d (USD) | Conversions 7d | CPA 7d (USD)"; got != want {
		t.Errorf("headers are %s, want %s", got, want)
	}
	if got, want := strings.Join(rows[1][19:], " | "),
		"12,345 | 67 | 12345678901234.567891 | 0.54% | $1.33 | $7.22 | 3 | $29.70"; got != want {
		t.Errorf("figures are %s, want %s", got, want)
	}
}
