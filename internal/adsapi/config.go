package adsapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// usualKeyLag is for a service that does not say when it knows a key
// (docs/develop/assumptions.md).
const usualKeyLag = time.Minute

// Config says how to reach one ad account. BaseURL, and Key or Tokens, are needed; the
// zero value of every other field means its default.
type Config struct {
	// BaseURL is https, or http on a loopback host, and its path ends with
	// /v1 (interface, part 9). User information, a query or a fragment in
	// it are refused.
	BaseURL string
	// Key is the API key, sent as a bearer credential (interface, part 5).
	Key Secret
	// Tokens gives the access token of a login, in the place of Key; refused is one that the service
	// answered 401 to, so that another one is wanted, and zero before. Its error is ErrUnauthorized
	// where asking again cannot help. It may be called from many goroutines.
	Tokens func(ctx context.Context, refused Secret) (Secret, error)
	// Account is the ad account that a login is used for; "" for requests that concern none. With a
	// key it must be "".
	Account string
	// Transport carries the requests; nil means a tuned http.Transport.
	// Redirects are never followed, whatever the transport.
	Transport http.RoundTripper
	// ReadOnly makes every request that could change something fail with
	// ErrReadOnly before it is sent (see guard).
	ReadOnly bool
	// Only is asked of every request as it goes out, with its method and its escaped path below
	// BaseURL; one it refuses is not sent. It may be called from many goroutines; nil refuses none.
	Only func(method, path string) error
	// Halt is asked before every attempt of every request that could change
	// something. While it gives an error such a request fails with ErrHalted and is
	// not sent. It may be called from many goroutines; nil halts nothing.
	Halt func() error
	// Lease is asked before every attempt of every request and, where Transport is nil, before every write to a
	// socket. While it gives an error the request fails with ErrUnleased: another process may work on the account.
	// It may be called from many goroutines; nil is a lease without end.
	Lease func() error
	// Around does every attempt of every request, from its first byte sent to the
	// last byte read, by calling it once: who counts them, or lets others work
	// meanwhile. nil only calls it.
	Around    func(ctx context.Context, attempt func())
	UserAgent string
	Limits    Limits
	// Address is shared by the clients of accounts that are asked from one network
	// address; nil where there is one account only.
	Address *Address
	// Now, Sleep and Rand are the clock and the randomness; nil means the
	// real ones. They belong together: after Sleep(d), Now must have moved
	// on by d.
	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error
	Rand   func() float64 // in [0, 1)
	Logger *slog.Logger
	// Waiting is told of every wait of 5 s and more that concerns the whole
	// account: its limits, a Retry-After, a service that keeps failing. It may be
	// called from many goroutines; nil tells nobody.
	Waiting func(why string, wait time.Duration)
	// MaxBody is the largest answer read, in bytes after decompression
	// (default 64 MiB).
	MaxBody int64
	// RequestTimeout bounds one attempt, body included (default 60 s). The
	// context bounds the whole call.
	RequestTimeout time.Duration
	// MaxAttempts counts the first attempt too (default 6).
	MaxAttempts int
	// KeyLag is how long the service may need to know the key of a request it has
	// taken: one with a key that may have been done goes again no sooner (interface,
	// part 1: "when a matching prior create is visible"). Default 60 s; negative for
	// a service that knows it at once.
	KeyLag time.Duration
	// MaxRetryAfter is the longest Retry-After that is waited for; a longer
	// one is an error (default 5 minutes).
	MaxRetryAfter time.Duration
}

// Limits are the service's rate limits for an account, and the share of them
// that this client uses. Zero means the published value.
type Limits struct {
	PerEndpoint int     // requests a minute to one endpoint (600)
	Overall     int     // requests a minute to all endpoints (1200)
	Bulk        int     // bulk job submissions in 10 seconds (10; interface, part 8)
	Share       float64 // of each limit, in (0, 1] (0.8)
}

func (cfg Config) withDefaults() Config {
	cfg.UserAgent = cmp.Or(cfg.UserAgent, "adsync")
	cfg.MaxBody = cmp.Or(cfg.MaxBody, 64<<20)
	cfg.RequestTimeout = cmp.Or(cfg.RequestTimeout, time.Minute)
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, 6)
	cfg.MaxRetryAfter = cmp.Or(cfg.MaxRetryAfter, 5*time.Minute)
	cfg.KeyLag = max(0, cmp.Or(cfg.KeyLag, usualKeyLag))
	cfg.Limits.PerEndpoint = cmp.Or(cfg.Limits.PerEndpoint, 600)
	cfg.Limits.Overall = cmp.Or(cfg.Limits.Overall, 1200)
	cfg.Limits.Bulk = cmp.Or(cfg.Limits.Bulk, 10)
	cfg.Limits.Share = cmp.Or(cfg.Limits.Share, 0.8)
	if cfg.Transport == nil {
		cfg.Transport = newTransport(cfg.Lease)
	}
	if cfg.Around == nil {
		cfg.Around = func(_ context.Context, attempt func()) { attempt() }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Float64
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return cfg
}

