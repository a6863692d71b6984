package reconcile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"adsync/plan"
	"adsync/reconcile/apply"

	"github.com/google/go-cmp/cmp"
)

// What plan --requests says is what the service then gets: every request that
// changes something, every job with as many operations and bytes, and no fewer
// reads than were named.
func TestForecastIsWhatIsSent(t *testing.T) {
	for _, row := range []struct {
		name  string
		write func(*world)
	}{
		{"new trees", func(w *world) { w.tree("spring", "active"); w.tree("autumn", "paused") }},
		{"a tree larger than a job", func(w *world) { w.bulk.Most = 8; w.wide("spring", 6) }},
		{"parents that are not repeated", func(w *world) {
			w.bulk.Most, w.bulk.NeverRepeat = 8, true
			w.wide("spring", 4)
		}},
		{"follow-ups, uploads, updates, a pause, a raise", func(w *world) { w.before(); w.clean(); w.after() }},
		{"limits and people", func(w *world) { w.limitsAndPeople(300_000_000, 50) }},
		{"limits and people that change", func(w *world) {
			w.limitsAndPeople(300_000_000, 50)
			w.clean()
			w.limitsAndPeople(200_000_000, 45)
		}},
		{"an account without bulk jobs", func(w *world) {
			_ = w.store.RecordCapability(w.t.Context(), "bulk_jobs", false)
			w.tree("spring", "active")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			row.write(w)
			w.permit()
			w.agent = w.newAgent()
			before := len(w.mutations())
			said, err := w.agent.Requests(t.Context(), w.plan())
			if err != nil {
				t.Fatal(err)
			}
			if made := len(w.mutations()) - before; made != 0 {
				t.Fatalf("%d changes were made; want none", made)
			}
			report, s := w.applyCounting()
			w.allApplied(report)
			want, operations, weight := map[string]int{}, map[int]int{}, 0
			for _, q := range said.Requests {
				key := q.Method + " " + strings.TrimPrefix(strings.ReplaceAll(q.Path, "{id}", "id"), "/")
				want[key] += q.Count
				if q.Wave != "check" {
					if len(q.Operations) > 0 {
						weight += q.Bytes
					}
					for _, n := range q.Operations {
						operations[n]++
					}
				}
			}
			got := maps.Clone(s.counts)
			for request, n := range want {
				if strings.HasPrefix(request, "GET") && got[request] < n && !strings.Contains(request, "operations") {
					t.Logf("%d × %s; forecast %d", got[request], request, n)
				}
			}
			reads := func(request string, _ int) bool { return strings.HasPrefix(request, "GET") }
			maps.DeleteFunc(want, reads)
			maps.DeleteFunc(got, reads)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("requests (-forecast +sent):\n%s", diff)
			}
			for _, body := range s.jobs {
				operations[strings.Count(body, `"operation_id"`)]--
				weight -= len(foretold(report).Replace(body))
			}
			for n, count := range operations {
				if count != 0 {
					t.Errorf("jobs of %d operations: forecast %+d more than were sent", n, count)
				}
			}
			if weight != 0 {
				t.Errorf("the jobs have %d bytes more in the forecast than were sent", weight)
			}
			if said.Jobs != len(s.jobs) {
				t.Errorf("%d jobs are forecast; %d were sent", said.Jobs, len(s.jobs))
			}
			t.Log(shown(said))
		})
	}
}

// foretold puts what the forecast writes for an id that is not there yet in the
// place of the id the service gave.
func foretold(report *apply.Report) *strings.Replacer {
	var pairs []string
	for _, o := range report.Outcomes {
		if o.Action == plan.Create {
			pairs = append(pairs, o.ID, "id-of-"+string(o.Address.Kind)+"-"+strings.ReplaceAll(o.Address.Key, "/", "-"))
		}
	}
	return strings.NewReplacer(pairs...)
}

func shown(all *plan.Requests) string {
	var lines []string
	for _, q := range all.Requests {
		lines = append(lines, fmt.Sprintf("%-10s %3d %-4s %-40s %v %d %s",
			q.Wave, q.Count, q.Method, q.Path, q.Operations, q.Bytes, q.Why))
	}
	return strings.Join(slices.Concat([]string{""},
		lines, []string{fmt.Sprintf("%d requests, %d jobs, %d s", all.Total, all.Jobs, all.Seconds)}), "\n")
}
