package send

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/people"
	"adsync/state"
)

// Singles sends one request whose intent is in the journal.
type Singles struct {
	*env.Env
	*live.Lists
	*Requests
	*Finisher
	*Keyring
	*people.Members
}

// RunSingle sends one request whose intent is in the journal.
func (r *Singles) RunSingle(ctx context.Context, step state.Step) (state.OperationOutcome, error) {
	ctx, done, err := r.BeginRequest(ctx, step)
	if err != nil {
		return state.OperationOutcome{}, err
	}
	defer done()
	record, err := r.Mutate(ctx, step)
	if went, failure := r.ResumeStopped(ctx, step, err); failure != nil {
		err = failure
	} else if went {
		record, err = r.Mutate(ctx, step)
	}
	return r.singleDone(context.WithoutCancel(ctx), step, record.ID, err)
}

// singleDone records what became of a single request.
func (r *Singles) singleDone(ctx context.Context, step state.Step,
	id string, failure error) (state.OperationOutcome, error) {
	operation := step.Operations[0]
	o := state.OperationOutcome{
		Address: operation.Address, ResourceID: operation.ResourceID, Outcome: state.OutcomeApplied,
	}
	switch {
	case failure == nil && id == "" && operation.ResourceID == "":
		found, err := r.madeWithoutID(ctx, operation)
		if err != nil || found.Outcome != state.OutcomeApplied {
			return found, errors.Join(err, r.Move(ctx, step, state.Unknown, found))
		}
		o = found
	case failure == nil:
		o.ResourceID = cmp.Or(operation.ResourceID, id)
		o.Answered, o.Made = true, operation.ResourceID == ""
	case ConflictOf(operation, failure) != "": // nothing goes under another key before it is known what it means
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown, string(ConflictOf(operation, failure)), failure.Error()
		return o, r.Move(ctx, step, state.Unknown, o)
	case adsapi.AppliedOf(failure) == adsapi.Unknown:
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown, string(diag.OutcomeUnknown), failure.Error()
		return o, r.Move(ctx, step, state.Unknown, o)
	default:
		o = env.NeverApplied(o, failure)
	}
	if o.Outcome != state.OutcomeApplied {
		return o, r.refused(ctx, step, o, failure)
	}
	return o, r.Finish(ctx, step, []state.OperationOutcome{o})
}

// refused closes a request the service surely did not carry out. What went under
// its key is noted first, so that the key is never used for other bytes.
func (r *Singles) refused(ctx context.Context, step state.Step, o state.OperationOutcome, failure error) error {
	if err := r.recordReusableKey(ctx, step); err != nil {
		return err
	}
	if err := r.Move(ctx, step, state.Abandoned, o); err != nil {
		return err
	}
	if r.oneKindOnly(step.Operations[0], failure) {
		return nil
	}
	return env.Stopping(failure)
}

// madeWithoutID finds what a create made whose answer gives no id. What does not
// show, or not alone, is unknown.
func (a *Singles) madeWithoutID(ctx context.Context, operation state.Operation) (state.OperationOutcome, error) {
	o := state.OperationOutcome{Address: operation.Address, Outcome: state.OutcomeApplied}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return o, fmt.Errorf("read the last-applied record: %w", err)
	}
	ids := map[resource.Address]string{}
	for bound := range last.All() {
		ids[bound.Address] = bound.ID
	}
	wait := env.FirstReadWait
	for try := 0; ; try++ {
		shown, err := a.WithName(ctx, a.Schemas.Of(operation.Address.Kind), operation, ids)
		if err != nil {
			return o, err
		}
		if found := shown.IDs; len(found) == 1 {
			o.ResourceID = found[0]
			return o, nil
		}
		if try == env.ReadAgain {
			o.Outcome, o.Code = state.OutcomeUnknown, string(diag.OutcomeUnknown)
			o.Message = fmt.Sprintf("the service says it made it, and reading back shows %d like it", len(shown.IDs))
			return o, nil
		}
		if err := a.Sleep(ctx, wait); err != nil {
			return o, err
		}
		wait *= 2
	}
}

// oneKindOnly reports whether a refusal concerns a kind the account may not use, and
// not every request.
func (a *Singles) oneKindOnly(operation state.Operation, failure error) bool {
	return live.LacksFeature(a.Schemas.Of(operation.Address.Kind), failure)
}

// mutation is the request of a single step, with what its answer must hold.
func (a *Requests) mutation(step state.Step) adsapi.Mutation {
	m := adsapi.Mutation{Path: step.Path, Key: step.Key, Body: step.Body, ContentType: step.ContentType}
	if len(step.Operations) > 0 {
		m.IDField = a.Schemas.Of(step.Operations[0].Address.Kind).Listing.ID
	}
	return m
}
