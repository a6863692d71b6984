package emulator

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// ServeHTTP answers one request: the service below /v1, the emulator's own
// controls below /_emulator.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", s.ids.next())
	w.Header().Set("Date", s.world.Clock.Now().UTC().Format(http.TimeFormat))
	if p := r.URL.Path; path.Clean(p) != p && p != base+"/" {
		s.noRoute(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// requestIDs makes ids such as req_ and 24 hexadecimal digits.
type requestIDs struct {
	salt uint64
	n    atomic.Uint64
}

func (ids *requestIDs) next() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", ids.salt, ids.n.Add(1)))
	return "req_" + hex.EncodeToString(sum[:12])
}

func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	err := wire.NotFoundf("Invalid URL (%s %s)", r.Method, r.URL.Path)
	s.reply.send(w, r, nil, s.reply.refusal(err))
}

// handler is a request's way through one route.
func (s *Server) handler(rt *service.Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.isAbsent(rt) {
			s.noRoute(w, r)
			return
		}
		c := &service.Call{
			Request: r, Route: rt, World: s.world, Points: s.points,
			Cursors:   &s.cursors,
			RequestID: w.Header().Get("X-Request-Id"),
			Query:     wire.NewQuery(r.URL.RawQuery, s.points.Is(openpoint.ArrayQuery, "brackets")),
		}
		if err := s.admit(w, c); err != nil {
			s.reply.send(w, r, c, s.observed(c, s.reply.refusal(err)))
			return
		}
		answer := func() service.Response { return s.observed(c, s.answer(c)) }
		if hook := s.hooks.Load().Request; hook != nil {
			s.reply.send(w, r, c, hook(c, answer))
			return
		}
		s.reply.send(w, r, c, answer())
	}
}

// observed is an answer that the observer has seen, below the faults.
func (s *Server) observed(c *service.Call, resp service.Response) service.Response {
	if s.options.Observe != nil {
		s.options.Observe(c, resp)
	}
	return resp
}

// admit checks everything that does not depend on the resource, in the order a
// gateway does: who, whether the account has the route, how often, how big, which key.
func (s *Server) admit(w http.ResponseWriter, c *service.Call) error {
	if err := s.auth.authenticate(c); err != nil {
		return err
	}
	if err := hasFeature(c); err != nil {
		return err
	}
	if err := s.limits.limit(w, c); err != nil {
		return err
	}
	if err := readKey(c); err != nil {
		return err
	}
	if err := c.Query.Err(); err != nil {
		return err
	}
	return readBody(w, c)
}

func hasFeature(c *service.Call) error {
	if c.Route.Feature == nil || c.Account == nil {
		return nil
	}
	return c.View(func() error {
		if !c.Route.Feature(c.Account.Profile().Features) {
			return wire.NotFoundf("Not found")
		}
		return nil
	})
}

// readKey checks the Idempotency-Key: 1 to 255 characters, one of them no blank (interface, part 1).
func readKey(c *service.Call) error {
	values, given := c.Request.Header["Idempotency-Key"]
	if c.Route.Key == service.KeyIgnored {
		return nil
	}
	if given && c.Route.Key == service.KeyForbidden {
		return wire.Invalidf("Idempotency-Key", "invalid_header", "The Idempotency-Key header is not accepted here.")
	}
	if !given && c.Route.Key == service.KeyRequired {
		return wire.Invalidf("Idempotency-Key", "missing_required_parameter",
			"Missing required header: 'Idempotency-Key'.")
	}
	if !given {
		return nil
	}
	key := values[0]
	if n := utf8.RuneCountInString(key); len(values) > 1 || n < 1 || n > 255 || strings.TrimSpace(key) == "" {
		return wire.Invalidf("Idempotency-Key", "invalid_header",
			"Invalid Idempotency-Key: want 1 to 255 characters with at least one that is not white space.")
	}
	c.Key = key
	return nil
}

func readBody(w http.ResponseWriter, c *service.Call) error {
	limit := c.Route.MaxBody
	if limit == 0 {
		limit = service.DefaultMaxBody
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, c.Request.Body, limit))
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		return wire.Refusef(http.StatusRequestEntityTooLarge,
			"request_too_large", "", "The body is larger than %d bytes.", limit)
	}
	if err != nil {
		return wire.Invalidf("", "invalid_body", "The body could not be read: %v.", err)
	}
	sum := sha256.Sum256(body)
	c.Body, c.BodyHash = body, hex.EncodeToString(sum[:])
	if text := strings.TrimSpace(string(body)); c.Route.Body == service.NoBody &&
		text != "" && text != "{}" && c.Request.Method != http.MethodGet {
		return wire.Invalidf("", "unexpected_body", "This endpoint takes no body.")
	}
	return nil
}

// answer runs the room's handler. A panic is a fault of the emulator: the
// transaction is undone, the caller gets a 500.
func (s *Server) answer(c *service.Call) (resp service.Response) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("handler panicked", "request_id", c.RequestID, "panic", p, "stack", string(debug.Stack()))
			resp = s.reply.refusal(wire.Refusef(http.StatusInternalServerError,
				"internal_error", "", "The server had an error while processing the request."))
		}
	}()
	value, err := c.Route.Handle(c)
	if err == nil && c.Request.Method == http.MethodGet {
		err = c.Query.Err() // a parameter of a read that is wrong; a write has happened
	}
	if err != nil {
		return s.reply.refusal(err)
	}
	if a, ok := value.(service.Answer); ok {
		return s.reply.success(a.Status, a.Value)
	}
	return s.reply.success(http.StatusOK, value)
}
