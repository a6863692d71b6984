package emulator

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"adsync/internal/emulator/fault"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/page"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// control is one of the emulator's own addresses. They take no credential, so
// they answer to this machine's own names only, and to no other site's page.
type control struct {
	pattern string // with method
	handle  http.HandlerFunc
}

// controls are the addresses of the service as a whole: its clock, W, open points,
// faults, requests and document. A new address is a line of all here or of what it
// is about, and a file control_NAME.go.
type controls struct {
	world    *world.World
	points   *openpoint.Settings
	faults   *fault.Layer
	requests *requestLog
	routes   func() []*service.Route // that are served
}

func (c *controls) all() []control {
	return []control{
		{"GET /_emulator/clock", controlled(c.showClock)},
		{"POST /_emulator/clock", controlled(c.moveClock)},
		{"GET /_emulator/mutations", controlled(c.showMutations)},
		{"GET /_emulator/open_points", controlled(c.showPoints)},
		{"POST /_emulator/open_points", controlled(c.setPoints)},
		{"GET /_emulator/faults", controlled(c.showFaults)},
		{"POST /_emulator/faults", controlled(c.armFaults)},
		{"DELETE /_emulator/faults", controlled(c.disarmFaults)},
		{"DELETE /_emulator/faults/{name}", controlled(c.disarmFaults)},
		{"POST /_emulator/faults/release", controlled(c.releaseFaults)},
		{"GET /_emulator/requests", controlled(c.showRequests)},
		{"GET /_emulator/openapi.json", controlled(c.showDocument)},
	}
}

// controlled answers with JSON, always in the published error shape, and outside the faults.
func controlled(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, service.DefaultMaxBody)
		value, err := handle(r)
		status := http.StatusOK
		if err != nil {
			e := wire.AsError(err)
			value, status = e.Body(), e.Status
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write(toJSON(value))
	}
}

// local refuses with 403 what a web page that a person has open could send.
func local(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := page.CheckLocal(r); err != nil {
			e := wire.Refusef(http.StatusForbidden,
				"cross_origin", "", "The emulator's own addresses are for this machine: %v.", err)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(e.Status)
			w.Write(toJSON(e.Body()))
			return
		}
		next(w, r)
	}
}

type clockState struct {
	Now     time.Time `json:"now"`
	Unix    int64     `json:"unix"` // seconds
	Advance float64   `json:"advanced_seconds"`
}

func (c *controls) showClock(*http.Request) (any, error) {
	now := c.world.Clock.Now().UTC()
	return clockState{now, now.Unix(), c.world.Clock.Offset().Seconds()}, nil
}

// moveClock takes {"now": RFC 3339 or Unix seconds} or {"advance_seconds": n}.
func (c *controls) moveClock(r *http.Request) (any, error) {
	var body struct {
		Now     json.RawMessage `json:"now"`
		Advance *float64        `json:"advance_seconds"`
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		return nil, wire.Invalidf("", "invalid_json", "clock: %v; want {\"now\": …} or {\"advance_seconds\": n}", err)
	}
	by, err := c.clockStep(body.Now, body.Advance)
	if err != nil {
		return nil, err
	}
	if err := c.world.MoveClock(by); err != nil {
		return nil, err
	}
	return c.showClock(r)
}

func (c *controls) clockStep(now json.RawMessage, advance *float64) (time.Duration, error) {
	switch {
	case (now == nil) == (advance == nil):
		return 0, wire.Invalidf("now", "invalid_value", "clock: want exactly one of now and advance_seconds")
	case advance != nil:
		return time.Duration(*advance * float64(time.Second)), nil
	}
	var at time.Time
	if err := json.Unmarshal(now, &at); err == nil {
		return at.Sub(c.world.Clock.Now()), nil
	}
	seconds, err := strconv.ParseInt(string(now), 10, 64)
	if err != nil {
		return 0, wire.Invalidf("now", "invalid_value",
			"clock: now is %s; want a time such as \"2026-12-01T08:00:00Z\" or Unix seconds", now)
	}
	return time.Unix(seconds, 0).Sub(c.world.Clock.Now()), nil
}

// showMutations is W: ?after=SEQ&limit=N (1 to 10,000).
func (c *controls) showMutations(r *http.Request) (any, error) {
	q := wire.NewQuery(r.URL.RawQuery, false)
	after, limit := q.Int("after", 0, 1<<53, 0), q.Int("limit", 1, 10_000, 1000)
	if err := q.Err(); err != nil {
		return nil, err
	}
	page, err := c.world.Mutations(after, int(limit)+1)
	if err != nil {
		return nil, err
	}
	more := len(page) > int(limit)
	if more {
		page = page[:limit]
	}
	return struct {
		Object  string           `json:"object"`
		Data    []world.Mutation `json:"data"`
		HasMore bool             `json:"has_more"`
	}{"list", page, more}, nil
}

type pointState struct {
	openpoint.Point
	Value    string            `json:"value"`
	Profiles map[string]string `json:"profiles"` // its value in each
}

func (c *controls) showPoints(*http.Request) (any, error) {
	chosen := c.points.Chosen()
	var all []pointState
	for _, p := range openpoint.Table() {
		all = append(all, pointState{p, chosen[p.Name], p.Profiles()})
	}
	return map[string]any{"object": "list", "data": all}, nil
}

// setPoints takes {"name": "value", …}.
func (c *controls) setPoints(r *http.Request) (any, error) {
	var changes map[openpoint.Name]string
	if err := json.NewDecoder(r.Body).Decode(&changes); err != nil {
		return nil, wire.Invalidf("", "invalid_json", "open points: %v; want an object of names and values", err)
	}
	if err := c.points.Apply(changes); err != nil {
		return nil, wire.Invalidf("", "invalid_value", "%v", err)
	}
	return c.showPoints(r)
}
