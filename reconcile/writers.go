package reconcile

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
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
	mostLooked = 5 * entriesAPage // entries of the log, the newest
)

// actors tells the entries of this agent in the audit log from those of others.
type actors struct {
	*env.Env
}

// OtherWriters returns who else has changed several resources of the account since a
// moment, by the audit log: under another name, or under adsync's own while this adsync
// did not write. Where the log does not tell which name that is, as others write at the
// same time, only what was done while it did not write counts.
func (a *actors) OtherWriters(ctx context.Context, since time.Time, busy []Span) ([]Writer, error) {
	own, err := a.ownActor(ctx)
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
	query := url.Values{"order": {"desc"}, "limit": {strconv.Itoa(entriesAPage)}, "start_time": {a.logTime(since)}}
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, env.UnlessStopped(err)
		}
		var e logEntry
		told := json.Unmarshal(row, &e) == nil && e.ActorID != "" && e.Object != ""
		if told && !((e.actor() == own || own == "") && a.mayBeOurs(e, busy)) {
			if touched[e.actor()] == nil {
				touched[e.actor()] = map[string]bool{}
			}
			touched[e.actor()][e.Object] = true
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
func (a *actors) mayBeOurs(e logEntry, busy []Span) bool {
	at := time.Unix(e.At, 0).Add(-a.Service.Ahead())
	return slices.ContainsFunc(busy, func(s Span) bool {
		return !at.Before(s.From.Add(-auditBefore)) && !at.After(s.To.Add(auditBefore))
	})
}

// logTime is a moment of this machine as the log can be asked for it.
func (a *actors) logTime(at time.Time) string {
	return strconv.FormatInt(max(firstLogged, at.Add(a.Service.Ahead()-auditBefore).Unix()), 10)
}

// ownActor is how the audit log names whoever writes with adsync's key: by the writes of
// this state that were answered last, which all have to name one and the same; "" where
// they do not. One update alone could be somebody's of the same minute.
func (a *actors) ownActor(ctx context.Context) (string, error) {
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
func (a *actors) actorOf(ctx context.Context, w state.Wrote) (actor string, err error) {
	query := url.Values{"order": {"asc"}, "limit": {strconv.Itoa(entriesAPage)}, "start_time": {a.logTime(w.SentAt)}}
	if !w.Created {
		query.Set("end_time", strconv.FormatInt(w.SentAt.Add(a.Service.Ahead()+auditBefore).Unix(), 10))
	}
	if filter := a.Schemas.Of(w.Kind).Audit; filter != "" {
		query.Set(filter, w.ID)
	}
	seen := 0
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return "", env.UnlessStopped(err)
		}
		var e struct {
			logEntry
			Action string `json:"audit_log_type"`
		}
		if json.Unmarshal(row, &e) != nil {
			continue
		}
		switch of := e.Object == w.ID && strings.HasPrefix(e.Action, "create") == w.Created; {
		case !of:
		case e.ActorID == "" || actor != "" && actor != e.actor():
			return "", nil
		case w.Created:
			return e.actor(), nil
		default:
			actor = e.actor()
		}
		if seen++; seen >= maxEntries {
			break
		}
	}
	return actor, nil
}
