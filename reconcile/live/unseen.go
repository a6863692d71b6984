package live

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// UnseenPauses finds what somebody has paused since the last apply began to look, of what the
// files are about to start: that apply left it paused, saw that somebody had started it,
// or did not look, as the files did not say whether it runs; and only the audit log tells
// that the pause is a person's by now (invariant 11). A log that cannot be read tells
// nothing. Of a kind that the log never names, a pause nobody looked at is a person's.
// Without files they may start anything.
func (a *Log) UnseenPauses(ctx context.Context, last,
	desired, live *resource.Snapshot) (paused []resource.Address, err error) {
	of := map[string]resource.Address{} // by id
	if last.Len() == 0 {
		return nil, nil
	}
	starts := desired
	if starts == nil {
		starts = last
	}
	for want := range starts.All() {
		schema := a.Schemas.Of(want.Address.Kind)
		delivery := schema.Delivery()
		is := func(r *resource.Resource, word string) bool { return r != nil && r.Value(delivery).Text() == word }
		was := last.Get(want.Address)
		if was == nil || desired != nil && !is(want, wire.WordActive) || !is(live.Get(want.Address), wire.WordPaused) {
			continue
		}
		unseen := !was.Value(delivery).IsSet()
		switch {
		case schema.Audit == "" && unseen && desired == nil: // it is found as well once the files start it
		case schema.Audit == "" && unseen:
			paused = append(paused, want.Address)
		case schema.Audit != "" && (unseen || is(was, wire.WordPaused)):
			of[was.ID] = want.Address
		}
	}
	if len(of) == 0 {
		return paused, nil
	}
	l, there, err := lastLook(ctx, a.Store)
	if err != nil || !there {
		return paused, err
	}
	began := a.secondOf(l.run)
	if began >= atService(a.Env, a.Now()).Unix() {
		return paused, nil
	}
	logged, err := a.pausedSince(ctx, began, of, l)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return append(paused, logged...), nil
}

// lastApply returns the newest of the runs that is no decision of a person, which looks at nothing; there is false
// where there is none.
func lastApply(ctx context.Context, store state.Store) (run state.Run, there bool, err error) {
	for _, most := range []int{4, 0} { // decisions are few
		runs, err := store.Runs(ctx, most)
		if err != nil {
			return run, false, err
		}
		i := slices.IndexFunc(runs, func(r state.Run) bool { return !env.IsDecision(r.ID) })
		if i >= 0 {
			return runs[i], true, nil
		}
	}
	return run, false, nil
}

// look is the newest apply: it began to look at what the files name, and what somebody paused later may be unseen.
type look struct {
	run   state.Run // of which nothing is known where the record lost it
	ended time.Time // by then another had come after it, which looked at nothing; zero where none did
}

// lastLook returns the newest apply. A decision, a verb and a pause of everything look at nothing. Where there is no
// apply, and somebody accepted a record that may have lost its end, there may have been one; there is false otherwise.
func lastLook(ctx context.Context, store state.Store) (l look, there bool, err error) {
	for _, most := range []int{4, 0} { // others are few
		runs, err := store.Runs(ctx, most)
		if err != nil {
			return l, false, err
		}
		l = look{}
		for _, r := range runs {
			switch {
			case !r.Read.IsZero():
				l.run = r
				return l, true, nil
			case strings.HasPrefix(r.ID, state.AcceptPrefix):
				there = true
			case !env.IsDecision(r.ID):
				l.ended = r.Started
			}
		}
	}
	if there {
		return l, true, nil
	}
	l.run, there, err = lastApply(ctx, store) // of an older adsync, which noted no look
	return look{run: l.run}, there, err
}

// secondOf is the second in which an apply began to look: what somebody did in it or later, it may not have seen.
func (a *Log) secondOf(run state.Run) int64 {
	looked := run.Read
	if looked.IsZero() {
		looked = run.Started
	}
	return max(firstLogged-1, atService(a.Env, looked).Unix())
}

