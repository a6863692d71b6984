package apply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
)

// preflighting has creates validated before the first of them is sent.
type preflighting struct {
	*env.Env
	*run
	*parts
	*creating
	*probing
}

// preflight sends creates this run would put into jobs as validate_only jobs
// first, under keys of their own. What the service refuses becomes a problem at
// its row, and nothing is applied. What such a job does not check (interface,
// part 4, bulk rule 9) can still fail later.
func (r *preflighting) preflight(ctx context.Context) ([]diag.Problem, error) {
	if !r.caps[resource.BulkJobs] || !r.preflights() {
		return nil, nil
	}
	checks, keys, err := r.preflightJobs(ctx)
	if err != nil {
		return nil, err
	}
	problems, err := r.asks.validateCreates(ctx, checks, keys)
	if err != nil {
		return nil, err
	}
	return problems, r.askWhereSupposed(ctx)
}

// preflights reports whether this run sends its creates as validate_only jobs first.
func (r *probing) preflights() bool {
	return r.Bulk.Preflight != PreflightNever
}

// preflightJobs returns the jobs a preflight sends, and the keys of what is in them: all,
// or the one that holds a tree of every shape. Trees of one shape differ in values
// only, and those adsync has checked; what an account may not do shows in the shape.
func (r *preflighting) preflightJobs(ctx context.Context) (jobs []wire.Batch,
	keys map[resource.Address]string, err error) {
	all := r.Bulk.Preflight == PreflightAlways
	said := r.saidInJobs()
	if all || len(said) <= r.jobRoom().Operations {
		c, err := r.planCreation(ctx)
		if err != nil {
			return nil, nil, err
		}
		if jobs = slices.Concat(c.jobs, wire.Pack(c.tails, r.jobRoom())); all || len(jobs) <= 1 {
			return jobs, c.keys, nil
		}
	}
	return r.sample(ctx, said)
}

// sample is the job that holds a tree of every shape, as far as it has room. Only
// those trees are encoded. Of a tree that no job holds it is the first piece.
func (r *preflighting) sample(ctx context.Context,
	said []wire.Part) (jobs []wire.Batch, keys map[resource.Address]string, err error) {
	creates := make([]wire.Packed, len(said))
	for i, p := range said {
		creates[i] = wire.Packed{Part: p, ID: fmt.Sprintf("c%d", i+1)}
	}
	var sample wire.Batch
	seen, keys := map[string]bool{}, map[resource.Address]string{}
	for _, tree := range r.trees(creates) {
		if most := r.jobRoom().Operations; seen[r.shapeOf(tree)] || len(tree) <= most && len(sample)+len(tree) > most {
			continue
		}
		own, err := r.createKeys(ctx, tree.Parts())
		if err != nil {
			return nil, nil, err
		}
		whole, err := r.repack(tree, own)
		if err != nil {
			return nil, nil, err
		}
		if len(whole) == 0 {
			continue
		}
		c := creation{followUp: map[*plan.Change][]string{}}
		r.packTrees(&c, []wire.Batch{whole})
		first := c.jobs[0]
		shape := r.shapeOf(first)
		if seen[shape] || len(sample)+len(first) > r.jobRoom().Operations ||
			sample.Bytes()+first.Weight() > r.jobRoom().Bytes {
			continue
		}
		seen[shape] = true
		sample = append(sample, first...)
		maps.Copy(keys, own)
	}
	if len(sample) == 0 {
		return nil, keys, nil
	}
	return []wire.Batch{sample}, keys, nil
}

// repack packs creates under other keys, parents first: without what is too large
// under them, and without what is beneath that.
func (r *preflighting) repack(creates wire.Batch, keys map[resource.Address]string) (wire.Batch, error) {
	left := map[resource.Address]bool{}
	var whole wire.Batch
	e := r.encoder()
	for _, p := range creates {
		address := p.Part.Change.Address
		if left[r.Schemas.Parent(address)] {
			left[address] = true
			continue
		}
		one, err := r.packCreate(e, p.Part, p.ID, keys)
		switch {
		case errors.Is(err, wire.ErrTooLarge):
			left[address] = true
		case err != nil:
			return nil, err
		default:
			whole = append(whole, one)
		}
	}
	return whole, nil
}

