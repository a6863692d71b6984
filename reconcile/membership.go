package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// How long an operation is followed, and how long one that does not end is left
// alone before it is made to go on.
const (
	membersPatience = 30 * time.Minute
	membersStill    = 2 * time.Minute
	slowestLook     = 15 * time.Second
)

// recoveryRequired is the service's word for an operation that has stopped and
// must go on before another may begin (service facts, 8.3).
const recoveryRequired = "custom_audience_operation_recovery_required"

// mutationConflict is its word for people whom another operation is changing; of a
// merge it need not say which of its sources that is, nor that it has stopped.
const mutationConflict = "custom_audience_mutation_conflict"

// memberships returns the parts that change who is in what is there already.
func (r *parts) memberships() []part {
	var parts []part
	for _, c := range r.changes {
		m, file := r.membershipOf(c)
		if file == nil || isNew(c) || r.ids[c.Address] == "" {
			continue
		}
		parts = append(parts, membershipPart(m, c))
	}
	return append(parts, r.newInline()...)
}

// published returns the parts that wait for what was created to be ready.
func (r *parts) published() []part {
	var parts []part
	for _, c := range r.changes {
		if isNew(c) && !r.isMerge(c) && r.Schemas.Of(c.Address.Kind).Membership != nil {
			parts = append(parts, part{change: c})
		}
	}
	return parts
}

// memberWaves runs the waves of changes about people.
type memberWaves struct {
	*Env
	*run
	*parts
	*uploads
	*members
	*keyring
}

// publishWave waits until what was created with people is ready. The service
// took the list with the create and may still not make anything of it.
func (r *memberWaves) publishWave(ctx context.Context) error {
	for _, p := range r.ready(r.published()) {
		address, id := p.change.Address, r.ids[p.change.Address]
		if id == "" {
			r.skip(address, "waits: its create was not confirmed")
			continue
		}
		if r.forecast != nil {
			_ = r.predictMembers(ctx, "publish", p, nil)
			continue
		}
		schema := r.Schemas.Of(address.Kind)
		seen, err := r.awaitReady(ctx, schema, id)
		if err != nil {
			return fmt.Errorf("wait for %s: %w", address, err)
		}
		o := opOutcome{Address: address, ResourceID: id, Outcome: state.OutcomeApplied}
		var noted resource.Attributes
		switch {
		case seen.state == schema.Membership.Failed:
			o.Outcome, o.Code = state.OutcomeFailed, string(diag.OperationFailed)
			o.Message = "the service could not make it from its members file; archive it and give another one a new key"
			noted.Set(schema.Membership.File, resource.Null())
		case seen.making:
			o.Outcome, o.Code = state.OutcomeUnknown, string(diag.OutcomeUnknown)
			o.Message = fmt.Sprintf("it is still %q after %s; the next plan shows what became of it",
				diag.Printable(seen.state), membersPatience)
		default:
			noted.Set(schema.Membership.Revision, resource.Number(seen.revision))
		}
		if err := r.Store.Record(ctx, []state.Applied{{Address: address, ID: id, Attributes: noted}}); err != nil {
			return fmt.Errorf("record %s: %w", address, err)
		}
		r.setOutcome(p, o)
	}
	return nil
}

// membersWave sends the operations one after the other and then follows them:
// they go on at the service side by side.
func (r *memberWaves) membersWave(ctx context.Context) error {
	type begun struct {
		part part
		step state.Step
	}
	var all []begun
	for _, p := range r.ready(r.memberships()) {
		if r.forecast != nil {
			_, file := r.membershipOf(p.change)
			if err := r.predictMembers(ctx, "members",
				p, func() (state.Step, error) { return r.membersStep(ctx, p, file, 0) }); err != nil {
				return err
			}
			continue
		}
		if len(r.withoutSuperseded([]part{p})) == 0 {
			continue
		}
		step, accepted, err := r.beginMembers(ctx, p)
		if err != nil {
			return fmt.Errorf("change who is in %s: %w", p.change.Address, err)
		}
		if accepted {
			all = append(all, begun{p, step})
		}
	}
	for _, b := range all {
		o, err := r.followMembers(ctx, b.step)
		if o.Outcome != "" {
			r.setOutcome(b.part, o)
		}
		if err != nil {
			return fmt.Errorf("follow the operation on %s: %w", b.part.change.Address, err)
		}
	}
	return nil
}

// beginMembers has the service accept an operation, or settles its part.
func (r *memberWaves) beginMembers(ctx context.Context, p part) (step state.Step, accepted bool, err error) {
	address, id := p.change.Address, r.ids[p.change.Address]
	schema := r.Schemas.Of(address.Kind)
	seen, err := r.awaitReady(ctx, schema, id)
	switch {
	case err != nil:
		return step, false, err
	case seen.making:
		r.skip(address, fmt.Sprintf("waits: it is still %q at the service after %s",
			diag.Printable(seen.state), membersPatience))
		return step, false, nil
	}
	if planned, known := r.plannedRevision(p); known && planned != seen.revision {
		r.skip(address, fmt.Sprintf("somebody changed "+
			"who is in it since the plan was made: its revision was %d and is %d; plan again", planned, seen.revision))
		return step, false, nil
	}
	_, file := r.membershipOf(p.change)
	if err := r.uploadPeople(ctx, part{change: p.change, fields: []plan.Field{*file}}); err != nil || !r.fine(address) {
		return step, false, err
	}
	if r.goesInline(file) {
		return step, false, r.inlineMembers(ctx, p, file, seen)
	}
	if step, err = r.membersStep(ctx, p, file, seen.revision); err != nil {
		return step, false, err
	}
	o, err := r.sendMembers(ctx, &step, membersMutation(step))
	if o.Outcome != "" {
		r.setOutcome(p, o)
	}
	return step, o.Outcome == "" && err == nil, err
}

