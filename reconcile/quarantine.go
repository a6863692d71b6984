package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// refusedBefore returns what the service refused for good, for the plan to hold or
// to mention (design.md section 7: a daemon does not send the same refusal every
// minute).
func (a *Agent) refusedBefore(ctx context.Context) (map[resource.Address]plan.Refused, error) {
	blocked, err := a.Store.Blocked(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what the service refused: %w", err)
	}
	refused := make(map[resource.Address]plan.Refused, len(blocked))
	for address, b := range blocked {
		refused[address] = plan.Refused{
			Basis: b.InputHash, Code: b.Code, Message: b.Message,
			Since: b.Since.In(a.Zone).Format("2006-01-02 15:04 MST"), Asked: b.Asked,
		}
	}
	return refused, nil
}

// recordRefused puts into quarantine what this run was refused for good, and lets
// out what was applied since or is not what it was.
func (r *run) recordRefused(ctx context.Context) error {
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

// quarantined keeps since when, where the very same was refused before.
func (r *run) quarantined(b, before state.Blocked, refused map[resource.Address]bool) state.Blocked {
	b.InputHash, b.Since, b.Run, b.Asked = r.basis(b.Address, refused), r.now().Truncate(time.Second), r.id, r.id
	if before.InputHash == b.InputHash {
		b.Since, b.Run = before.Since, before.Run
	}
	return b
}

// basis is what a refusal of this run rests on: the plan's files and live values,
// and its parent as the run leaves it.
func (r *run) basis(address resource.Address, refused map[resource.Address]bool) string {
	desired, live, parent := r.view.input.Desired, r.view.input.Live, r.Schemas.Parent(address)
	return plan.Basis(desired.Get(address), live.Get(address),
		plan.Above(r.Schemas.Of(parent.Kind), desired.Get(parent), r.left(parent), refused[parent]))
}

// left is a resource as the run leaves it, as far as it wrote it.
func (r *run) left(at resource.Address) *resource.Resource {
	live, s := r.view.input.Live.Get(at), r.progressOf[at]
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
