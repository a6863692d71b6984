package sentence

import (
	"testing"

	"adsync/plan"
)

// A plan of many changes says each of them.
func BenchmarkOf(b *testing.B) {
	all := []plan.ChangeDocument{
		changes("campaign/spring", field("budget.daily", usd(80), usd(200))),
		changes("ad/spring/r/hero", field("title", text("Run further"), text("Run faster")),
			field("status", text("active"), text("paused"))),
		act(plan.Create, changes("campaign/x", field("budget.daily", usd(0), usd(50)))),
		act(plan.Archive, changes("ad_group/spring/r")),
	}
	tells := teller(all...)
	b.ReportAllocs()
	for b.Loop() {
		for i := range all {
			tells.Of(&all[i])
		}
	}
}
