package sources_test

import (
	"fmt"
	"os"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/testing/bench"
	"adsync/sources/config"
	"adsync/sources/diff"

	"github.com/xuri/excelize/v2"
)

// BenchmarkMergeOfABigWorkbook is one press of Merge: 15,000 resources, of which each side has changed 8,000 cells,
// half of them both.
func BenchmarkMergeOfABigWorkbook(b *testing.B) {
	name, err := bench.Trees(15_000).WriteWorkbook(b.TempDir())
	must(b, err)
	base, err := os.ReadFile(name)
	must(b, err)
	edits := func(who string, from, to int) []byte {
		f, err := excelize.OpenFile(name)
		must(b, err)
		defer f.Close()
		for row := from; row < to; row++ {
			must(b, f.SetCellStr("Ads", fmt.Sprint("D", row), fmt.Sprint(who, " ", row)))
		}
		buffer, err := f.WriteToBuffer()
		must(b, err)
		return buffer.Bytes()
	}
	ours, theirs := edits("ours", 2, 8_002), edits("theirs", 4_002, 12_002)
	b.ReportAllocs()
	for b.Loop() {
		sides := diff.Sides{File: "q4.xlsx", Take: func(diff.Conflict) bool { return true }}
		m, err := diff.MergeSides(b.Context(), config.Project{}, base, ours, theirs, kinds.All(), sides)
		if err != nil || len(m.Took) != 8_000 {
			b.Fatalf("took %d, %v", len(m.Took), err)
		}
	}
}
