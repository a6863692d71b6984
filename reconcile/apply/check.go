package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
)

// Checked is what the service says about changes it was only asked about.
type Checked struct {
	Operations int // operations it validated or refused
	Beyond     int // changes, or parts of them, that no job can say: only applying tells
	Held       int // changes the plan holds: not asked about
	Problems   []diag.Problem
}

// Check asks the service about every change of the plan that is not held, in
// validate_only jobs (interface, part 4, bulk rule 9). It mutates nothing and
// records nothing; an account without bulk jobs has nothing to say.
func (r *Run) Check(ctx context.Context) (Checked, error) {
	r.Store, r.dry, r.Bulk.Preflight = quiet{r.Store}, true, PreflightAlways
	r.files, r.started = map[string]string{}, r.Now()
	checked := Checked{Held: len(r.view.Plan.Changes) - len(r.changes)}
	if err := r.findCapabilities(ctx); err != nil {
		return checked, err
	}
	problems, err := r.checkCreates(ctx, &checked)
	if err != nil {
		return checked, err
	}
	checked.Problems = problems
	if problems, err = r.checkUpdates(ctx, &checked); err != nil {
		return checked, err
	}
	var found diag.List
	found.AddAll(checked.Problems)
	found.AddAll(problems)
	checked.Problems = found.Sorted()
	return checked, nil
}

// checking asks about every change and sends none.
type checking struct {
	*env.Env
	*run
	*parts
	*creating
	*preflighting
}

func (r *checking) checkCreates(ctx context.Context, checked *Checked) ([]diag.Problem, error) {
	creation, err := r.planCreation(ctx)
	if err != nil {
		return nil, err
	}
	checked.Beyond += len(creation.singles)
	for _, job := range slices.Concat(creation.jobs, creation.tails) {
		for _, p := range job {
			if p.Repeat {
				continue
			}
			checked.Operations++
			if len(creation.followUp[p.Part.Change]) > 0 {
				checked.Beyond++
			}
		}
	}
	return r.preflight(ctx)
}

// checkUpdates puts what jobs can say of every update into one operation a
// resource, whatever wave it belongs to: nothing is applied, so order is nothing.
func (r *checking) checkUpdates(ctx context.Context, checked *Checked) ([]diag.Problem, error) {
	e := r.encoder()
	var units []wire.Batch
	for _, c := range r.changes {
		if wire.IsNew(c) || r.ids[c.Address] == "" || len(c.Fields) == 0 {
			continue
		}
		fields := r.sayableFields(e, c)
		if len(fields) < len(c.Fields) {
			checked.Beyond++
		}
		if len(fields) == 0 {
			continue
		}
		operation, err := e.BulkUpdate(r.bound(wire.Part{Change: c}),
			fields, fmt.Sprintf("u%d", len(units)+1), r.record(r.ids[c.Address]).JSON)
		if err != nil {
			return nil, err
		}
		one, err := wire.EncodeOperation(wire.Part{Change: c, Fields: fields}, operation)
		switch {
		case errors.Is(err, wire.ErrTooLarge): // a single request will carry it
			checked.Beyond++
			continue
		case err != nil:
			return nil, err
		}
		units = append(units, wire.Batch{one})
	}
	jobs := wire.Pack(units, r.jobRoom())
	checked.Operations += len(units)
	return r.runPreflight(ctx, len(jobs), func(i int) ([]diag.Problem, error) { return r.isolateRefusal(ctx, jobs[i]) })
}

// sayableFields are those an update operation can carry. An image that is not
// uploaded yet has no id to send.
func (r *checking) sayableFields(e wire.Encoder, c *plan.Change) []plan.Field {
	if !r.caps[resource.BulkJobs] {
		return nil
	}
	var fields []plan.Field
	for _, f := range c.Fields {
		a, _ := r.Schemas.Of(c.Address.Kind).Attribute(f.Name)
		if e.OnUpdate(c.Address, f) && a.Wire.Codec != resource.FileID {
			fields = append(fields, f)
		}
	}
	return fields
}
