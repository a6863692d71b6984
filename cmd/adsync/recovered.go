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
	var recovered reconcile.Recovered
	failure := obeying(ctx, agent.Service.Halted, func(ctx context.Context) (err error) {
		recovered, err = agent.Recover(ctx)
		return err
	})
	found := finder.End()
	steps, open := make([]state.Step, len(found)), map[string]bool{}
	for i, f := range found {
		steps[i], open[f.Step.ID] = f.Step, !f.Ended
	}
	return recovered, errors.Join(failure,
		runview.KeepRecovered(context.WithoutCancel(ctx), agent.Store, steps, open, time.Now()))
}