// pausedSince returns the addresses of ids that the audit log has paused since the second in which the last apply
// began to look. Where that may be adsync's own, as that apply paused something, was cut off or left
// something open, it counts where another did it, or with an earlier start, as adsync does not both. So does one
// since that apply had ended: to pause everything is somebody's as well. What was paused in that very second may have
// been seen, and counts where another key did it. What the log has started last, and is paused, was paused since: a log
// may show that up to a minute later.
func (a *Log) pausedSince(ctx context.Context, began int64,
	of map[string]resource.Address, l look) (found []resource.Address, err error) {
	query := url.Values{
		"order": {"desc"}, "limit": {strconv.Itoa(EntriesAPage)},
		"start_time": {strconv.FormatInt(max(firstLogged, began), 10)},
	}
	pausedBy, seen, whole := map[string]LogEntry{}, 0, true // by id, the newest of each
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if stops := env.UnlessStopped(err); stops != nil || err != nil && l.run.ID != "" {
			return found, stops
		}
		if err != nil {
			whole = false
			break
		}
		var e LogEntry
		if json.Unmarshal(row, &e) != nil {
			continue
		}
		address, asked := of[e.Object]
		became := e.became(a.Schemas)
		if _, known := pausedBy[e.Object]; asked && !known && became == wire.WordPaused && e.At >= began {
			pausedBy[e.Object] = e
		}
		last, paused := pausedBy[e.Object]
		if asked && !paused && became == wire.WordActive && e.At > began && (l.run.Settled || a.notIn(l.run, e.At)) {
			found = append(found, address) // it is paused by now: the log is late
			delete(of, e.Object)
		}
		if asked && e.At > began && paused && (l.run.Settled || a.endedBy(l, last.At) || became == wire.WordActive) {
			found = append(found, address)
			delete(of, e.Object)
		}
		if seen++; seen >= MaxLogged || len(of) == 0 {
			whole = len(of) == 0
			break
		}
	}
	if !whole && l.run.ID == "" { // nobody knows since when it is as recorded, and what is left may tell of a pause
		return append(found, slices.SortedFunc(maps.Values(of), resource.Address.Compare)...), nil
	}
	others, err := a.byOthers(ctx, pausedBy, of, l.run, began)
	return append(found, others...), err
}

// notIn reports whether no apply that ended was under way in a second of the log: what was paused after it is not that
// apply's. One that was cut off may have paused it, but adsync does not pause what it is about to start.
func (a *Log) notIn(run state.Run, at int64) bool {
	return run.Finished.IsZero() || at > atService(a.Env, run.Finished).Unix()
}

// endedBy reports whether the apply had ended by a second of the log, which knows whole ones.
func (a *Log) endedBy(l look, at int64) bool {
	return !l.ended.IsZero() && at >= atService(a.Env, l.ended).Add(-arrivedBefore).Unix()
}

// byOthers returns what another than adsync's key has paused. Where the log does not tell whose key that was, what was
// paused since an apply that was cut off is somebody's: of one that ended, its own pauses are more likely.
func (a *Log) byOthers(ctx context.Context, pausedBy map[string]LogEntry,
	of map[string]resource.Address, run state.Run, began int64) (found []resource.Address, err error) {
	own, asked := "", false
	for _, id := range slices.Sorted(maps.Keys(of)) {
		e, paused := pausedBy[id]
		if !paused {
			continue
		}
		if !asked {
			if own, err = (&Actors{a.Env}).OwnActor(ctx); err != nil {
				return nil, err
			}
			asked = true
		}
		known := own != "" && e.tellsFrom(own)
		if known && e.Actor() != own || !known && run.Finished.IsZero() && e.At > began {
			found = append(found, of[id])
		}
	}
	return found, nil
}

// tellsFrom reports whether an entry names its actor well enough to tell it from another: by an id, or as an actor of
// another type, such as the service itself, which has none.
func (e LogEntry) tellsFrom(actor string) bool {
	return e.ActorID != "" || e.ActorType != "" && !strings.HasPrefix(actor, e.ActorType+" ")
}

// became is the status an entry says its object was given, "" where it says none.
func (e LogEntry) became(schemas resource.Schemas) string {
	for _, s := range schemas {
		if s.Audit == "" || !strings.EqualFold(strings.ReplaceAll(string(s.Kind), "_", ""),
			strings.ReplaceAll(e.Type, "_", "")) {
			continue
		}
		a, _ := s.Attribute(s.Delivery())
		var status struct{ Before, After string }
		if json.Unmarshal(e.Changes[a.Wire.Path], &status) == nil && status.Before != "" { // a create has none
			return status.After
		}
	}
	return ""
}

// StartedMeanwhile is the record of what somebody has paused: as if adsync had looked
// when it was active, so that the pause is somebody's from here on, until the files
// change the status.
func (a *Log) StartedMeanwhile(last *resource.Snapshot, paused []resource.Address) []state.Applied {
	var started []state.Applied
	for _, address := range paused {
		was := *last.Get(address)
		was.Attributes = slices.Clone(was.Attributes)
		delivery := a.Schemas.Of(address.Kind).Delivery()
		was.Set(delivery, resource.Text(wire.WordActive))
		last.Put(&was)
		started = append(started, state.Applied{
			Address: address, ID: was.ID,
			Attributes: resource.Attributes{{Name: delivery, Value: resource.Text(wire.WordActive)}},
		})
	}
	return started
}
