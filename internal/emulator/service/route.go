// Package service is the contract between the emulator and its rooms, the
// packages that each serve some resources. A room gives Routes; the emulator
// gives every request as a Call, after authentication, limits, size and key
// were checked and inside the fault layer. A room refuses by returning a
// *wire.Error. Its invariant: a room writes nothing to the line itself.
package service

import (
	"context"
	"net/http"
	"sync"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Auth says who may call a route (interface, part 5).
type Auth int

// The five requirements.
const (
	Read      Auth = iota // API key, or OAuth with the read scope
	Write                 // API key, or OAuth with both scopes
	KeyOnly               // API key only
	OAuthBoth             // OAuth with both scopes only
	OAuthRead             // OAuth with the read scope only
)

// KeyUse says what a route does with the Idempotency-Key header.
type KeyUse int

// The four uses.
const (
	KeyIgnored KeyUse = iota
	KeyOptional
	KeyRequired
	KeyForbidden
)

// Body says what a route takes.
type Body int

// The three bodies.
const (
	NoBody   Body = iota // none, or {}
	JSONBody             // one JSON object
	AnyBody              // the handler looks at the content type
)

// Route is one row of the service's table: a method, a path, what it takes, and
// the function that answers.
type Route struct {
	Method  string
	Pattern string // below /v1, such as /campaigns/{campaign_id}
	Auth    Auth
	Key     KeyUse
	Body    Body
	MaxBody int64 // bytes; 0: DefaultMaxBody
	Burst   *Burst
	// Point is that of an addition, which is published and not in the interface:
	// where it is absent, so is the route. "" is no addition.
	Point openpoint.Name
	// NoAccount lets OAuth in without a selected ad account.
	NoAccount bool
	// Feature hides the route (404, "Not found") from accounts without it; nil: everyone has it.
	Feature func(world.Features) bool
	// Handle gives what is sent as JSON: a value (200), or an Answer with a status of its own.
	Handle func(*Call) (any, error)
}

// Addition reports whether the route is published and not in the interface.
func (rt *Route) Addition() bool { return rt.Point != "" }

// DefaultMaxBody bounds bodies of routes that say nothing, bytes.
const DefaultMaxBody = 1 << 20

// Burst is a limit on one route beside the general ones.
type Burst struct {
	Requests int
	Window   time.Duration
}

// Answer is a result with a status other than 200.
type Answer struct {
	Status int
	Value  any
}

// Principal is who calls.
type Principal struct {
	Actor     string // stable and safe to log
	AccountID string
	OAuth     bool
	Scopes    []string
	UserID    string // of OAuth
	ClientID  string // of OAuth
}

// Call is one request on its way to a room.
type Call struct {
	Request   *http.Request
	Route     *Route
	RequestID string
	Principal Principal
	Account   *world.Account
	World     *world.World
	Points    *openpoint.Settings
	Body      []byte
	BodyHash  string // hex SHA-256 of Body
	Key       string // Idempotency-Key; "" is none
	Query     *wire.Query
	Cursors   *sync.Map // list and last id: version of the table when that page was given
}

// Context ends when the caller has gone or the emulator closes.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Now is the emulator's time.
func (c *Call) Now() time.Time { return c.World.Clock.Now() }

// Path is a named part of the path, such as campaign_id.
func (c *Call) Path(name string) string { return c.Request.PathValue(name) }

// Object is the body as a strict JSON object.
func (c *Call) Object() (*wire.Object, error) {
	o, err := wire.ParseObject(c.Body)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Cause is what the mutation log says of this call.
func (c *Call) Cause() world.Cause {
	return world.Cause{
		Actor:          c.Principal.Actor,
		Endpoint:       c.Route.Method + " " + c.Route.Pattern,
		IdempotencyKey: c.Key,
		BodySHA256:     c.BodyHash,
	}
}

// Update changes the account in the name of this call.
func (c *Call) Update(fn func(tx *world.Tx) error) error { return c.Account.Update(c.Cause(), fn) }

// View reads the account.
func (c *Call) View(fn func() error) error { return c.Account.View(fn) }
