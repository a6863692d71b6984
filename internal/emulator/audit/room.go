// Package audit is the room of the audit logs (interface, part 4, audit log
// query): the mutation log of the account as the service shows it. It keeps no
// record of its own. Its invariant: every mutation has exactly one entry.
package audit

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Routes of the room. Only API keys may read it (part 5, rule 3).
func Routes() []service.Route {
	return []service.Route{{Method: http.MethodGet, Pattern: "/audit_logs", Auth: service.KeyOnly, Handle: list}}
}

// filter is what a query asks for; all of it must hold. "" asks for everything.
type filter struct {
	account                      string
	campaign, adGroup, ad, actor string
	since, until                 int64 // Unix seconds, both inclusive
	newest                       int64 // Unix milliseconds; later entries are not shown yet
}

func list(c *service.Call) (any, error) {
	q := c.Query
	page := q.Page(50, 100, "desc")
	f := filter{
		account: c.Account.ID, newest: c.Now().Add(-c.Points.Duration(openpoint.AuditLogLag)).UnixMilli(),
		campaign: q.Text("campaign_id", 1, 255), adGroup: q.Text("ad_group_id", 1, 255), ad: q.Text("ad_id", 1, 255),
		actor: q.Text("actor_id", 1, 255),
		since: q.Int("start_time", wire.MinTime, wire.MaxTime, wire.MinTime),
		until: q.Int("end_time", wire.MinTime, wire.MaxTime, wire.MaxTime),
	}
	if err := q.Err(); err != nil {
		return nil, err
	}
	if c.Points.Is(openpoint.ShortPages, "yes") {
		page.Limit = (page.Limit + 1) / 2
	}
	if c.Points.Is(openpoint.AuditLogLag, "0s") {
		f.newest = 1<<63 - 1
	}
	log, err := c.World.History()
	if err != nil {
		return nil, err
	}
	rows, more, err := cut(log, f, page)
	if err != nil {
		return nil, err
	}
	show := func(m *world.Mutation) entry { return show(m, c.Points) }
	return wire.NewList(rows, more, entryID, show), nil
}

func (f filter) matches(m *world.Mutation) bool {
	at := m.At / 1000
	return m.AccountID == f.account && m.At <= f.newest && f.since <= at && at <= f.until &&
		(f.campaign == "" || m.CampaignID == f.campaign) &&
		(f.adGroup == "" || m.AdGroupID == f.adGroup) &&
		(f.ad == "" || (m.Resource == "ad" && m.ResourceID == f.ad)) &&
		(f.actor == "" || m.Actor == f.actor)
}

// cut walks from the cursor until the page is full, whichever way it goes. A
// cursor names an entry of the account; the filter need not match it.
func cut(log []world.Mutation, f filter, p wire.Page) (rows []*world.Mutation, more bool, err error) {
	forward := p.Ascending != (p.Before != "")
	at, err := start(log, f.account, p, forward)
	if err != nil {
		return nil, false, err
	}
	step := 1
	if !forward {
		step = -1
	}
	for ; at >= 0 && at < len(log); at += step {
		m := &log[at]
		if !f.matches(m) {
			continue
		}
		if len(rows) == p.Limit {
			more = true
			break
		}
		rows = append(rows, m)
	}
	if p.Before != "" {
		slices.Reverse(rows)
	}
	return rows, more, nil
}

// start is the index of the first entry to look at.
func start(log []world.Mutation, account string, p wire.Page, forward bool) (int, error) {
	cursor := p.After + p.Before
	if cursor == "" && forward {
		return 0, nil
	}
	if cursor == "" {
		return len(log) - 1, nil
	}
	seq, ok := seqOf(cursor)
	if !ok || seq < 1 || seq > int64(len(log)) || log[seq-1].AccountID != account {
		return 0, wire.BadCursor()
	}
	if forward {
		return int(seq), nil
	}
	return int(seq) - 2, nil
}

const idPrefix = "alog_"

func entryID(m *world.Mutation) string { return fmt.Sprintf("%s%016x", idPrefix, m.Seq) }

func seqOf(id string) (int64, bool) {
	digits, ok := strings.CutPrefix(id, idPrefix)
	if !ok || len(digits) != 16 {
		return 0, false
	}
	seq, err := strconv.ParseInt(digits, 16, 64)
	return seq, err == nil && seq > 0
}
