package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"adsync/plan"
	"adsync/state"
)

// day is how far back limits look.
const day = 24 * time.Hour

// recent returns what adsync did to spend within the last day.
func (a *inputs) recent(ctx context.Context) (plan.Recent, error) {
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

// credits returns what applies of the last day left for the rest of their plans.
func (a *inputs) credits(ctx context.Context) (recorded []state.Credit, credits []plan.Credit, err error) {
	recorded, err = a.Store.Credits(ctx, a.Now().Add(-day))
	if err != nil {
		return nil, nil, fmt.Errorf("read what applies left for the rest of their plans: %w", err)
	}
	for _, c := range recorded {
		credit := plan.Credit{Run: c.Run, Lost: c.Lost, Desired: c.Desired, Last: c.Last, Live: c.Live}
		for _, s := range c.Shown {
			credit.Shown = append(credit.Shown, plan.Shown(s))
		}
		credits = append(credits, credit)
	}
	return recorded, credits, nil
}

// recordCredits keeps what is still good of the credits that were read, and what the
// plan of a run leaves, nil where there is no run. It is written before anything is sent:
// a row that is another one by now, or that was done, gets its credit back by nothing.
func (v *View) recordCredits(ctx context.Context, store state.Store, own *state.Credit) error {
	var left []state.Credit
	same := own == nil && len(v.credits) == len(v.Plan.Credits)
	for i := range v.Plan.Credits {
		c := &v.Plan.Credits[i]
		at := slices.IndexFunc(v.credits, func(r state.Credit) bool { return r.Run == c.Run })
		left = append(left, recordOf(c, v.credits[at].At))
		same = same && c.Same(v.credits[at].Desired, v.credits[at].Lost)
	}
	if same || v.aside != "" {
		return nil
	}
	if own != nil {
		left = append(left, *own)
	}
	return store.RecordCredits(ctx, left)
}

func recordOf(c *plan.Credit, at time.Time) state.Credit {
	r := state.Credit{Run: c.Run, At: at, Lost: c.Lost, Desired: c.Desired, Last: c.Last, Live: c.Live}
	for _, s := range c.Shown {
		r.Shown = append(r.Shown, state.Shown(s))
	}
	return r
}

// recordCredit writes down what this run leaves if it is cut off.
func (r *reporting) recordCredit(ctx context.Context) error {
	credit := r.view.Plan.Credit(r.id)
	if credit == nil {
		return r.view.recordCredits(ctx, r.Store, nil)
	}
	own := recordOf(credit, r.started)
	return r.view.recordCredits(ctx, r.Store, &own)
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
