package reconcile

import (
	"context"
	"fmt"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// refusedBefore gives what the service refused for good, for the plan to hold or
// to mention (design.md section 7: a daemon does not send the same refusal every
// minute).
func (a *Agent) refusedBefore(ctx context.Context) (map[resource.Address]plan.Refused, error) {
	blocked, err := a.Store.Blocked(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what the service refused: %w", err)
	}
	refused := make(map[resource.Address]plan.Refused, len(blocked))
	for address, b := range blocked {
		refused[address] = plan.Refused{Basis: b.InputHash, Code: b.Code, Message: b.Message, Since: b.Since.In(a.Zone).Format("2006-01-02 15:04 MST")}
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
	var block []state.Blocked
	var release []resource.Address
	for _, c := range r.changes {
		s := r.standings[c.Address]
		if s.outcome == state.OutcomeFailed && s.final {
			block = append(block, r.quarantined(s, known[c.Address]))
		}
	}
	for address, b := range known {
		s := r.standings[address]
		applied := s != nil && s.outcome == state.OutcomeApplied && s.pending == 0
		if applied || b.InputHash != r.basis(address) {
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
func (r *run) quarantined(s *standing, before state.Blocked) state.Blocked {
	b := state.Blocked{Address: s.change.Address, InputHash: r.basis(s.change.Address), Code: s.code, Message: s.message, Since: r.now().Truncate(time.Second)}
	if before.InputHash == b.InputHash {
		b.Since = before.Since
	}
	return b
}

// basis is what a refusal of this run rests on: the plan's files and live values.
func (r *run) basis(address resource.Address) string {
	return plan.Basis(r.view.input.Desired.Get(address), r.view.input.Live.Get(address))
}
