package apply

import (
	"adsync/plan/compare"
	"context"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// waveRunner carries the changes out, wave by wave.
type waveRunner struct {
	*env.Env
	*run
	*parts
	*reporting
	*recording
	*readback
	*memberWaves
	*uploads
	*singleRequests
	*updating
	*creationWaves
}

// waves carries the changes out in the order in which money only moves the safe
// way (design.md section 5). Each wave is confirmed before the next begins.
func (r *waveRunner) waves(ctx context.Context) error {
	r.countParts()
	r.events.emit(Event{Kind: RunCounted, Operations: r.pendingParts()})
	for _, wave := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"record", r.recordOnly},
		{"lower", func(ctx context.Context) error { return r.updateWave(ctx, "lower", r.updates(plan.Lower)) }},
		{"cap", func(ctx context.Context) error { return r.runSingles(ctx, "cap", r.ready(r.capping())) }},
		{"read back", r.readBack}, // what is not lower yet may keep others from rising
		{"retire", r.retire},
		{"upload", r.uploadWave},
		{"change", func(ctx context.Context) error { return r.updateWave(ctx, "change", r.updates(plan.Neutral)) }},
		{"create", r.createWave},
		{"publish", r.publishWave},
		{"members", r.membersWave},
		{"merge", r.mergeWave},
		{"read back", r.readBack},
		{"raise", func(ctx context.Context) error {
			return r.updateWave(ctx, "raise", r.allowed(r.updates(plan.Raise)))
		}},
		{"activate", r.activateWave},
		{"read back", r.readBack},
		{"record new", r.recordNew},
		{"forget", r.forgetPruned},
	} {
		if err := context.Cause(ctx); err != nil {
			return env.InWave("before", wave.name, err)
		}
		r.events.enter(wave.name)
		if err := wave.run(ctx); err != nil {
			return env.InWave("in", wave.name, err)
		}
	}
	return r.closeSteps(ctx)
}

// countParts notes how many parts every change has, so that one that is never
// reached cannot pass for done.
func (r *waveRunner) countParts() {
	for _, p := range r.creates() {
		r.progressOf[p.Change.Address].pending++
	}
	for _, p := range slices.Concat(r.activations(), r.capping(), r.published(), r.memberships(), r.mergers()) {
		r.progressOf[p.Change.Address].pending++
	}
	for phase := plan.Lower; phase <= plan.Activate; phase++ {
		for _, p := range r.updates(phase) {
			r.progressOf[p.Change.Address].pending++
		}
	}
}

// allowed drops what counts on the money of a decrease, a pause or a new limit before it
// that is not confirmed: the money is not free yet. Nothing may rise where the service
// did not take a limit that was to rise, for another reason than what it says: somebody
// may have changed the limits since they were planned with.
func (r *waveRunner) allowed(parts []wire.Part) []wire.Part {
	if moved := r.movedCap(); !moved.IsZero() {
		for _, p := range parts {
			r.skip(p.Change.Address, fmt.Sprintf("waits: %s may be another one than was planned with", moved))
		}
		return nil
	}
	waits := r.countsOn(r.unconfirmedLower())
	return slices.DeleteFunc(slices.Clone(parts), func(p wire.Part) bool {
		if why := waits(p); why != "" {
			r.skip(p.Change.Address, "waits: "+why)
			return true
		}
		return false
	})
}

// countsOn returns what says why a part waits for what is not confirmed, "" where it does
// not: the plan is made once more, as if nobody knew of that.
func (r *waveRunner) countsOn(unconfirmed []plan.Unsettled) func(wire.Part) string {
	if len(unconfirmed) == 0 {
		return func(wire.Part) string { return "" }
	}
	input := r.view.Input
	input.Unsettled = slices.Concat(input.Unsettled, unconfirmed)
	waits := compare.Diff(input).Uncertain()
	return func(p wire.Part) string {
		for _, f := range p.Fields {
			if why := waits[p.Change.Address][f.Name]; why != "" {
				return why
			}
		}
		return ""
	}
}

// movedCap is a limit whose rise the service did not take, though the same bytes might
// pass at another moment.
func (r *waveRunner) movedCap() resource.Address {
	for _, p := range r.updates(plan.Raise) {
		s := r.progressOf[p.Change.Address]
		if r.Schemas.Of(p.Change.Address.Kind).Caps && rank[s.outcome] > rank[state.OutcomeSkipped] && !s.final {
			return p.Change.Address
		}
	}
	return resource.Address{}
}

