package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
)

// updating runs a wave of updates.
type updating struct {
	*env.Env
	*run
	*parts
	*freshening
	*singleRequests
	*jobs
}

func addressesOf(parts []wire.Part) map[resource.Address]bool {
	addresses := make(map[resource.Address]bool, len(parts))
	for _, p := range parts {
		addresses[p.Change.Address] = true
	}
	return addresses
}

// updateWave sends updates: those bulk can say in jobs, the rest one by one.
func (r *updating) updateWave(ctx context.Context, name string, parts []wire.Part) error {
	var jobs, singles []wire.Part
	e := r.encoder()
	fresh, err := r.freshen(ctx, r.ready(parts))
	if err != nil {
		return err
	}
	fresh = r.ownCalls(fresh)
	changing := addressesOf(fresh)
	for _, p := range fresh {
		if r.caps[resource.BulkJobs] && r.sayable(e, p, changing) {
			jobs = append(jobs, p)
			continue
		}
		inJob, alone := r.apart(p)
		jobs, singles = append(jobs, inJob...), append(singles, alone...)
	}
	tooLarge, err := r.updateJobs(ctx, name, jobs)
	if err != nil {
		return err
	}
	return r.runByDepth(ctx, name, append(singles, tooLarge...))
}

// runByDepth sends updates level by level: what is raised or changed from the top
// down, what is lowered from the bottom up. A bid is lowered before the budget
// above it is cut below what it was, and a budget is daily before a strategy
// needs it.
func (r *updating) runByDepth(ctx context.Context, wave string, parts []wire.Part) error {
	levels := make([][]wire.Part, r.depths())
	for _, p := range parts {
		depth := r.Schemas.Depth(p.Change.Address.Kind)
		levels[depth] = append(levels[depth], p)
	}
	if wave == "lower" {
		slices.Reverse(levels)
	}
	for _, level := range levels {
		if err := r.runSingles(ctx, wave, level); err != nil {
			return err
		}
	}
	return nil
}

// apart takes from an update what only a bulk operation can say, where there is
// such a part and another.
func (r *updating) apart(p wire.Part) (inJob, alone []wire.Part) {
	only := wire.BeyondSingle(r.Schemas, p)
	if len(only) == 0 || len(only) == len(p.Fields) || !r.caps[resource.BulkJobs] {
		return nil, []wire.Part{p}
	}
	rest := p
	rest.Fields = slices.DeleteFunc(slices.Clone(p.Fields), func(f plan.Field) bool {
		return slices.Contains(only, f.Name)
	})
	return []wire.Part{p.Only(only)}, []wire.Part{rest}
}

// sayable reports whether an update operation carries a part. A bid goes alone where
// something above it changes in the same wave: the order in which runByDepth sends
// the two is no order of jobs.
func (r *updating) sayable(e wire.Encoder, p wire.Part, changing map[resource.Address]bool) bool {
	address := p.Change.Address
	for _, f := range p.Fields {
		switch {
		case e.OnUpdate(address, f):
		case !e.LeftOut(address, f), r.anyAbove(address, changing):
			return false
		}
	}
	return true
}

func (r *updating) anyAbove(address resource.Address, changing map[resource.Address]bool) bool {
	for parent := r.Schemas.Parent(address); !parent.IsZero(); parent = r.Schemas.Parent(parent) {
		if changing[parent] {
			return true
		}
	}
	return false
}

// updateJobs sends updates in jobs and gives those no operation holds.
func (r *updating) updateJobs(ctx context.Context, name string, parts []wire.Part) (tooLarge []wire.Part, err error) {
	e := r.encoder()
	var units []wire.Batch
	for i, p := range parts {
		one, err := r.packUpdate(e, p, fmt.Sprintf("u%d", i+1))
		switch {
		case errors.Is(err, wire.ErrTooLarge):
			tooLarge = append(tooLarge, p)
			continue
		case err != nil:
			return nil, err
		}
		units = append(units, wire.Batch{one})
	}
	return tooLarge, r.world.sendJobs(ctx, name, wire.Pack(units, r.jobRoom()))
}

// packUpdate packs an update with the id its resource has by now.
func (r *run) packUpdate(e wire.Encoder, p wire.Part, id string) (wire.Packed, error) {
	c := *p.Change
	c.ID = r.ids[c.Address]
	operation, err := e.BulkUpdate(&c, p.Fields, id, r.record(c.ID).JSON)
	if err != nil {
		return wire.Packed{}, err
	}
	return wire.EncodeOperation(p, operation)
}
