package reconcile_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/state"
)

// shelf is a service that is only read, made for one test: thousands of
// resources at no cost, with lists that misbehave as the test says.
type shelf struct {
	mu       sync.Mutex
	rows     map[string][]map[string]any // by collection, in order of creation
	entries  []map[string]any            // audit log, oldest first
	asked    map[string]int              // requests by path, ids left out
	page     int                         // rows a page at most; 0: as many as asked for
	unlisted map[string]bool             // collections without a list
	hidden   map[string]bool             // ids no list shows
	beneath  map[string]string           // collections that are listed with this parameter only
	both     bool                        // and without it
	ignored  bool                        // whatever it says
	refused  map[string]bool             // parents that are not found
	unechoed bool                        // no answer says whose child a row is
	between  func(collection string, pages int)
	change   func(path string, answer map[string]any) (status int)
	clock    time.Duration
}

// trees puts n campaigns with an ad group and an ad each on the shelf.
func newShelf(n int) *shelf {
	s := &shelf{
		rows: map[string][]map[string]any{}, asked: map[string]int{},
		unlisted: map[string]bool{}, hidden: map[string]bool{}, refused: map[string]bool{},
	}
	for i := range n {
		s.put("campaigns", map[string]any{
			"id": fmt.Sprint("c", i), "name": fmt.Sprint("Campaign ", i), "status": "paused", "bidding_type": "clicks",
		})
		s.put("ad_groups", map[string]any{
			"id": fmt.Sprint("g", i), "campaign_id": fmt.Sprint("c", i),
			"name": fmt.Sprint("Group ", i), "status": "paused",
		})
		s.put("ads", map[string]any{
			"id": fmt.Sprint("a", i), "ad_group_id": fmt.Sprint("g", i),
			"name": fmt.Sprint("Ad ", i), "status": "paused",
		})
	}
	return s
}

func (s *shelf) put(collection string, row map[string]any) {
	s.rows[collection] = append(s.rows[collection], row)
}

func (s *shelf) remove(collection, id string) {
	s.rows[collection] = slices.DeleteFunc(s.rows[collection], func(row map[string]any) bool { return row["id"] == id })
}

func (s *shelf) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := strings.TrimPrefix(r.URL.Path, "/v1/")
	collection, _, single := strings.Cut(at, "/")
	name := "/" + at
	if single && s.rows[collection] != nil {
		name = "/" + collection + "/{id}"
	}
	if collection == "ads" && r.URL.Query().Has("campaign_id") { // a service takes it and ignores it
		name += "?campaign_id"
	}
	s.asked[name]++
	status, answer := http.StatusOK, map[string]any{}
	switch {
	case r.Method != http.MethodGet:
		status = http.StatusMethodNotAllowed
	case at == "ad_account":
		answer = map[string]any{"id": "acct", "currency_code": "USD", "timezone": "UTC"}
	case at == "audit_logs":
		answer = s.log(r)
	case s.rows[collection] == nil, !single && s.unlisted[collection]:
		status = http.StatusNotFound
	case single:
		if answer = s.shown(s.One(collection, path.Base(at))); answer == nil {
			status = http.StatusNotFound
		}
	default:
		status, answer = s.List(collection, r)
	}
	if s.change != nil {
		status = cmp.Or(s.change(at, answer), status)
	}
	return reply(r, status, answer), nil
}

func reply(r *http.Request, status int, answer any) *http.Response {
	body, _ := json.Marshal(answer)
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}
}

// shown is a row as answers show it.
func (s *shelf) shown(row map[string]any) map[string]any {
	if !s.unechoed || row == nil {
		return row
	}
	row = maps.Clone(row)
	delete(row, "campaign_id")
	delete(row, "ad_group_id")
	return row
}

func (s *shelf) One(collection, id string) map[string]any {
	for _, row := range s.rows[collection] {
		if row["id"] == id {
			return row
		}
	}
	return nil
}

func (s *shelf) List(collection string, r *http.Request) (int, map[string]any) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if s.page > 0 {
		limit = min(limit, s.page)
	}
	if s.between != nil {
		s.between(collection, s.asked["/"+collection]-1)
	}
	above := s.beneath[collection]
	parent := r.URL.Query().Get(above)
	if s.refused[parent] {
		return http.StatusNotFound, map[string]any{}
	}
	if above != "" && parent == "" && !s.both {
		return http.StatusBadRequest, map[string]any{
			"error": map[string]any{"message": "Missing required parameter: '" + above + "'."},
		}
	}
	rows := []map[string]any{}
	for _, row := range s.rows[collection] {
		if s.hidden[row["id"].(string)] || parent != "" && !s.ignored && row[above] != parent {
			continue
		}
		rows = append(rows, s.shown(row))
	}
	from := 0
	if after := r.URL.Query().Get("after"); after != "" {
		at := slices.IndexFunc(rows, func(row map[string]any) bool { return row["id"] == after })
		if at < 0 {
			return http.StatusBadRequest, map[string]any{
				"error": map[string]any{"message": "Invalid pagination cursor."},
			}
		}
		from = at + 1
	}
	to := min(from+limit, len(rows))
	answer := map[string]any{"object": "list", "data": rows[from:to], "has_more": to < len(rows)}
	if to > from {
		answer["last_id"] = rows[to-1]["id"]
	}
	return http.StatusOK, answer
}

