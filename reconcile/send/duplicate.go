package send

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
	"adsync/state"
)

// duplicate is what a service made where it was to give what is there: of a repeated
// parent another one, and what is beneath that.
type duplicate struct {
	address resource.Address
	id      string
}

// DuplicatesOf finds what a job made beside the tree it should have gone on with,
// parents first, and which creates are none of the tree's for that.
func DuplicatesOf(schemas resource.Schemas, operations []state.Operation,
	outcomes []state.OperationOutcome) (duplicates []duplicate, under map[resource.Address]bool) {
	under = map[resource.Address]bool{}
	for i, o := range operations { // parents stand before their children
		outcome := outcomes[i]
		repeated := o.Action == wire.ActionRepeat
		switch {
		case outcome.Outcome == state.OutcomeUnknown:
			continue
		case repeated && outcome.Outcome == state.OutcomeApplied && outcome.ResourceID == o.ResourceID:
			continue
		case !repeated && !under[schemas.Parent(o.Address)]:
			continue
		}
		under[o.Address] = true
		if outcome.Outcome == state.OutcomeApplied && outcome.ResourceID != "" {
			duplicates = append(duplicates, duplicate{o.Address, outcome.ResourceID})
		}
	}
	return duplicates, under
}

// mayBeDuplicates finds creates of a job that may be of a second tree: a child that is known
// came back as another one, so its parent may be another one too, and what is
// beneath that. The attempt before holds what is unknown of them.
func mayBeDuplicates(schemas resource.Schemas, operations []state.Operation,
	outcomes []state.OperationOutcome) map[resource.Address]bool {
	in := map[resource.Address]bool{}
	for i := len(operations) - 1; i >= 0; i-- { // from the lowest up
		o, outcome := operations[i], outcomes[i]
		again := o.Action == wire.ActionRepeat && outcome.Outcome == state.OutcomeApplied &&
			outcome.ResourceID != o.ResourceID
		if parent := schemas.Parent(o.Address); !parent.IsZero() && (again || in[o.Address]) {
			in[parent] = true
		}
	}
	for i, o := range operations { // and down again
		in[o.Address] = o.Action != wire.ActionRepeat &&
			outcomes[i].Outcome == state.OutcomeApplied && (in[o.Address] || in[schemas.Parent(o.Address)])
	}
	return in
}

// Repeats reports whether a step repeats parents.
func Repeats(operations []state.Operation) bool {
	return slices.ContainsFunc(operations, func(o state.Operation) bool { return o.Action == wire.ActionRepeat })
}

// Duplicates archives what came into being twice.
type Duplicates struct {
	*env.Env
	*Requests
}

// noteRepeats remembers what the results of a job say of parents that are
// repeated. What reading back shows says nothing of it: the parent is there
// either way.
func (a *Duplicates) noteRepeats(ctx context.Context, step state.Step, outcomes []state.OperationOutcome) error {
	said, reused := false, true
	for i, o := range step.Operations {
		if o.Action != wire.ActionRepeat || outcomes[i].Outcome == state.OutcomeUnknown {
			continue
		}
		said, reused = true, reused && outcomes[i].Outcome == state.OutcomeApplied &&
			outcomes[i].ResourceID == o.ResourceID
	}
	if !said {
		return nil
	}
	if err := a.Store.RecordCapability(ctx, resource.RepeatParent, reused); err != nil {
		return fmt.Errorf("remember whether parents can be repeated: %w", err)
	}
	return nil
}

// archiveDuplicates archives what a job made beside its tree, and gives the outcomes
// without it: what stands beneath a duplicate is not created.
func (a *Duplicates) archiveDuplicates(ctx context.Context,
	step state.Step, outcomes []state.OperationOutcome) ([]state.OperationOutcome, error) {
	if !Repeats(step.Operations) {
		return outcomes, nil
	}
	duplicates, _ := DuplicatesOf(a.Schemas, step.Operations, outcomes)
	for _, s := range duplicates {
		if err := a.archiveDuplicate(ctx, step, s); err != nil {
			return nil, fmt.Errorf("archive %s, which the service made a second time as %s: %w", s.address, s.id, err)
		}
	}
	if len(duplicates) > 0 {
		a.Tell("the service made %s a second time, as %s, where its create was repeated; that one and what "+
			"came beneath it are archived, and the rest goes through single requests",
			duplicates[0].address, duplicates[0].id)
	}
	return a.WithoutDuplicates(step, outcomes), nil
}

