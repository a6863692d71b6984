package daemoncmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
	"adsync/state/kv"
)

// WritersName is where a daemon keeps who else writes to the account, and when people
// were told.
const WritersName = "writers.json"

// How often the audit log is asked who else writes, where a plan shows nothing that
// others changed; and how far back.
const (
	writersEvery = time.Hour
	writersBack  = 24 * time.Hour
)

// toldWriters are those of whom people were told, by their actor, and when.
type toldWriters struct {
	FormatVersion int                  `json:"format_version"`
	Told          map[string]time.Time `json:"told"`
}

// writers looks for others who write to an account, and tells of each once.
type writers struct {
	asked time.Time
}

// fresh returns in words who else writes to the account and was not told of yet. A log
// that cannot be read is no trouble: the next run asks again.
func (w *writers) fresh(
	ctx context.Context, env *session.Env, agent *reconcile.Agent, view *reconcile.View, beside kv.Store,
	began time.Time,
) []string {
	now := agent.Now()
	if w.asked.IsZero() { // it has just begun
		w.asked = now
	}
	foreign := slices.ContainsFunc(view.Plan.Changes, func(c plan.Change) bool { return c.IsForeign() })
	if now.Sub(w.asked) < writersEvery && !foreign {
		return nil
	}
	w.asked = now
	since, busy, err := spansOf(ctx, agent.Store, began, now)
	if err != nil || since.IsZero() {
		return nil
	}
	found, err := agent.OtherWriters(ctx, since, busy)
	if err != nil || len(found) == 0 {
		return nil
	}
	return onlyNew(env, beside, found, now)
}

// spansOf are the times in which this adsync may have written, and since when others
// are looked for: not from before its first run.
func spansOf(
	ctx context.Context, store state.Store, began, now time.Time,
) (since time.Time, busy []reconcile.Span, err error) {
	runs, err := store.Runs(ctx, 0)
	if err != nil || len(runs) == 0 {
		return since, nil, err
	}
	since = now.Add(-writersBack)
	if first := runs[len(runs)-1].Started; first.After(since) {
		since = first
	}
	busy = []reconcile.Span{{From: began, To: now}}
	for _, run := range runs {
		span := reconcile.Span{From: run.Started, To: run.Finished}
		var head runview.Head
		read := len(run.Head) > 0 && json.Unmarshal(run.Head, &head) == nil
		if read && head.Recovered != nil && head.Recovered.At.After(span.To) {
			span.To = head.Recovered.At
		}
		if run.Finished.IsZero() { // it goes on, or what it began may
			span.To = now
		}
		if span.To.After(since) {
			busy = append(busy, span)
		}
	}
	return since, busy, nil
}

// onlyNew notes who was found, and returns those that were not noted before.
func onlyNew(env *session.Env, beside kv.Store, found []reconcile.Writer, now time.Time) (fresh []string) {
	told, err := readToldWriters(beside)
	if err != nil {
		env.Note("who else writes to the account was told before, and that cannot be read; it may be told again: %v",
			err)
	}
	for _, one := range found {
		if _, before := told.Told[one.Actor]; !before {
			told.Told[one.Actor] = now.UTC()
			fresh = append(fresh, writerText(one))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	content, err := json.Marshal(told)
	if err == nil {
		err = beside.Put(WritersName, append(content, '\n'))
	}
	if err != nil {
		env.Note("who else writes to the account cannot be noted; it may be told again: %v", err)
	}
	return fresh
}

func writerText(w reconcile.Writer) string {
	did := fmt.Sprintf("changed %s of this account within a day, %d of them managed here",
		diag.Plural(w.Resources, "resource"), w.Managed)
	if w.OwnKey {
		return diag.Printable(w.Actor + ", which is adsync's own key, " + did +
			", while this adsync wrote nothing: a second adsync or another tool; want a key for each, and one owner")
	}
	return diag.Printable(w.Actor + " " + did + ": a second adsync, another tool, or a person; want one owner of each")
}

func readToldWriters(beside kv.Store) (t toldWriters, err error) {
	none := toldWriters{console.FormatVersion, map[string]time.Time{}}
	content, err := beside.Get(WritersName, kv.Most)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &t)
	}
	if err != nil || t.Told == nil {
		return none, err
	}
	return t, nil
}
