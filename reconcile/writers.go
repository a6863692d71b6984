package reconcile

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"
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
	*Env
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
			return nil, unlessStopped(err)
		}
		var e auditEntry
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
func (a *actors) mayBeOurs(e auditEntry, busy []Span) bool {
	at := time.Unix(e.At, 0).Add(-a.Service.Ahead())
	return slices.ContainsFunc(busy, func(s Span) bool {
		return !at.Before(s.From.Add(-auditBefore)) && !at.After(s.To.Add(auditBefore))
	})
}
