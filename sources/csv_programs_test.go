package sources_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/office"
	"adsync/sources/workbook"
)

// What a spreadsheet program opens and saves again says the same, down to keys
// that look like numbers, days and formulas.
func TestCSVSurvivesLibreOffice(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	s := &resource.Snapshot{}
	for i, name := range []string{"00123", "1e6", "mar-5",
		"TRUE", "123456789012345678", "=1+1 shoes", "-5 degrees", "@home",
		"'quoted", "Größe – 20 €", "two\nlines", `a "quoted", word; here`, "1.50", "2026", "3/4", "+49 30 1234"} {
		r := &resource.Resource{
			Address: resource.Address{Kind: kinds.Campaign, Key: resource.Slug(fmt.Sprintf("0%d", i))},
			ID:      fmt.Sprintf("%03d", i),
		}
		r.Set("name", resource.Text(name))
		r.Set("bidding_type", resource.Text("clicks"))
		r.Set("budget.daily", resource.Number(12_500_000))
		r.Set("start", resource.Text("2026-12-01"))
		r.Set("targeting.countries", resource.List([]string{"CA", "NO"}))
		r.Set("conversion_goal", resource.Text("0001"))
		s.Add(r)
		g := &resource.Resource{Address: r.Address.Down(kinds.AdGroup, "1e6")}
		g.Set("name", resource.Text("007 runners"))
		g.Set("bid.max", resource.Number(1_250_001))
		g.Set("context_hints", resource.List([]string{"+1 for mud", "people, who run"}))
		s.Add(g)
	}
	files, err := workbook.WriteCSVFiles(kinds.All(), s, dollars)
	must(t, err)
	written, saved := t.TempDir(), t.TempDir()
	var names []string
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(written, name), content, 0o600))
		names = append(names, filepath.Join(written, name))
	}
	must(t, office.ConvertBy(office.CSV, office.AsCSV, saved, names...))
	got := load(t, saved)
	if a, b := snapshotText(t, s), snapshotText(t, got.Snapshot); a != b {
		content, _ := os.ReadFile(filepath.Join(saved, "campaigns.csv"))
		t.Errorf("saved by LibreOffice it says\n%s%swant\n%s\nof\n%s", b, printed(got.Problems), a, content)
	}
}
