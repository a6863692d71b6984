package live

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// AuditQuery says which entries of the service's audit log are wanted.
type AuditQuery struct {
	Since   time.Time        // zero: from the beginning
	Actor   string           // id of who did it; "" is everybody
	Address resource.Address // what it was done to, or to what is beneath it; zero is everything
	Most    int              // entries, the newest of them
}

// AuditEntry is what somebody did, as the service has it (service facts, 9.4).
type AuditEntry struct {
	ID      string        `json:"id"`
	At      time.Time     `json:"at"`
	Actor   string        `json:"actor"`
	Action  string        `json:"action"` // "update_campaign"
	Object  string        `json:"object"` // its id
	Name    string        `json:"name"`
	Address string        `json:"address"` // "" where adsync does not manage it
	Changes []AuditChange `json:"changes"`
}

// AuditChange is a field that was changed, with the values as the service has them.
type AuditChange struct {
	Field  string          `json:"field"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// AuditLog reads the audit log, newest first, and says whether there is more of it.
func (a *Log) AuditLog(ctx context.Context, q AuditQuery) (entries []AuditEntry, more bool, err error) {
	if err := a.CheckAccount(ctx); err != nil {
		return nil, false, err
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return nil, false, err
	}
	addresses := map[string]resource.Address{}
	for r := range last.All() {
		if r.ID != "" {
			addresses[r.ID] = r.Address
		}
	}
	query := url.Values{"order": {"desc"}, "limit": {strconv.Itoa(min(q.Most+1, maxEntries/2))}}
	if !q.Since.IsZero() {
		query.Set("start_time", strconv.FormatInt(min(max(firstLogged, q.Since.Unix()), lastLogged), 10))
	}
	if q.Actor != "" {
		query.Set("actor_id", q.Actor)
	}
	only, err := a.auditFilter(query, last, q.Address)
	if err != nil {
		return nil, false, err
	}
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, false, err
		}
		e, read := auditEntryOf(row, addresses)
		if !read || only != "" && e.Object != only {
			continue
		}
		if len(entries) == q.Most {
			return entries, true, nil
		}
		entries = append(entries, e)
	}
	return entries, false, nil
}

// auditFilter has the log show one resource. Only is its id where the log knows no
// filter of its kind.
func (a *Log) auditFilter(query url.Values, last *resource.Snapshot,
	at resource.Address) (only string, err error) {
	if at.Kind == "" {
		return "", nil
	}
	bound := last.Get(at)
	if bound == nil || bound.ID == "" {
		return "", &UnknownAddressError{at}
	}
	if filter := a.Schemas.Of(at.Kind).Audit; filter != "" {
		query.Set(filter, bound.ID)
		return "", nil
	}
	return bound.ID, nil
}

// UnknownAddressError means that adsync's record does not have an address.
type UnknownAddressError struct{ Address resource.Address }

func (e *UnknownAddressError) Error() string {
	return e.Address.String() + " is not in adsync's record; want one that was applied or adopted"
}

func auditEntryOf(row json.RawMessage, addresses map[string]resource.Address) (AuditEntry, bool) {
	var e struct {
		LogEntry
		Name *string `json:"item_name"`
	}
	if json.Unmarshal(row, &e) != nil {
		return AuditEntry{}, false
	}
	entry := AuditEntry{
		ID: e.ID, At: time.Unix(e.At, 0).UTC(), Actor: e.Actor(),
		Action: diag.Printable(e.Action), Object: e.Object, Changes: []AuditChange{},
	}
	if e.Name != nil {
		entry.Name = *e.Name
	}
	if at, known := addresses[e.Object]; known {
		entry.Address = at.String()
	}
	for field, change := range e.Changes {
		var values struct{ Before, After json.RawMessage }
		if json.Unmarshal(change, &values) == nil && (values.Before != nil || values.After != nil) {
			entry.Changes = append(entry.Changes,
				AuditChange{field, orNullJSON(values.Before), orNullJSON(values.After)})
		}
	}
	slices.SortFunc(entry.Changes, func(x, y AuditChange) int { return cmp.Compare(x.Field, y.Field) })
	return entry, true
}

// Heard returns what others than this adsync did since a moment, of what was read of the audit log to see what changed,
// the oldest first: it asks the service nothing. Own are the names by which the log knew who writes with adsync's key,
// and known are those by which it does now: keys change. Of what was done by one of them, only that counts which was
// done while this adsync did not write; where none is known, the same holds for everybody.
func (a *Log) Heard(ctx context.Context, since time.Time, busy []Span,
	own []string) (others []AuditEntry, known []string, err error) {
	if len(a.heard) == 0 {
		return nil, own, nil
	}
	wrote, err := a.Store.Wrote(ctx)
	if err != nil {
		return nil, own, err
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return nil, own, err
	}
	known = own
	named, sure := a.ownIn(wrote)
	if sure > 1 && !slices.Contains(own, named) {
		known = append(slices.Clone(own), named)
	}
	own = known
	if sure == 1 && !slices.Contains(own, named) { // it may be a new key, or somebody wrote at the same time
		own = nil
	}
	addresses := map[string]resource.Address{}
	for r := range last.All() {
		addresses[r.ID] = r.Address
	}
	from, seen := atService(a.Env, since).Unix(), map[string]bool{}
	for _, e := range a.heard {
		told := e.ID != "" && !seen[e.ID] && e.Object != "" && e.Actor() != "" && e.At >= from
		seen[e.ID] = true
		if !told || (len(own) == 0 || slices.Contains(own, e.Actor())) && (&Actors{a.Env}).mayBeOurs(e, busy) {
			continue
		}
		if entry, read := auditEntryOf(e.row, addresses); read {
			others = append(others, entry)
		}
	}
	return others, known, nil
}

// ownIn is how what was heard names who did the last writes of this state, and how sure that is: a create is certain,
// of updates it takes two.
func (a *Log) ownIn(wrote []state.Wrote) (own string, sure int) {
	for _, w := range slices.Backward(wrote) {
		sent, actors := atService(a.Env, w.SentAt), map[string]bool{}
		for _, e := range a.heard {
			near := w.Created || time.Unix(e.At, 0).Sub(sent).Abs() <= auditBefore
			if e.Object == w.ID && e.creates() == w.Created && near && e.ActorID != "" {
				actors[e.Actor()] = true
			}
		}
		if len(actors) != 1 {
			continue
		}
		for actor := range actors {
			if own != "" && actor != own {
				return own, sure
			}
			own = actor
		}
		if sure++; w.Created {
			sure++
		}
	}
	return own, sure
}

// orNullJSON is the value, null where there is none.
func orNullJSON(value json.RawMessage) json.RawMessage {
	if strings.TrimSpace(string(value)) == "" {
		return json.RawMessage("null")
	}
	return value
}
