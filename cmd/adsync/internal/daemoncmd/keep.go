package daemoncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/comments"
	"adsync/internal/diag"
	"adsync/internal/direct"
	"adsync/internal/orders"
	"adsync/internal/outside"
	"adsync/internal/trail"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/kv"
)

// keeping takes away what is kept of an account for longer than is said, once a day.
type keeping struct {
	keep config.Keep
	done time.Time
}

// aged is of how much something was taken away.
type aged struct{ names, reports, copies int }

// due takes away what is too old, where it was not looked for within a day. The state is
// this process's own meanwhile.
func (k *keeping) due(ctx context.Context, env *session.Env, w *worker, l session.Loaded, store state.Store) {
	now := env.Clock.OrSystem().Now()
	if k.keep.People == 0 && k.keep.Results == 0 || now.Sub(k.done) < 24*time.Hour && !now.Before(k.done) {
		return
	}
	k.done = now
	var beside kv.Store
	if w.id == "" { // else whichever daemon does the errand retain
		beside = session.BesideOf(env, l.Project)
	}
	gone, err := k.age(ctx, beside, store, now)
	if k.keep.Results > 0 && w.copies != nil {
		var failed error
		gone.copies, failed = w.copies.shelf(l).Age(now.Add(-k.keep.Results))
		err = errors.Join(err, failed)
	}
	if gone != (aged{}) {
		env.Note("kept no longer: names of people in %s, %s and the copies of %s",
			diag.Plural(gone.names, "place"), diag.Plural(gone.reports, "report"),
			diag.Plural(gone.copies, "run"))
	}
	if err != nil {
		env.Note("something is kept for longer than is said, and is looked at again tomorrow: %s", console.OneLine(err))
	}
}

// ageBeside takes names out of what is kept beside a state, and away what people said.
func (k *keeping) ageBeside(beside kv.Store, now time.Time) (names int, err error) {
	if k.keep.People == 0 {
		return 0, nil
	}
	for _, name := range []string{session.ApprovalsName, session.AcceptedName, orders.LogName, outside.Name} {
		lines, failed := trail.AgeLines(beside, name, now.Add(-k.keep.People))
		names, err = names+lines, errors.Join(err, failed)
	}
	said, failed := comments.Kept{Store: beside}.Forget(now.Add(-k.keep.People))
	return names + said, errors.Join(err, failed)
}

// age takes names and reports out of a state, and out of what is beside it where that is given.
func (k *keeping) age(ctx context.Context, beside kv.Store, store state.Store, now time.Time) (gone aged, err error) {
	if beside != nil {
		gone.names, err = k.ageBeside(beside, now)
	}
	runs, failed := store.Runs(ctx, 0)
	if failed != nil {
		return gone, errors.Join(err, failed)
	}
	for _, run := range runs {
		one, failed := k.ageRun(ctx, store, run, now)
		gone.names, gone.reports, err = gone.names+one.names, gone.reports+one.reports, errors.Join(err, failed)
	}
	return gone, err
}

// ageRun takes out of a run who ran it, and its report, each where it is too old. One
// that has not ended is left.
func (k *keeping) ageRun(ctx context.Context, store state.Store, run state.Run, now time.Time) (gone aged, err error) {
	older := func(keep time.Duration) bool { return keep > 0 && run.Started.Before(now.Add(-keep)) }
	if reconcile.IsDecision(run.ID) || direct.IsVerb(run.ID) {
		summary, named := trail.NamelessDecision(run.Summary)
		if !named || !older(k.keep.People) {
			return gone, nil
		}
		run.Summary, gone.names = summary, 1
		return gone, store.RecordRun(ctx, run)
	}
	if len(run.Head) == 0 || run.Finished.IsZero() {
		return gone, nil
	}
	head, named := run.Head, false
	if older(k.keep.People) {
		head, named = trail.Nameless(run.Head)
	}
	if !named && !older(k.keep.Results) {
		return gone, nil
	}
	report, err := store.Report(ctx, run.ID)
	there := !errors.Is(err, state.ErrNoReport)
	if err != nil && there {
		return gone, err
	}
	drops := there && older(k.keep.Results)
	if !named && !drops {
		return gone, nil
	}
	var write func(io.Writer) error
	if there && !drops {
		report, _ = trail.Nameless(report)
		write = func(w io.Writer) error { _, err := w.Write(report); return err }
	}
	gone.names, gone.reports = map[bool]int{true: 1}[named], map[bool]int{true: 1}[drops]
	return gone, store.RecordReport(ctx, run.ID, head, write)
}

// logKeep says in the log how long things are kept, as a daemon begins of which that
// was said.
func logKeep(log *slog.Logger, keep config.Keep) {
	if keep == (config.Keep{}) {
		return
	}
	days := func(keep time.Duration, otherwise string) string {
		if keep == 0 {
			return otherwise
		}
		return fmt.Sprintf("%d days", keep/(24*time.Hour))
	}
	log.Info("how long things are kept", "names of people", days(keep.People, "as long as the state"),
		"results", days(keep.Results, "the last runs"),
		"uploads", strings.TrimSuffix(cmp.Or(keep.Uploads, 15*time.Minute).String(), "0s"))
}
