package adsapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// errNarrowed is a request that Config.Only refused; nothing was sent.
var errNarrowed = errors.New("client may not send it")

// narrowed is the transport of a client that may send little: every request is asked for as it goes
// out, after everything that could have changed it.
type narrowed struct {
	base *url.URL
	next http.RoundTripper
	only func(method, path string) error
}

func (n narrowed) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := n.check(req); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, fmt.Errorf("%w: %w", errNarrowed, err)
	}
	return n.next.RoundTrip(req)
}

func (n narrowed) check(req *http.Request) error {
	rest, ok := strings.CutPrefix(req.URL.EscapedPath(), n.base.EscapedPath())
	if !ok || req.URL.Host != n.base.Host || req.URL.Scheme != n.base.Scheme {
		return fmt.Errorf("%s %q is not an address of the service", req.Method, clean(req.URL.Path, 80))
	}
	return n.only(req.Method, rest)
}
