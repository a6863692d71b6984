package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// waveRunner carries the changes out, wave by wave.
type waveRunner struct {
	*Env
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
			return inWave("before", wave.name, err)
		}
		r.events.enter(wave.name)
		if err := wave.run(ctx); err != nil {
			return inWave("in", wave.name, err)
		}
	}
	return r.closeSteps(ctx)
}

// countParts notes how many parts every change has, so that one that is never
// reached cannot pass for done.
func (r *waveRunner) countParts() {
	for _, p := range r.creates() {
		r.progressOf[p.change.Address].pending++
	}
	for _, p := range slices.Concat(r.activations(), r.capping(), r.published(), r.memberships(), r.mergers()) {
		r.progressOf[p.change.Address].pending++
	}
	for phase := plan.Lower; phase <= plan.Activate; phase++ {
		for _, p := range r.updates(phase) {
			r.progressOf[p.change.Address].pending++
		}
	}
}

// recording records changes that ask nothing of the service.
type recording struct {
	*Env
	*run
	*parts
}

// recordOnly writes down changes that ask nothing of the service: adopted
// resources, edits that were made alike on both sides, and what is gone on both.
func (r *recording) recordOnly(ctx context.Context) error {
	var applied []state.Applied
	var forget, removed []resource.Address
	for _, c := range r.changes {
		switch {
		case c.Action == plan.Create && r.fine(c.Address) && r.view.Last.Get(c.Address) != nil:
			removed = append(removed, c.Address) // by somebody; its id and its key stand for what is gone
			continue
		case isNew(c), !r.fine(c.Address): // there is nothing to record yet
			continue
		case c.Action == plan.Forget:
			forget = append(forget, c.Address)
		case c.Action == plan.Adopt, len(c.Recorded) > 0:
			applied = append(applied, state.Applied{
				Address: c.Address, ID: c.ID, ParentID: r.ids[r.Schemas.Parent(c.Address)],
				Attributes: r.knownValues(c),
			})
		default:
			continue
		}
		s := r.progressOf[c.Address]
		s.started, s.outcome = true, state.OutcomeApplied
	}
	if err := r.endLife(ctx, removed); err != nil {
		return err
	}
	if err := r.Store.Forget(ctx, forget); err != nil {
		return err
	}
	return r.Store.Record(ctx, applied)
}

// recordNew writes down what is never sent of what was created.
func (r *recording) recordNew(ctx context.Context) error {
	var applied []state.Applied
	for _, c := range r.changes {
		if isNew(c) && len(c.Recorded) > 0 && r.fine(c.Address) && r.ids[c.Address] != "" {
			applied = append(applied, state.Applied{
				Address: c.Address, ID: r.ids[c.Address], Attributes: r.knownValues(c),
			})
		}
	}
	return r.Store.Record(ctx, applied)
}

// knownValues are what the record takes over without asking the service: what
// both sides agree on, and of an adopted resource everything it has now.
func (r *recording) knownValues(c *plan.Change) resource.Attributes {
	var values resource.Attributes
	if live := r.view.Live.Snapshot.Get(c.Address); live != nil &&
		(c.Action == plan.Adopt || r.view.Last.Get(c.Address) == nil) {
		values = slices.Clone(live.Attributes)
	}
	for _, f := range c.Recorded {
		values.Set(f.Name, f.Desired)
	}
	return values
}

// retire ends the first life of what is replaced, and of what is beneath it: its
// archive is confirmed, so the next create is another one, under another key.
func (r *recording) retire(ctx context.Context) error {
	var retired []resource.Address
	for _, c := range r.changes {
		if c.Action == plan.Replace && r.fine(c.Address) && r.fine(r.rootOf(c.Address)) {
			retired = append(retired, c.Address)
		}
	}
	return r.endLife(ctx, retired)
}

// endLife drops what is recorded of resources that are created again; from here
// on an address stands for the next of them.
func (r *recording) endLife(ctx context.Context, addresses []resource.Address) error {
	if len(addresses) == 0 {
		return nil
	}
	if err := r.Store.Forget(ctx, addresses); err != nil {
		return err
	}
	for _, address := range addresses {
		r.ids[address] = ""
		s := r.progressOf[address]
		s.expect, s.differs = nil, nil // what is read back from here on is the next life
	}
	return nil
}

