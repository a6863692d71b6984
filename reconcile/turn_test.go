package reconcile_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/state"
)

// Jobs that run side by side are submitted in their order, the last of them being the
// smallest; and what waits for the limits of the service is not journalled as sent, but
// for the one whose turn it is: an interrupt has nothing more go out.
func TestJobsWaitForTheirTurnBeforeTheyAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, always(time.Minute))
		s.agent.Bulk = apply.Bulk{Most: 3, Preflight: apply.PreflightNever}
		if err := s.store.RecordCapability(t.Context(), resource.BulkJobs, true); err != nil {
			t.Fatal(err)
		}
		s.fill(account{14, 1, 1, 0})
		view, err := s.agent.Plan(t.Context(), reconcile.Desired{Snapshot: s.desired, Policy: plan.DefaultPolicy()})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := s.agent.Apply(t.Context(), view)
			ended <- err
		}()
		time.Sleep(5 * time.Second) // eight are submitted in ten
		synctest.Wait()
		steps, err := s.store.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(steps, func(a, b state.Step) int { return a.SentAt.Compare(b.SentAt) })
		accepted := 0
		for i, step := range steps {
			if step.Point == state.Accepted {
				accepted++
			}
			if key := step.Operations[0].Address.Key; key != fmt.Sprintf("c%04d", i) {
				t.Errorf("job %d that was sent creates %s; want them in their order", i+1, key)
			}
		}
		if sent := s.counter.Of("POST bulk_mutation_jobs"); accepted != sent || len(steps) != sent+1 {
			t.Errorf("%d jobs were submitted, the journal has %d, %d of them accepted; want one more, whose turn it is",
				sent, len(steps), accepted)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	})
}
