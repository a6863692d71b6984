package main

import (
	"context"
	"errors"
	"time"

	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/state"
)

// recovered ends what earlier runs left open, and puts what was found of them
// into their reports.
func (a *app) recovered(ctx context.Context, agent *reconcile.Agent) (reconcile.Recovered, error) {
	finder, err := agent.Find(ctx)
	if err != nil {
		return reconcile.Recovered{}, err
	}
	recovered, failure := agent.Recover(ctx)
	found := finder.End()
	return recovered, errors.Join(failure, noteRecovered(context.WithoutCancel(ctx), agent.Store, found, time.Now()))
}

// noteRecovered brings the reports of the runs that left steps open up to what
// is known by now.
func noteRecovered(ctx context.Context, store state.Store, found []reconcile.Found, now time.Time) error {
	byRun, open := map[string][]state.Step{}, map[string]bool{}
	var runs []string
	for _, f := range found {
		if len(byRun[f.Step.Run]) == 0 {
			runs = append(runs, f.Step.Run)
		}
		byRun[f.Step.Run] = append(byRun[f.Step.Run], f.Step)
		open[f.Step.ID] = !f.Ended
	}
	for _, run := range runs {
		content, err := store.Report(ctx, run)
		if errors.Is(err, state.ErrNoReport) {
			continue // of an older adsync
		}
		if err != nil {
			return err
		}
		d, err := runview.Decode(content)
		if err != nil {
			return err
		}
		d.Recover(byRun[run], func(step string) bool { return open[step] }, now)
		if err := keepReport(ctx, store, d); err != nil {
			return err
		}
	}
	return nil
}
