package reconcile

import (
	"context"
	"fmt"
	"time"

	"adsync/plan"
	"adsync/state"
)

// day is how far back limits look.
const day = 24 * time.Hour

// recent gives what adsync did to spend within the last day.
func (a *Agent) recent(ctx context.Context) (plan.Recent, error) {
	moves, err := a.Store.Moves(ctx, a.Now().Add(-day))
	if err != nil {
		return plan.Recent{}, fmt.Errorf("read what was raised within a day: %w", err)
	}
	var recent plan.Recent
	known := map[state.Amount]bool{}
	for _, m := range moves {
		recent.Levels = append(recent.Levels, m.Before, m.After)
		for _, amount := range m.Amounts {
			name := state.Amount{Address: amount.Address, Attribute: amount.Attribute}
			if !known[name] {
				known[name] = true
				recent.Amounts = append(recent.Amounts, plan.Earlier(amount))
			}
		}
	}
	return recent, nil
}

// recordMove writes down what this run raises, before anything of it is sent: a
// run that stops in the middle counts as if it had not.
func (r *run) recordMove(ctx context.Context) error {
	spend := r.view.Plan.Spend
	move := state.Move{Run: r.id, At: r.started, Before: spend.DailyBefore + spend.LifetimeBefore, After: spend.DailyAfter + spend.LifetimeAfter}
	for _, e := range r.view.Plan.Moves() {
		move.Amounts = append(move.Amounts, state.Amount(e))
	}
	if move.Before == move.After && len(move.Amounts) == 0 {
		return nil
	}
	return r.Store.RecordMove(ctx, move)
}
