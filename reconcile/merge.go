package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// isMerge reports whether a change makes a resource of the people of others.
func (r *parts) isMerge(c *plan.Change) bool { return len(r.sourcesOf(c)) > 0 }

// sourcesOf returns what a change merges, as the files say it.
func (r *parts) sourcesOf(c *plan.Change) []string {
	m := r.Schemas.Of(c.Address.Kind).Membership
	if m == nil || !isNew(c) {
		return nil
	}
	for i := range c.Fields {
		if c.Fields[i].Name == m.Merge {
			return c.Fields[i].Desired.Items()
		}
	}
	return nil
}

// mergers returns the creates that are merges.
func (r *parts) mergers() []part { return r.createsThat(r.isMerge) }

// mergeWave makes new resources of others. It comes after everything else that
// changes who is in those: a merge takes the people of the moment.
func (r *memberWaves) mergeWave(ctx context.Context) error {
	for _, p := range r.ready(r.mergers()) {
		if r.forecast != nil {
			if err := r.predictMembers(ctx, "merge", p, func() (state.Step, error) {
				return r.mergeStep(ctx, p, r.sourcesOf(p.change))
			}); err != nil {
				return err
			}
			continue
		}
		if len(r.withoutSuperseded([]part{p})) == 0 {
			continue
		}
		step, accepted, err := r.beginMerge(ctx, p)
		if err != nil {
			return fmt.Errorf("merge %s: %w", p.change.Address, err)
		}
		if !accepted {
			continue
		}
		o, err := r.followMembers(ctx, step)
		if o.Outcome != "" {
			r.setOutcome(p, o)
		}
		if err != nil {
			return fmt.Errorf("follow the merge of %s: %w", p.change.Address, err)
		}
	}
	return nil
}

// beginMerge has the service accept a merge, or settles its part.
func (r *memberWaves) beginMerge(ctx context.Context, p part) (step state.Step, accepted bool, err error) {
	var ids []string
	for _, said := range r.sourcesOf(p.change) {
		id, obstacle, err := r.mergeable(ctx, p, said)
		if err != nil {
			return step, false, err
		}
		if obstacle != "" {
			r.skip(p.change.Address, "waits: "+said+" "+obstacle)
			return step, false, nil
		}
		ids = append(ids, id)
	}
	if step, err = r.mergeStep(ctx, p, ids); err != nil {
		return step, false, err
	}
	o, err := r.sendMembers(ctx, &step, membersMutation(step))
	if o.Outcome != "" {
		r.setOutcome(p, o)
	}
	return step, o.Outcome == "" && err == nil, err
}

// mergeable returns the id of a source once its people can be taken, or what is in
// the way.
func (r *memberWaves) mergeable(ctx context.Context, p part, said string) (id, obstacle string, err error) {
	id = said
	if address, keyed := resource.ParseAddress(said); keyed {
		if id = r.ids[address]; id == "" || !r.fine(address) {
			return "", "is not confirmed", nil
		}
	}
	schema := r.Schemas.Of(p.change.Address.Kind)
	seen, err := r.awaitReady(ctx, schema, id)
	if err != nil {
		return "", "", fmt.Errorf("read %s: %w", said, err)
	}
	if seen.state != schema.Membership.Ready {
		return "", fmt.Sprintf("is %q at the service; only what is %s can be merged",
			diag.Printable(seen.state), schema.Membership.Ready), nil
	}
	return id, "", nil
}

func (r *memberWaves) mergeStep(ctx context.Context, p part, ids []string) (state.Step, error) {
	m := r.Schemas.Of(p.change.Address.Kind).Membership
	slices.Sort(ids)
	fields, err := r.encoder().createBody(p, m.MergeCall, "")
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
	key, err := r.jobKey(ctx, "merge")
	if err != nil {
		return state.Step{}, err
	}
	step := r.withOperation(r.step("merge", state.Membership, path, key, body), p, "")
	step.Operations[0].Set.Set(m.Merged, resource.List(ids))
	return step, nil
}

// merged returns the ids of what the operation of a step merges, nothing where it
// is none.
func (a *members) merged(step state.Step) []string {
	operation := step.Operations[0]
	return operation.Set.Value(a.Schemas.Of(operation.Address.Kind).Membership.Merged).Items()
}

// acceptMembers records that the service took an operation, and of a merge what
// it makes.
func (a *members) acceptMembers(ctx context.Context, step *state.Step, accepted adsapi.MemberOperation) error {
	update := state.Update{JobID: accepted.ID}
	operation := &step.Operations[0]
	if a.merged(*step) != nil {
		operation.ResourceID = accepted.AudienceID
		update.Outcomes = []opOutcome{{Address: operation.Address, ResourceID: accepted.AudienceID}}
	}
	step.JobID, step.Point = accepted.ID, state.Accepted
	if err := a.Store.Move(ctx, step.ID, state.Accepted, update); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}

// endMerge records a merge that has ended. What a failed one has made is bound
// as well, and is not what the files ask for.
func (a *members) endMerge(ctx context.Context, step state.Step,
	ended adsapi.MemberOperation, o opOutcome) (opOutcome, error) {
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
	operation.Set.Set(m.Revision, resource.Number(seen.revision))
	bound := state.Applied{Address: o.Address, ID: o.ResourceID, Attributes: operation.Set, Replace: operation.Complete}
	return o, a.finishMembers(ctx, step, []state.Applied{bound}, o)
}

// decideMerge ends a merge whose answer was lost and whose key is too old: it
// happened where one of its name is there that a merge has made.
func (a *membersRecovery) decideMerge(ctx context.Context, step state.Step, recovered *Recovered) error {
	operation := step.Operations[0]
	ids, err := a.boundIDs(ctx)
	if err != nil {
		return err
	}
	found, err := a.find(ctx, step, operation, ids, false)
	switch {
	case err != nil:
		return err
	case found.Outcome == state.OutcomeUnknown:
		recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", operation.Address, found.Message))
		return nil
	case found.ResourceID == "":
		return a.abandon(ctx, step, "reading back shows nothing of it", recovered)
	}
	all, err := a.Service.MemberOperations(ctx, found.ResourceID)
	if err != nil {
		return err
	}
	first := slices.IndexFunc(all, func(o adsapi.MemberOperation) bool { return o.Kind == "merge" })
	if first < 0 {
		return a.abandon(ctx, step, "what has its name was not made by a merge", recovered)
	}
	all[first].AudienceID = found.ResourceID
	if err := a.acceptMembers(ctx, &step, all[first]); err != nil {
		return err
	}
	return a.followRecovered(ctx, step, recovered)
}

// followRecovered follows an operation of an earlier run to its end.
func (a *membersRecovery) followRecovered(ctx context.Context, step state.Step, recovered *Recovered) error {
	o, err := a.followMembers(ctx, step)
	switch {
	case err != nil:
		return err
	case o.Outcome == state.OutcomeUnknown:
		recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", o.Address, o.Message))
		return nil
	}
	recovered.Finished++
	return nil
}