// shapeOf returns what a tree is made of: of each kind, the sets of fields its
// creates have, with the words among their values.
func (r *preflighting) shapeOf(tree wire.Batch) string {
	shapes := map[string]bool{}
	for _, p := range tree {
		schema := r.Schemas.Of(p.Part.Change.Address.Kind)
		shape := string(schema.Kind)
		for _, f := range p.Part.Fields {
			shape += " " + f.Name
			if a, ok := schema.Attribute(f.Name); ok && len(a.Choices) > 0 {
				shape += "=" + f.Desired.Text()
			}
		}
		shapes[shape] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(shapes)), "\n")
}

// question is what a run asks of one job.
type question func(context.Context, wire.Batch) ([]diag.Problem, error)

// askAll asks about each job. What was found before it breaks off counts.
func (r *preflighting) askAll(ctx context.Context, jobs []wire.Batch, ask question) ([]diag.Problem, error) {
	var problems diag.List
	for i, job := range jobs {
		r.ShowProgress("check", i, len(jobs))
		found, err := ask(ctx, job)
		if errors.Is(err, adsapi.ErrNotFound) { // no bulk jobs any more: single requests carry everything
			r.supposed = false
			return problems.Sorted(), r.remember(ctx, resource.BulkJobs, false)
		}
		if err != nil {
			return problems.Sorted(), err
		}
		problems.AddAll(found)
	}
	return problems.Sorted(), nil
}

// validateEach asks about each job of creates, under keys of its own.
func (r *preflighting) validateEach(ctx context.Context, jobs []wire.Batch,
	keys map[resource.Address]string, ask question) ([]diag.Problem, error) {
	return r.askAll(ctx, jobs, func(ctx context.Context, job wire.Batch) ([]diag.Problem, error) {
		own := make(map[resource.Address]string, len(job))
		for _, p := range job { // a parent stands in the job of its children
			own[p.Part.Change.Address] = wire.PreflightKey(keys[p.Part.Change.Address])
		}
		check, err := r.repack(job, own)
		if err != nil || len(check) == 0 {
			return nil, err
		}
		return ask(ctx, check)
	})
}

// validateCreates goes without jobs where nothing is said about one of them.
func (r *carryOut) validateCreates(ctx context.Context,
	checks []wire.Batch, keys map[resource.Address]string) ([]diag.Problem, error) {
	problems, err := r.validateEach(ctx, checks, keys, r.validated)
	if saysNothing(err) { // it keeps no pause from going out
		r.Tell("%v; this run goes without jobs", err)
		r.caps[resource.BulkJobs], r.supposed = false, false
		return problems, nil
	}
	return problems, err
}

// validated returns what the service says about a job that goes later as it is.
func (r *carryOut) validated(ctx context.Context, check wire.Batch) ([]diag.Problem, error) {
	page, err := r.validate(ctx, check)
	if env.RefusesContent(err) {
		return nil, nil // whole: the job itself is split until what is refused stands alone
	}
	page.Results = slices.DeleteFunc(page.Results, isRetryable) // no word about the row: the job waits and goes again
	return r.refusals(check, page), err
}

// validate has the service validate a job, and notes that the account has jobs.
func (r *preflighting) validate(ctx context.Context, check wire.Batch) (adsapi.OperationPage, error) {
	body, err := check.Body(true)
	if err != nil {
		return adsapi.OperationPage{}, err
	}
	page, err := r.dryRun(ctx, body)
	if err != nil {
		return adsapi.OperationPage{}, fmt.Errorf("check with a validate_only job: %w", err)
	}
	if r.supposed && !page.silent() {
		r.supposed = false
		if err := r.remember(ctx, resource.BulkJobs, true); err != nil {
			return adsapi.OperationPage{}, err
		}
	}
	return page.OperationPage, nil
}

// refusals are the operations that a job was refused for, each at its row.
func (r *preflighting) refusals(check wire.Batch, page adsapi.OperationPage) []diag.Problem {
	parts := map[string]wire.Part{}
	for _, p := range check {
		parts[p.ID] = p.Part
	}
	var problems []diag.Problem
	for _, result := range page.Results {
		p, ours := parts[result.OperationID]
		if !ours || result.Status != "failed" {
			continue
		}
		problems = append(problems, diag.Problem{
			Severity: diag.Error, Code: diag.ServiceRefused,
			Position: r.blame(p, send.Text(result.ErrorCode), send.Text(result.Error)),
			Address:  p.Change.Address.String(), Message: diag.Printable(send.Text(result.Error)),
			Hint: "the service refused it in a validate_only job; nothing was changed",
		})
	}
	return problems
}
