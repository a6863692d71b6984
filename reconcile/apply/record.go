package apply

import (
	"context"
	"fmt"
	"slices"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// recording records changes that ask nothing of the service.
type recording struct {
	*env.Env
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
		case wire.IsNew(c), !r.fine(c.Address): // there is nothing to record yet
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
		if wire.IsNew(c) && len(c.Recorded) > 0 && r.fine(c.Address) && r.ids[c.Address] != "" {
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
func (r *run) endLife(ctx context.Context, addresses []resource.Address) error {
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

// RecordRefused puts into quarantine what this run was refused for good, and lets
// out what was applied since or is not what it was.
func (r *reporting) RecordRefused(ctx context.Context) error {
	known, err := r.Store.Blocked(ctx)
	if err != nil {
		return fmt.Errorf("read what the service refused: %w", err)
	}
	var refused, block []state.Blocked
	var release []resource.Address
	still := map[resource.Address]bool{}
	for address := range known {
		s := r.progressOf[address]
		still[address] = s == nil || s.outcome != state.OutcomeApplied || s.pending > 0
	}
	for _, c := range r.changes {
		if s := r.progressOf[c.Address]; s.outcome == state.OutcomeFailed && s.final {
			still[c.Address] = true
			refused = append(refused, state.Blocked{Address: c.Address, Code: s.code, Message: s.message})
		}
	}
	for _, b := range refused {
		block = append(block, r.quarantined(b, known[b.Address], still))
	}
	for address, b := range known {
		if !still[address] || b.InputHash != r.basis(address, still) {
			release = append(release, address)
		}
	}
	if len(release) > 0 {
		if err := r.Store.Unblock(ctx, release); err != nil {
			return fmt.Errorf("record what is no longer refused: %w", err)
		}
	}
	if len(block) == 0 {
		return nil
	}
	if err := r.Store.Block(ctx, block); err != nil {
		return fmt.Errorf("record what the service refused: %w", err)
	}
	return nil
}

// basis is what a refusal of this run rests on: the plan's files and live values,
// and its parent as the run leaves it.
func (r *reporting) basis(address resource.Address, refused map[resource.Address]bool) string {
	desired, live, parent := r.view.Input.Desired, r.view.Input.Live, r.Schemas.Parent(address)
	return plan.Basis(desired.Get(address), live.Get(address),
		plan.Above(r.Schemas.Of(parent.Kind), desired.Get(parent), r.left(parent), refused[parent]))
}

// quarantined keeps since when, where the very same was refused before.
func (r *reporting) quarantined(b, before state.Blocked, refused map[resource.Address]bool) state.Blocked {
	b.InputHash, b.Since, b.Run, b.Asked = r.basis(b.Address, refused), r.now().Truncate(time.Second), r.id, r.id
	if before.InputHash == b.InputHash {
		b.Since, b.Run = before.Since, before.Run
	}
	return b
}

// left is a resource as the run leaves it, as far as it wrote it.
func (r *reporting) left(at resource.Address) *resource.Resource {
	live, s := r.view.Input.Live.Get(at), r.progressOf[at]
	if s == nil || len(s.written) == 0 {
		return live
	}
	after := &resource.Resource{Address: at, ID: r.ids[at]}
	if live != nil {
		after.Attributes = slices.Clone(live.Attributes)
	}
	for _, n := range s.written {
		after.Set(n.Name, n.Value)
	}
	return after
}

// RecordWaiting notes the edits this apply leaves for a later one, and what it
// has written back.
func (r *reporting) RecordWaiting(ctx context.Context) error {
	if r.view.Reverts {
		return nil
	}
	applied := func(c *plan.Change) bool {
		s := r.progressOf[c.Address]
		return s != nil && s.outcome == state.OutcomeApplied && s.pending == 0
	}
	waited, err := r.Store.Waiting(ctx)
	if err != nil {
		return err
	}
	if waiting := r.view.Plan.Waiting(applied); waiting.Len()+waited.Len() > 0 {
		if err := r.Store.RecordWaiting(ctx, waiting); err != nil {
			return err
		}
	}
	before, err := r.Store.Reverted(ctx)
	if err != nil {
		return err
	}
	if reverts := r.view.Plan.Reverts(before, applied); reverts.Len()+before.Len() > 0 {
		return r.Store.RecordReverted(ctx, reverts)
	}
	return nil
}

// recordCredit writes down what this run leaves if it is cut off.
func (r *reporting) recordCredit(ctx context.Context) error {
	credit := r.view.Plan.Credit(r.id)
	if credit == nil {
		return r.view.RecordCredits(ctx, r.Store, nil)
	}
	own := recordOf(credit, r.started)
	return r.view.RecordCredits(ctx, r.Store, &own)
}

// recordMove writes down what this run raises, before anything of it is sent: a
// run that stops in the middle counts as if it had not.
func (r *reporting) recordMove(ctx context.Context) error {
	spend := r.view.Plan.Spend
	move := state.Move{
		Run: r.id, At: r.started, Before: spend.DailyBefore + spend.LifetimeBefore,
		After: spend.DailyAfter + spend.LifetimeAfter,
	}
	for _, e := range r.view.Plan.Moves() {
		move.Amounts = append(move.Amounts, state.Amount(e))
	}
	if move.Before == move.After && len(move.Amounts) == 0 {
		return nil
	}
	return r.Store.RecordMove(ctx, move)
}
