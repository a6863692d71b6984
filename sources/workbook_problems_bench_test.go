package sources_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/testing/bench"
	"adsync/sources/marked"
)

// BenchmarkMarkedCopy is a copy of a workbook whose problems are listed, each with a link to its cell.
func BenchmarkMarkedCopy(b *testing.B) {
	name, err := bench.Trees(15_000).WriteWorkbook(b.TempDir())
	must(b, err)
	original, err := os.ReadFile(name)
	must(b, err)
	for _, n := range []int{10_000, 40_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			problems := manyProblems("q4.xlsx", "Ads", n)
			b.ReportAllocs()
			for b.Loop() {
				must(b, marked.WriteCopy(original, io.Discard, "q4.xlsx", marked.Marks{Problems: problems}))
			}
		})
	}
}

// manyProblems are problems of a sheet, four a row, whose texts need several lines.
func manyProblems(file, sheet string, n int) []diag.Problem {
	var problems []diag.Problem
	for i := range n {
		problems = append(problems, diag.Problem{
			Severity: diag.Error, Position: diag.Cell(file, sheet, i/4+2, i%4+1), Code: "ADS1004",
			Message: fmt.Sprintf("budget is %q; want an amount such as 25.00 USD", fmt.Sprint("a lot, ", i)),
			Hint:    "write the amount with two digits and the currency of the account after it",
		})
	}
	return problems
}

// TestACopyOfManyProblemsTakesItsTime: four times the problems take about four times as long, and each has its link.
func TestACopyOfManyProblemsTakesItsTime(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	original := bookOf(t, campaignsSheet, adGroupsSheet, adsSheet)
	written := func(n int) (out bytes.Buffer, took time.Duration) {
		problems := manyProblems("q4.xlsx", "Ad groups", n)
		for range 2 {
			out.Reset()
			before := processorTime(t)
			must(t, marked.WriteCopy(original, &out, "q4.xlsx", marked.Marks{Problems: problems}))
			if used := processorTime(t) - before; took == 0 || used < took {
				took = used
			}
		}
		return out, took
	}
	_, few := written(10_000)
	out, many := written(40_000)
	t.Logf("10,000 problems take %s, 40,000 take %s", few, many)
	if many > 7*few {
		t.Errorf("40,000 problems take %s, 10,000 take %s; want four times as long", many, few)
	}
	f := opened(t, out.Bytes())
	for _, row := range []int{2, 3, 25_001, 40_001} {
		want := fmt.Sprintf("'Ad groups'!%s%d", diag.ColumnName((row-2)%4+1), (row-2)/4+2)
		if _, to, err := f.GetCellHyperLink("Problems", fmt.Sprint("C", row)); err != nil || to != want {
			t.Errorf("C%d leads to %q, %v; want %q", row, to, err, want)
		}
	}
}
