// Package people sends operations on the people of a list and follows them to their end:
// members.go sends, wait.go asks how far they are, given.go says what of a list may be
// recorded as adsync's own.
//
// An operation that was accepted is never cancelled, and never sent twice.
package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/state"
)

// How long an operation is followed, and how long one that does not end is left
// alone before it is made to go on.
const (
	MembersPatience = 30 * time.Minute
	membersStill    = 2 * time.Minute
	slowestLook     = 15 * time.Second
)

// recoveryRequired is the service's word for an operation that has stopped and
// must go on before another may begin (service facts, 8.3).
const recoveryRequired = "custom_audience_operation_recovery_required"

// mutationConflict is its word for people whom another operation is changing; of a
// merge it need not say which of its sources that is, nor that it has stopped.
const mutationConflict = "custom_audience_mutation_conflict"

// Members sends operations on the people of a list, and follows them to their end.
type Members struct {
	*env.Env
}

// SendMembers sends an operation whose intent it journals. An empty outcome says
// that it was accepted.
func (a *Members) SendMembers(ctx context.Context,
	step *state.Step, m adsapi.Mutation) (state.OperationOutcome, error) {
	if err := a.Store.Begin(ctx, *step); err != nil {
		return state.OperationOutcome{}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	ctx, done, err := a.BeginRequest(ctx, *step)
	if err != nil {
		return state.OperationOutcome{}, err
	}
	defer done()
	return a.submitMembers(ctx, step, m)
}

func (a *Members) submitMembers(ctx context.Context,
	step *state.Step, m adsapi.Mutation) (state.OperationOutcome, error) {
	o := state.OperationOutcome{Address: step.Operations[0].Address, ResourceID: step.Operations[0].ResourceID}
	accepted, err := a.Service.ChangeMembers(ctx, m)
	went, failure := a.ResumeStopped(ctx, *step, err)
	if failure != nil {
		return state.OperationOutcome{}, failure
	}
	changed := false
	if went {
		fills, failure := a.StillFills(ctx, *step, true)
		if failure != nil {
			return state.OperationOutcome{}, failure
		}
		if changed = !fills; fills {
			accepted, err = a.Service.ChangeMembers(ctx, m)
		}
	}
	switch {
	case err == nil && a.Merged(*step) != nil && accepted.AudienceID == "":
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown,
			string(diag.OutcomeUnknown), "the service accepted the merge and did not say what it makes"
		return o, a.Move(context.WithoutCancel(ctx), *step, state.Unknown, o)
	case err == nil:
		return state.OperationOutcome{}, a.AcceptMembers(ctx, step, accepted)
	case adsapi.AppliedOf(err) == adsapi.Unknown:
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown, string(diag.OutcomeUnknown), err.Error()
		return o, a.Move(context.WithoutCancel(ctx), *step, state.Unknown, o)
	}
	o = env.NeverApplied(o, err)
	if changed || errors.Is(err, adsapi.ErrConflict) {
		o.Message += "; somebody else is changing who is in it: plan again"
		if a.Merged(*step) != nil {
			o.Message += ", once nobody changes what it merges"
		}
	}
	if err := a.Move(context.WithoutCancel(ctx), *step, state.Abandoned, o); err != nil {
		return o, err
	}
	if err := a.resumeSources(ctx, *step, err); err != nil {
		return o, err
	}
	return o, env.Stopping(err)
}

// FollowMembers asks for an operation until it has ended, and records what
// became of it. One that does not end in time stays open: it was accepted, and
// the next run asks again. So it is where an error ends the asking.
func (a *Members) FollowMembers(ctx context.Context, step state.Step) (state.OperationOutcome, error) {
	o, err := a.follow(ctx, step)
	if err != nil && o.Outcome == "" {
		o = Left(step)
	}
	return o, err
}

// Left is the outcome of an operation that was accepted and is not followed to its end.
func Left(step state.Step) state.OperationOutcome {
	return state.OperationOutcome{
		Address: step.Operations[0].Address, ResourceID: step.Operations[0].ResourceID,
		Outcome: state.OutcomeUnknown, Code: string(diag.OutcomeUnknown),
		Message: "it was accepted, and was not waited for to its end",
	}
}

func (a *Members) follow(ctx context.Context, step state.Step) (state.OperationOutcome, error) {
	operation := step.Operations[0]
	o := state.OperationOutcome{Address: operation.Address, ResourceID: operation.ResourceID}
	ended, err := a.awaitOperation(ctx, operation.ResourceID, step.JobID, a.resumes(step))
	switch {
	case errors.Is(err, adsapi.ErrUnavailable):
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown,
			string(diag.OutcomeUnknown), "it was accepted, and what became of it cannot be read: "+err.Error()
		return o, nil
	case err != nil:
		return o, err
	case !ended.Ended():
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.OutcomeUnknown)
		o.Message = fmt.Sprintf("it was accepted and is still %q after %s; the next apply looks again",
			diag.Printable(ended.Status), MembersPatience)
		return o, nil
	}
	return a.endMembers(ctx, step, ended, o)
}

