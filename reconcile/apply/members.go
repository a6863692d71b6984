package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/people"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// memberWaves runs the waves of changes about people.
type memberWaves struct {
	*env.Env
	*run
	*parts
	*uploads
	*people.Members
	*send.Keyring
}

// publishWave looks what became of what was created with people. The service
// took the list with the create and may still not make anything of it.
func (r *memberWaves) publishWave(ctx context.Context) error {
	for _, p := range r.ready(r.published()) {
		if r.ids[p.Change.Address] == "" {
			r.skip(p.Change.Address, "waits: its create was not confirmed")
			continue
		}
		if err := r.world.publish(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// publish waits until what was created with people is ready, and notes what the
// service made of them.
func (r *carryOut) publish(ctx context.Context, p wire.Part) error {
	address, id := p.Change.Address, r.ids[p.Change.Address]
	schema := r.Schemas.Of(address.Kind)
	o := state.OperationOutcome{Address: address, ResourceID: id, Outcome: state.OutcomeApplied}
	seen, err := r.AwaitReady(ctx, schema, id)
	if err != nil {
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.OutcomeUnknown)
		o.Message = "it was created with its people, and was not waited for until it is ready"
		r.setOutcome(p, o)
		return fmt.Errorf("wait for %s: %w", address, err)
	}
	var noted resource.Attributes
	switch {
	case seen.State == schema.Membership.Failed:
		o.Outcome, o.Code = state.OutcomeFailed, string(diag.OperationFailed)
		o.Message = "the service could not make it from its members file; archive it and give another one a new key"
		noted.Set(schema.Membership.File, resource.Null())
	case seen.Making:
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.OutcomeUnknown)
		o.Message = fmt.Sprintf("it is still %q after %s; the next plan shows what became of it",
			diag.Printable(seen.State), people.MembersPatience)
	default:
		noted.Set(schema.Membership.Revision, resource.Number(seen.Revision))
	}
	if err := r.Store.Record(ctx, []state.Applied{{Address: address, ID: id, Attributes: noted}}); err != nil {
		return fmt.Errorf("record %s: %w", address, err)
	}
	r.setOutcome(p, o)
	return nil
}

// membersWave changes who is in what is there.
func (r *memberWaves) membersWave(ctx context.Context) error {
	return r.world.changeMembers(ctx, r.ready(r.memberships()))
}

// changeMembers sends the operations one after the other and then follows them:
// they go on at the service side by side. What was accepted before an error is
// said to be so.
func (r *carryOut) changeMembers(ctx context.Context, parts []wire.Part) error {
	type begun struct {
		part wire.Part
		step state.Step
	}
	var all []begun
	var failure error
	for _, p := range parts {
		if len(r.withoutSuperseded([]wire.Part{p})) == 0 {
			continue
		}
		step, accepted, err := r.beginMembers(ctx, p)
		if err != nil {
			failure = fmt.Errorf("change who is in %s: %w", p.Change.Address, err)
			break
		}
		if accepted {
			all = append(all, begun{p, step})
		}
	}
	for _, b := range all {
		if failure != nil {
			r.setOutcome(b.part, people.Left(b.step))
			continue
		}
		if err := r.followed(ctx, b.part, b.step); err != nil {
			failure = fmt.Errorf("follow the operation on %s: %w", b.part.Change.Address, err)
		}
	}
	return failure
}

// beginMembers has the service accept an operation, or settles its part.
func (r *memberWaves) beginMembers(ctx context.Context, p wire.Part) (step state.Step, accepted bool, err error) {
	address, id := p.Change.Address, r.ids[p.Change.Address]
	schema := r.Schemas.Of(address.Kind)
	seen, err := r.AwaitReady(ctx, schema, id)
	switch {
	case err != nil:
		return step, false, err
	case seen.Making:
		r.skip(address, fmt.Sprintf("waits: it is still %q at the service after %s",
			diag.Printable(seen.State), people.MembersPatience))
		return step, false, nil
	}
	if planned, known := r.plannedRevision(p); known && planned != seen.Revision {
		r.skip(address, fmt.Sprintf("somebody changed "+
			"who is in it since the plan was made: its revision was %d and is %d; plan again", planned, seen.Revision))
		return step, false, nil
	}
	_, file := r.membershipOf(p.Change)
	if err := r.uploadPeople(ctx, wire.Part{Change: p.Change, Fields: []plan.Field{*file}}); err != nil ||
		!r.fine(address) {
		return step, false, err
	}
	if r.goesInline(file) {
		return step, false, r.inlineMembers(ctx, p, file, seen)
	}
	if step, err = r.membersStep(ctx, p, file, seen.Revision); err != nil {
		return step, false, err
	}
	accepted, err = r.accepted(ctx, p, &step)
	return step, accepted, err
}

// accepted sends an operation, and settles its part unless it goes on at the service.
func (r *memberWaves) accepted(ctx context.Context, p wire.Part, step *state.Step) (bool, error) {
	o, err := r.SendMembers(ctx, step, people.MembersMutation(*step))
	if o.Outcome != "" {
		r.setOutcome(p, o)
	}
	return o.Outcome == "" && err == nil, err
}

// followed follows an operation to its end, and settles its part.
func (r *memberWaves) followed(ctx context.Context, p wire.Part, step state.Step) error {
	o, err := r.FollowMembers(ctx, step)
	if o.Outcome != "" {
		r.setOutcome(p, o)
	}
	return err
}

// plannedRevision is the revision the plan was made with.
func (r *memberWaves) plannedRevision(p wire.Part) (int64, bool) {
	live := r.view.Live.Snapshot.Get(p.Change.Address)
	if live == nil {
		return 0, false
	}
	return live.Value(r.Schemas.Of(p.Change.Address.Kind).Membership.Revision).Number()
}

func (r *memberWaves) membersStep(ctx context.Context,
	p wire.Part, file *plan.Field, revision int64) (state.Step, error) {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	m, set := schema.Membership, p.Set()
	operation := m.Operation(set.Value(m.Do))
	body, err := wire.MembersBody(r.people[file.Desired.Text()], operation, revision)
	if err != nil {
		return state.Step{}, err
	}
	path, err := adsapi.JoinPath(schema.Collection, r.ids[p.Change.Address], operation.Name)
	if err != nil {
		return state.Step{}, err
	}
	key, err := r.JobKey(ctx, "members")
	if err != nil {
		return state.Step{}, err
	}
	step := r.withOperation(r.step("members", state.Membership, path, key, body), p, "")
	step.Operations[0].Set.Set(m.Revision, resource.Number(revision))
	// also where the files do not say it: the one before may have been another
	step.Operations[0].Set.Set(m.Do, resource.Text(operation.Name))
	if last := r.view.Last.Get(p.Change.Address); last != nil && last.Value(m.Sent).IsSet() {
		step.Operations[0].Set.Set(m.Sent, resource.Null())
	}
	return step, nil
}

// mergeWave makes new resources of others. It comes after everything else that
// changes who is in those: a merge takes the people of the moment.
func (r *memberWaves) mergeWave(ctx context.Context) error {
	for _, p := range r.ready(r.mergers()) {
		if err := r.world.merge(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// merge sends one merge and follows it.
func (r *carryOut) merge(ctx context.Context, p wire.Part) error {
	if len(r.withoutSuperseded([]wire.Part{p})) == 0 {
		return nil
	}
	step, accepted, err := r.beginMerge(ctx, p)
	if err != nil {
		return fmt.Errorf("merge %s: %w", p.Change.Address, err)
	}
	if !accepted {
		return nil
	}
	if err := r.followed(ctx, p, step); err != nil {
		return fmt.Errorf("follow the merge of %s: %w", p.Change.Address, err)
	}
	return nil
}

// beginMerge has the service accept a merge, or settles its part.
func (r *memberWaves) beginMerge(ctx context.Context, p wire.Part) (step state.Step, accepted bool, err error) {
	var ids []string
	for _, said := range r.sourcesOf(p.Change) {
		id, obstacle, err := r.mergeable(ctx, p, said)
		if err != nil {
			return step, false, err
		}
		if obstacle != "" {
			r.skip(p.Change.Address, "waits: "+said+" "+obstacle)
			return step, false, nil
		}
		ids = append(ids, id)
	}
	if step, err = r.mergeStep(ctx, p, ids); err != nil {
		return step, false, err
	}
	accepted, err = r.accepted(ctx, p, &step)
	return step, accepted, err
}

// mergeable returns the id of a source once its people can be taken, or what is in
// the way.
func (r *memberWaves) mergeable(ctx context.Context, p wire.Part, said string) (id, obstacle string, err error) {
	id = said
	if address, keyed := resource.ParseAddress(said); keyed {
		if id = r.ids[address]; id == "" || !r.fine(address) {
			return "", "is not confirmed", nil
		}
	}
	schema := r.Schemas.Of(p.Change.Address.Kind)
	seen, err := r.AwaitReady(ctx, schema, id)
	if err != nil {
		return "", "", fmt.Errorf("read %s: %w", said, err)
	}
	if seen.State != schema.Membership.Ready {
		return "", fmt.Sprintf("is %q at the service; only what is %s can be merged",
			diag.Printable(seen.State), schema.Membership.Ready), nil
	}
	return id, "", nil
}

func (r *memberWaves) mergeStep(ctx context.Context, p wire.Part, ids []string) (state.Step, error) {
	m := r.Schemas.Of(p.Change.Address.Kind).Membership
	slices.Sort(ids)
	fields, err := r.encoder().CreateBody(p, m.MergeCall, "")
	if err != nil {
		return state.Step{}, err
	}
	fields[m.MergeWire] = ids
	body, err := json.Marshal(fields)
	if err != nil {
		return state.Step{}, err
	}
	path, err := adsapi.JoinPath(m.MergeCall.At("")...)
	if err != nil {
		return state.Step{}, err
	}
	key, err := r.JobKey(ctx, "merge")
	if err != nil {
		return state.Step{}, err
	}
	step := r.withOperation(r.step("merge", state.Membership, path, key, body), p, "")
	step.Operations[0].Set.Set(m.Merged, resource.List(ids))
	return step, nil
}
