package reconcile

import (
	"context"
	"errors"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
)

// lowerAlone sends pauses, archives and decreases as single requests where the jobs
// that ask got no usable answer and the account is read all the same: what is not
// lowered costs money. Nothing else is sent, and nothing of the account is remembered.
func (r *waveRunner) lowerAlone(ctx context.Context) error {
	r.caps[resource.BulkJobs] = false
	parts := slices.DeleteFunc(r.updates(plan.Lower), func(p part) bool {
		// what is replaced stays until the next can be made
		return isNew(p.change) || len(beyondSingle(r.Schemas, p)) > 0
	})
	if len(parts) == 0 {
		return nil
	}
	if err := r.checkAccount(ctx); errors.Is(err, adsapi.ErrUnavailable) {
		return nil // the service as a whole, as its caller knows
	} else if err != nil {
		return err
	}
	if err := r.recordCredit(ctx); err != nil {
		return err
	}
	r.notice("jobs get no usable answer: what this lowers goes by single requests, and the rest waits")
	r.countParts()
	r.events.emit(Event{Kind: RunCounted, Operations: len(parts)})
	r.events.enter("lower")
	if err := r.updateWave(ctx, "lower", parts); err != nil {
		return inWave("in", "lower", err)
	}
	r.events.enter("read back")
	if err := r.readBack(ctx); err != nil {
		return inWave("in", "read back", err)
	}
	return r.closeSteps(ctx)
}
