package main

import (
	"context"
	"time"

	"adsync/internal/diag"
	"adsync/plan"
)

// warnLate adds a warning at each day that has passed in what the files say
// otherwise than the record, or that it does not have yet. A plan holds those.
// Without a record nobody knows which rows are new, and a row whose day is over is
// the most ordinary thing there is.
func (a *app) warnLate(ctx context.Context, l loaded) loaded {
	if diag.HasErrors(l.desired.Problems) {
		return l
	}
	store, err := a.openState(ctx, l.project, true)
	if err != nil { // no matter of the files; what needs the record says it
		return l
	}
	defer func() { a.closed("state", store.Close()) }()
	last, err := store.Last(ctx)
	if err != nil || last.Len() == 0 {
		return l
	}
	zone, err := time.LoadLocation(store.Header().Account.TimeZone)
	if err != nil {
		return l
	}
	last, _, _ = plan.Relocate(l.schemas, movesOf(l), last, l.desired.Snapshot)
	p := plan.Diff(plan.Input{
		Schemas: l.schemas, Policy: plan.DefaultPolicy(),
		Last: last, Desired: l.desired.Snapshot, Live: last, Today: time.Now().In(zone).Format(time.DateOnly),
	})
	var all diag.List
	all.AddAll(l.desired.Problems)
	all.AddAll(p.Late)
	l.desired.Problems = all.Sorted()
	return l
}
