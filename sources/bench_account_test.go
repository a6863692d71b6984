package sources_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// hintedAccount is campaigns, each with an ad group, an ad and hints sentences
// that stand on rows of their own.
func hintedAccount(campaigns, hints int) *resource.Snapshot {
	s := &resource.Snapshot{}
	for i := range campaigns {
		campaign := resource.Address{Kind: kinds.Campaign, Key: fmt.Sprintf("campaign-%d", i)}
		c := &resource.Resource{Address: campaign}
		c.Set("name", resource.Text(fmt.Sprintf("Campaign %d", i)))
		c.Set("status", resource.Text("paused"))
		c.Set("bidding_type", resource.Text("clicks"))
		c.Set("budget.lifetime", resource.Number(1_500_000_000))
		c.Set("targeting.countries", resource.List([]string{"CA", "US"}))
		g := &resource.Resource{Address: campaign.Down(kinds.AdGroup, "runners")}
		g.Set("name", resource.Text(fmt.Sprintf("Runners %d", i)))
		g.Set("status", resource.Text("active"))
		g.Set("bid.max", resource.Number(1_250_000))
		sentences := make([]string, hints)
		for j := range sentences {
			sentences[j] = fmt.Sprintf("people of town %d who compare shoes for muddy trails, number %d", i, j)
		}
		g.Set("context_hints", resource.List(sentences))
		a := &resource.Resource{Address: g.Address.Down(kinds.Ad, "hero")}
		a.Set("title", resource.Text("Shoes for muddy trails"))
		a.Set("body", resource.Text("Light, grippy trail shoes. Free returns."))
		a.Set("target_url", resource.Text(fmt.Sprintf("https://shop.example/trail/%d", i)))
		a.Set("image", resource.Text("https://cdn.example/images/hero.png"))
		a.Set("status", resource.Text("active"))
		for _, r := range []*resource.Resource{c, g, a} {
			s.Add(r)
		}
	}
	return s
}

// hintedBook is the workbook of an account in a folder of its own. It is
// written by the library, so that the sheet of hints has a row a hint.
func hintedBook(t testing.TB, campaigns, hints int) (config.Project, []byte) {
	t.Helper()
	var b bytes.Buffer
	must(t, workbook.WriteWorkbook(&b, kinds.All(), hintedAccount(campaigns, 0), dollars))
	f := opened(t, b.Bytes())
	const sheet = "Context hints"
	must(t, f.DeleteSheet(sheet))
	_, err := f.NewSheet(sheet)
	must(t, err)
	stream, err := f.NewStreamWriter(sheet)
	must(t, err)
	must(t, stream.SetRow("A1", []any{"Campaign", "Ad group", "Hint", "Use"}))
	for i := range campaigns {
		for j := range hints {
			must(t, stream.SetRow(fmt.Sprintf("A%d", 2+i*hints+j), []any{
				fmt.Sprintf("Campaign %d", i), fmt.Sprintf("Runners %d", i),
				fmt.Sprintf("people of town %d who compare shoes for muddy trails, number %d", i, j), "show for",
			}))
		}
	}
	must(t, stream.Flush())
	b.Reset()
	must(t, f.Write(&b))
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "account.xlsx"), b.Bytes(), 0o600))
	p, _ := config.ReadProject(dir)
	return p, b.Bytes()
}

// allRows reads every cell of a workbook with the library alone.
func allRows(t testing.TB, content []byte) {
	f, err := excelize.OpenReader(bytes.NewReader(content))
	must(t, err)
	for _, sheet := range f.GetSheetList() {
		rows, err := f.Rows(sheet)
		must(t, err)
		for rows.Next() {
			_, err := rows.Columns()
			must(t, err)
		}
	}
	must(t, f.Close())
}

// spent is the processor time of this process so far, all of its threads: other
// work on the machine does not change it.
func spent(t testing.TB) time.Duration {
	var usage syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkHintedWorkbook is 15,000 rows and 60,000 hints, from the folder to
// the checked snapshot with positions, and what the library alone needs to read
// the cells. ÷library is the ratio of their processor times (goal: at most 1.5).
func BenchmarkHintedWorkbook(b *testing.B) {
	p, content := hintedBook(b, 5_000, 12)
	b.ReportAllocs()
	var ours, library time.Duration
	for b.Loop() {
		start := spent(b)
		d := sources.Load(context.Background(), p, kinds.All())
		ours += spent(b) - start
		if d.Snapshot.Len() != 15_000 || len(d.Problems) > 0 {
			b.Fatalf("Load = %d resources, %s; want 15,000 and no problem", d.Snapshot.Len(), printed(d.Problems))
		}
		b.StopTimer()
		start = spent(b)
		allRows(b, content)
		library += spent(b) - start
		b.StartTimer()
	}
	b.ReportMetric(float64(ours)/float64(library), "÷library")
}

// BenchmarkYAMLAgainstNodes is 15,000 resources in one file, and in as many as
// keep both workers busy, against the same bytes as nodes (goal: at most 1.5):
// ÷nodes by the clock, cpu÷nodes in processor time. Two threads that share a
// core take more of it than one.
func BenchmarkYAMLAgainstNodes(b *testing.B) {
	for name, perFile := range map[string]int{"one file": 5_000, "50 files": 100} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			contents := writeAccount(b, dir, 5_000, perFile)
			p, _ := config.ReadProject(dir)
			must(b, p.Bound("yaml=8MiB"))
			b.ReportAllocs()
			var ours, nodes stretch
			for b.Loop() {
				ours.add(b, func() {
					d := sources.Load(context.Background(), p, kinds.All())
					if d.Snapshot.Len() != 15_000 {
						b.Fatalf("Load = %d resources, %s; want 15,000", d.Snapshot.Len(), printed(d.Problems))
					}
				})
				b.StopTimer()
				nodes.add(b, func() {
					for _, content := range contents {
						decodeAll(b, content)
					}
				})
				b.StartTimer()
			}
			b.ReportMetric(float64(ours.clock)/float64(nodes.clock), "÷nodes")
			b.ReportMetric(float64(ours.processor)/float64(nodes.processor), "cpu÷nodes")
		})
	}
}

// stretch is the time something took, by the clock and of the processor.
type stretch struct{ clock, processor time.Duration }

func (s *stretch) add(t testing.TB, do func()) {
	clock, processor := time.Now(), spent(t)
	do()
	s.processor += spent(t) - processor
	s.clock += time.Since(clock)
}

// Allocations grow with the account and no faster, workbooks too.
func TestAllocationsAResourceFromAWorkbook(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	withoutRaceDetector(t)
	perResource := func(campaigns int) float64 {
		p, _ := hintedBook(t, campaigns, 4)
		schemas := kinds.All()
		return testing.AllocsPerRun(1, func() { sources.Load(context.Background(), p, schemas) }) / float64(3*campaigns)
	}
	small, large := perResource(200), perResource(2_000)
	if large > 150 || large > small*1.1 {
		t.Errorf("Load takes %.0f allocations a resource "+
			"for 600 resources and %.0f for 6,000, want at most 150 and no growth", small, large)
	}
	t.Logf("%.0f and %.0f allocations a resource", small, large)
}
