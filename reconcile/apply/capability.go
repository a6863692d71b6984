package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
)

// capabilities finds out what the jobs of the account can say.
type capabilities struct {
	*env.Env
	*run
	*parts
	*probing
	*preflighting
	*live.Lists
}

// findCapabilities learns what the account allows, as far as this run needs it,
// with validate_only jobs: they change nothing (design.md section 4). Whether it
// has jobs at all is told by any of them, so that none goes out for that alone
// where another does anyway.
func (r *capabilities) findCapabilities(ctx context.Context) error {
	known, err := r.KnownCapabilities(ctx)
	if err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	r.caps = known
	if r.pausesFew() {
		r.caps[resource.BulkJobs] = false
		return nil
	}
	if !slices.ContainsFunc(r.changes, r.knowsJobs) {
		return nil
	}
	jobs, asked := known[resource.BulkJobs]
	if _, also := known[resource.BulkDailyBudget]; !also && (jobs || !asked) && r.needs(resource.BulkDailyBudget) {
		if err := r.probe(ctx, resource.BulkDailyBudget, "daily"); err != nil {
			return err
		}
	}
	if _, asked = known[resource.BulkJobs]; asked {
		return nil
	}
	if r.preflights() && slices.ContainsFunc(r.creates(), r.begins) {
		return r.asks.supposeJobs(ctx)
	}
	return r.probe(ctx, resource.BulkJobs, "lifetime")
}

// knowsJobs reports whether jobs can say something of the kind of a change.
func (r *capabilities) knowsJobs(c *plan.Change) bool {
	schema := r.Schemas.Of(c.Address.Kind)
	return schema.Bulk.Create != "" || schema.Bulk.Update != ""
}

// begins reports whether a create is the first of a tree that a job could hold.
func (r *capabilities) begins(p wire.Part) bool {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	return schema.Bulk.Create != "" && schema.Parent == ""
}

// probing asks with jobs that change nothing.
type probing struct {
	*env.Env
	*run
	*parts
	*send.Requests

	polls    *send.PollEstimator
	supposed bool // that the account has jobs is not known, and the next job tells
}

// supposeJobs takes it that the account has jobs, until a preflight tells.
func (r *probing) supposeJobs(context.Context) error {
	r.caps[resource.BulkJobs], r.supposed = true, true
	return nil
}

// askWhereSupposed asks whether the account has jobs where no preflight told.
func (r *probing) askWhereSupposed(ctx context.Context) error {
	if !r.supposed {
		return nil
	}
	r.supposed = false
	return r.probe(ctx, resource.BulkJobs, "lifetime")
}

// needs reports whether a create of this run would use a capability.
func (r *capabilities) needs(capability resource.Capability) bool {
	for _, p := range r.creates() {
		for _, f := range p.Fields {
			a, _ := r.Schemas.Of(p.Change.Address.Kind).Attribute(f.Name)
			if a.Bulk.Needs == capability && f.Desired.IsSet() {
				return true
			}
		}
	}
	return false
}

// probe asks whether a job with one campaign of a budget type passes validation.
func (r *probing) probe(ctx context.Context, capability resource.Capability, budgetType string) error {
	r.ShowProgress("check", 0, 1)
	b, err := probeBatch(budgetType)
	if err != nil {
		return err
	}
	body, err := b.Body(true)
	if err != nil {
		return err
	}
	page, err := r.asks.dryRun(ctx, body)
	for asked := 1; err == nil && page.passing() && asked < mostAsked; asked++ {
		if err = r.Sleep(ctx, page.wait()); err == nil {
			page, err = r.dryRun(ctx, body)
		}
	}
	if saysNothing(err) { // it keeps no pause from going out: requests carry this run
		r.caps[capability], r.caps[resource.BulkJobs], r.supposed = false, false, false
		return nil
	}
	if errors.Is(err, adsapi.ErrNotFound) && capability != resource.BulkJobs { // no jobs at all
		return r.remember(ctx, resource.BulkJobs, false)
	}
	if err == nil && (page.silent() || page.passing()) {
		r.caps[capability] = false // for this run; the next one asks again
		return nil
	}
	there := err == nil && !failedIn(page.OperationPage)
	var refused *adsapi.Error
	if err != nil && !errors.Is(err, adsapi.ErrNotFound) &&
		!(errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 422)) {
		return fmt.Errorf("ask whether the account has %s: %w", capability, err)
	}
	if there && capability != resource.BulkJobs {
		if err := r.remember(ctx, resource.BulkJobs, true); err != nil {
			return err
		}
	}
	return r.remember(ctx, capability, there)
}