// check reports every setting that cannot work, all at once.
func (cfg Config) check() error {
	var errs []error
	switch {
	case cfg.Tokens != nil && cfg.Key.Reveal() != "":
		errs = append(errs, errors.New("there is a key and a login; want one of them"))
	case cfg.Tokens == nil && cfg.Account != "":
		errs = append(errs, errors.New("an account is selected beside a key; want a login for that"))
	}
	if strings.ContainsFunc(cfg.Account, notVisibleASCII) {
		errs = append(errs, fmt.Errorf("account is %q; want the id of an ad account", clean(cfg.Account, 80)))
	}
	if cfg.Tokens == nil && cfg.Key.Reveal() == "" {
		errs = append(errs, errors.New("the API key is empty; want a key of the ad account"))
	} else if strings.ContainsFunc(cfg.Key.Reveal(), notVisibleASCII) {
		errs = append(errs, errors.New("the API key "+
			"holds a space, a control or a non-ASCII character; want the key alone"))
	}
	if strings.ContainsFunc(cfg.UserAgent, isControl) {
		errs = append(errs, fmt.Errorf("user agent is %q; want no control characters", cfg.UserAgent))
	}
	if cfg.Limits.PerEndpoint < 1 || cfg.Limits.Overall < 1 || cfg.Limits.Bulk < 1 {
		errs = append(errs, fmt.Errorf("limits are %d, %d and %d; want at least 1",
			cfg.Limits.PerEndpoint, cfg.Limits.Overall, cfg.Limits.Bulk))
	}
	if !(cfg.Limits.Share > 0 && cfg.Limits.Share <= 1) {
		errs = append(errs, fmt.Errorf("used share of the limits is %v; want more than 0 and at most 1",
			cfg.Limits.Share))
	}
	if cfg.MaxBody < 1 || cfg.RequestTimeout < 0 || cfg.MaxAttempts < 1 || cfg.MaxRetryAfter < 0 {
		errs = append(errs, errors.New("a bound of the client is negative; want a positive one or 0 for the default"))
	}
	return errors.Join(errs...)
}

// parseBase reads a base address. Its errors never repeat the text, which
// may hold a password.
func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("base URL cannot be read; want https://host/v1")
	}
	if base.User != nil {
		return nil, errors.New("base URL holds user information; want https://host/v1 and the key set apart")
	}
	if base.RawQuery != "" || base.ForceQuery || base.Fragment != "" || strings.HasSuffix(text, "#") {
		return nil, fmt.Errorf("base URL of host %q holds a query or a fragment; want it to end with /v1", base.Host)
	}
	if base.Hostname() == "" || base.Opaque != "" {
		return nil, errors.New("base URL names no host; want https://host/v1")
	}
	if base.Scheme != "https" && !(base.Scheme == "http" && isLoopback(base.Hostname())) {
		return nil, fmt.Errorf("base URL of host %q has scheme %q; want https, or http on a loopback host",
			base.Host, base.Scheme)
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	base.RawPath = ""
	if !strings.HasSuffix(base.Path, "/v1") {
		return nil, fmt.Errorf("base URL path is %q; want it to end with /v1", base.Path)
	}
	return base, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func notVisibleASCII(r rune) bool { return r <= ' ' || r > '~' }

// IdleMost is how long a connection that nothing is sent over stays open: less than servers and proxies keep them, as
// what meets one that closes is unknown.
const IdleMost = 30 * time.Second

// newTransport is tuned for one host, many small requests, and none that
// hangs: a dead address or a stalled handshake shows within seconds.
func newTransport(lease func() error) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil || lease == nil {
				return conn, err
			}
			return leasedConn{conn, lease}, nil
		},
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        IdleMost,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// leasedConn writes nothing once the lease has ended: who was frozen between a check and a write sends nothing late.
type leasedConn struct {
	net.Conn
	lease func() error
}

// Write writes, or returns why the lease has ended.
func (c leasedConn) Write(b []byte) (int, error) {
	if err := c.lease(); err != nil {
		return 0, unleased(err)
	}
	return c.Conn.Write(b)
}

func unleased(err error) error { return fmt.Errorf("%w: %w", ErrUnleased, err) }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
