package apply

import (
	"context"
	"fmt"
	"slices"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// repeating creates the rest of a tree in jobs that repeat its parents.
type repeating struct {
	*env.Env
	*run
	*parts
	*jobs
	*readback
}

// repeatWave goes on with trees no job holds: their parents are there, were read
// back and are paused, so that a second one, should the service make it, spends
// nothing. The first repetition of an account goes alone, with one child; what
// is not to be repeated goes through single requests (design.md section 4).
func (r *repeating) repeatWave(ctx context.Context, c *creation) error {
	tails, err := r.repeatable(ctx, c)
	if err != nil || len(tails) == 0 {
		return err
	}
	if _, known := r.caps[resource.RepeatParent]; !known {
		slices.SortStableFunc(tails, func(a, b wire.Batch) int { return len(a) - len(b) })
		first, rest := r.oneChild(tails[0])
		if err := r.sendRepeats(ctx, c, []wire.Batch{first}); err != nil {
			return err
		}
		tails[0] = rest
	}
	reused, known := r.caps[resource.RepeatParent]
	switch {
	case reused:
		tails = slices.DeleteFunc(tails, func(tail wire.Batch) bool { return len(tail) == 0 })
		return r.sendRepeats(ctx, c, wire.Pack(tails, r.jobRoom()))
	case known:
		c.allAlone(r.parts, tails)
	default:
		r.skipAll(tails, "waits: whether its parent can be repeated is not known yet")
	}
	return nil
}

func (r *repeating) skipAll(tails []wire.Batch, message string) {
	for _, p := range slices.Concat(tails...) {
		if !p.Repeat {
			r.skip(p.Part.Change.Address, message)
		}
	}
}

// sendRepeats submits jobs that repeat parents and takes to single requests what
// did not come beneath the parent that is there.
func (r *repeating) sendRepeats(ctx context.Context, c *creation, jobs []wire.Batch) error {
	err := r.world.sendJobs(ctx, "create", jobs)
	for _, p := range r.underDuplicates {
		r.caps[resource.RepeatParent] = false // at least for this run
		r.recount(c, p)
	}
	r.underDuplicates = nil
	known, failure := r.Store.Capabilities(ctx)
	if failure != nil {
		return fmt.Errorf("read the capabilities: %w", failure)
	}
	if reused, asked := known[resource.RepeatParent]; asked {
		r.caps[resource.RepeatParent] = reused
	}
	return err
}

// repeatable returns the tails whose parents stand as they were sent, and sees to
// the others.
func (r *repeating) repeatable(ctx context.Context, c *creation) ([]wire.Batch, error) {
	if len(c.tails) == 0 {
		return nil, nil
	}
	if err := r.readBackOf(ctx, r.repeatedIn(c.tails)); err != nil {
		return nil, err
	}
	var tails []wire.Batch
	for _, tail := range c.tails {
		ready, err := r.world.parentsStand(tail)
		if err != nil {
			return nil, err
		}
		if !ready { // a single request says by itself what is missing
			c.allAlone(r.parts, []wire.Batch{tail})
			continue
		}
		tails = append(tails, tail)
	}
	return tails, nil
}

// repeatedIn returns what of the tails' parents was not seen at the service yet.
func (r *repeating) repeatedIn(tails []wire.Batch) []*changeProgress {
	repeated := map[resource.Address]bool{}
	for _, p := range slices.Concat(tails...) {
		repeated[p.Part.Change.Address] = repeated[p.Part.Change.Address] || p.Repeat
	}
	return slices.DeleteFunc(r.unverified(), func(s *changeProgress) bool { return !repeated[s.change.Address] })
}

// parentsStand reports whether the parents a tail repeats were read back as sent, and
// that the highest is paused.
func (r *carryOut) parentsStand(tail wire.Batch) (bool, error) {
	for _, p := range tail {
		address := p.Part.Change.Address
		if !p.Repeat {
			continue
		}
		if s := r.progressOf[address]; !r.fine(address) || !s.verified || r.ids[address] == "" {
			return false, nil
		}
		if !r.isRoot(p.Part.Change) {
			continue
		}
		schema := r.Schemas.Of(address.Kind)
		live, err := wire.Decoder{Zone: r.Zone}.Decode(schema, r.record(r.ids[address]))
		if err != nil || live.Value(schema.Delivery()).Text() != kinds.Paused {
			return false, err
		}
	}
	return true, nil
}

// oneChild parts a tail into its first branch beneath the parents it repeats,
// and the others.
func (r *repeating) oneChild(tail wire.Batch) (first, rest wire.Batch) {
	var branch resource.Address
	others := false
	for _, p := range tail {
		address := p.Part.Change.Address
		if !p.Repeat && branch.IsZero() {
			branch = address
		}
		within := !branch.IsZero() && r.Schemas.Ancestor(address, branch.Kind) == branch
		switch {
		case p.Repeat && branch.IsZero():
			first, rest = append(first, p), append(rest, p)
		case within:
			first = append(first, p)
		default:
			rest, others = append(rest, p), true
		}
	}
	if !others {
		return first, nil
	}
	return first, rest
}

func (c *creation) allAlone(r *parts, tails []wire.Batch) {
	for _, p := range slices.Concat(tails...) {
		if !p.Repeat {
			r.recount(c, p.Part)
		}
	}
}

// recount takes a create out of its job: its follow-up is another one.
func (r *parts) recount(c *creation, p wire.Part) {
	s := r.progressOf[p.Change.Address]
	if len(c.followUp[p.Change]) > 0 {
		s.pending--
	}
	c.alone(r, p.Change)
	if len(c.followUp[p.Change]) > 0 {
		s.pending++
	}
}

// operationsOf returns the operations of a job as the journal holds them.
func (r *jobs) operationsOf(b wire.Batch) []state.Operation {
	operations := make([]state.Operation, len(b))
	for i, p := range b {
		if p.Repeat {
			address := p.Part.Change.Address
			operations[i] = state.Operation{
				ID: p.ID, Address: address, Action: wire.ActionRepeat, Key: p.Key, ResourceID: r.ids[address],
			}
			continue
		}
		operations[i] = r.operation(p.Part, p.ID, p.Key)
	}
	return operations
}

// duplicatesIn returns the creates of a job that did not come beneath the parent that
// is there: the service made another of the parent that was repeated, or refused
// to give it.
func (r *jobs) duplicatesIn(b wire.Batch, outcomes []state.OperationOutcome) map[resource.Address]bool {
	byAddress := make(map[resource.Address]state.OperationOutcome, len(outcomes))
	for _, o := range outcomes {
		byAddress[o.Address] = o
	}
	var operations []state.Operation
	var ordered []state.OperationOutcome
	for _, o := range r.operationsOf(b) {
		if outcome, settled := byAddress[o.Address]; settled {
			operations, ordered = append(operations, o), append(ordered, outcome)
		}
	}
	if !send.Repeats(operations) {
		return nil
	}
	_, under := send.DuplicatesOf(r.Schemas, operations, ordered)
	return under
}
