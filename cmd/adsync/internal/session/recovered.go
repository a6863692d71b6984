package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/state"
)

// Recovered ends what earlier runs left open, and puts what was found of them
// into their reports.
func Recovered(ctx context.Context, agent *reconcile.Agent) (reconcile.Recovered, error) {
	finder, err := agent.Find(ctx)
	if err != nil {
		return reconcile.Recovered{}, err
	}
	var recovered reconcile.Recovered
	failure := runUnlessStopped(ctx, agent.Service.Halted, func(ctx context.Context) (err error) {
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

// Resolving is the command that shows what is known of an unknown outcome, and
// decides it. An address is of characters a shell leaves alone.
func Resolving(address string) string { return "adsync resolve " + address }

// UndecidedWords returns what earlier runs left unknown.
func UndecidedWords(undecided []reconcile.Undecided) string {
	first := undecided[0].Operation.Address.String()
	named := first
	if more := len(undecided) - 1; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s unknown since an earlier run: %s; to decide: %s",
		console.PluralAre(len(undecided), "outcome"), named, Resolving(first))
}

// SetAside returns what recovery has looked at already, and could not decide.
func SetAside(steps []state.Step) []reconcile.Undecided {
	return slices.DeleteFunc(reconcile.UndecidedOf(Schemas(), steps), func(u reconcile.Undecided) bool {
		return !u.SetAside()
	})
}
