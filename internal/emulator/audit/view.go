package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
)

// entry is one audit log as the service shows it (service facts 9.4).
type entry struct {
	ID         string         `json:"id"`
	Type       string         `json:"audit_log_type"` // such as update_campaign
	ObjectType string         `json:"obj_type"`       // such as Campaign
	ObjectID   string         `json:"obj_id"`
	ItemName   *string        `json:"item_name"`
	ActorType  string         `json:"actor_type"` // api_key, user, system
	ActorID    *string        `json:"actor_id"`
	CampaignID *string        `json:"campaign_id"`
	AdGroupID  *string        `json:"ad_group_id"`
	Changes    map[string]any `json:"changes"` // obj_type, and {before, after} of each field that changed
	Hierarchy  hierarchy      `json:"hierarchy_info"`
	At         *int64         `json:"ts"` // Unix seconds
}

// hierarchy names the object's ancestors.
type hierarchy struct {
	AccountID  string  `json:"ad_account_id"`
	CampaignID *string `json:"campaign_id"`
	AdGroupID  *string `json:"ad_group_id"`
}

type change struct {
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

func show(m *world.Mutation, points *openpoint.Settings) entry {
	at := m.At / 1000
	kind := camel(m.Resource)
	e := entry{
		ID: entryID(m), Type: logType(m, points), ObjectType: kind, ObjectID: m.ResourceID,
		ActorType: "system", CampaignID: orNull(m.CampaignID), AdGroupID: orNull(m.AdGroupID), At: &at,
	}
	e.Hierarchy = hierarchy{m.AccountID, e.CampaignID, e.AdGroupID}
	if by := actorType(m.Actor); by != "" {
		e.ActorType, e.ActorID = by, &m.Actor
	}
	before, after := fields(m.Before), fields(m.After)
	e.ItemName = name(after)
	if e.ItemName == nil {
		e.ItemName = name(before)
	}
	e.Changes = changes(kind, before, after)
	return e
}

// logType is the kind of entry.
// assumption: of the published names only update_campaign is known.
func logType(m *world.Mutation, points *openpoint.Settings) string {
	action := m.Action
	if points.Is(openpoint.AuditLogTypes, "update") &&
		slices.Contains([]string{"activate", "pause", "archive"}, action) {
		action = "update"
	}
	return action + "_" + m.Resource
}

// camel writes ad_group as AdGroup.
func camel(resource string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(resource, "_") {
		b.WriteString(strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):])
	}
	return b.String()
}

// actorType tells keys from users by their prefix; "" is the service itself.
func actorType(actor string) string {
	switch {
	case strings.HasPrefix(actor, "key_"):
		return "api_key"
	case strings.HasPrefix(actor, "usr_"):
		return "user"
	}
	return ""
}

func fields(record json.RawMessage) (all map[string]json.RawMessage) {
	if json.Unmarshal(record, &all) != nil {
		return nil
	}
	return all
}

func name(record map[string]json.RawMessage) (name *string) {
	if json.Unmarshal(record["name"], &name) != nil {
		return nil
	}
	return name
}

// unlogged are fields of records that no log shows: they only follow others.
var unlogged = []string{"updated_at", "submitted_at_ms", "daily", "hash"}

// changes are the fields that differ. One that a record does not have is null.
func changes(kind string, before, after map[string]json.RawMessage) map[string]any {
	all := map[string]any{"obj_type": kind}
	for _, side := range []map[string]json.RawMessage{before, after} {
		for field := range side {
			was, is := orJSONNull(before[field]), orJSONNull(after[field])
			if !bytes.Equal(was, is) && !slices.Contains(unlogged, field) {
				all[field] = change{was, is}
			}
		}
	}
	return all
}

func orJSONNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