// plannedRevision is the revision the plan was made with.
func (r *memberWaves) plannedRevision(p part) (int64, bool) {
	live := r.view.Live.Snapshot.Get(p.change.Address)
	if live == nil {
		return 0, false
	}
	return live.Value(r.Schemas.Of(p.change.Address.Kind).Membership.Revision).Number()
}

func (r *memberWaves) membersStep(ctx context.Context, p part, file *plan.Field, revision int64) (state.Step, error) {
	schema := r.Schemas.Of(p.change.Address.Kind)
	m, set := schema.Membership, p.set()
	operation := m.Operation(set.Value(m.Do))
	body, err := membersBody(r.people[file.Desired.Text()], operation, revision)
	if err != nil {
		return state.Step{}, err
	}
	path, err := adsapi.JoinPath(schema.Collection, r.ids[p.change.Address], operation.Name)
	if err != nil {
		return state.Step{}, err
	}
	key, err := r.jobKey(ctx, "members")
	if err != nil {
		return state.Step{}, err
	}
	step := r.withOperation(r.step("members", state.Membership, path, key, body), p, "")
	step.Operations[0].Set.Set(m.Revision, resource.Number(revision))
	// also where the files do not say it: the one before may have been another
	step.Operations[0].Set.Set(m.Do, resource.Text(operation.Name))
	if last := r.view.Last.Get(p.change.Address); last != nil && last.Value(m.Sent).IsSet() {
		step.Operations[0].Set.Set(m.Sent, resource.Null())
	}
	return step, nil
}

// members sends operations on the people of a list, and follows them to their end.
type members struct {
	*Env
}

// sendMembers sends an operation whose intent it journals. An empty outcome says
// that it was accepted.
func (a *members) sendMembers(ctx context.Context, step *state.Step, m adsapi.Mutation) (opOutcome, error) {
	if err := a.Store.Begin(ctx, *step); err != nil {
		return opOutcome{}, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	ctx, done, err := a.beginRequest(ctx, *step)
	if err != nil {
		return opOutcome{}, err
	}
	defer done()
	return a.submitMembers(ctx, step, m)
}

func (a *members) submitMembers(ctx context.Context, step *state.Step, m adsapi.Mutation) (opOutcome, error) {
	o := opOutcome{Address: step.Operations[0].Address, ResourceID: step.Operations[0].ResourceID}
	accepted, err := a.Service.ChangeMembers(ctx, m)
	went, failure := a.resumeStopped(ctx, *step, err)
	if failure != nil {
		return opOutcome{}, failure
	}
	changed := false
	if went {
		fills, failure := a.stillFills(ctx, *step, true)
		if failure != nil {
			return opOutcome{}, failure
		}
		if changed = !fills; fills {
			accepted, err = a.Service.ChangeMembers(ctx, m)
		}
	}
	switch {
	case err == nil && a.merged(*step) != nil && accepted.AudienceID == "":
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown,
			string(diag.OutcomeUnknown), "the service accepted the merge and did not say what it makes"
		return o, a.move(context.WithoutCancel(ctx), *step, state.Unknown, o)
	case err == nil:
		return opOutcome{}, a.acceptMembers(ctx, step, accepted)
	case adsapi.AppliedOf(err) == adsapi.Unknown:
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown, string(diag.OutcomeUnknown), err.Error()
		return o, a.move(context.WithoutCancel(ctx), *step, state.Unknown, o)
	}
	o = neverApplied(o, err)
	if changed || errors.Is(err, adsapi.ErrConflict) {
		o.Message += "; somebody else is changing who is in it: plan again"
		if a.merged(*step) != nil {
			o.Message += ", once nobody changes what it merges"
		}
	}
	if err := a.move(context.WithoutCancel(ctx), *step, state.Abandoned, o); err != nil {
		return o, err
	}
	if err := a.resumeSources(ctx, *step, err); err != nil {
		return o, err
	}
	return o, stopping(err)
}

func membersMutation(step state.Step) adsapi.Mutation {
	return adsapi.Mutation{Path: step.Path, Key: step.Key, Body: step.Body, ContentType: step.ContentType}
}

// followMembers asks for an operation until it has ended, and records what
// became of it. One that does not end in time stays open: it was accepted, and
// the next run asks again.
func (a *members) followMembers(ctx context.Context, step state.Step) (opOutcome, error) {
	operation := step.Operations[0]
	o := opOutcome{Address: operation.Address, ResourceID: operation.ResourceID}
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
			diag.Printable(ended.Status), membersPatience)
		return o, nil
	}
	return a.endMembers(ctx, step, ended, o)
}

// resumes reports whether the service can make the operation of a step go on: an add or a
// remove, as those are that carry their people in the request.
func (a *members) resumes(step state.Step) bool {
	if step.ContentType == inlineType {
		return true
	}
	m := a.Schemas.Of(step.Operations[0].Address.Kind).Membership
	return a.merged(step) == nil && m.Operation(step.Operations[0].Set.Value(m.Do)).Resumes
}

// endMembers records an operation that has ended. One that failed leaves the
// record as it was: the list sent last is the one before.
func (a *members) endMembers(ctx context.Context, step state.Step,
	ended adsapi.MemberOperation, o opOutcome) (opOutcome, error) {
	if step.Point == state.Accepted {
		if err := a.Store.Move(ctx, step.ID, state.Terminal, state.Update{}); err != nil {
			return o, fmt.Errorf("journal %s: %w", step.ID, err)
		}
	}
	if a.merged(step) != nil {
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

func (a *members) finishMembers(ctx context.Context, step state.Step, applied []state.Applied, o opOutcome) error {
	if err := a.Store.Finish(ctx, step.ID, applied, []opOutcome{o}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}
