package sources_test

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/table"
	"adsync/sources/workbook"
)

// accountCSV is 15,000 rows of every kind of the tree.
func accountCSV(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, workbook.WriteCSV(&b, kinds.All(), benchmarkSnapshot(5_000), dollars))
	return b.Bytes()
}

func BenchmarkReadCSV(b *testing.B) {
	content := accountCSV(b)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		got := table.ReadCSV(context.Background(), "all.csv", content, workbookInput())
		if got.Rows.Used != 15_000 || len(got.Problems) > 0 {
			b.Fatalf("rows = %+v, %v; want 15,000 used and no problem", got.Rows, got.Problems)
		}
	}
}

// BenchmarkBareCSV is the floor: the same bytes as records, and nothing else.
func BenchmarkBareCSV(b *testing.B) {
	content := accountCSV(b)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		records, err := stdcsv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil || len(records) != 15_001 {
			b.Fatalf("%d records, %v", len(records), err)
		}
	}
}

// Allocations have no noise: a row takes few, whatever the length of the file.
func TestAllocationsARowOfACSV(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	withoutRaceDetector(t)
	content := accountCSV(t)
	rows := testing.AllocsPerRun(1, func() {
		table.ReadCSV(context.Background(), "all.csv", content, workbookInput())
	}) / 15_000
	if rows > 20 {
		t.Errorf("reading takes %.1f allocations a row, want at most 20", rows)
	}
}