// log returns the audit log as it was asked for: from a time on, oldest first, or
// newest first.
func (s *shelf) log(r *http.Request) map[string]any {
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	since, _ := strconv.ParseInt(q.Get("start_time"), 10, 64)
	entries := slices.Clone(s.entries)
	if q.Get("order") == "desc" {
		slices.Reverse(entries)
	}
	var rows []map[string]any
	skipping := q.Get("after") != ""
	for _, e := range entries {
		switch {
		case skipping:
			skipping = e["id"] != q.Get("after")
		case e["ts"].(int64) >= since:
			rows = append(rows, e)
		}
	}
	more := len(rows) > limit
	rows = rows[:min(limit, len(rows))]
	answer := map[string]any{"object": "list", "data": rows, "has_more": more}
	if rows == nil {
		answer["data"] = []any{}
	}
	if len(rows) > 0 {
		answer["last_id"] = rows[len(rows)-1]["id"]
	}
	return answer
}

// entry writes into the audit log that somebody did something.
func (s *shelf) entry(object, id string, ts int64) {
	s.entries = append(s.entries, map[string]any{
		"id": fmt.Sprintf("log%05d", len(s.entries)), "audit_log_type": "update",
		"obj_type": object, "obj_id": id, "actor_type": "user", "actor_id": "u", "ts": ts,
	})
}

// agent reads the shelf through the transport, with a clock that only waiting
// moves, and the published limits.
func (s *shelf) agent(t *testing.T, store state.Store, through http.RoundTripper) *reconcile.Agent {
	t.Helper()
	now := func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		return time.Unix(1_800_000_000, 0).Add(s.clock)
	}
	sleep := func(ctx context.Context, d time.Duration) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.clock += d
		return ctx.Err()
	}
	client, err := adsapi.New(adsapi.Config{
		BaseURL: "http://127.0.0.1/v1", Key: adsapi.NewSecret("k"), Transport: through, Now: now, Sleep: sleep,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &reconcile.Agent{Env: env.Env{
		Service: client, Store: store, Schemas: kinds.All(),
		Logger: slog.New(slog.DiscardHandler), Now: now, Sleep: sleep,
	}}
}

// bound is a state in which everything on the shelf is as it was last applied,
// and the files that say so.
func (s *shelf) bound(t *testing.T) (state.Store, *resource.Snapshot) {
	t.Helper()
	return s.boundAt(t, time.Unix(1_800_000_000, 0))
}

// boundAt is bound, with a clock that stands.
func (s *shelf) boundAt(t *testing.T, now time.Time) (state.Store, *resource.Snapshot) {
	t.Helper()
	store, err := state.NewMemory(state.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	desired := &resource.Snapshot{}
	var applied []state.Applied
	for _, kind := range []struct{ collection, kind, up string }{{"campaigns", "campaign", ""},
		{"ad_groups", "ad_group", "campaign_id"}, {"ads", "ad", "ad_group_id"}} {
		for i, row := range s.rows[kind.collection] {
			key := strings.Repeat(fmt.Sprintf("k%d/", i),
				map[string]int{"campaign": 1, "ad_group": 2, "ad": 3}[kind.kind])
			r := &resource.Resource{
				Address: resource.Address{Kind: resource.Kind(kind.kind), Key: strings.TrimSuffix(key, "/")},
			}
			r.Set("name", resource.Text(row["name"].(string)))
			r.Set("status", resource.Text(row["status"].(string)))
			desired.Put(r)
			parent, _ := row[kind.up].(string)
			applied = append(applied, state.Applied{
				Address: r.Address, ID: row["id"].(string), ParentID: parent, Attributes: r.Attributes,
			})
		}
	}
	if err := store.Record(t.Context(), applied); err != nil {
		t.Fatal(err)
	}
	return store, desired
}

// planned is a plan of the shelf as it stands, and the requests that took.
func (s *shelf) planned(t *testing.T, a *reconcile.Agent, desired *resource.Snapshot) *apply.View {
	t.Helper()
	s.asked = map[string]int{}
	view, err := a.Plan(t.Context(), reconcile.Desired{Snapshot: desired, Policy: plan.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	return view
}
