package send

import (
	"context"
	"errors"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/reconcile/env"
	"adsync/state"
)

// Sending is what one submission of a job came to.
type Sending struct {
	Outcomes []state.OperationOutcome
	Again    RetrySet // what of it may go again
	Refusal  error    // the service surely did not take the job
}

// Sender submits a job whose intent is in the journal, and follows it to its end.
type Sender struct {
	*env.Env
	*Requests
	*Follower
	*Finisher
}

// SendJob runs a job once.
func (a *Sender) SendJob(ctx context.Context, step state.Step, own Turn) (Sending, error) {
	if err := a.Store.Begin(ctx, step); err != nil {
		return Sending{}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	sent, err := a.submitAndFollow(ctx, step, own)
	if err != nil || sent.Outcomes == nil {
		return sent, err
	}
	if AnyUnknown(sent.Outcomes) { // it stays open until every result is known
		return sent, a.noteConflicts(ctx, step, sent.Outcomes)
	}
	return sent, a.Finish(ctx, step, sent.Outcomes)
}

// submitAndFollow submits a job, follows it to its end and reads its results.
func (a *Sender) submitAndFollow(ctx context.Context, step state.Step, own Turn) (Sending, error) {
	ctx, done, err := a.BeginRequest(ctx, step)
	if err != nil {
		return Sending{}, err
	}
	defer done()
	job, err := a.Submit(ctx, step)
	own.submitted()
	if errors.Is(err, adsapi.ErrConflict) {
		return a.contradicted(ctx, step, err)
	}
	if err != nil && adsapi.AppliedOf(err) == adsapi.Never {
		return Sending{Refusal: err}, nil
	}
	if err != nil {
		return a.leaveUnknown(ctx, step, err)
	}
	if err := a.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return Sending{Outcomes: UnknownAll(step, err)}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	step.JobID = job.ID
	page, err := a.FollowJob(ctx, step, job)
	if err != nil {
		return a.leaveUnknown(ctx, step, err)
	}
	outcomes, g, err := a.ResultsOf(ctx, step, page)
	return Sending{Outcomes: outcomes, Again: g}, err
}

// leaveUnknown records that a step may have had an effect. Nothing newer goes
// to its resources until recovery has decided.
func (a *Sender) leaveUnknown(ctx context.Context, step state.Step, cause error) (Sending, error) {
	left := Sending{Outcomes: UnknownAll(step, cause)}
	if step.JobID == "" { // a job that was accepted stays where it is: recovery asks for it
		err := a.Store.Move(context.WithoutCancel(ctx),
			step.ID, state.Unknown, state.Update{Note: cause.Error(), Outcomes: left.Outcomes})
		if err != nil {
			return left, fmt.Errorf("journal %s: %w", step.ID, err)
		}
	}
	if errors.Is(cause, adsapi.ErrUnavailable) {
		return left, nil
	}
	return left, env.Stopping(cause)
}

// UnknownAll returns an outcome for each operation of a step of which nothing is known.
func UnknownAll(step state.Step, cause error) []state.OperationOutcome {
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
	MaxJobs   = 16
	MaxReruns = 3
)
