package compare_test

import (
	"fmt"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan/compare"
)

// A shuffled column, a replacement and new names to compare, in 15,000
// resources: what looking for suspicious edits costs where there are some.
func BenchmarkDiffAccidents(b *testing.B) {
	last, desired := account(5000, true), account(5000, false)
	n := 0
	for r := range desired.All() {
		n++
		for i := range r.Attributes {
			v := &r.Attributes[i].Value
			*v = v.At(diag.Cell("a.xlsx", string(r.Address.Kind), n, i+1))
		}
		if r.Value("title").IsSet() {
			r.Set("title", resource.Text(fmt.Sprintf("Boots %d", n)).At(r.Value("title").Position))
			r.Set("target_url", resource.Text(fmt.Sprintf("https://a.example/%d",
				n*7919%30011)).At(r.Value("target_url").Position))
			last.Get(r.Address).Set("target_url", resource.Text(fmt.Sprintf("https://a.example/%d", (n+3)*7919%30011)))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		compare.Diff(input(last, desired, last))
	}
}
