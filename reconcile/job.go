package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	var g errgroup.Group // one that fails does not cut the others off: what was sent is followed to its end
	g.SetLimit(maxJobs)
	for i := range batches {
		g.Go(func() (err error) {
			results[i], err = r.runJob(ctx, steps[i], batches[i])
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

// runJob carries one job from intent to bound. Retryable failures and missing
// results are asked for again: the same body under a new job key, so that what
// succeeded is reused (interface, part 4, bulk rule 10). A repetition that is
// refused takes nothing back of what the job before it did.
func (r *run) runJob(ctx context.Context, step state.Step, b batch) ([]settled, error) {
	first, err := r.sendJob(ctx, step)
	if first.refusal != nil {
		return r.jobRefused(ctx, step, b, first.refusal)
	}
	attempts, outcomes, wait := []state.Step{step}, first.outcomes, first.wait
	for rerun := 1; err == nil && wait >= 0 && rerun <= maxReruns; rerun++ {
		if err = r.Sleep(ctx, wait); err != nil {
			break
		}
		var next sending
		if step, err = r.repetition(ctx, step, rerun); err != nil {
			break
		}
		if next, err = r.sendJob(ctx, step); next.refusal != nil {
			return outcomes, r.repetitionRefused(ctx, step, next.refusal)
		}
		attempts, outcomes, wait = append(attempts, step), better(outcomes, next.outcomes), next.wait
	}
	if err != nil || anyUnknown(outcomes) {
		return outcomes, err // what is unknown stays open, for recovery
	}
	return outcomes, r.finishEarlier(ctx, attempts, outcomes)
}

// repetition is the same body as a step of its own under a new job key.
func (a *Agent) repetition(ctx context.Context, step state.Step, n int) (state.Step, error) {
	key, err := a.jobKey(ctx, "job")
	if err != nil {
		return step, err
	}
	step.ID, step.Key, step.JobID, step.Point, step.SentAt = fmt.Sprintf("%s+%d", step.ID, n), key, "", "", time.Time{}
	return step, nil
}

// repetitionRefused ends a repetition the service did not take.
func (a *Agent) repetitionRefused(ctx context.Context, step state.Step, refusal error) error {
	if err := a.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: refusal.Error()}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if stops(refusal) {
		return refusal
	}
	return nil
}

// finishEarlier ends the attempts that waited for results a later one gave.
func (a *Agent) finishEarlier(ctx context.Context, attempts []state.Step, outcomes []settled) error {
	open, err := a.Store.Open(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	for _, step := range open {
		waits := step.Point == state.Terminal && slices.ContainsFunc(attempts, func(s state.Step) bool { return s.ID == step.ID })
		if !waits {
			continue
		}
		if err := a.finish(ctx, step, outcomes); err != nil {
			return err
		}
	}
	return nil
}

// better joins the outcomes of a job with those of its repetition: what was
// applied stays, and what was unknown is known only by a result.
func better(earlier, later []settled) []settled {
	joined := slices.Clone(earlier)
	for i := range later {
		known := later[i].Outcome == state.OutcomeApplied || later[i].Outcome == state.OutcomeFailed
		if earlier[i].Outcome != state.OutcomeApplied && (known || earlier[i].Outcome != state.OutcomeUnknown) {
			joined[i] = later[i]
		}
	}
	return joined
}

func anyUnknown(outcomes []settled) bool {
	return slices.ContainsFunc(outcomes, func(o settled) bool { return o.Outcome == state.OutcomeUnknown })
}

// sending is what one submission of a job came to.
type sending struct {
	outcomes []settled
	wait     time.Duration // before the same body may go again, negative when it should not
	refusal  error         // the service surely did not take the job
}

// sendJob runs a job once.
func (a *Agent) sendJob(ctx context.Context, step state.Step) (sending, error) {
	nothing := sending{wait: -1}
	if err := a.Store.Begin(ctx, step); err != nil {
		return nothing, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if err := ctx.Err(); err != nil {
		return nothing, err
	}
	if err := a.Store.Move(ctx, step.ID, state.Sent, state.Update{SentAt: a.Now()}); err != nil {
		return nothing, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	job, err := a.Service.SubmitJob(ctx, step.Key, step.Body)
	if err != nil && adsapi.AppliedOf(err) == adsapi.Never {
		return sending{wait: -1, refusal: err}, nil
	}
	if err != nil {
		return a.leaveUnknown(ctx, step, err)
	}
	if err := a.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return sending{outcomes: unknownAll(step, err), wait: -1}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	step.JobID = job.ID
	page, err := a.followJob(ctx, step, job)
	if err != nil {
		return a.leaveUnknown(ctx, step, err)
	}
	outcomes, wait := outcomesOf(step, page)
	if anyUnknown(outcomes) {
		return sending{outcomes: outcomes, wait: wait}, nil // it stays terminal until every result is known
	}
	return sending{outcomes: outcomes, wait: wait}, a.finish(ctx, step, outcomes)
}

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
		outcomes[i] = settled{Address: p.part.change.Address, Outcome: state.OutcomeFailed, Code: string(diag.ServiceRefused), Message: err.Error()}
	}
	return outcomes
}

// leaveUnknown records that a step may have had an effect. Nothing newer goes
// to its resources until recovery has decided.
func (a *Agent) leaveUnknown(ctx context.Context, step state.Step, cause error) (sending, error) {
	left := sending{outcomes: unknownAll(step, cause), wait: -1}
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
