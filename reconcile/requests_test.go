package reconcile_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"

	"github.com/google/go-cmp/cmp"
)

var trees = flag.Int("trees", 400, "campaigns with an ad group and an ad in the test of requests")

// many writes campaigns of one ad group with one ad.
func (w *world) many(n int) {
	for i := range n {
		key := fmt.Sprintf("c%04d", i)
		w.write("campaign/"+key, map[string]any{
			"name": "Campaign " + key, "status": "paused",
			"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"US"},
		})
		w.write("ad_group/"+key+"/g", map[string]any{
			"name": "Group of " + key, "status": "active", "bid.max": 1_250_000,
		})
		w.write("ad/"+key+"/g/a", map[string]any{
			"status": "active", "title": "Shoes for mud", "body": "Light shoes.",
			"target_url": "https://shop.example/x", "image": "https://images.shop.example/x.jpg",
		})
	}
}

// performance.md: a full create takes its jobs and their result pages, one
// preflight, and where jobs take their time at most one more question in ten;
// updates take a submission and a question a job, and no result pages.
func TestRequestsOfAFullCreateAndOfItsUpdates(t *testing.T) {
	for _, duration := range []string{"0s", "60s"} {
		w := newWorld(t, emulatortest.WithPoints(t, "bulk_duration="+duration))
		w.many(*trees)
		report, s := w.applyCounting()
		w.t.Logf("create, jobs of %s: %s", duration, s)
		operations := 3 * *trees
		jobs, pages := (*trees+332)/333, operations/999*10+(operations%999+99)/100
		if len(s.jobs) != jobs || s.checks != 1 {
			t.Errorf("%d jobs and %d that are only validated; want %d and 1: the rehearsal",
				len(s.jobs), s.checks, jobs)
		}
		asked := s.counts["GET bulk_mutation_jobs/id/operations"] - pages
		if asked < 0 || duration == "0s" && asked > 0 || asked > jobs+2 {
			t.Errorf("%d questions for results that were not whole, and %d pages; want the pages and few questions",
				asked, pages)
		}
		bulk := s.counts["POST bulk_mutation_jobs"] +
			s.counts["GET bulk_mutation_jobs/id"] + s.counts["GET bulk_mutation_jobs/id/operations"]
		if bound := jobs + pages; jobs > 10 && 100*bulk > 110*bound {
			t.Errorf("jobs of %s: %d requests; want at most 1.10 of %d", duration, bulk, bound)
		}
		for _, o := range report.Outcomes {
			if o.Outcome != "applied" {
				t.Fatalf("%s is %s %s", o.Address, o.Outcome, o.Message)
			}
		}
		if duration != "0s" {
			continue
		}
		for i := range *trees {
			key := fmt.Sprintf("c%04d", i)
			w.write("campaign/"+key, map[string]any{
				"name": "Other " + key, "status": "paused",
				"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"US"},
			})
		}
		_, s = w.applyCounting()
		w.t.Logf("update: %s", s)
		updates := (*trees + 999) / 1000
		want := map[string]int{"POST bulk_mutation_jobs": updates, "GET bulk_mutation_jobs/id": updates}
		got := maps.Clone(s.counts)
		maps.DeleteFunc(got, func(request string, _ int) bool { return !strings.Contains(request, "bulk") })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("requests of the updates' jobs (-want +got):\n%s", diff)
		}
	}
}

func (s *sent) String() string {
	var lines []string
	for _, request := range slices.Sorted(maps.Keys(s.counts)) {
		lines = append(lines, fmt.Sprintf("%d %s", s.counts[request], request))
	}
	return strings.Join(lines, ", ")
}
