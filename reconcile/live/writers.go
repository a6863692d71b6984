package live

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"adsync/reconcile/env"
	"adsync/state"
)

// Writer is somebody else than this adsync who changes things in the account.
type Writer struct {
	Actor     string
	OwnKey    bool // the log names it as it names this adsync: it writes with the same key
	Resources int  // that it changed
	Managed   int  // of them, that this adsync manages
}

// Span is a time in which this adsync may have written.
type Span struct{ From, To time.Time }

const (
	fewWrites  = manyTouched      // from how many resources on somebody is a writer
	mostLooked = 5 * EntriesAPage // entries of the log, the newest
)

// Actors tells the entries of this agent in the audit log from those of others.
type Actors struct {
	*env.Env
}

// OtherWriters returns who else has changed several resources of the account since a
// moment, by the audit log: under another name, or under adsync's own while this adsync
// did not write. Where the log does not tell which name that is, as others write at the
// same time, only what was done while it did not write counts.
func (a *Actors) OtherWriters(ctx context.Context, since time.Time, busy []Span) ([]Writer, error) {
	own, err := a.OwnActor(ctx)
	if err != nil {
		return nil, err
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return nil, err
	}
	managed := map[string]bool{}
	for r := range last.All() {
		managed[r.ID] = true
	}
	seen, touched := 0, map[string]map[string]bool{} // by actor
	query := url.Values{"order": {"desc"}, "limit": {strconv.Itoa(EntriesAPage)}, "start_time": {a.LogTime(since)}}
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, env.UnlessStopped(err)
		}
		var e LogEntry
		told := json.Unmarshal(row, &e) == nil && e.ActorID != "" && e.Object != ""
		if told && !((e.Actor() == own || own == "") && a.mayBeOurs(e, busy)) {
			if touched[e.Actor()] == nil {
				touched[e.Actor()] = map[string]bool{}
			}
			touched[e.Actor()][e.Object] = true
		}
		if seen++; seen >= mostLooked {
			break
		}
	}
	var writers []Writer
	for actor, objects := range touched {
		w := Writer{Actor: actor, OwnKey: actor == own, Resources: len(objects)}
		for id := range objects {
			if managed[id] {
				w.Managed++
			}
		}
		if w.Resources >= fewWrites {
			writers = append(writers, w)
		}
	}
	slices.SortFunc(writers, func(x, y Writer) int { return cmp.Compare(x.Actor, y.Actor) })
	return writers, nil
}

// mayBeOurs reports whether this adsync may have done what an entry says, by its time.
func (a *Actors) mayBeOurs(e LogEntry, busy []Span) bool {
	at := time.Unix(e.At, 0)
	return slices.ContainsFunc(busy, func(s Span) bool {
		from, to := atService(a.Env, s.From).Add(-auditBefore), atService(a.Env, s.To).Add(auditBefore)
		return !at.Before(from) && !at.After(to)
	})
}

// LogTime is a moment of this machine as the log can be asked for it.
func (a *Actors) LogTime(at time.Time) string {
	return strconv.FormatInt(max(firstLogged, atService(a.Env, at).Add(-auditBefore).Unix()), 10)
}

// OwnActor is how the audit log names whoever writes with adsync's key: by the writes of
// this state that were answered last, which all have to name one and the same; "" where
// they do not. One update alone could be somebody's of the same minute.
func (a *Actors) OwnActor(ctx context.Context) (string, error) {
	wrote, err := a.Store.Wrote(ctx)
	if err != nil {
		return "", err
	}
	own, sure := "", 0
	for _, w := range wrote {
		actor, err := a.actorOf(ctx, w)
		switch {
		case err != nil:
			return "", err
		case actor == "":
			continue
		case own != "" && actor != own:
			return "", nil
		}
		own = actor
		if sure++; w.Created {
			sure++
		}
	}
	if sure < 2 {
		return "", nil
	}
	return own, nil
}

// actorOf is who did a write, by the audit log: of a create its only entry, of an update
// those of the minutes around it, which have to name one.
func (a *Actors) actorOf(ctx context.Context, w state.Wrote) (actor string, err error) {
	query := url.Values{"order": {"asc"}, "limit": {strconv.Itoa(EntriesAPage)}, "start_time": {a.LogTime(w.SentAt)}}
	if !w.Created {
		query.Set("end_time", strconv.FormatInt(atService(a.Env, w.SentAt).Add(auditBefore).Unix(), 10))
	}
	if filter := a.Schemas.Of(w.Kind).Audit; filter != "" {
		query.Set(filter, w.ID)
	}
	seen := 0
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return "", env.UnlessStopped(err)
		}
		var e LogEntry
		if json.Unmarshal(row, &e) != nil {
			continue
		}
		switch of := e.Object == w.ID && e.creates() == w.Created; {
		case !of:
		case e.ActorID == "" || actor != "" && actor != e.Actor():
			return "", nil
		case w.Created:
			return e.Actor(), nil
		default:
			actor = e.Actor()
		}
		if seen++; seen >= maxEntries {
			break
		}
	}
	return actor, nil
}
