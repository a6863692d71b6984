package live

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// auditBefore is how much earlier than a request was sent its entry may say it
// was, as clocks differ.
const auditBefore = 2 * time.Minute

// The earliest and the latest time the log can be asked for, in Unix seconds
// (interface, part 8).
const (
	firstLogged = 946684800
	lastLogged  = 4102444800
)

// MaxLogged bounds what is read of the audit log for one create.
const MaxLogged = 1000

// createEntry is an entry of the audit log as a create leaves one. Of the names
// of types only update_campaign is published (service facts, 9.4): they are
// taken for words of the action and of the kind.
type createEntry struct {
	Type       string  `json:"audit_log_type"`
	ObjectType string  `json:"obj_type"`
	ObjectID   string  `json:"obj_id"`
	Name       *string `json:"item_name"`
	ActorType  string  `json:"actor_type"`
	ActorID    string  `json:"actor_id"`
	At         int64   `json:"ts"`
}

// Logged is what the audit log shows of a create: the ids of what was created under
// its name since it was sent, and not bound to another address.
type Logged struct {
	Entries []createEntry
	Whole   bool     // the log was read to its end
	There   []string // it stands beneath its parent
	Ended   []string // it stood there; somebody has archived or deleted it
	Earlier []string // it was ended as well, and the log has it made before the create was sent
}

// Made returns what the create may have made: what stands, else what was ended since.
func (l Logged) Made() []string {
	if len(l.There) > 0 {
		return l.There
	}
	return l.Ended
}

// Unclear reports whether what was ended may be of another create of the same name.
func (l Logged) Unclear() bool { return len(l.There) == 0 && len(l.Earlier) > 0 }

// InAuditLog looks for the resource of a create whatever it is called by now.
func (a *Log) InAuditLog(ctx context.Context, step state.Step,
	operation state.Operation, ids map[resource.Address]string) (Logged, error) {
	entries, whole, err := a.createsLogged(ctx, step, operation)
	if err != nil {
		return Logged{}, err
	}
	found := Logged{Entries: entries, Whole: whole}
	seen := map[string]bool{}
	for _, e := range entries {
		if BoundElsewhere(ids, operation.Address, e.ObjectID) || seen[e.ObjectID] {
			continue
		}
		seen[e.ObjectID] = true
		stands, err := a.ExistenceOf(ctx, operation.Address, e.ObjectID, ids)
		switch {
		case err != nil:
			return Logged{}, err
		case stands == StandsThere:
			found.There = append(found.There, e.ObjectID)
		case stands == stoodThere && e.At < atService(a.Env, step.SentAt).Unix():
			found.Earlier = append(found.Earlier, e.ObjectID)
		case stands == stoodThere:
			found.Ended = append(found.Ended, e.ObjectID)
		}
	}
	return found, nil
}

// createsLogged returns the entries of creates of a kind and a name since a step
// was sent, and whether the log was read to its end. One that is not shown has none.
func (a *Log) createsLogged(ctx context.Context,
	step state.Step, operation state.Operation) (entries []createEntry, whole bool, err error) {
	schema := a.Schemas.Of(operation.Address.Kind)
	since := max(firstLogged, atService(a.Env, step.SentAt).Add(-auditBefore).Unix())
	query := url.Values{"order": {"asc"}, "limit": {"100"}, "start_time": {strconv.FormatInt(since, 10)}}
	seen := 0
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, false, env.UnlessStopped(err)
		}
		var e createEntry
		if json.Unmarshal(row, &e) == nil && e.creates(schema, operation) {
			entries = append(entries, e)
		}
		if seen++; seen >= MaxLogged {
			return entries, false, nil
		}
	}
	return entries, true, nil
}

// creates reports whether an entry is of a create of the kind and the name of an
// operation.
func (e createEntry) creates(schema *resource.Schema, operation state.Operation) bool {
	kind := strings.ReplaceAll(string(schema.Kind), "_", "")
	object := strings.ToLower(strings.ReplaceAll(e.ObjectType, "_", ""))
	for _, group := range []string{"conversion", "custom"} { // as the paths of the interface have it
		object = strings.TrimPrefix(object, group)
	}
	if e.ObjectID == "" || e.Name == nil || !strings.HasPrefix(e.Type, "create") || object != kind {
		return false
	}
	for _, name := range schema.NameFrom {
		if sent := operation.Set.Value(name); sent.IsSet() {
			return normalizedText(sent.Text()) == normalizedText(*e.Name)
		}
	}
	return false
}

// existence is how a resource stands to the parent of an address.
type existence uint8

const (
	standsElsewhere existence = iota // beneath another parent, or nowhere
	StandsThere
	stoodThere // it is archived or deleted
)

// ExistenceOf looks at a resource by its id. Of a kind the service does not show, the
// log is all there is.
func (a *Log) ExistenceOf(ctx context.Context, address resource.Address,
	id string, ids map[resource.Address]string) (existence, error) {
	schema := a.Schemas.Of(address.Kind)
	record, err := a.Reader().One(ctx, schema, id, nil)
	switch {
	case errors.Is(err, ErrUnlisted):
		return StandsThere, nil
	case errors.Is(err, adsapi.ErrNotFound) && schema.Deletes():
		return stoodThere, nil
	case errors.Is(err, adsapi.ErrNotFound):
		return standsElsewhere, nil
	case err != nil:
		return standsElsewhere, err
	}
	live, err := wire.Decoder{Zone: a.Zone}.Decode(schema, record)
	if err != nil {
		return standsElsewhere, err
	}
	parent := ids[a.Schemas.Parent(address)]
	switch {
	case live.ParentID != "" && parent != "" && live.ParentID != parent:
		return standsElsewhere, nil
	case schema.Removed(live):
		return stoodThere, nil
	case live.ParentID != "":
		return StandsThere, nil
	}
	if older, err := OlderThanParent(ctx, a.Env, schema, record, parent); older || err != nil {
		return standsElsewhere, err
	}
	return StandsThere, nil
}
