package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/emulatortest"
)

func TestBulkSmoke(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Dir = t.TempDir() })
	start := time.Now()
	var ids []string
	for j := range 15 {
		var ops []map[string]any
		ops = append(ops, map[string]any{"operation_id": "c", "type": "campaign.create", "idempotency_key": fmt.Sprint("c", j), "input": map[string]any{"name": fmt.Sprint("Camp ", j), "max_budget_micros": 5000000, "billing_event_type": "click"}})
		for i := range 333 {
			g := fmt.Sprintf("g%d-%d", j, i)
			ops = append(ops, map[string]any{"operation_id": g, "type": "ad_group.create", "idempotency_key": g, "input": map[string]any{"campaign_idempotency_key": fmt.Sprint("c", j), "name": g + "xx", "max_bid_micros": 1000000, "context_hints": []string{"people who run", "people who walk"}}})
			a := fmt.Sprintf("a%d-%d", j, i)
			ops = append(ops, map[string]any{"operation_id": a, "type": "ad.create", "idempotency_key": a, "input": map[string]any{"campaign_idempotency_key": fmt.Sprint("c", j), "ad_group_idempotency_key": g, "title": "Title", "body": "b", "target_url": "https://x.example/", "source_image_url": "https://x.example/i.png"}})
			b := fmt.Sprintf("b%d-%d", j, i)
			_ = b
		}
		ids = append(ids, s.Must(t, "POST", "/bulk_mutation_jobs", map[string]any{"operations": ops}).ID(t))
	}
	for _, id := range ids {
		job := s.JobEnd(t, id)
		if job["status"] != "completed" {
			t.Fatal(job, string(s.Must(t, "GET", "/bulk_mutation_jobs/"+id+"/operations?limit=2", nil).Body))
		}
	}
	t.Log(time.Since(start))
	start = time.Now()
	r := s.Must(t, "GET", "/ads?limit=500", nil)
	t.Log(time.Since(start), len(r.Body))
	t.Log(string(s.Must(t, "GET", "/bulk_mutation_jobs/"+ids[0]+"/operations?limit=2", nil).Body))
}
