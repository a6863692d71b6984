package reconcile_test

import (
	"testing"
	"time"

	"adsync/internal/resource"
)

// What an account can do is asked again after a day; whether parents can be
// repeated never, as asking costs a second parent.
func TestCapabilitiesAreAskedAgainAfterADay(t *testing.T) {
	w := newWorld(t)
	for capability, there := range map[resource.Capability]bool{resource.BulkJobs: false, resource.RepeatParent: false} {
		if err := w.store.RecordCapability(t.Context(), capability, there); err != nil {
			t.Fatal(err)
		}
	}
	w.tree("spring", "paused")
	report, s := w.applyCounting()
	w.allApplied(report)
	if n := len(s.jobs) + s.checks; n != 0 {
		t.Errorf("%d jobs on the same day; want none: the account has no bulk jobs", n)
	}
	if err := w.sleep(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.tree("autumn", "paused")
	report, s = w.applyCounting()
	w.allApplied(report)
	if len(s.jobs) == 0 || s.checks == 0 {
		t.Errorf("%d jobs and %d that only ask a day later; want the account asked, and its jobs used", len(s.jobs), s.checks)
	}
	known, err := w.store.Capabilities(t.Context())
	if reused, asked := known[resource.RepeatParent]; err != nil || reused || !asked || !known[resource.BulkJobs] {
		t.Errorf("remembered %v, %v; want bulk jobs, and no repeated parents", known, err)
	}
}
