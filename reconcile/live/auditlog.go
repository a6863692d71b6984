package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"adsync/reconcile/env"
)

// EntriesAPage is the largest page of the audit log (interface, part 8).
const EntriesAPage = 100

// settledAfter is how long an entry may still come in behind others that are
// newer, in seconds of the log itself.
const settledAfter = 120

// apart is from when on the clocks of this machine and of the service are taken to be apart: what tells of it is no
// more exact than a few seconds.
const apart = 5 * time.Second

// atService returns a moment of this machine by the clock of the service, which is that of the audit log.
func atService(env *env.Env, at time.Time) time.Time {
	if ahead := env.Service.Ahead(); ahead.Abs() >= apart {
		return at.Add(-ahead)
	}
	return at
}

// logPosition is where in the audit log a mirror stands. It goes on behind an entry
// that is settled, and knows those that follow: they have to show again, so that
// a log that was cut, or is another one, never passes for one in which nothing
// happened.
type logPosition struct {
	After    string     `json:"after,omitempty"` // "": the log is read from its beginning
	Known    []string   `json:"known,omitempty"` // entries behind it that were taken in
	OneByOne []OneByOne `json:"one_by_one,omitempty"`
	ByParent []ByParent `json:"by_parent,omitempty"`
}

// Log asks the audit log of the account.
type Log struct {
	*env.Env
	*Lists
}

// positionNow finds the end of the audit log, with one request.
func (a *Log) positionNow(ctx context.Context) (logPosition, error) {
	var entries []LogEntry
	for row, err := range a.Service.Rows(ctx, "audit_logs", url.Values{
		"order": {"desc"}, "limit": {strconv.Itoa(EntriesAPage)},
	}) {
		if err != nil {
			return logPosition{}, err
		}
		var e LogEntry
		if err := json.Unmarshal(row, &e); err != nil || e.ID == "" {
			return logPosition{}, fmt.Errorf("an entry of the audit log cannot be read; want an id: %w", err)
		}
		e.row = row
		if entries = append(entries, e); len(entries) == EntriesAPage {
			break
		}
	}
	slices.Reverse(entries)
	a.heard = append(a.heard, entries...)
	place := logPosition{}
	if len(entries) == EntriesAPage { // there may be more before it
		place.After, entries = entries[0].ID, entries[1:]
	}
	return place.upTo(entries), nil
}

// settle takes in entries that follow the place, oldest first, and moves on
// behind those that are settled. A page has room for all it still knows.
func (p logPosition) upTo(entries []LogEntry) logPosition {
	p.Known = nil
	for i, e := range entries {
		newest := entries[len(entries)-1].At
		if e.At > 0 && e.At+settledAfter <= newest || len(entries)-i >= EntriesAPage {
			p.After, p.Known = e.ID, nil
			continue
		}
		p.Known = append(p.Known, e.ID)
	}
	return p
}

// since returns the entries that came after the place, and the place behind them.
// why says that the log cannot tell; most bounds how many entries are looked at.
func (a *Log) since(ctx context.Context, place logPosition,
	most int) (fresh []LogEntry, next logPosition, why string, err error) {
	query := url.Values{"order": {"asc"}, "limit": {strconv.Itoa(EntriesAPage)}}
	if place.After != "" {
		query.Set("after", place.After)
	}
	var all []LogEntry
	defer func() { a.heard = append(a.heard, all...) }()
	seen := map[string]bool{place.After: true}
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return nil, place, "the audit log cannot be read: " + err.Error(), ctx.Err()
		}
		var e LogEntry
		switch err := json.Unmarshal(row, &e); {
		case err != nil || e.ID == "":
			return nil, place, "the audit log has an entry that cannot be read", nil
		case seen[e.ID]:
			return nil, place, "the audit log shows an entry twice", nil
		}
		seen[e.ID], e.row = true, row
		all = append(all, e)
		if len(all) > most+len(place.Known) {
			return nil, place, "so much was changed that lists are fewer requests", nil
		}
	}
	for _, e := range place.Known {
		if !seen[e] {
			return nil, place, "the audit log does not show any more what it showed before", nil
		}
	}
	for _, e := range all {
		if !slices.Contains(place.Known, e.ID) {
			fresh = append(fresh, e)
		}
	}
	return fresh, place.upTo(all), "", nil
}
