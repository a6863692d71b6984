package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// crowded is an account of n campaigns, n ad groups and n ads, all active, made
// through bulk jobs at firstDay.
func crowded(t testing.TB, n int, options ...func(*emulator.Options)) *running {
	t.Helper()
	options = append(options, func(o *emulator.Options) { o.Now = func() time.Time { return firstDay } })
	w := &running{Service: emulatortest.Start(t, options...)}
	var operations []object
	submit := func() {
		job := w.Must(t, "POST", "/bulk_mutation_jobs", object{"operations": operations}).ID(t)
		if end := w.JobEnd(t, job); end["status"] != "completed" {
			t.Fatalf("job ended %v", end)
		}
		operations = nil
	}
	for i := range n {
		c, g := fmt.Sprint("c", i), fmt.Sprint("g", i)
		operations = append(operations,
			object{
				"operation_id": c, "idempotency_key": c, "type": "campaign.create", "input": object{
					"name": "Campaign " + c, "max_budget_micros": 900_000_000,
					"billing_event_type": "click", "status": "active",
				},
			},
			object{
				"operation_id": g, "idempotency_key": g, "type": "ad_group.create", "input": object{
					"campaign_idempotency_key": c,
					"name":                     "Group " + g, "max_bid_micros": 1_000_000, "status": "active",
				},
			},
			object{"operation_id": "d" + c, "idempotency_key": "d" + c, "type": "ad.create", "input": object{
				"campaign_idempotency_key": c, "ad_group_idempotency_key": g,
				"title": "Shoes for mud", "body": "Light.", "status": "active",
				"target_url": "https://shop.example.com/p", "source_image_url": "https://images.example.com/p.png"}})
		if len(operations) == 999 || i == n-1 {
			submit()
		}
	}
	return w
}

// BenchmarkThirtyDays asks an account of 15,000 resources for its last 30 days.
func BenchmarkThirtyDays(b *testing.B) {
	w := crowded(b, 5000)
	w.Advance(b, 30*86_400)
	begin := time.Now()
	w.insights(b, "/ad_account/insights")
	b.Logf("30 days of 5,000 ads worked out and answered in %v", time.Since(begin))
	for _, level := range []string{"ad_account", "campaign", "ad"} {
		b.Run(level, func(b *testing.B) {
			for b.Loop() {
				w.insights(b, "/ad_account/insights", "aggregation_level", level, "limit", "2000")
			}
		})
	}
	b.Run("ad by country", func(b *testing.B) {
		for b.Loop() {
			w.insights(b, "/ad_account/insights", "aggregation_level", "ad", "segments[]", "country", "limit", "2000")
		}
	})
}

// BenchmarkFifteenThousand makes 15,000 resources through bulk jobs on a durable
// store and reads all of them in pages of 500.
func BenchmarkFifteenThousand(b *testing.B) {
	const n = 5000
	for b.Loop() {
		begin := time.Now()
		w := crowded(b, n, func(o *emulator.Options) { o.Dir = b.TempDir() })
		b.ReportMetric(time.Since(begin).Seconds(), "s/creates")
		begin = time.Now()
		pages := 0
		for _, path := range []string{"/campaigns", "/ad_groups", "/ads"} {
			rows, after := 0, ""
			for more := true; more; pages++ {
				page := w.Must(b, "GET", path+"?limit=500"+after, nil).Map(b)
				rows += len(page["data"].([]any))
				after, more = fmt.Sprint("&after=", page["last_id"]), page["has_more"] == true
			}
			if rows != n {
				b.Fatalf("%s lists %d resources, want %d", path, rows, n)
			}
		}
		b.ReportMetric(float64(time.Since(begin).Milliseconds())/float64(pages), "ms/page")
	}
}