// WithoutDuplicates returns the outcomes of a job without what it made beside its tree:
// a repeated parent is the one that is there, what stands beneath a duplicate is not
// created, and of what may be of a second tree nothing is known.
func (a *Duplicates) WithoutDuplicates(step state.Step, outcomes []state.OperationOutcome) []state.OperationOutcome {
	if len(outcomes) == 0 { // nothing was heard of it
		return outcomes
	}
	_, under := DuplicatesOf(a.Schemas, step.Operations, outcomes)
	suspects := mayBeDuplicates(a.Schemas, step.Operations, outcomes)
	kept := slices.Clone(outcomes)
	for i, o := range step.Operations {
		switch {
		case o.Action == wire.ActionRepeat:
			kept[i].ResourceID = o.ResourceID
		case suspects[o.Address]:
			kept[i] = state.OperationOutcome{
				Address: o.Address, Outcome: state.OutcomeSkipped,
				Code: string(diag.NeedsDecision), Message: "may be a second " +
					o.Address.String() + ": what stands beneath the first was made again with it",
			}
		case under[o.Address] && kept[i].Outcome == state.OutcomeApplied:
			kept[i] = state.OperationOutcome{
				Address: o.Address, Outcome: state.OutcomeSkipped, Message: "was made beneath a second " +
					a.Schemas.Parent(o.Address).String() + ", which is archived",
			}
		}
	}
	return kept
}

// archiveDuplicate sends one journalled request. What is archived already is done.
func (a *Duplicates) archiveDuplicate(ctx context.Context, of state.Step, s duplicate) error {
	step, err := a.duplicateStep(ctx, of, s)
	if err != nil {
		return err
	}
	if err := a.Store.Begin(ctx, step); err != nil {
		return err
	}
	sendCtx, done, err := a.BeginRequest(ctx, step)
	if err != nil {
		return err
	}
	defer done()
	_, failure := a.Service.Mutate(sendCtx, a.mutation(step))
	if failure == nil {
		return a.Store.Finish(sendCtx, step.ID, nil, nil)
	}
	// The job stays open until this is certain: recovery finds the duplicate again.
	if err := a.Store.Move(context.WithoutCancel(ctx),
		step.ID, state.Abandoned, state.Update{Note: failure.Error()}); err != nil {
		return errors.Join(failure, err)
	}
	schema := a.Schemas.Of(s.address.Kind)
	record, err := a.Service.Read(sendCtx, schema.Collection, s.id, nil)
	if err != nil {
		return errors.Join(failure, err)
	}
	live, err := wire.Decoder{Zone: a.Zone}.Decode(schema, record)
	if err == nil && schema.Removed(live) {
		return nil
	}
	return errors.Join(failure, err)
}

func (a *Duplicates) duplicateStep(ctx context.Context, of state.Step, s duplicate) (state.Step, error) {
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return state.Step{}, err
	}
	schema := a.Schemas.Of(s.address.Kind)
	p := wire.Part{
		Change: &plan.Change{Address: s.address},
		Fields: []plan.Field{{Name: schema.RemovalAttribute().Name, Desired: resource.Text(schema.Removal)}},
	}
	call := wire.CallOf(a.Schemas, p)
	path, err := adsapi.JoinPath(call.At(s.id)...)
	if err != nil {
		return state.Step{}, err
	}
	e := wire.Encoder{Schemas: a.Schemas, Zone: a.Zone, Value: func(resource.Address, string) resource.Value {
		return resource.Value{}
	}}
	body, err := e.SingleUpdate(p, call, s.id, []byte("{}"))
	return state.Step{
		ID: fmt.Sprintf("%s/stray-%d", of.ID, sequence), Run: of.Run, Route: state.Single, Path: path,
		ContentType: "application/json", Body: body, PlanHash: of.PlanHash,
	}, err
}
