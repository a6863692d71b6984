package people

import (
	"context"
	"fmt"

	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/state"
)

// What adsync sent is not always all that was done: a stopped operation of somebody
// else goes on before it, and others come before a later run finds it. What is recorded
// is the revision that adsync's own operation gave: another one then shows, and nobody
// is taken out unseen.

// givenBy is the revision an operation gave: the one that shows, where no other was
// ever accepted, else at most the next after the one it began with.
func (a *Members) givenBy(ctx context.Context, step state.Step, seen Progressed, before int64) (int64, error) {
	if seen.Revision <= before+1 {
		return seen.Revision, nil
	}
	all, err := a.Service.MemberOperations(ctx, step.Operations[0].ResourceID)
	if env.Stops(err) {
		return 0, err
	}
	if err == nil && len(all) == 1 && all[0].ID == step.JobID {
		return seen.Revision, nil
	}
	return before + 1, nil
}

// NoteMade records what became of the people of creates that earlier runs did not
// see ready.
func (a *Members) NoteMade(ctx context.Context, last *resource.Snapshot) error {
	for bound := range last.All() {
		m := a.Schemas.Of(bound.Address.Kind).Membership
		if m == nil || bound.ID == "" || !bound.Value(m.File).IsSet() || !bound.Value(m.Revision).IsAbsent() {
			continue
		}
		noted, err := a.madeOf(ctx, bound)
		if err != nil && env.Stops(err) && !live.LacksFeature(a.Schemas.Of(bound.Address.Kind), err) {
			return fmt.Errorf("look for the people of %s: %w", bound.Address, err)
		}
		if len(noted) == 0 {
			continue // the next plan holds another list
		}
		if err := a.Store.Record(ctx,
			[]state.Applied{{Address: bound.Address, ID: bound.ID, Attributes: noted}}); err != nil {
			return fmt.Errorf("record %s: %w", bound.Address, err)
		}
	}
	return nil
}

// madeOf is the revision that a create gave, while no operation shows beside it:
// lists of operations leave the first publication out (service facts, 8.2). It is
// nothing where somebody has sent one, or while the service is at work.
func (a *Members) madeOf(ctx context.Context, bound *resource.Resource) (noted resource.Attributes, err error) {
	schema := a.Schemas.Of(bound.Address.Kind)
	seen, err := a.readProgress(ctx, schema, bound.ID)
	if err != nil || seen.Making {
		return nil, err
	}
	if seen.State == schema.Membership.Failed {
		noted.Set(schema.Membership.File, resource.Null())
		return noted, nil
	}
	all, err := a.Service.MemberOperations(ctx, bound.ID)
	if err != nil || len(all) > 0 {
		return nil, err
	}
	noted.Set(schema.Membership.Revision, resource.Number(seen.Revision))
	return noted, nil
}