// unconfirmedLower returns what was to bring possible spend down, and did not surely do so.
func (r *waveRunner) unconfirmedLower() (all []plan.Unsettled) {
	for _, p := range append(r.updates(plan.Lower), r.capping()...) {
		if r.fine(p.Change.Address) && !r.seenOtherwise(p) {
			continue
		}
		schema := r.Schemas.Of(p.Change.Address.Kind)
		what := send.WhatIsSent(schema, p.Set(), "lower")
		if p.Create {
			what = string(p.Change.Action)
		}
		all = append(all, plan.Unsettled{
			Address: p.Change.Address, What: what, Creates: p.Create, Unconfirmed: true,
			Message: catalogue.Fill("guard.unconfirmed", "change", plan.SentWords(what)),
		})
	}
	return all
}

// ready drops parts of changes in which something has already gone wrong.
func (r *run) ready(parts []wire.Part) []wire.Part {
	var ready []wire.Part
	for _, p := range parts {
		if !r.fine(p.Change.Address) {
			r.skip(p.Change.Address, "waits: an earlier step on it was not confirmed")
			continue
		}
		ready = append(ready, p)
	}
	return ready
}

// activateWave activates what was raised before, and the roots of new trees. Nothing
// starts above what was made, or what a create could not say, where that is not
// confirmed and read back.
func (r *waveRunner) activateWave(ctx context.Context) error {
	troubles := r.troubles()
	var starts []wire.Part
	for _, p := range append(r.updates(plan.Activate), r.activations()...) {
		switch trouble, troubled := troubles[p.Change.Address]; {
		// updateWave says what of its own is missing
		case !troubled, trouble == p.Change.Address && !wire.IsNew(p.Change):
			starts = append(starts, p)
		case trouble == p.Change.Address:
			r.skip(trouble, "stays paused: it is not confirmed")
		default:
			r.skip(p.Change.Address, fmt.Sprintf("stays paused: %s beneath it is not confirmed", trouble))
		}
	}
	return r.updateWave(ctx, "activate", r.allowed(starts))
}

// troubles returns, of each resource, the first at it or beneath it that is new and not
// confirmed, or to which what its create could not say did not come.
func (r *waveRunner) troubles() map[resource.Address]resource.Address {
	troubles := map[resource.Address]resource.Address{}
	for _, c := range r.changes {
		unread := wire.IsNew(c) && !r.progressOf[c.Address].verified
		if r.fine(c.Address) && !unread || !wire.IsNew(c) && !c.Unfinished() {
			continue
		}
		for above := c.Address; !above.IsZero(); above = r.Schemas.Parent(above) {
			if _, known := troubles[above]; !known {
				troubles[above] = c.Address
			}
		}
	}
	return troubles
}

// LowerAlone sends pauses, archives and decreases as single requests where the jobs
// that ask got no usable answer and the account is read all the same: what is not
// lowered costs money. Nothing else is sent, and nothing of the account is remembered.
func (r *waveRunner) LowerAlone(ctx context.Context) error {
	r.caps[resource.BulkJobs] = false
	parts := slices.DeleteFunc(r.updates(plan.Lower), func(p wire.Part) bool {
		// what is replaced stays until the next can be made
		return wire.IsNew(p.Change) || len(wire.BeyondSingle(r.Schemas, p)) > 0
	})
	if len(parts) == 0 {
		return nil
	}
	if err := r.CheckAccount(ctx); errors.Is(err, adsapi.ErrUnavailable) {
		return nil // the service as a whole, as its caller knows
	} else if err != nil {
		return err
	}
	if err := r.recordCredit(ctx); err != nil {
		return err
	}
	r.Tell("jobs get no usable answer: what this lowers goes by single requests, and the rest waits")
	r.countParts()
	r.events.emit(Event{Kind: RunCounted, Operations: len(parts)})
	r.events.enter("lower")
	if err := r.updateWave(ctx, "lower", parts); err != nil {
		return env.InWave("in", "lower", err)
	}
	r.events.enter("read back")
	if err := r.readBack(ctx); err != nil {
		return env.InWave("in", "read back", err)
	}
	return r.closeSteps(ctx)
}
