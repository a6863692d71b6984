package reconcile

import (
	"context"
	"errors"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/reconcile/env"
	"adsync/state"
)

// sending is what one submission of a job came to.
type sending struct {
	outcomes []state.OperationOutcome
	again    retrySet // what of it may go again
	refusal  error    // the service surely did not take the job
}

// sender submits a job whose intent is in the journal, and follows it to its end.
type sender struct {
	*env.Env
	*requests
	*follower
	*finisher
}

// sendJob runs a job once.
func (a *sender) sendJob(ctx context.Context, step state.Step, own turn) (sending, error) {
	if err := a.Store.Begin(ctx, step); err != nil {
		return sending{}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	sent, err := a.submitAndFollow(ctx, step, own)
	if err != nil || sent.outcomes == nil {
		return sent, err
	}
	if anyUnknown(sent.outcomes) { // it stays open until every result is known
		return sent, a.noteConflicts(ctx, step, sent.outcomes)
	}
	return sent, a.finish(ctx, step, sent.outcomes)
}

// submitAndFollow submits a job, follows it to its end and reads its results.
func (a *sender) submitAndFollow(ctx context.Context, step state.Step, own turn) (sending, error) {
	ctx, done, err := a.BeginRequest(ctx, step)
	if err != nil {
		return sending{}, err
	}
	defer done()
	job, err := a.submit(ctx, step)
	own.submitted()
	if errors.Is(err, adsapi.ErrConflict) {
		return a.contradicted(ctx, step, err)
	}
	if err != nil && adsapi.AppliedOf(err) == adsapi.Never {
		return sending{refusal: err}, nil
	}
	if err != nil {
		return a.leaveUnknown(ctx, step, err)
	}
	if err := a.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return sending{outcomes: unknownAll(step, err)}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	step.JobID = job.ID
	page, err := a.followJob(ctx, step, job)
	if err != nil {
		return a.leaveUnknown(ctx, step, err)
	}
	outcomes, g, err := a.resultsOf(ctx, step, page)
	return sending{outcomes: outcomes, again: g}, err
}

// leaveUnknown records that a step may have had an effect. Nothing newer goes
// to its resources until recovery has decided.
func (a *sender) leaveUnknown(ctx context.Context, step state.Step, cause error) (sending, error) {
	left := sending{outcomes: unknownAll(step, cause)}
	if step.JobID == "" { // a job that was accepted stays where it is: recovery asks for it
		err := a.Store.Move(context.WithoutCancel(ctx),
			step.ID, state.Unknown, state.Update{Note: cause.Error(), Outcomes: left.outcomes})
		if err != nil {
			return left, fmt.Errorf("journal %s: %w", step.ID, err)
		}
	}
	if errors.Is(cause, adsapi.ErrUnavailable) {
		return left, nil
	}
	return left, env.Stopping(cause)
}

func unknownAll(step state.Step, cause error) []state.OperationOutcome {
	said := cause.Error()
	if cause == context.Canceled { // what wraps it has words of its own
		said = "interrupted before it was known what became of it"
	}
	outcomes := make([]state.OperationOutcome, len(step.Operations))
	for i, o := range step.Operations {
		outcomes[i] = state.OperationOutcome{
			Address: o.Address, ResourceID: o.ResourceID,
			Outcome: state.OutcomeUnknown, Code: string(diag.OutcomeUnknown), Message: said,
		}
	}
	return outcomes
}

// How many jobs run side by side, and how often a retryable failure is sent
// again. So many are submitted in 20 s (interface, part 8, four fifths of it): while
// jobs take no longer, none waits for another. Should the service carry out one
// after the other, the last is done within jobPatience where each takes 1 min 50 s.
const (
	maxJobs   = 16
	maxReruns = 3
)
