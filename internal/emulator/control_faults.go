package emulator

import (
	"bytes"
	"context"
	"net/http"

	"adsync/internal/emulator/fault"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// showFaults are the armed faults with their counters.
func (c *controls) showFaults(*http.Request) (any, error) {
	return map[string]any{"object": "list", "data": c.faults.States()}, nil
}

// armFaults takes a document of faults and adds them to those that are armed.
func (c *controls) armFaults(r *http.Request) (any, error) {
	faults, err := fault.Read(r.Body)
	if err != nil {
		return nil, err
	}
	if err := c.faults.Arm(faults...); err != nil {
		return nil, err
	}
	return c.showFaults(r)
}

// disarmFaults takes the named fault away, or all of them.
func (c *controls) disarmFaults(r *http.Request) (any, error) {
	name := r.PathValue("name")
	n := c.faults.Disarm(name)
	if name != "" && n == 0 {
		return nil, wire.NotFoundf("No fault called %q is armed.", name)
	}
	return map[string]int{"disarmed": n}, nil
}

// releaseFaults takes {"step": NAME}: what waits for the step goes on.
func (c *controls) releaseFaults(r *http.Request) (any, error) {
	o, err := readControl(r)
	if err != nil {
		return nil, err
	}
	o.Require("step")
	step := o.Name("step", 1, 255).V
	if err := o.Err(); err != nil {
		return nil, err
	}
	n, err := c.faults.Release(step)
	return map[string]int{"released": n}, err
}

// byStranger knows who sends a request that a fault made. No request from the
// line can be one: it is the context that says so.
func byStranger(r *http.Request, _ string) (service.Principal, bool) {
	return fault.Stranger(r.Context())
}

// sendForeign carries out a request of somebody else as if it came from the line.
func (s *Server) sendForeign(ctx context.Context, method, path string, body []byte) service.Response {
	r, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return s.reply.refusal(wire.NotFoundf("Invalid URL (%s %s)", method, path))
	}
	r.Header.Set("Authorization", "Bearer stranger")
	w := &answer{header: http.Header{}}
	s.ServeHTTP(w, r)
	return service.Response{Status: w.status, Header: w.header, Body: w.body.Bytes()}
}

// answer is an answer that goes to no line.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(text []byte) (int, error) { return a.body.Write(text) }
