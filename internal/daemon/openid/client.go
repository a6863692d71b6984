package openid

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// What is asked of a provider at most.
const (
	askTime    = 10 * time.Second
	answerMost = 1 << 20 // bytes
)

var (
	errRedirect = errors.New("it answers with a redirect, which is not followed")
	errLarge    = errors.New("its answer is larger than 1 MiB")
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

func refused(why string) error { return &Error{Refused, why} }

// refusedToken says why an ID token is none. The library's words have claims of a signed token in them, and none of
// an unsigned one.
func (p *Provider) refusedToken(err error) error {
	if strings.Contains(err.Error(), "fetching keys") {
		return p.away(err)
	}
	expired, ok := errors.AsType[*oidc.TokenExpiredError](err)
	switch {
	case ok && expired.Expiry.IsZero():
		return refused("the ID token does not say when it expires (exp)")
	case ok:
		return refused("the ID token expired at " + expired.Expiry.UTC().Format(time.RFC3339) +
			"; is the clock of this machine right?")
	}
	return refused("the ID token is refused: " + strings.TrimPrefix(err.Error(), "oidc: "))
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
		return refused(p.called() + " does not take the code any more (invalid_grant); want another login")
	case errorCode.MatchString(refusal.ErrorCode):
		return &Error{Away, p.called() + " refuses this daemon (" + refusal.ErrorCode +
			"); want client_id, client_secret and redirect as they are registered there"}
	}
	return &Error{Away, fmt.Sprintf("%s answered %d without a token", p.called(), status)}
}

// away says that the provider does not answer as it should. What it answered is not repeated.
func (p *Provider) away(err error) error {
	why := "it does not answer as OpenID Connect wants it"
	var failed net.Error
	says := func(other error) bool { return strings.Contains(err.Error(), other.Error()) } // the library wraps few
	switch mismatch := new(oidc.IssuerMismatchError); {
	case says(errRedirect):
		why = errRedirect.Error()
	case says(errLarge):
		why = errLarge.Error()
	case errors.As(err, &mismatch):
		why = "it calls itself otherwise than issuer does; want the issuer exactly as it has it"
	case errors.As(err, &failed) && failed.Timeout():
		why = "it does not answer in time"
	case isURLError(err):
		why = "it is not reached"
	}
	return &Error{Away, "nobody can log in at " + p.Host() + " now: " + why}
}

func isURLError(err error) bool {
	_, is := errors.AsType[*url.Error](err)
	return is
}
