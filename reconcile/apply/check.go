package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/adsapi"
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
	r.Store, r.asks, r.world = quiet{r.Store}, r.checking, nil
	r.Bulk.Preflight = PreflightAlways
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

// checking is the asker of a run that only asks: it wants to hear everything, and sends no change.
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
		one, err := r.packUpdate(e, wire.Part{Change: c, Fields: fields}, fmt.Sprintf("u%d", len(units)+1))
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
	return r.askAll(ctx, jobs, r.isolateRefusal)
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

// validateCreates asks about less and less of a job that is refused whole.
func (r *checking) validateCreates(ctx context.Context,
	checks []wire.Batch, keys map[resource.Address]string) ([]diag.Problem, error) {
	return r.validateEach(ctx, checks, keys, r.isolateRefusal)
}

// isolateRefusal is validated for who only asks: where the service refuses a job whole,
// it is asked about less and less of it, until what it refuses stands alone.
func (r *checking) isolateRefusal(ctx context.Context, check wire.Batch) ([]diag.Problem, error) {
	problems, err := r.validated(ctx, check)
	if !env.RefusesContent(err) {
		return problems, err
	}
	if len(check) == 1 || r.refusedWhole.Add(1) > mostRefusals {
		return []diag.Problem{r.refusedWith(check, err)}, nil
	}
	if parted := halves(r.parts, check); len(parted) > 1 {
		front, err := r.isolateRefusal(ctx, parted[0])
		if err != nil {
			return nil, err
		}
		back, err := r.isolateRefusal(ctx, parted[1])
		return slices.Concat(front, back), err
	}
	return r.isolateRefusalIn(ctx, check)
}

// isolateRefusalIn finds what a tree is refused for: parents stand before their
// children, so the shortest front that is refused ends with it. What stands
// neither there nor beneath it is asked about again.
func (r *checking) isolateRefusalIn(ctx context.Context, tree wire.Batch) ([]diag.Problem, error) {
	var refusal error
	passes, refused := 0, len(tree)
	for refused-passes > 1 {
		middle := (passes + refused) / 2
		_, err := r.validated(ctx, tree[:middle])
		switch {
		case env.RefusesContent(err):
			refused, refusal = middle, err
		case err != nil:
			return nil, err
		default:
			passes = middle
		}
	}
	bad := tree[refused-1]
	if refusal == nil { // it was the whole tree
		_, refusal = r.validated(ctx, tree)
	}
	if !env.RefusesContent(refusal) {
		return nil, refusal
	}
	problems := []diag.Problem{r.refusedWith(wire.Batch{bad}, refusal)}
	above := bad.Part.Change.Address
	rest := slices.DeleteFunc(slices.Clone(tree), func(p wire.Packed) bool {
		return r.Schemas.Ancestor(p.Part.Change.Address, above.Kind) == above
	})
	if len(rest) == 0 {
		return problems, nil
	}
	others, err := r.isolateRefusal(ctx, rest)
	return slices.Concat(problems, others), err
}

// refusedWith is the refusal of a whole job, at the row of its first operation.
func (r *checking) refusedWith(check wire.Batch, refusal error) diag.Problem {
	p, said, code := check[0].Part, refusal.Error(), ""
	if refused := new(adsapi.Error); errors.As(refusal, &refused) && refused.Message != "" {
		said, code = refused.Message, refused.Code
	}
	hint := "the service refused it in a validate_only job; nothing was changed"
	if len(check) > 1 {
		hint = fmt.Sprintf("the service refused "+
			"it, or one of the %d operations after it, in a validate_only job; nothing was changed", len(check)-1)
	}
	return diag.Problem{
		Severity: diag.Error, Code: diag.ServiceRefused, Position: r.blame(p, code, said),
		Address: p.Change.Address.String(), Message: diag.Printable(said), Hint: hint,
	}
}

// validated returns what the service says about a job it only validates.
func (r *checking) validated(ctx context.Context, check wire.Batch) ([]diag.Problem, error) {
	page, err := r.validate(ctx, check)
	return r.refusals(check, page), err
}
