package openid

import (
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"adsync/internal/words/catalogue"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// What is asked of a provider at most.
const (
	askTime    = 10 * time.Second
	answerMost = 1 << 20 // bytes
)

var (
	errRedirect error = catalogue.Text("failed.provider-redirect")
	errLarge    error = catalogue.Text("failed.provider-large")
)

// bounded asks for a while, follows nothing, and reads no more than a provider has to say.
func bounded(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     short{cmp.Or(transport, http.DefaultTransport)},
		Timeout:       askTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// short ends answers that are too large.
type short struct{ http.RoundTripper }

func (s short) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &shortBody{answer.Body, answerMost}
	}
	return answer, err
}

type shortBody struct {
	io.ReadCloser
	left int64
}

func (b *shortBody) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLarge
	}
	n, err := b.ReadCloser.Read(into[:min(int64(len(into)), b.left)])
	b.left -= int64(n)
	return n, err
}

// isThisMachine reports whether a name is of the machine itself.
func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Kind is whose it is to do something.
type Kind int

// The kinds.
const (
	Stale     Kind = iota // the browser brings no login that is under way
	Cancelled             // the provider says that it did not log them in
	Refused               // what the provider says proves nothing
	Away                  // the provider does not answer as it should
)

// Error is why somebody is not logged in, for them and for the log. It has no secret in it.
type Error struct {
	Kind Kind
	Why  string
}

func (e *Error) Error() string { return e.Why }

// refused says it by the key of a text and its places.
func refused(key string, places ...string) error {
	return &Error{Refused, catalogue.Fill(key, places...)}
}

// refusedToken says why an ID token is none. The library's words have claims of a signed token in them, and none of
// an unsigned one.
func (p *Provider) refusedToken(err error) error {
	if strings.Contains(err.Error(), "fetching keys") {
		return p.away(err)
	}
	expired, ok := errors.AsType[*oidc.TokenExpiredError](err)
	switch {
	case ok && expired.Expiry.IsZero():
		return refused("failed.token-exp")
	case ok:
		return refused("failed.token-expired", "time", expired.Expiry.UTC().Format(time.RFC3339))
	}
	return refused("failed.token", "why", strings.TrimPrefix(err.Error(), "oidc: "))
}

// judge says why there are no tokens for a code. It repeats nothing of the answer but a code of an error.
func (p *Provider) judge(err error) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return p.away(err)
	}
	status := 0
	if refusal.Response != nil {
		status = refusal.Response.StatusCode
	}
	switch {
	case refusal.ErrorCode == "invalid_grant":
		return refused("failed.provider-code", "host", p.Host())
	case errorCode.MatchString(refusal.ErrorCode):
		return &Error{Away, catalogue.Say("failed.provider-client", "host", p.Host(), "code", refusal.ErrorCode)}
	}
	return &Error{Away, catalogue.Say("failed.provider-status", "host", p.Host(), "status", status)}
}

// away says that the provider does not answer as it should. What it answered is not repeated.
func (p *Provider) away(err error) error {
	why := error(catalogue.Text("failed.provider-answer"))
	var failed net.Error
	says := func(other error) bool { return strings.Contains(err.Error(), other.Error()) } // the library wraps few
	switch mismatch := new(oidc.IssuerMismatchError); {
	case says(errRedirect):
		why = errRedirect
	case says(errLarge):
		why = errLarge
	case errors.As(err, &mismatch):
		why = catalogue.Text("failed.provider-issuer")
	case errors.As(err, &failed) && failed.Timeout():
		why = catalogue.Text("failed.provider-slow")
	case isURLError(err):
		why = catalogue.Text("failed.provider-unreached")
	}
	return &Error{Away, catalogue.Say("failed.provider-away", "host", p.Host(), "why", why)}
}

func isURLError(err error) bool {
	_, is := errors.AsType[*url.Error](err)
	return is
}
