// Package adsapi is the client of the advertising service: one account, one
// key, its rate limits, its retries, its pages and its errors. While the service
// fails, the whole account waits (breaker.go), and all retries share one budget.
//
// Open call.go first: one request to its end. limit.go keeps requests under the limits
// a minute (their numbers are in config.go), limit_address.go those that accounts
// share, limit_ledger.go those that processes share, retry.go and retrybudget.go say what
// goes again, guard.go is the read-only transport.
//
// It refuses to know kinds (bodies of resources are opaque JSON), to decide
// what should change, to follow redirects, and, when read-only, to send
// anything that could change the account. Its one invariant: a failed
// mutation says truthfully whether the service may have done it, and no
// request is ever repeated with other bytes or another key.
package adsapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Client is safe for use by many goroutines, which share its limits.
type Client struct{ caller }

// caller sends one request under the limits and repeats it where that is safe.
type caller struct {
	base           *url.URL
	credential     *credential
	account        string
	userAgent      string
	transport      http.RoundTripper
	rest           func() // nil where the transport keeps no connections
	halt           func() error
	lease          func() error
	around         func(context.Context, func())
	submissions    *submissions
	limiter        *limiter
	breaker        *breaker
	budget         *budget
	waits          *waits
	now            func() time.Time
	sleep          func(context.Context, time.Duration) error
	rand           func() float64
	logger         *slog.Logger
	maxBody        int64
	requestTimeout time.Duration
	maxAttempts    int
	maxRetryAfter  time.Duration
	keyLag         time.Duration
	ahead          *atomic.Int64
}

// ReadOnly reports whether the client refuses every request that could change something.
func (c *Client) ReadOnly() bool {
	_, guarded := c.transport.(guard)
	return guarded
}

// Reader is a client of the same account that cannot change anything: its requests
// count against the same limits, and one that is not on the read list fails with
// ErrReadOnly before it is sent, whatever order stands.
func (c *Client) Reader() *Client {
	if c.ReadOnly() {
		return c
	}
	reader := *c
	reader.transport, reader.halt = guard{base: c.base, next: c.transport}, nil
	return &reader
}

