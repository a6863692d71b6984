package figures_test

import (
	"fmt"
	"testing"
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/testing/figurestest"
)

// BenchmarkTable adds up four weeks of an account, as the page of its ads does. It grows no more than the ads do.
func BenchmarkTable(b *testing.B) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, ads := range []int{1_500, 15_000} {
		var names []string
		for i := range ads {
			names = append(names, fmt.Sprintf("Campaign %05d", i))
		}
		kept := figurestest.Kept(b, now, names, func(campaign, daysAgo int) map[string]string {
			return map[string]string{"spend": fmt.Sprintf("%d.%02d", campaign%90, daysAgo), "impressions": "1234",
				"clicks": fmt.Sprint(campaign % 7), "conversions": "1"}
		})
		b.Run(fmt.Sprint(ads), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := kept.Table("ad", insights.Span{From: "2026-10-26", To: "2026-11-22"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSpent adds up four weeks of 300 campaigns whose budgets began then, in an account of 15,000 ads, as the page
// does to pace them when it did so before.
func BenchmarkSpent(b *testing.B) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var names []string
	for i := range 15_000 {
		names = append(names, fmt.Sprintf("Campaign %05d", i))
	}
	kept := figurestest.Kept(b, now, names, func(campaign, daysAgo int) map[string]string {
		return map[string]string{"spend": fmt.Sprintf("%d.%02d", campaign%90, daysAgo), "impressions": "1234",
			"clicks": fmt.Sprint(campaign % 7), "conversions": "1"}
	})
	since := map[string]time.Time{}
	for i := range 300 {
		since[fmt.Sprintf("campaign_%d", i)] = now.AddDate(0, 0, -27)
	}
	kept.Earlier = &figures.Earlier{}
	if _, _, err := kept.Spent("campaign", since, now); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if spent, _, err := kept.Spent("campaign", since, now); err != nil || len(spent) != 300 {
			b.Fatal(len(spent), err)
		}
	}
}
