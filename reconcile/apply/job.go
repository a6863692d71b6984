package apply

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"

	"golang.org/x/sync/errgroup"
)

const jobsPath = "/bulk_mutation_jobs"

// jobs sends the operations of a run in bulk jobs.
type jobs struct {
	*env.Env
	*run
	*parts
	*send.Sender
	*send.Retries
	*send.Keyring
	*send.Duplicates

	underDuplicates []wire.Part // creates of a job that did not come beneath the parent that is there

	piecesMu      sync.Mutex  // guards refusedPieces
	refusedPieces []wire.Part // creates of a tree that was refused whole, and is parted
}

// sendJobs submits the batches of a wave side by side and waits for all of them.
func (r *carryOut) sendJobs(ctx context.Context, wave string, batches []wire.Batch) error {
	results := make([][]state.OperationOutcome, len(batches))
	steps := make([]state.Step, len(batches))
	for i, b := range batches {
		step, err := r.jobStep(ctx, wave, b)
		if err != nil {
			return err
		}
		steps[i] = step
	}
	if err := r.Store.Announce(ctx, steps...); err != nil {
		return fmt.Errorf("journal wave %s: %w", wave, err)
	}
	var g errgroup.Group // one that fails does not cut the others off: what was sent is followed to its end
	g.SetLimit(send.MaxJobs)
	var before send.Turn
	for i := range batches {
		own := before.Next()
		before = own
		g.Go(func() (err error) {
			defer r.Catch()
			defer own.Pass()
			if own.Await(ctx); r.Breaks.Broke() != nil {
				return nil // it stays at intent: never sent
			}
			results[i], err = r.runWithoutSuperseded(ctx, steps[i], batches[i], own)
			return err
		})
	}
	err := g.Wait()
	r.Waited()
	for i, outcomes := range results {
		r.setOutcomes(batches[i], outcomes)
	}
	return err
}

func (r *jobs) setOutcomes(b wire.Batch, outcomes []state.OperationOutcome) {
	parts := make(map[resource.Address]wire.Packed, len(b))
	for _, p := range b {
		parts[p.Part.Change.Address] = p
	}
	duplicates := r.duplicatesIn(b, outcomes)
	for _, o := range outcomes {
		p := parts[o.Address]
		switch {
		case p.Repeat: // it was settled when it was created
		case duplicates[o.Address]:
			r.underDuplicates = append(r.underDuplicates, p.Part)
		default:
			r.setOutcome(p.Part, o)
		}
	}
}

// jobStep makes the journal's record of a job: the exact bytes and their key.
func (r *jobs) jobStep(ctx context.Context, wave string, b wire.Batch) (state.Step, error) {
	body, err := b.Body(false)
	if err != nil {
		return state.Step{}, fmt.Errorf("encode a job: %w", err)
	}
	key, err := r.JobKey(ctx, "job")
	if err != nil {
		return state.Step{}, err
	}
	step := r.step(wave, state.Bulk, jobsPath, key, body)
	step.Operations = r.operationsOf(b)
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

func (r *run) operation(p wire.Part, id, key string) state.Operation {
	set := p.Set()
	r.noteKnown(&set, p)
	return state.Operation{
		ID: id, Address: p.Change.Address, Action: cmp.Or(r.view.Aside, string(p.Change.Action)), Key: key,
		ResourceID: r.ids[p.Change.Address], Set: set, Complete: p.Create,
	}
}

// runJob carries one job from intent to bound, and what it may cure by going
// again (again.go). A repetition that is refused takes nothing back of what the
// job before it did.
func (r *jobs) runJob(ctx context.Context, step state.Step,
	b wire.Batch, own send.Turn) ([]state.OperationOutcome, error) {
	first, err := r.SendJob(ctx, step, own)
	if first.Refusal != nil {
		return r.jobRefused(ctx, step, b, first.Refusal)
	}
	attempts, outcomes, again := []state.Step{step}, first.Outcomes, first.Again
	for rerun := 1; err == nil && rerun <= send.MaxReruns; rerun++ {
		if outcomes, again, err = r.LookForLost(ctx, step, outcomes, again); err != nil || again.None() {
			break
		}
		if err = r.Sleep(ctx, r.WaitBeforeRetry(step, outcomes, again)); err != nil {
			break
		}
		var next send.Sending
		var repeated state.Step
		if repeated, err = r.Repetition(ctx, step, rerun, outcomes, again); err != nil {
			break
		}
		if next, err = r.SendJob(ctx, repeated, send.Turn{}); next.Refusal != nil {
			return outcomes, r.RepetitionRefused(ctx, repeated, next.Refusal)
		}
		attempts, outcomes, again = append(attempts, repeated),
			send.Better(outcomes, r.WithoutDuplicates(repeated, next.Outcomes)), next.Again.WithoutRetried(again)
	}
	if err != nil || send.AnyUnknown(outcomes) {
		return outcomes, err // what is unknown stays open, for recovery
	}
	return outcomes, r.FinishEarlier(ctx, attempts, outcomes)
}

// runWithoutSuperseded runs a job, when its turn has come, without what newer files take
// back. Its key was never sent, and so is free for other bytes.
func (r *jobs) runWithoutSuperseded(ctx context.Context,
	step state.Step, b wire.Batch, own send.Turn) ([]state.OperationOutcome, error) {
	var kept wire.Batch
	var outcomes []state.OperationOutcome
	for _, p := range b {
		if why := r.supersededWhy(p.Part); why != "" && !p.Repeat {
			outcomes = append(outcomes, state.OperationOutcome{
				Address: p.Part.Change.Address, ResourceID: r.ids[p.Part.Change.Address],
				Outcome: state.OutcomeSkipped, Code: string(diag.OperationSkipped), Message: why,
			})
			continue
		}
		kept = append(kept, p)
	}
	if len(outcomes) == 0 {
		return r.runJob(ctx, step, b, own)
	}
	if !slices.ContainsFunc(kept, func(p wire.Packed) bool { return !p.Repeat }) {
		return outcomes, nil
	}
	body, err := kept.Body(false)
	if err != nil {
		return outcomes, fmt.Errorf("encode a job: %w", err)
	}
	step.Body, step.Operations = body, r.operationsOf(kept)
	sent, err := r.runJob(ctx, step, kept, own)
	return append(outcomes, sent...), err
}
