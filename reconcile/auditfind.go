package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/state"
)

// auditBefore is how much earlier than a request was sent its entry may say it
// was, as clocks differ.
const auditBefore = 2 * time.Minute

// firstLogged is the earliest time the log can be asked for, in Unix seconds
// (interface, part 8).
const firstLogged = 946684800

// maxLogged bounds what is read of the audit log for one create.
const maxLogged = 1000

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

// inAuditLog gives the ids of what was created under the name of a create since
// it was sent, and is still there beneath its parent. That the log shows none
// says nothing: it may not have the kind, or lag behind.
func (a *Agent) inAuditLog(ctx context.Context, step state.Step, operation state.Operation, ids map[resource.Address]string) ([]string, error) {
	entries, err := a.createsLogged(ctx, step, operation)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if boundElsewhere(ids, operation.Address, e.ObjectID) || slices.Contains(found, e.ObjectID) {
			continue
		}
		there, err := a.standsBeneath(ctx, operation.Address, e.ObjectID, ids)
		if err != nil {
			return nil, err
		}
		if there {
			found = append(found, e.ObjectID)
		}
	}
	return found, nil
}

// createsLogged gives the entries of creates of a kind and a name since a step
// was sent. A log that is not shown has none.
func (a *Agent) createsLogged(ctx context.Context, step state.Step, operation state.Operation) ([]createEntry, error) {
	schema := a.Schemas.Of(operation.Address.Kind)
	since := max(step.SentAt.Add(-auditBefore).Unix(), firstLogged)
	query := url.Values{"order": {"asc"}, "limit": {"100"}, "start_time": {strconv.FormatInt(since, 10)}}
	var entries []createEntry
	seen := 0
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, unlessStopped(err)
		}
		var e createEntry
		if json.Unmarshal(row, &e) == nil && e.creates(schema, operation) {
			entries = append(entries, e)
		}
		if seen++; seen >= maxLogged {
			break
		}
	}
	return entries, nil
}

// unlessStopped drops an error that only says that there is no audit log.
func unlessStopped(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, adsapi.ErrUnavailable) {
		return err
	}
	return nil
}

// creates says that an entry is of a create of the kind and the name of an
// operation.
func (e createEntry) creates(schema *resource.Schema, operation state.Operation) bool {
	kind := strings.ReplaceAll(string(schema.Kind), "_", "")
	object := strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(e.ObjectType, "_", "")), "conversion")
	if e.ObjectID == "" || e.Name == nil || !strings.HasPrefix(e.Type, "create") || object != kind {
		return false
	}
	for _, name := range schema.NameFrom {
		if sent := operation.Set.Value(name); sent.IsSet() {
			return looseText(sent.Text()) == looseText(*e.Name)
		}
	}
	return false
}

// standsBeneath says that a resource is there and has the parent of an address.
// Of a kind the service does not show, the log is all there is.
func (a *Agent) standsBeneath(ctx context.Context, address resource.Address, id string, ids map[resource.Address]string) (bool, error) {
	schema := a.Schemas.Of(address.Kind)
	record, err := a.reader().one(ctx, schema, id, nil)
	switch {
	case errors.Is(err, errUnlisted):
		return true, nil
	case errors.Is(err, adsapi.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	live, err := decoder{zone: a.Zone}.decode(schema, record)
	if err != nil {
		return false, err
	}
	parent := ids[a.Schemas.Parent(address)]
	return !schema.Removed(live) && (live.ParentID == "" || parent == "" || live.ParentID == parent), nil
}
