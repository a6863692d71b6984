package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	set := p.set()
	r.noteKnown(&set, p)
	return state.Operation{
		ID: id, Address: p.change.Address, Action: string(p.change.Action), Key: key,
		ResourceID: r.ids[p.change.Address], Set: set, Complete: p.create,
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