// resumes reports whether the service can make the operation of a step go on: an add or a
// remove, as those are that carry their people in the request.
func (a *Members) resumes(step state.Step) bool {
	if step.ContentType == InlineType {
		return true
	}
	m := a.Schemas.Of(step.Operations[0].Address.Kind).Membership
	return a.Merged(step) == nil && m.Operation(step.Operations[0].Set.Value(m.Do)).Resumes
}

// endMembers records an operation that has ended. One that failed leaves the
// record as it was: the list sent last is the one before.
func (a *Members) endMembers(ctx context.Context, step state.Step,
	ended adsapi.MemberOperation, o state.OperationOutcome) (state.OperationOutcome, error) {
	if step.Point == state.Accepted {
		if err := a.Store.Move(ctx, step.ID, state.Terminal, state.Update{}); err != nil {
			return o, fmt.Errorf("journal %s: %w", step.ID, err)
		}
	}
	if a.Merged(step) != nil {
		return a.endMerge(ctx, step, ended, o)
	}
	operation := step.Operations[0]
	schema := a.Schemas.Of(o.Address.Kind)
	before, _ := operation.Set.Value(schema.Membership.Revision).Number()
	seen, err := a.readRaised(ctx, schema, o.ResourceID, before, ended.Succeeded())
	if err != nil {
		return o, err
	}
	o.Outcome = state.OutcomeApplied
	if !ended.Succeeded() {
		o.Outcome, o.Code = state.OutcomeFailed, string(diag.OperationFailed)
		o.Message = "the service ended the operation as failed; the list sent before it counts on" + seen.invalid()
		return o, a.finishMembers(ctx, step, nil, o)
	}
	given, err := a.givenBy(ctx, step, seen, before)
	if err != nil {
		return o, err
	}
	set := &step.Operations[0].Set // the caller sees what it gave
	set.Set(schema.Membership.Revision, resource.Number(given))
	return o, a.finishMembers(ctx, step, []state.Applied{{Address: o.Address, ID: o.ResourceID, Attributes: *set}}, o)
}

func (a *Members) finishMembers(ctx context.Context,
	step state.Step, applied []state.Applied, o state.OperationOutcome) error {
	if err := a.Store.Finish(ctx, step.ID, applied, []state.OperationOutcome{o}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}

// Merged returns the ids of what the operation of a step merges, nothing where it
// is none.
func (a *Members) Merged(step state.Step) []string {
	operation := step.Operations[0]
	return operation.Set.Value(a.Schemas.Of(operation.Address.Kind).Membership.Merged).Items()
}

func (r *Members) Move(ctx context.Context, step state.Step, to state.Point, o state.OperationOutcome) error {
	if err := r.Store.Move(ctx,
		step.ID, to, state.Update{Outcomes: []state.OperationOutcome{o}, Note: o.Message}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}

func MembersMutation(step state.Step) adsapi.Mutation {
	return adsapi.Mutation{Path: step.Path, Key: step.Key, Body: step.Body, ContentType: step.ContentType}
}

// AcceptMembers records that the service took an operation, and of a merge what
// it makes.
func (a *Members) AcceptMembers(ctx context.Context, step *state.Step, accepted adsapi.MemberOperation) error {
	update := state.Update{JobID: accepted.ID}
	operation := &step.Operations[0]
	if a.Merged(*step) != nil {
		operation.ResourceID = accepted.AudienceID
		update.Outcomes = []state.OperationOutcome{{Address: operation.Address, ResourceID: accepted.AudienceID}}
	}
	step.JobID, step.Point = accepted.ID, state.Accepted
	if err := a.Store.Move(ctx, step.ID, state.Accepted, update); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}

// endMerge records a merge that has ended. What a failed one has made is bound
// as well, and is not what the files ask for.
func (a *Members) endMerge(ctx context.Context, step state.Step,
	ended adsapi.MemberOperation, o state.OperationOutcome) (state.OperationOutcome, error) {
	operation := step.Operations[0]
	m := a.Schemas.Of(o.Address.Kind).Membership
	o.Outcome = state.OutcomeApplied
	if !ended.Succeeded() {
		o.Outcome, o.Code = state.OutcomeFailed, string(diag.OperationFailed)
		o.Message = "the service ended the merge as failed; archive what it made, and give the merge another key"
		operation.Set.Set(m.Merge, resource.Null())
	}
	seen, err := a.readRaised(ctx, a.Schemas.Of(o.Address.Kind), o.ResourceID, 0, ended.Succeeded())
	if err != nil {
		return o, err
	}
	operation.Set.Set(m.Revision, resource.Number(seen.Revision))
	bound := state.Applied{Address: o.Address, ID: o.ResourceID, Attributes: operation.Set, Replace: operation.Complete}
	return o, a.finishMembers(ctx, step, []state.Applied{bound}, o)
}
