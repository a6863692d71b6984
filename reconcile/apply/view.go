package apply

import (
	"adsync/plan/compare"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/state"
)

// View is everything a plan was computed from, and the plan.
type View struct {
	Plan *plan.Plan
	Last *resource.Snapshot
	Live *live.Live

	Undecided []send.Undecided // what earlier runs left open, as far as recovery has looked at it

	Approved []string // who allowed something of this very plan

	State state.Header // of the state the plan was made from

	Input   plan.Input
	Read    time.Time       // when the account was read
	Ready   time.Time       // when the plan was there; zero where nobody is shown it
	Renamed []plan.Renamed  // what the record is called from the next apply on
	Credits []state.Credit  // that were read
	Started []state.Applied // what somebody has started and paused unseen
	Reverts bool            // what the files ask for is not what this plan carries out
	Aside   string          // actionPause or actionStart where nothing of it is recorded

	hashing sync.Once
	hash    string
}

// Hash is that of the plan, which nobody changes any more: it is asked for when the
// plan is shown and when its run begins, and made once.
func (v *View) Hash() string {
	v.hashing.Do(func() { v.hash = v.Plan.Hash() })
	return v.hash
}

// looked is when the account was read for what the files say, zero where it was not: see [state.Run].
func (v *View) looked() time.Time {
	if v.Aside != "" {
		return time.Time{}
	}
	return v.Read
}

// Without returns the plan of other files of the same account as it was read.
func (v *View) Without(desired *resource.Snapshot) *plan.Plan {
	input := v.Input
	live, problems := plan.Identify(input.Schemas, v.Last, desired, v.Live.Resources)
	input.Desired, input.Live, input.Misnamed = desired, live, problems
	return compare.Diff(input)
}

// RecordCredits keeps what is still good of the credits that were read, and what the
// plan of a run leaves, nil where there is no run. It is written before anything is sent:
// a row that is another one by now, or that was done, gets its credit back by nothing.
func (v *View) RecordCredits(ctx context.Context, store state.Store, own *state.Credit) error {
	var left []state.Credit
	same := own == nil && len(v.Credits) == len(v.Plan.Credits)
	for i := range v.Plan.Credits {
		c := &v.Plan.Credits[i]
		at := slices.IndexFunc(v.Credits, func(r state.Credit) bool { return r.Run == c.Run })
		left = append(left, recordOf(c, v.Credits[at].At))
		same = same && c.Same(v.Credits[at].Desired, v.Credits[at].Lost)
	}
	if same || v.Aside != "" {
		return nil
	}
	if own != nil {
		left = append(left, *own)
	}
	return store.RecordCredits(ctx, left)
}

// CheckAge refuses a plan whose reading of the account is too old, such as one
// that waited long for an answer.
func (v *View) CheckAge(now time.Time) error {
	if age := env.Since(v.Read, now); !v.Read.IsZero() && age > env.PlanLife {
		return fmt.Errorf("%w: the account was read %s ago; want at most %s: plan again, nothing was sent",
			env.ErrStale, age.Round(time.Second), env.PlanLife)
	}
	return nil
}

// heldOutcome is that of a change that is held. What became of an earlier one of
// the same resource may be unknown: so is its own.
func (v *View) heldOutcome(c *plan.Change) Outcome {
	o := Outcome{
		Address: c.Address, Action: c.Action, Name: c.Name,
		ID: c.ID, Outcome: OutcomeHeld, Position: c.Position, Cell: c.Position,
	}
	for _, u := range v.Undecided {
		if u.Operation.Address == c.Address {
			o.Outcome, o.Code, o.Message = state.OutcomeUnknown, string(diag.NeedsDecision), u.Message()
			return o
		}
	}
	holds := c.Holds()
	if len(holds) == 0 {
		return o
	}
	o.Cell, o.Code = heldCell(c), string(holds[0].Hazard)
	var said []string
	for i := range holds {
		if one := holds[i].Words(); !slices.Contains(said, one) {
			said = append(said, one)
		}
	}
	o.Message = strings.Join(said, "; also ")
	return o
}

func recordOf(c *plan.Credit, at time.Time) state.Credit {
	r := state.Credit{Run: c.Run, At: at, Lost: c.Lost, Desired: c.Desired, Last: c.Last, Live: c.Live}
	for _, s := range c.Shown {
		r.Shown = append(r.Shown, state.Shown(s))
	}
	return r
}

// ReviewsOf takes what the plan has read of reviews into a record.
func (v *View) ReviewsOf(now time.Time, into *review.Record) {
	managed := func(a resource.Address) bool { return v.Last.Get(a) != nil || v.Input.Desired.Get(a) != nil }
	live.ReviewsOf(v.Input.Schemas, v.Live, managed, now, into)
}
