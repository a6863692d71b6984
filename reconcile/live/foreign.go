package live

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// What is asked of the audit log at the most, so that an account that changed
// everywhere costs no more than a refresh does.
const (
	maxAsked   = 40  // resources
	maxEntries = 200 // of one resource, newest first
)

// manyTouched is from how many resources on somebody who changes them is said
// to manage them too (fault C5).
const manyTouched = 3

// LogEntry is one entry of the audit log (service facts, 9.4), as far as it
// is read. The fields that changed are keys of changes.
type LogEntry struct {
	ID        string                     `json:"id"`
	Object    string                     `json:"obj_id"`
	Type      string                     `json:"obj_type"`
	Action    string                     `json:"audit_log_type"`
	ActorType string                     `json:"actor_type"`
	ActorID   string                     `json:"actor_id"`
	Changes   map[string]json.RawMessage `json:"changes"`
	At        int64                      `json:"ts"`

	row json.RawMessage // the entry itself, where it was read to tell what changed
}

// creates reports whether an entry is of a create.
func (e LogEntry) creates() bool { return strings.HasPrefix(e.Action, "create") }

// parent is the id of what the object of an entry stands beneath; "" where it does not
// say.
func (e LogEntry) parent(schema *resource.Schema) string {
	var fields map[string]any
	if schema.Parent == "" || json.Unmarshal(e.row, &fields) != nil {
		return ""
	}
	id, _ := fields[schema.ParentWire].(string)
	return id
}

// Actor is who an entry names.
func (e LogEntry) Actor() string {
	return diag.Printable(strings.TrimSpace(e.ActorType + " " + e.ActorID))
}

// ForeignProblems says of what was changed outside adsync who did it, and when, as
// the service's audit log has it. A service that does not show the log changes
// nothing of the plan.
func (a *Log) ForeignProblems(ctx context.Context, p *plan.Plan, last *resource.Snapshot) []diag.Problem {
	asked, touched := 0, map[string][]*plan.Change{}
	for i := range p.Changes {
		c := &p.Changes[i]
		schema := a.Schemas.Of(c.Address.Kind)
		bound := last.Get(c.Address)
		if schema.Audit == "" || bound == nil || bound.ID == "" || !c.IsForeign() {
			continue
		}
		if asked++; asked > maxAsked {
			break
		}
		entries, err := a.auditOf(ctx, schema, bound.ID)
		if err != nil {
			a.Logger.Debug("audit log", "error", err)
			break
		}
		for _, actor := range credit(schema, c, entries) {
			touched[actor] = append(touched[actor], c)
		}
	}
	var problems diag.List
	for actor, changes := range touched {
		if len(changes) >= manyTouched {
			problems.Add(sharedOwner(actor, changes))
		}
	}
	return problems.Sorted()
}

// auditOf returns the entries of one resource, newest first.
func (a *Log) auditOf(ctx context.Context, schema *resource.Schema, id string) ([]LogEntry, error) {
	var entries []LogEntry
	seen := 0
	query := url.Values{schema.Audit: {id}, "order": {"desc"}, "limit": {strconv.Itoa(maxEntries / 2)}}
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, err
		}
		var e LogEntry
		if json.Unmarshal(row, &e) == nil && e.Object == id {
			entries = append(entries, e)
		}
		if seen++; seen >= maxEntries {
			break
		}
	}
	return entries, nil
}

// credit fills in who changed what, from the newest entry that names the field,
// and returns the actors. The newest one is never adsync's own: what is live then
// would be what it sent.
func credit(schema *resource.Schema, c *plan.Change, entries []LogEntry) []string {
	var actors []string
	newest := func(wire string) *plan.Foreign {
		root, _, _ := strings.Cut(wire, ".")
		for _, e := range entries {
			if _, names := e.Changes[root]; names && e.Actor() != "" {
				actors = append(actors, e.Actor())
				return &plan.Foreign{Actor: e.Actor(), At: e.At}
			}
		}
		return nil
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.IsForeign() {
			attribute, _ := schema.Attribute(f.Name)
			f.ChangedBy(newest(attribute.Wire.Path))
		}
	}
	if c.IsGone() {
		c.Foreign = newest("status")
	}
	return compacted(actors)
}

func compacted(texts []string) []string {
	seen := map[string]bool{}
	var kept []string
	for _, text := range texts {
		if !seen[text] {
			seen[text], kept = true, append(kept, text)
		}
	}
	return kept
}

func sharedOwner(actor string, changes []*plan.Change) diag.Problem {
	first := changes[0]
	for _, c := range changes {
		if cmp.Compare(c.Address.String(), first.Address.String()) < 0 {
			first = c
		}
	}
	return diag.Problem{
		Severity: diag.Warning, Code: diag.SharedOwner, Position: first.Position, Address: first.Address.String(),
		Message: fmt.Sprintf("%s changed %s and %d more of "+
			"these files' resources at the service; want one owner of each", actor, first.Address, len(changes)-1),
	}
}
