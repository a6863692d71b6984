// Package fetch gets what is behind an address that a file or the service named, and only
// from where that may lead: the public internet and what the operator lists (internal/public).
//
// A host is resolved once, and the connection goes to the address that was judged: a name
// that answers otherwise a moment later changes nothing. No proxy of the environment is
// asked, as it would resolve the name again. Redirects go by the same rule and are few.
// What is read is bounded in bytes, in time and to the types that the caller names. No
// cookie and no credential is sent.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"adsync/internal/public"
)

// Limits bound one fetch.
type Limits struct {
	Bytes     int64
	Time      time.Duration // from the first name that is resolved to the last byte
	Redirects int
	Types     []string // media types, such as image/png; none for every type
}

// Images are the limits of a picture: the formats that an ad may have (interface, part 8).
func Images() Limits {
	return Limits{Bytes: 10 << 20, Time: 20 * time.Second, Redirects: 5,
		Types: []string{"image/png", "image/jpeg", "image/webp"}}
}

// Resolver gives the addresses of a host; net.Resolver does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Fetcher fetches. The zero Fetcher reaches the public internet alone.
type Fetcher struct {
	Reach    public.Reach
	Resolver Resolver // nil for that of the machine
}

// Content is what was behind an address.
type Content struct {
	Type  string // media type, without parameters
	Bytes []byte
}

// Refused is why something was not fetched, or not whole, for people.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return r.Reason }

func refused(format string, a ...any) error { return &Refused{fmt.Sprintf(format, a...)} }

// Get fetches what is behind an address. Its errors say why in words, and never
// more of the address than its host: the rest may be signed.
func (f Fetcher) Get(ctx context.Context, address string, l Limits) (Content, error) {
	if reason := f.Reach.Refuse(address); reason != "" {
		return Content{}, refused("the address %s", reason)
	}
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return Content{}, refused("the address is no http or https address")
	}
	if len(l.Types) > 0 {
		req.Header.Set("Accept", strings.Join(l.Types, ", "))
	}
	req.Header.Set("User-Agent", "adsync")
	client := f.client(l)
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return Content{}, inWords(ctx, req.URL, l, err)
	}
	defer resp.Body.Close()
	return read(ctx, resp, l)
}

func (f Fetcher) client(l Limits) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: f.dial, MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if len(before) > l.Redirects {
				return refused("it is redirected more than %d times", l.Redirects)
			}
			if reason := f.Reach.Refuse(next.URL.String()); reason != "" {
				return refused("it is redirected to an address that %s", reason)
			}
			if before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme == "http" {
				return refused("it is redirected from https to http")
			}
			next.Header.Del("Referer") // may be signed
			return nil
		},
	}
}

// dial resolves the host once, judges every address it has, and connects to one of them.
func (f Fetcher) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	addresses, err := f.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Control: f.judge}
	for _, ip := range addresses {
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, network, net.JoinHostPort(ip.String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// resolve returns the addresses of a host. One that is not to be reached refuses all.
func (f Fetcher) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	ip, err := netip.ParseAddr(host)
	addresses := []netip.Addr{ip}
	if err != nil {
		resolver := f.Resolver
		if resolver == nil {
			resolver = net.DefaultResolver
		}
		if addresses, err = resolver.LookupNetIP(ctx, "ip", host); err != nil || len(addresses) == 0 {
			return nil, refused("the name of %s leads to no address", host)
		}
		for i, ip := range addresses {
			addresses[i] = ip.Unmap() // resolvers of some systems give IPv4 in the form of IPv6
		}
	}
	for _, ip := range addresses {
		if reason := f.Reach.RefuseIP(ip); reason != "" {
			return nil, refused("%s %s", host, reason)
		}
	}
	return addresses, nil
}

// judge holds the address of a socket that is about to connect to the same rule.
func (f Fetcher) judge(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if reason := f.Reach.RefuseIP(to.Addr()); reason != "" {
		return refused("the connection %s", reason)
	}
	return nil
}

// read takes an answer whole, within its limits.
func read(ctx context.Context, resp *http.Response, l Limits) (Content, error) {
	if resp.StatusCode != http.StatusOK {
		return Content{}, refused("%s answers %d", resp.Request.URL.Hostname(), resp.StatusCode)
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if len(l.Types) > 0 && !slices.Contains(l.Types, media) {
		return Content{}, refused("it is of the type %q; want %s", media, strings.Join(l.Types, ", "))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, l.Bytes+1))
	switch {
	case err != nil:
		return Content{}, inWords(ctx, resp.Request.URL, l, err)
	case int64(len(body)) > l.Bytes:
		return Content{}, refused("it is larger than %d bytes", l.Bytes)
	}
	if found := http.DetectContentType(body); strings.HasPrefix(media, "image/") && found != media {
		return Content{}, refused("it says that it is of the type %s, and what it holds is of none of that", media)
	}
	return Content{media, body}, nil
}

// inWords returns why a fetch came to no end. An error of the network names the host
// alone, as the rest of an address may be signed.
func inWords(ctx context.Context, u *url.URL, l Limits, err error) error {
	var own *Refused
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return refused("%s takes longer than %s", u.Hostname(), l.Time)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return refused("%s could not be reached or did not answer to the end", u.Hostname())
}
