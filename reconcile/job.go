package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"

	"golang.org/x/sync/errgroup"
)

// How many jobs run side by side, how often a job is asked for, how long at
// most, and how often a retryable failure is sent again.
const (
	maxJobs     = 4
	firstPoll   = 250 * time.Millisecond
	slowestPoll = 5 * time.Second
	jobPatience = 30 * time.Minute
	maxReruns   = 3
)

const jobsPath = "/bulk_mutation_jobs"

// runJobs submits the batches of a wave side by side and waits for all of them.
func (r *run) runJobs(ctx context.Context, wave string, batches []batch) error {
	results := make([][]settled, len(batches))
	steps := make([]state.Step, len(batches))
	for i, b := range batches {
		step, err := r.jobStep(ctx, wave, b)
		if err != nil {
			return err
		}
		steps[i] = step
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(maxJobs)
	for i := range batches {
		g.Go(func() (err error) {
			results[i], err = r.runJob(gctx, steps[i], batches[i])
			return err
		})
	}
	err := g.Wait()
	for i, outcomes := range results {
		r.settleAll(batches[i], outcomes)
	}
	return err
}

// settled is the outcome of one operation and the address it belongs to.
type settled = state.OperationOutcome

func (r *run) settleAll(b batch, outcomes []settled) {
	parts := make(map[resource.Address]part, len(b))
	for _, p := range b {
		parts[p.part.change.Address] = p.part
	}
	for _, o := range outcomes {
		r.settle(parts[o.Address], o)
	}
}

// jobStep makes the journal's record of a job: the exact bytes and their key.
func (r *run) jobStep(ctx context.Context, wave string, b batch) (state.Step, error) {
	body, err := b.body(false)
	if err != nil {
		return state.Step{}, fmt.Errorf("encode a job: %w", err)
	}
	key, err := r.jobKey(ctx, "job")
	if err != nil {
		return state.Step{}, err
	}
	step := r.step(wave, state.Bulk, jobsPath, key, body)
	for _, p := range b {
		step.Operations = append(step.Operations, r.operation(p.part, p.id, p.key))
	}
	return step, nil
}

// step numbers a step of this run.
func (r *run) step(wave string, route state.Route, path, key string, body []byte) state.Step {
	r.steps++
	return state.Step{
		ID: fmt.Sprintf("%s/%s/%d", r.id, wave, r.steps), Run: r.id, Route: route, Path: path, Key: key,
		ContentType: "application/json", Body: body, PlanHash: r.hash,
	}
}

func (r *run) operation(p part, id, key string) state.Operation {
	return state.Operation{
		ID: id, Address: p.change.Address, Action: string(p.change.Action), Key: key,
		ResourceID: r.ids[p.change.Address], Set: p.set(), Complete: p.create,
	}
}

// runJob carries one job from intent to bound. Retryable failures are sent
// again: the same body under a new job key, so that what succeeded is reused
// (interface, part 4, bulk rule 10).
func (r *run) runJob(ctx context.Context, step state.Step, b batch) ([]settled, error) {
	for rerun := 0; ; rerun++ {
		outcomes, wait, err := r.sendJob(ctx, step, b)
		if err != nil || wait < 0 || rerun == maxReruns {
			return outcomes, err
		}
		if err := r.Sleep(ctx, wait); err != nil {
			return outcomes, err
		}
		key, err := r.jobKey(ctx, "job")
		if err != nil {
			return outcomes, err
		}
		step.ID, step.Key = fmt.Sprintf("%s+%d", step.ID, rerun+1), key
	}
}

// sendJob runs a job once. wait is how long to wait before the same body may go
// again, negative when it should not.
func (r *run) sendJob(ctx context.Context, step state.Step, b batch) (outcomes []settled, wait time.Duration, err error) {
	if err := r.Store.Begin(ctx, step); err != nil {
		return nil, -1, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if err := r.Store.Move(ctx, step.ID, state.Sent, state.Update{SentAt: r.now()}); err != nil {
		return nil, -1, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	job, err := r.Service.SubmitJob(ctx, step.Key, step.Body)
	if err != nil {
		return r.jobRefused(ctx, step, b, err)
	}
	if err := r.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return nil, -1, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	step.JobID = job.ID
	page, err := r.followJob(ctx, step, job)
	if err != nil {
		return r.leaveUnknown(ctx, step, err)
	}
	return r.finishJob(ctx, step, page)
}

// jobRefused handles a submission that gave no job. One the service surely did
// not take is split until the operation it refuses stands alone; one it may
// have taken stays unknown, for recovery to repeat under the same key.
func (r *run) jobRefused(ctx context.Context, step state.Step, b batch, refusal error) ([]settled, time.Duration, error) {
	if adsapi.AppliedOf(refusal) == adsapi.Unknown {
		return r.leaveUnknown(ctx, step, refusal)
	}
	if err := r.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: refusal.Error()}); err != nil {
		return nil, -1, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if stops(refusal) {
		return failAll(b, refusal), -1, refusal
	}
	first, second := halves(r, b)
	if second == nil {
		return failAll(b, refusal), -1, nil
	}
	var outcomes []settled
	for _, half := range []batch{first, second} {
		halfStep, err := r.splitStep(ctx, step, half)
		if err != nil {
			return outcomes, -1, err
		}
		part, err := r.runJob(ctx, halfStep, half)
		outcomes = append(outcomes, part...)
		if err != nil {
			return outcomes, -1, err
		}
	}
	return outcomes, -1, nil
}

// stops says that an error concerns every request, not this one.
func stops(err error) bool {
	return errors.Is(err, adsapi.ErrReadOnly) || errors.Is(err, adsapi.ErrUnauthorized) || errors.Is(err, adsapi.ErrUnavailable) || errors.Is(err, adsapi.ErrNotFound) || errors.Is(err, context.Canceled)
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
		outcomes[i] = settled{Address: p.part.change.Address, Outcome: state.OutcomeFailed, Code: string(diag.ServiceRefused), Message: err.Error()}
	}
	return outcomes
}

// leaveUnknown records that a step may have had an effect. Nothing newer goes
// to its resources until recovery has decided.
func (r *run) leaveUnknown(ctx context.Context, step state.Step, cause error) ([]settled, time.Duration, error) {
	outcomes := make([]settled, len(step.Operations))
	for i, o := range step.Operations {
		outcomes[i] = settled{Address: o.Address, ResourceID: o.ResourceID, Outcome: state.OutcomeUnknown, Code: string(diag.OutcomeUnknown), Message: cause.Error()}
	}
	if step.JobID == "" { // a job that was accepted stays where it is: recovery asks for it
		err := r.Store.Move(context.WithoutCancel(ctx), step.ID, state.Unknown, state.Update{Note: cause.Error(), Outcomes: outcomes})
		if err != nil {
			return outcomes, -1, fmt.Errorf("journal %s: %w", step.ID, err)
		}
	}
	if stops(cause) && !errors.Is(cause, adsapi.ErrUnavailable) {
		return outcomes, -1, cause
	}
	return outcomes, -1, nil
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
