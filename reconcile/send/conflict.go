package send

import (
	"context"
	"errors"
	"fmt"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// How often a request that conflicts with another under its key goes again, and
// after what wait at first: the other may be this very one, still in progress.
const (
	conflictTries     = 5
	firstConflictWait = time.Second
)

// Requests sends one request, and repeats it where it met a conflict.
type Requests struct {
	*env.Env
}

// RetryConflicts repeats a request, byte for byte, while the service says that it
// conflicts with another: under the same key, or beside one that only asks.
func (a *Requests) RetryConflicts(ctx context.Context, request func() error) error {
	err := request()
	for try, wait := 1, firstConflictWait; errors.Is(err, adsapi.ErrConflict) &&
		try < conflictTries; try, wait = try+1, 2*wait {
		if failure := a.Sleep(ctx, wait); failure != nil {
			return err
		}
		err = request()
	}
	return err
}

// Submit sends a job.
func (a *Requests) Submit(ctx context.Context, step state.Step) (job adsapi.Job, err error) {
	err = a.RetryConflicts(ctx, func() (err error) {
		job, err = a.Service.SubmitJob(ctx, step.Key, step.Body)
		return err
	})
	return job, err
}

// Mutate sends a single request.
func (a *Requests) Mutate(ctx context.Context, step state.Step) (record adsapi.Record, err error) {
	once := func() (err error) {
		record, err = a.Service.Mutate(ctx, a.mutation(step))
		return err
	}
	if step.Key == "" { // it conflicts with what is there
		err = once()
		return record, err
	}
	if err = a.RetryConflicts(ctx, once); err == nil {
		err = a.foundElsewhere(ctx, step, record)
	}
	return record, err
}

// contradicted ends the run: bytes never change under a key, so another body
// under the same one is a fault of adsync or a copied state (faults.md, B12).
// What became of the step is for recovery to find out.
func (a *Requests) contradicted(ctx context.Context, step state.Step, conflict error) (Sending, error) {
	left := Sending{Outcomes: UnknownAll(step, conflict)}
	for i, o := range step.Operations {
		if wire.Keyed(o) {
			left.Outcomes[i].Code = string(diag.CreateConflict)
		}
	}
	if err := a.Store.Move(context.WithoutCancel(ctx),
		step.ID, state.Unknown, state.Update{Note: conflict.Error(), Outcomes: left.Outcomes}); err != nil {
		return left, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return left, fmt.Errorf("the service holds another request under the key of %s; nothing "+
		"more was sent, and nothing is until that is resolved (%s): %w", step.ID, diag.KeyConflict, conflict)
}

// noteConflicts journals the creates of a job that met a conflict, so that
// whatever ends this run, no name alone decides them.
func (a *Requests) noteConflicts(ctx context.Context, step state.Step, outcomes []state.OperationOutcome) error {
	var conflicts []state.OperationOutcome
	for _, o := range outcomes {
		if InConflict(o.Code) {
			conflicts = append(conflicts, o)
		}
	}
	if len(conflicts) == 0 {
		return nil
	}
	if err := a.Store.Move(ctx, step.ID, state.Unknown, state.Update{Outcomes: conflicts}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}
