package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"adsync/internal/runview"
	"adsync/internal/words/catalogue"
	"adsync/reconcile"
	"adsync/sources/config"
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
		named = catalogue.Say("ended.and-more", "first", first, "n", more)
	}
	return catalogue.Say("ended.undecided", "n", len(undecided), "what", named, "command", Resolving(first))
}

// SetAside returns what recovery has looked at already, and could not decide.
func SetAside(steps []state.Step) []reconcile.Undecided {
	return slices.DeleteFunc(reconcile.UndecidedOf(Schemas(), steps), func(u reconcile.Undecided) bool {
		return !u.SetAside()
	})
}

// directFolder is where it is noted what was done without the database.
func directFolder(p config.Project) string { return filepath.Join(p.StateFolder(), "direct") }

// takeInDirect puts into the history what pause-all --direct did from this machine while the database did not answer,
// and moves its folder aside. What cannot be taken in stays there for the next time, and is said.
func takeInDirect(ctx context.Context, env *Env, folder string, store state.Store) {
	if _, err := os.Stat(folder); err != nil {
		return
	}
	taken, err := directRuns(ctx, folder, store)
	if err == nil {
		err = os.Rename(folder, fmt.Sprintf("%s-%s", folder, time.Now().UTC().Format("20060102T150405.000")))
	}
	for _, run := range taken {
		env.Note("what pause-all --direct did while the database did not answer is in the history: %s", run)
	}
	if err != nil {
		env.Note("what pause-all --direct did is not in the history yet; it stays in %s: %v", folder, err)
	}
}

// directRuns takes in the runs of a folder, the oldest first, and returns their names.
func directRuns(ctx context.Context, folder string, store state.Store) (taken []string, err error) {
	direct, err := state.OpenReadOnly(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, direct.Close()) }()
	runs, err := direct.Runs(ctx, 0)
	if err != nil {
		return nil, err
	}
	open, err := direct.Heads(ctx)
	if err == nil && len(open) > 0 {
		err = errors.New("a pause is under way there; adsync pause-all --direct ends it")
	}
	for _, run := range slices.Backward(runs) {
		if err != nil {
			break
		}
		name := run.ID
		run.ID = fmt.Sprintf("direct-%.8s-%s", direct.Header().Lineage, name)
		report, failure := direct.Report(ctx, name)
		if err = store.RecordRun(ctx, run); err == nil && failure == nil {
			err = store.RecordReport(ctx, run.ID, run.Head, func(w io.Writer) error {
				_, err := w.Write(report)
				return err
			})
		}
		taken = append(taken, run.ID)
	}
	return taken, err
}
