package reconcile

import (
	"context"
	"errors"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// jobRefused splits a job the service surely did not take until what it refuses
// stands alone. Creates that were refused are others when they go again.
func (r *run) jobRefused(ctx context.Context, step state.Step, b batch, refusal error) ([]settled, error) {
	first, second := halves(r, b)
	last := stops(refusal) || errors.Is(refusal, adsapi.ErrNotFound) || second == nil
	if last {
		if err := r.advanceCreates(ctx, step.Operations); err != nil {
			return nil, err
		}
	}
	if err := r.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: refusal.Error()}); err != nil {
		return nil, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if errors.Is(refusal, adsapi.ErrNotFound) {
		return failAll(b, refusal), r.withoutBulk(ctx, refusal)
	}
	if last {
		return failAll(b, refusal), stopping(refusal)
	}
	var outcomes []settled
	for _, half := range []batch{first, second} {
		halfStep, err := r.splitStep(ctx, step, half)
		if err != nil {
			return outcomes, err
		}
		part, err := r.runJob(ctx, halfStep, half)
		outcomes = append(outcomes, part...)
		if err != nil {
			return outcomes, err
		}
	}
	return outcomes, nil
}

// withoutBulk remembers that the account has no bulk jobs any more: the next
// apply takes single requests.
func (r *run) withoutBulk(ctx context.Context, refusal error) error {
	if err := r.Store.RecordCapability(ctx, resource.BulkJobs, false); err != nil {
		return err
	}
	return fmt.Errorf("bulk jobs are not there any more; the next apply takes single requests: %w", refusal)
}

// advanceCreates gives creates that surely did not happen another life: the key
// they were sent under is never used for other bytes.
func (a *Agent) advanceCreates(ctx context.Context, operations []state.Operation) error {
	var creates []resource.Address
	for _, o := range operations {
		if o.ResourceID == "" {
			creates = append(creates, o.Address)
		}
	}
	if err := a.Store.Advance(ctx, creates); err != nil {
		return fmt.Errorf("journal the refused creates: %w", err)
	}
	return nil
}

// stops says that an error concerns every request, not this one.
func stops(err error) bool {
	return errors.Is(err, adsapi.ErrReadOnly) || errors.Is(err, adsapi.ErrUnauthorized) || errors.Is(err, adsapi.ErrUnavailable) || errors.Is(err, context.Canceled)
}

// refusesContent says that an answer is about what was sent, so that the same
// would be refused again: not about the key, the account, or the moment.
func refusesContent(err error) bool {
	var refused *adsapi.Error
	return errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 413 || refused.Status == 422)
}

// stopping gives an error that concerns every request, nil for others.
func stopping(err error) error {
	if stops(err) {
		return err
	}
	return nil
}

func (r *run) splitStep(ctx context.Context, step state.Step, b batch) (state.Step, error) {
	body, err := b.body(false)
	if err != nil {
		return state.Step{}, fmt.Errorf("encode a job: %w", err)
	}
	key, err := r.jobKey(ctx, "job")
	if err != nil {
		return state.Step{}, err
	}
	byAddress := make(map[resource.Address]state.Operation, len(step.Operations))
	for _, o := range step.Operations {
		byAddress[o.Address] = o
	}
	step.ID, step.Key, step.Body, step.Operations = step.ID+"/"+b[0].id, key, body, nil
	for _, p := range b {
		step.Operations = append(step.Operations, byAddress[p.part.change.Address])
	}
	return step, nil
}

// halves cuts a batch in two without parting a tree from its root; a single
// tree loses its later half only as far as no child loses its parent.
func halves(r *run, b batch) (first, second batch) {
	if len(b) < 2 {
		return b, nil
	}
	middle := len(b) / 2
	for cut := middle; cut < len(b); cut++ {
		if c := b[cut].part; !c.create || r.isRoot(c.change) {
			return b[:cut:cut], b[cut:]
		}
	}
	for cut := middle; cut > 0; cut-- {
		if c := b[cut].part; !c.create || r.isRoot(c.change) {
			return b[:cut:cut], b[cut:]
		}
	}
	return b, nil
}

func failAll(b batch, err error) []settled {
	outcomes := make([]settled, len(b))
	for i, p := range b {
		outcomes[i] = neverApplied(settled{Address: p.part.change.Address}, err)
	}
	return outcomes
}

// neverApplied is the outcome of what surely did not happen: refused, or not
// sent because somebody interrupted.
func neverApplied(o settled, failure error) settled {
	o.Outcome, o.Code, o.Message = state.OutcomeFailed, string(diag.ServiceRefused), failure.Error()
	o.Final = refusesContent(failure)
	if errors.Is(failure, context.Canceled) {
		o.Outcome, o.Code, o.Message = state.OutcomeSkipped, string(diag.OperationSkipped), "interrupted before it was sent"
	}
	return o
}
