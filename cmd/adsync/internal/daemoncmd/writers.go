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
	"adsync/internal/outside"
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

	// how the log names, or named, who writes with adsync's key, and since when what others did is kept
	Own   []string  `json:"own,omitempty"`
	Since time.Time `json:"since,omitzero"`
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
	since, busy, err := spansOf(ctx, agent.Store, now.Add(-writersBack), began, now)
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
// are looked for: from a moment on, and not from before its first run.
func spansOf(
	ctx context.Context, store state.Store, from, began, now time.Time,
) (since time.Time, busy []reconcile.Span, err error) {
	runs, err := store.Runs(ctx, 0)
	if err != nil || len(runs) == 0 {
		return since, nil, err
	}
	since = from
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
		if span.To.After(since.Add(-writersEvery)) { // what it did last is logged later, and clocks differ
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
	if err := told.keep(beside); err != nil {
		env.Note("who else writes to the account cannot be noted; it may be told again: %v", err)
	}
	return fresh
}

func (t toldWriters) keep(beside kv.Store) error {
	content, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return beside.Put(WritersName, append(content, '\n'))
}

// keepHeard keeps what others did, as far as the audit log was read to see what changed. A plan has written nothing
// unless it recovered something.
func keepHeard(ctx context.Context, agent *reconcile.Agent, beside kv.Store, began time.Time, recovered bool) error {
	told, err := readToldWriters(beside)
	if err != nil {
		return err
	}
	first := told.Since.IsZero()
	if first {
		told.Since = began.UTC()
	}
	since, busy, err := spansOf(ctx, agent.Store, told.Since, began, agent.Now())
	if err != nil || since.IsZero() {
		return err
	}
	if !recovered {
		busy = busy[1:]
	}
	others, own, err := agent.Heard(ctx, since, busy, told.Own)
	if err != nil {
		return err
	}
	if first || len(own) > len(told.Own) {
		told.Own = own
		if err := told.keep(beside); err != nil {
			return err
		}
	}
	entries := make([]outside.Entry, 0, len(others))
	for _, o := range others {
		e := outside.Entry{ID: o.ID, Time: o.At, By: shortly(o.Actor), Action: shortly(o.Action), Of: shortly(o.Object),
			Address: o.Address, Name: shortly(o.Name)}
		for _, c := range o.Changes[:min(len(o.Changes), fieldsMost)] {
			e.Fields = append(e.Fields, shortly(c.Field))
		}
		entries = append(entries, e)
	}
	return outside.Kept{Store: beside}.Note(entries)
}

// fieldsMost is of how many fields of an entry it is kept that they were changed.
const fieldsMost = 30

// shortly bounds what others may have written.
func shortly(text string) string {
	const most = 200
	runes := []rune(diag.Printable(text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
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
	none := toldWriters{FormatVersion: console.FormatVersion, Told: map[string]time.Time{}}
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
