package reconcile

import (
	"adsync/plan/compare"
	"context"
	"fmt"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
)

// PlanPauses plans a pause of what stands at the top and delivers, managed or not: of all
// that is chosen. It reads that kind and nothing else.
func (a *Agent) PlanPauses(ctx context.Context, chosen func(*resource.Resource) bool) (*apply.View, error) {
	policy := plan.DefaultPolicy()
	policy.UpdatePercent = 100 // all of them is what is asked for
	return a.planAside(ctx, wire.ActionPause, Desired{Policy: policy}, chosen)
}

// Everything chooses all there is.
func Everything(*resource.Resource) bool { return true }

// PlanStarts plans the start of what was paused so, where it is paused still and as the
// policy lets it.
func (a *Agent) PlanStarts(ctx context.Context, desired Desired,
	chosen func(*resource.Resource) bool) (*apply.View, error) {
	return a.planAside(ctx, wire.ActionStart, desired, chosen)
}

// planAside plans that the delivery of what is chosen changes: last says what is
// live in the place of what is recorded, so that nothing else differs.
func (a *Agent) planAside(ctx context.Context, action string,
	desired Desired, chosen func(*resource.Resource) bool) (*apply.View, error) {
	from, to := wire.WordActive, wire.WordPaused
	if action == wire.ActionStart {
		from, to = to, from
	}
	if err := a.CheckAccount(ctx); err != nil {
		return nil, err
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the last-applied record: %w", err)
	}
	read := a.Now()
	known := highest(a.Schemas, last)
	live, err := a.live().Refreshed(ctx, known, live.Scope{Wanted: func(s *resource.Schema) bool { return atTop(s) }})
	if err != nil {
		return nil, fmt.Errorf("read the live account: %w", err)
	}
	snapshot, problems := plan.Identify(a.Schemas, known, &resource.Snapshot{}, live.Resources)
	live.Snapshot = snapshot
	before, after := &resource.Snapshot{}, &resource.Snapshot{}
	for r := range snapshot.All() {
		delivery := a.Schemas.Of(r.Address.Kind).Delivery()
		if r.Value(delivery).Text() != from || !chosen(r) {
			continue
		}
		before.Add(&resource.Resource{
			Address: r.Address, ID: r.ID, Attributes: resource.Attributes{{Name: delivery, Value: resource.Text(from)}},
		})
		after.Add(&resource.Resource{
			Address: r.Address, ID: r.ID, Attributes: resource.Attributes{{Name: delivery, Value: resource.Text(to)}},
		})
	}
	recent, err := newInputs(&a.Env).recent(ctx)
	if err != nil {
		return nil, err
	}
	input := plan.Input{
		Schemas: a.Schemas, Last: before, Desired: after,
		Live: snapshot, Policy: desired.Policy, Allow: desired.Allow, Recent: recent,
		Today: a.Now().In(a.Zone).Format("2006-01-02"), Currency: a.Account.Currency,
	}
	computed := compare.Diff(input)
	computed.Problems = append(problems, computed.Problems...)
	return &apply.View{
		Plan: computed, Last: before, Live: live, Read: read, Input: input, Reverts: true, Aside: action,
	}, nil
}

// atTop reports whether a kind stands beneath nothing and delivers.
func atTop(s *resource.Schema) bool { return s.Parent == "" && s.Delivery() != "" && live.Mirrors(s) }

// highest is what is recorded of kinds that stand at the top.
func highest(schemas resource.Schemas, last *resource.Snapshot) *resource.Snapshot {
	top := &resource.Snapshot{}
	for r := range last.All() {
		if atTop(schemas.Of(r.Address.Kind)) {
			top.Add(r)
		}
	}
	return top
}