// remember keeps what was found out of the account, for later runs too.
func (r *run) remember(ctx context.Context, capability resource.Capability, there bool) error {
	r.caps[capability] = there
	return r.Store.RecordCapability(ctx, capability, there)
}

func probeBatch(budgetType string) (wire.Batch, error) {
	one, err := wire.EncodeOperation(wire.Part{Change: &plan.Change{}}, wire.BulkOperation{
		OperationID: "probe", Type: "campaign.create", IdempotencyKey: wire.PreflightKey("probe-" + budgetType),
		Input: map[string]any{
			"name": "capability check", "max_budget_micros": 1_000_000_000,
			"billing_event_type": "click", "budget_type": budgetType, "status": "paused",
		},
	})
	return wire.Batch{one}, err
}

// dryRun submits a validate_only job without a key and waits for its results.
// Nothing is journalled: there is nothing to recover.
func (r *probing) dryRun(ctx context.Context, body []byte) (validation, error) {
	var job adsapi.Job
	err := r.RetryConflicts(ctx, func() (err error) {
		job, err = r.Service.SubmitJob(ctx, "", body)
		return err
	})
	if errors.Is(err, adsapi.ErrConflict) { // nothing is wrong with what was asked
		return validation{}, fmt.Errorf("%w: %w", adsapi.ErrUnavailable, err)
	}
	if err != nil {
		return validation{}, err
	}
	pauses, began := r.polls.Of(job.OperationCount, 0), r.Now()
	patience := env.LeastPatience + time.Duration(job.OperationCount)*env.PatienceEach
	for asked := 0; r.Now().Before(began.Add(patience)); asked++ {
		if job.Terminal() && asked > 0 {
			r.polls.Took(job.OperationCount, job, r.Now().Sub(began), asked == 1)
		}
		if job.Status == "completed" { // every operation was validated (interface, part 3)
			return validation{whole: true}, nil
		}
		if job.Terminal() {
			page, err := r.Service.AllOperations(ctx, job.ID)
			if err != nil || page.Complete && !page.HasMore {
				return validation{OperationPage: page}, err
			}
		}
		if err := r.Sleep(ctx, pauses.Next(r.Now().Sub(began))); err != nil {
			return validation{}, err
		}
		if job, err = r.Service.Job(ctx, job.ID); err != nil {
			return validation{}, err
		}
		r.SignOfLife()
	}
	return validation{}, fmt.Errorf("%w: %w: validate_only job %s is still %q after %s; nothing was changed",
		adsapi.ErrUnavailable, send.ErrStillRunning, job.ID, job.Status, patience)
}

// saysNothing reports whether a question was not answered, and that the service serves
// all the same: its job stands still, or conflicts with another.
func saysNothing(err error) bool {
	return errors.Is(err, send.ErrStillRunning) || errors.Is(err, adsapi.ErrConflict)
}

// validation is what a validate_only job said.
type validation struct {
	adsapi.OperationPage
	whole bool // every operation was validated, and no page was read
}

// silent reports whether the job gave no answer at all: its results are lost.
func (v validation) silent() bool { return !v.whole && v.Error == nil && len(v.Results) == 0 }

// mostAsked is how often a capability is asked for where the service says to try
// again.
const mostAsked = 3

// passing reports whether the job says nothing of what it was asked: it failed as a
// whole, or the service says to try again (interface, part 3).
func (v validation) passing() bool {
	return v.Error != nil || slices.ContainsFunc(v.Results, isRetryable)
}

// isRetryable reports whether the same operation may go through later.
func isRetryable(o adsapi.OperationResult) bool {
	return o.Status == "failed" && o.Retryable != nil && *o.Retryable
}

// wait is how long the service asks to wait before the same job goes again.
func (v validation) wait() time.Duration {
	longest := time.Second
	for _, result := range v.Results {
		longest = max(longest, send.RetryWait(result))
	}
	return longest
}

// failedIn reports whether a validate_only job refused an operation.
func failedIn(page adsapi.OperationPage) bool {
	return page.Error != nil || slices.ContainsFunc(page.Results, func(o adsapi.OperationResult) bool {
		return o.Status != "validated"
	})
}

// pausesAlone is how many pauses of what is live go as requests of their own: they
// take seconds, and rest on no job that may stand still while money is spent.
const pausesAlone = 100

// pausesFew reports whether a run pauses what is live, and no more than that.
func (r *capabilities) pausesFew() bool {
	return r.view.Aside == wire.ActionPause && len(r.changes) <= pausesAlone
}