// New checks the configuration and makes the client of one account. It
// sends nothing.
func New(cfg Config) (*Client, error) {
	base, err := parseBase(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	transport := cfg.Transport
	if cfg.Only != nil {
		transport = narrowed{base: base, next: transport, only: cfg.Only}
	}
	if cfg.ReadOnly {
		transport = guard{base: base, next: transport}
	}
	waits := newWaits(cfg)
	limiter := newLimiter(cfg.Limits, cfg.Now, cfg.Sleep, waits.tell)
	limiter.address = cfg.Address
	var rest func()
	if t, is := cfg.Transport.(interface{ CloseIdleConnections() }); is {
		rest = t.CloseIdleConnections
	}
	return &Client{caller{
		base:           base,
		credential:     &credential{key: cfg.Key, tokens: cfg.Tokens},
		account:        cfg.Account,
		userAgent:      cfg.UserAgent,
		transport:      transport,
		rest:           rest,
		halt:           cfg.Halt,
		lease:          cfg.Lease,
		around:         cfg.Around,
		submissions:    &submissions{},
		limiter:        limiter,
		breaker:        newBreaker(cfg, waits.tell),
		budget:         newBudget(),
		waits:          waits,
		now:            cfg.Now,
		sleep:          cfg.Sleep,
		rand:           cfg.Rand,
		logger:         cfg.Logger,
		maxBody:        cfg.MaxBody,
		requestTimeout: cfg.RequestTimeout,
		maxAttempts:    cfg.MaxAttempts,
		maxRetryAfter:  cfg.MaxRetryAfter,
		keyLag:         cfg.KeyLag,
		ahead:          &atomic.Int64{},
	}}, nil
}

// Rest closes the connections that nothing is sent over, where nothing will be for longer than IdleMost.
func (c *caller) Rest() {
	if c.rest != nil {
		c.rest()
	}
}

// Halted is ErrHalted with the order while one stands against changing anything.
func (c *caller) Halted() error {
	if c.halt == nil {
		return nil
	}
	if order := c.halt(); order != nil {
		return fmt.Errorf("%w: %w", ErrHalted, order)
	}
	return nil
}

// Left is how many requests may go out at once now, of those a minute that this
// client allows itself.
func (c *Client) Left() (left, of int) { return c.limiter.left() }

// KeyLag is how long the service may need to know the key of a request it has taken.
func (c *Client) KeyLag() time.Duration { return c.keyLag }

// Ahead is how much the clock of this machine is ahead of the service's, to a few
// seconds, by its answers that have a Date; 0 before there was one.
func (c *Client) Ahead() time.Duration { return time.Duration(c.ahead.Load()) }

// PerMinute is how many requests a minute this client allows itself, to one
// endpoint and to all.
func (c *Client) PerMinute() (endpoint, overall int) {
	return c.limiter.share.PerEndpoint, c.limiter.share.Overall
}

// Read returns one resource: GET /{collection}/{id} (interface, part 4).
func (c *Client) Read(ctx context.Context, collection, id string, q url.Values) (Record, error) {
	var record Record
	path := "/" + collection + "/" + id
	if err := checkSegment(id); err != nil {
		return record, refuse(http.MethodGet, path, fmt.Errorf("id: %w", err))
	}
	err := c.get(ctx, path, q, func(body []byte) (err error) {
		record, err = decodeRecord(body, id, true)
		return err
	})
	return record, err
}

// Get returns the whole JSON object that a GET endpoint answers with, for
// endpoints whose answer is not a resource with an id, such as
// /ad_account/spend_limit_windows.
func (c *Client) Get(ctx context.Context, path string, q url.Values) (json.RawMessage, error) {
	var answer json.RawMessage
	err := c.get(ctx, path, q, func(body []byte) error {
		answer = body
		return unmarshalObject(body, &struct{}{})
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (c *caller) get(ctx context.Context, path string, q url.Values, decode func([]byte) error) error {
	e, err := parseEndpoint(path)
	if err != nil {
		return refuse(http.MethodGet, path, err)
	}
	return c.do(ctx, request{method: http.MethodGet, endpoint: e, query: q, repeatable: true}, decode)
}

// Mutation is one single-resource request, exactly as it was journalled.
type Mutation struct {
	Path        string // plain text, "/campaigns/cmpn_1/pause"; escaped on the wire (see JoinPath)
	Key         string // Idempotency-Key, "" where the interface has none
	Body        []byte // nil = no body
	ContentType string // "" = application/json
	IDField     string // field of the answer with the id; "" = id
}

// Mutate sends a mutation and gives the resource it answers with. After 429,
// and when no connection was made, it is sent again. After a timeout, a
// reset, a 5xx or an unreadable success it is sent again, with the same
// bytes and key, only where that cannot do it twice: a key is present (then
// once the service has had KeyLag to know it), the path names what is updated,
// or it is a dry run. On failure AppliedOf tells whether the
// service may have done it.
func (c *Client) Mutate(ctx context.Context, m Mutation) (Record, error) {
	e, err := parseEndpoint(m.Path)
	if err == nil {
		err = checkKey(m.Key)
	}
	if err != nil {
		return Record{}, refuse(http.MethodPost, m.Path, err)
	}
	wanted, needID := e.answerID()
	r := request{
		method: http.MethodPost, endpoint: e, body: m.Body, contentType: m.ContentType, key: m.Key,
		bulk: m.Path == bulkPath, repeatable: m.Key != "" || e.repeatable(),
	}
	if r.contentType == "" {
		r.contentType = "application/json"
	}
	var record Record
	err = c.do(ctx, r, func(body []byte) (err error) {
		record, err = decodeAs(body, cmp.Or(m.IDField, "id"), wanted, needID)
		return err
	})
	return record, err
}

// checkKey holds a key to the interface, part 1: 1 to 255 characters with at
// least one that is not white space.
func checkKey(key string) error {
	if key == "" {
		return nil
	}
	if len(key) > 255 || strings.TrimSpace(key) != key || strings.ContainsFunc(key, func(r rune) bool {
		return r < ' ' || r > '~'
	}) {
		return fmt.Errorf("idempotency key is %q; want 1 to 255 visible ASCII characters", clean(key, 80))
	}
	return nil
}

// refuse is the error of a request that is not sent at all.
func refuse(method, path string, cause error) *Error {
	return &Error{Method: method, Path: path, fault: faultLocal, cause: cause}
}
