package daemoncmd

import (
	"encoding/json"
	"testing"
	"time"

	"adsync/internal/figures/overspend"
	"adsync/reconcile"
)

// The largest budget of a day is found in the audit log where that has the last change, too.
func TestTheLargestBudgetOfADay(t *testing.T) {
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	night := at.Add(12 * time.Hour)
	entry := func(object string, at time.Time, field, before, after string) reconcile.AuditEntry {
		return reconcile.AuditEntry{Object: object, At: at, Changes: []reconcile.AuditChange{
			{Field: field, Before: json.RawMessage(before), After: json.RawMessage(after)}}}
	}
	daily := func(amount string) string { return `{"daily_spend_limit_micros": ` + amount + `}` }
	lowered := entry("cmpn_1", at, "budget", daily("9"), daily("7"))
	raised := entry("cmpn_1", at.Add(-time.Hour), "budget", daily("5"), daily("9"))
	for _, row := range []struct {
		name    string
		entries []reconcile.AuditEntry
		most    int64
		known   bool
	}{
		{"no log", nil, 7, false},
		{"raised, and lowered", []reconcile.AuditEntry{lowered, raised}, 9, true},
		{"the last change is not in it yet", []reconcile.AuditEntry{raised}, 9, false},
		{"of another", []reconcile.AuditEntry{entry("cmpn_2", at, "budget", daily("99"), daily("7"))}, 7, false},
		{"another field", []reconcile.AuditEntry{entry("cmpn_1", at, "name", `"a"`, `"b"`)}, 7, true},
		{"of the day after", []reconcile.AuditEntry{entry("cmpn_1", night, "budget", daily("8"), daily("7")),
			entry("cmpn_1", night, "budget", daily("3"), daily("8"))}, 3, true},
		{"of that day and the day after", []reconcile.AuditEntry{
			entry("cmpn_1", night, "budget", daily("4"), daily("7")),
			entry("cmpn_1", at, "budget", daily("6"), daily("4"))}, 6, true},
		{"from a lifetime budget", []reconcile.AuditEntry{entry("cmpn_1", at, "budget",
			`{"lifetime_spend_limit_micros": 99, "daily_spend_limit_micros": null}`, daily("7"))}, 7, true},
		{"from nothing", []reconcile.AuditEntry{entry("cmpn_1", at, "budget", "null", daily("7"))}, 7, true},
		{"in a form that is not known", []reconcile.AuditEntry{entry("cmpn_1", at, "budget", `"9.00"`, daily("7"))},
			0, false},
	} {
		most, known := largestIn(row.entries, "cmpn_1", dailyPath("campaign"),
			overspend.Budget{Daily: 7, Changed: at}, night)
		if most != row.most || known != row.known {
			t.Errorf("%s: %d, %v; want %d, %v", row.name, most, known, row.most, row.known)
		}
	}
}