// forgetPruned drops the record of what the policy archived and of everything
// beneath it: the files name none of it any more.
func (r *recording) forgetPruned(ctx context.Context) error {
	var gone []resource.Address
	for _, c := range r.changes {
		if !c.Pruned || c.Action != plan.Archive || !r.fine(c.Address) {
			continue
		}
		for last := range r.view.Last.All() {
			if r.Schemas.Ancestor(last.Address, c.Address.Kind) == c.Address {
				gone = append(gone, last.Address)
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return r.Store.Forget(ctx, gone)
}

// allowed drops what counts on the money of a decrease, a pause or a new limit before it
// that is not confirmed: the money is not free yet. Nothing may rise where the service
// did not take a limit that was to rise, for another reason than what it says: somebody
// may have changed the limits since they were planned with.
func (r *waveRunner) allowed(parts []part) []part {
	if moved := r.movedCap(); !moved.IsZero() {
		for _, p := range parts {
			r.skip(p.change.Address, fmt.Sprintf("waits: %s may be another one than was planned with", moved))
		}
		return nil
	}
	waits := r.countsOn(r.unconfirmedLower())
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool {
		if why := waits(p); why != "" {
			r.skip(p.change.Address, "waits: "+why)
			return true
		}
		return false
	})
}

// countsOn returns what says why a part waits for what is not confirmed, "" where it does
// not: the plan is made once more, as if nobody knew of that.
func (r *waveRunner) countsOn(unconfirmed []plan.Unsettled) func(part) string {
	if len(unconfirmed) == 0 {
		return func(part) string { return "" }
	}
	input := r.view.input
	input.Unsettled = slices.Concat(input.Unsettled, unconfirmed)
	waits := plan.Diff(input).Uncertain()
	return func(p part) string {
		for _, f := range p.fields {
			if why := waits[p.change.Address][f.Name]; why != "" {
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
		s := r.progressOf[p.change.Address]
		if r.Schemas.Of(p.change.Address.Kind).Caps && rank[s.outcome] > rank[state.OutcomeSkipped] && !s.final {
			return p.change.Address
		}
	}
	return resource.Address{}
}

// unconfirmedLower returns what was to bring possible spend down, and did not surely do so.
func (r *waveRunner) unconfirmedLower() (all []plan.Unsettled) {
	for _, p := range append(r.updates(plan.Lower), r.capping()...) {
		if r.fine(p.change.Address) && !r.seenOtherwise(p) {
			continue
		}
		schema := r.Schemas.Of(p.change.Address.Kind)
		what := whatIsSent(schema, p.set(), "lower")
		if p.create {
			what = string(p.change.Action)
		}
		all = append(all, plan.Unsettled{
			Address: p.change.Address, What: what,
			Message: "the " + what + " of it is not confirmed", Creates: p.create, Unconfirmed: true,
		})
	}
	return all
}

// updating runs a wave of updates.
type updating struct {
	*Env
	*run
	*parts
	*freshening
	*singleRequests
	*jobs
}

// updateWave sends updates: those bulk can say in jobs, the rest one by one.
func (r *updating) updateWave(ctx context.Context, name string, parts []part) error {
	var jobs, singles []part
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
func (r *updating) runByDepth(ctx context.Context, wave string, parts []part) error {
	levels := make([][]part, r.depths())
	for _, p := range parts {
		depth := r.Schemas.Depth(p.change.Address.Kind)
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

// ready drops parts of changes in which something has already gone wrong.
func (r *run) ready(parts []part) []part {
	var ready []part
	for _, p := range parts {
		if !r.fine(p.change.Address) {
			r.skip(p.change.Address, "waits: an earlier step on it was not confirmed")
			continue
		}
		ready = append(ready, p)
	}
	return ready
}

// apart takes from an update what only a bulk operation can say, where there is
// such a part and another.
func (r *updating) apart(p part) (inJob, alone []part) {
	only := beyondSingle(r.Schemas, p)
	if len(only) == 0 || len(only) == len(p.fields) || !r.caps[resource.BulkJobs] {
		return nil, []part{p}
	}
	rest := p
	rest.fields = slices.DeleteFunc(slices.Clone(p.fields), func(f plan.Field) bool {
		return slices.Contains(only, f.Name)
	})
	return []part{p.only(only)}, []part{rest}
}

// sayable reports whether an update operation carries a part. A bid goes alone where
// something above it changes in the same wave: the order in which runByDepth sends
// the two is no order of jobs.
func (r *updating) sayable(e encoder, p part, changing map[resource.Address]bool) bool {
	address := p.change.Address
	for _, f := range p.fields {
		switch {
		case e.onUpdate(address, f):
		case !e.leftOut(address, f), r.anyAbove(address, changing):
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

func addressesOf(parts []part) map[resource.Address]bool {
	addresses := make(map[resource.Address]bool, len(parts))
	for _, p := range parts {
		addresses[p.change.Address] = true
	}
	return addresses
}

// updateJobs sends updates in jobs and gives those no operation holds.
func (r *updating) updateJobs(ctx context.Context, name string, parts []part) (tooLarge []part, err error) {
	e := r.encoder()
	var units []batch
	for i, p := range parts {
		operation, err := e.bulkUpdate(r.bound(p),
			p.fields, fmt.Sprintf("u%d", i+1), r.record(r.ids[p.change.Address]).JSON)
		if err != nil {
			return nil, err
		}
		operation.TargetResourceID = r.ids[p.change.Address]
		one, err := encodeOperation(p, operation)
		switch {
		case errors.Is(err, errTooLarge):
			tooLarge = append(tooLarge, p)
			continue
		case err != nil:
			return nil, err
		}
		units = append(units, batch{one})
	}
	return tooLarge, r.runJobs(ctx, name, pack(units, r.jobRoom()))
}

// bound returns the change with the id its resource has by now.
func (r *run) bound(p part) *plan.Change {
	c := *p.change
	c.ID = r.ids[c.Address]
	return &c
}

// activateWave activates what was raised before, and the roots of new trees. Nothing
// starts above what was made, or what a create could not say, where that is not
// confirmed and read back.
func (r *waveRunner) activateWave(ctx context.Context) error {
	troubles := r.troubles()
	var starts []part
	for _, p := range append(r.updates(plan.Activate), r.activations()...) {
		switch trouble, troubled := troubles[p.change.Address]; {
		case !troubled, trouble == p.change.Address && !isNew(p.change): // updateWave says what of its own is missing
			starts = append(starts, p)
		case trouble == p.change.Address:
			r.skip(trouble, "stays paused: it is not confirmed")
		default:
			r.skip(p.change.Address, fmt.Sprintf("stays paused: %s beneath it is not confirmed", trouble))
		}
	}
	return r.updateWave(ctx, "activate", r.allowed(starts))
}

// troubles gives, of each resource, the first at it or beneath it that is new and not
// confirmed, or to which what its create could not say did not come.
func (r *waveRunner) troubles() map[resource.Address]resource.Address {
	troubles := map[resource.Address]resource.Address{}
	for _, c := range r.changes {
		unread := isNew(c) && !r.progressOf[c.Address].verified
		if r.fine(c.Address) && !unread || !isNew(c) && !c.Unfinished() {
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
