package reconcile

import (
	"context"
	"fmt"
	"slices"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/state"
)

// repeating creates the rest of a tree in jobs that repeat its parents.
type repeating struct {
	*Env
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
		slices.SortStableFunc(tails, func(a, b batch) int { return len(a) - len(b) })
		first, rest := r.oneChild(tails[0])
		if err := r.sendRepeats(ctx, c, []batch{first}); err != nil {
			return err
		}
		tails[0] = rest
	}
	reused, known := r.caps[resource.RepeatParent]
	switch {
	case reused:
		tails = slices.DeleteFunc(tails, func(tail batch) bool { return len(tail) == 0 })
		return r.sendRepeats(ctx, c, pack(tails, r.jobRoom()))
	case known:
		c.allAlone(r.parts, tails)
	default:
		r.skipAll(tails, "waits: whether its parent can be repeated is not known yet")
	}
	return nil
}

func (r *repeating) skipAll(tails []batch, message string) {
	for _, p := range slices.Concat(tails...) {
		if !p.repeat {
			r.skip(p.part.change.Address, message)
		}
	}
}

// sendRepeats submits jobs that repeat parents and takes to single requests what
// did not come beneath the parent that is there.
func (r *repeating) sendRepeats(ctx context.Context, c *creation, jobs []batch) error {
	err := r.runJobs(ctx, "create", jobs)
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
func (r *repeating) repeatable(ctx context.Context, c *creation) ([]batch, error) {
	if len(c.tails) == 0 {
		return nil, nil
	}
	if err := r.readBackOf(ctx, r.repeatedIn(c.tails)); err != nil {
		return nil, err
	}
	if r.forecast != nil {
		return c.tails, nil
	}
	var tails []batch
	for _, tail := range c.tails {
		ready, err := r.parentsStand(tail)
		if err != nil {
			return nil, err
		}
		if !ready { // a single request says by itself what is missing
			c.allAlone(r.parts, []batch{tail})
			continue
		}
		tails = append(tails, tail)
	}
	return tails, nil
}

// repeatedIn returns what of the tails' parents was not seen at the service yet.
func (r *repeating) repeatedIn(tails []batch) []*changeProgress {
	repeated := map[resource.Address]bool{}
	for _, p := range slices.Concat(tails...) {
		repeated[p.part.change.Address] = repeated[p.part.change.Address] || p.repeat
	}
	return slices.DeleteFunc(r.unverified(), func(s *changeProgress) bool { return !repeated[s.change.Address] })
}

// parentsStand reports whether the parents a tail repeats were read back as sent, and
// that the highest is paused.
func (r *repeating) parentsStand(tail batch) (bool, error) {
	for _, p := range tail {
		address := p.part.change.Address
		if !p.repeat {
			continue
		}
		if s := r.progressOf[address]; !r.fine(address) || !s.verified || r.ids[address] == "" {
			return false, nil
		}
		if !r.isRoot(p.part.change) {
			continue
		}
		schema := r.Schemas.Of(address.Kind)
		live, err := decoder{zone: r.Zone}.decode(schema, r.record(r.ids[address]))
		if err != nil || live.Value(schema.Delivery()).Text() != kinds.Paused {
			return false, err
		}
	}
	return true, nil
}

// oneChild parts a tail into its first branch beneath the parents it repeats,
// and the others.
func (r *repeating) oneChild(tail batch) (first, rest batch) {
	var branch resource.Address
	others := false
	for _, p := range tail {
		address := p.part.change.Address
		if !p.repeat && branch.IsZero() {
			branch = address
		}
		within := !branch.IsZero() && r.Schemas.Ancestor(address, branch.Kind) == branch
		switch {
		case p.repeat && branch.IsZero():
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

func (c *creation) allAlone(r *parts, tails []batch) {
	for _, p := range slices.Concat(tails...) {
		if !p.repeat {
			r.recount(c, p.part)
		}
	}
}

// recount takes a create out of its job: its follow-up is another one.
func (r *parts) recount(c *creation, p part) {
	s := r.progressOf[p.change.Address]
	if len(c.followUp[p.change]) > 0 {
		s.pending--
	}
	c.alone(r, p.change)
	if len(c.followUp[p.change]) > 0 {
		s.pending++
	}
}

// operationsOf returns the operations of a job as the journal holds them.
func (r *jobs) operationsOf(b batch) []state.Operation {
	operations := make([]state.Operation, len(b))
	for i, p := range b {
		if p.repeat {
			address := p.part.change.Address
			operations[i] = state.Operation{
				ID: p.id, Address: address, Action: actionRepeat, Key: p.key, ResourceID: r.ids[address],
			}
			continue
		}
		operations[i] = r.operation(p.part, p.id, p.key)
	}
	return operations
}

// duplicatesIn returns the creates of a job that did not come beneath the parent that
// is there: the service made another of the parent that was repeated, or refused
// to give it.
func (r *jobs) duplicatesIn(b batch, outcomes []state.OperationOutcome) map[resource.Address]bool {
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
	if !repeats(operations) {
		return nil
	}
	_, under := duplicatesOf(r.Schemas, operations, ordered)
	return under
}
