package reconcile

import (
	"context"
	"errors"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/state"
)

// sending is what one submission of a job came to.
type sending struct {
	outcomes []settled
	again    again // what of it may go again
	refusal  error // the service surely did not take the job
}

// sendJob runs a job once.
func (a *Agent) sendJob(ctx context.Context, step state.Step) (sending, error) {
	if err := a.Store.Begin(ctx, step); err != nil {
		return sending{}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if err := ctx.Err(); err != nil {
		return sending{}, err
	}
	if err := a.Store.Move(ctx, step.ID, state.Sent, state.Update{SentAt: a.Now()}); err != nil {
		return sending{}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	job, err := a.submit(ctx, step)
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
	outcomes, g := outcomesOf(step, page)
	if anyUnknown(outcomes) {
		return sending{outcomes: outcomes, again: g}, nil // it stays terminal until every result is known
	}
	return sending{outcomes: outcomes, again: g}, a.finish(ctx, step, outcomes)
}

// leaveUnknown records that a step may have had an effect. Nothing newer goes
// to its resources until recovery has decided.
func (a *Agent) leaveUnknown(ctx context.Context, step state.Step, cause error) (sending, error) {
	left := sending{outcomes: unknownAll(step, cause)}
	if step.JobID == "" { // a job that was accepted stays where it is: recovery asks for it
		err := a.Store.Move(context.WithoutCancel(ctx), step.ID, state.Unknown, state.Update{Note: cause.Error(), Outcomes: left.outcomes})
		if err != nil {
			return left, fmt.Errorf("journal %s: %w", step.ID, err)
		}
	}
	if errors.Is(cause, adsapi.ErrUnavailable) {
		return left, nil
	}
	return left, stopping(cause)
}

func unknownAll(step state.Step, cause error) []settled {
	outcomes := make([]settled, len(step.Operations))
	for i, o := range step.Operations {
		outcomes[i] = settled{Address: o.Address, ResourceID: o.ResourceID, Outcome: state.OutcomeUnknown, Code: string(diag.OutcomeUnknown), Message: cause.Error()}
	}
	return outcomes
}

// followJob polls until the job is terminal and its results are whole.
func (r *Agent) followJob(ctx context.Context, step state.Step, job adsapi.Job) (adsapi.OperationPage, error) {
	pause, until := firstPoll, r.Now().Add(jobPatience)
	terminal := step.Point == state.Terminal || step.Point == state.ResultsRead
	for {
		if job.Terminal() && !terminal {
			if err := r.Store.Move(ctx, step.ID, state.Terminal, state.Update{}); err != nil {
				return adsapi.OperationPage{}, fmt.Errorf("journal %s: %w", step.ID, err)
			}
			terminal = true
		}
		if page, ok := withoutPages(step, job); terminal && ok {
			return page, nil
		}
		if terminal {
			page, err := r.Service.AllOperations(ctx, job.ID)
			if err != nil || page.Complete && !page.HasMore {
				return page, err
			}
		}
		if r.Now().After(until) {
			return adsapi.OperationPage{}, fmt.Errorf("job %s is still %q after %s; it was not sent again", job.ID, job.Status, jobPatience)
		}
		if err := r.Sleep(ctx, pause); err != nil {
			return adsapi.OperationPage{}, err
		}
		pause = min(pause*3/2, slowestPoll)
		if terminal {
			continue
		}
		next, err := r.Service.Job(ctx, job.ID)
		if err != nil {
			return adsapi.OperationPage{}, err
		}
		job = next
	}
}

// withoutPages gives the results of a job that completed and made nothing new:
// every operation succeeded (interface, part 3), and every id is known.
func withoutPages(step state.Step, job adsapi.Job) (adsapi.OperationPage, bool) {
	page := adsapi.OperationPage{Complete: true}
	for _, o := range step.Operations {
		if o.ResourceID == "" || job.Status != "completed" {
			return page, false
		}
		page.Results = append(page.Results, adsapi.OperationResult{OperationID: o.ID, Status: "updated"})
	}
	return page, true
}
