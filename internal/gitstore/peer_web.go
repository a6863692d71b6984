package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// webPeer is a server of git over https.
type webPeer struct {
	store    *Store
	wire     *wire
	client   transport.Transport
	endpoint *transport.Endpoint
	auth     transport.AuthMethod
	upload   transport.UploadPackSession
	receive  transport.ReceivePackSession
}

// tokenUser goes along with a token where the address names no user. GitHub,
// GitLab and Gitea take any.
const tokenUser = "x-access-token"

func newWebPeer(ctx context.Context, s *Store) (*webPeer, error) {
	endpoint, err := transport.NewEndpoint(s.address.whole())
	if err != nil {
		return nil, s.wrap(ctx, Configuration, "read the address of", err)
	}
	base, err := s.webTransport()
	if err != nil {
		return nil, err
	}
	p := &webPeer{store: s, wire: &wire{base: base, store: s}, endpoint: endpoint}
	token, err := s.token(ctx)
	if err != nil {
		return nil, err
	}
	if token != "" {
		p.auth = &githttp.BasicAuth{Username: cmp.Or(s.address.user, tokenUser), Password: token}
	}
	p.client = githttp.NewClientWithOptions(&http.Client{Transport: p.wire}, nil)
	return p, nil
}

// token asks for the credential anew, so that one that was changed is found.
func (s *Store) token(ctx context.Context) (string, error) {
	if s.config.Token == nil {
		return "", nil
	}
	token, err := s.config.Token(ctx)
	if err != nil {
		return "", s.wrap(ctx, Credentials, "get the token of", err)
	}
	if token == "" { // such as a file that is being written
		return "", refuse(Credentials, "the token of %s is empty; want one", s.address)
	}
	s.secrets.add(token)
	return token, nil
}

func (s *Store) webTransport() (*http.Transport, error) {
	base := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, Time: s.config.Now},
	}
	if s.config.CAFile == "" {
		return base, nil
	}
	content, err := os.ReadFile(s.config.CAFile)
	if err != nil {
		return nil, refuse(Configuration, "the file of certificates cannot be read: %v", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(content) {
		return nil, refuse(Configuration, "%s holds no certificate; want PEM", s.config.CAFile)
	}
	base.TLSClientConfig.RootCAs = pool
	return base, nil
}

func (p *webPeer) close() { p.wire.base.CloseIdleConnections() }

func (p *webPeer) advertised(ctx context.Context, service string) (refs *packp.AdvRefs, err error) {
	p.wire.left = p.store.config.Limits.RefsBytes
	if service == fetching {
		if p.upload, err = p.client.NewUploadPackSession(p.endpoint, p.auth); err == nil {
			refs, err = p.upload.AdvertisedReferencesContext(ctx)
		}
	} else if p.receive, err = p.client.NewReceivePackSession(p.endpoint, p.auth); err == nil {
		refs, err = p.receive.AdvertisedReferencesContext(ctx)
	}
	if err != nil {
		return nil, p.failed(ctx, "list the branches of", err)
	}
	if detailed := capability.MultiACKDetailed; service == fetching &&
		bytes.Contains(p.wire.begin, []byte(" "+detailed)) {
		_ = refs.Capabilities.Set(detailed) // the library keeps it back, and it takes no value that could be wrong
	}
	return refs, nil
}

func (p *webPeer) pack(ctx context.Context, refs *packp.AdvRefs, wants, haves []plumbing.Hash) (io.ReadCloser, error) {
	p.wire.left = p.store.config.Limits.PackBytes
	request := uploadRequest(p.store, refs, wants, haves)
	answer, err := p.upload.UploadPack(ctx, request)
	if err != nil {
		return nil, p.failed(ctx, "fetch from", err)
	}
	return packOf(request, answer), nil
}

func (p *webPeer) update(ctx context.Context, refs *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) error {
	p.wire.left = p.store.config.Limits.RefsBytes
	report, err := p.receive.ReceivePack(ctx, updateRequest(refs, command, pack))
	if report != nil { // what it says counts, and not what the library makes of it
		return p.store.reported(ctx, report, command, func() string { return "" })
	}
	if err == nil {
		err = errNoReport
	}
	return p.failed(ctx, "push to", err)
}

// failed prefers what the wire saw to what the library made of it.
func (p *webPeer) failed(ctx context.Context, doing string, err error) error {
	if p.wire.failure != nil && ctx.Err() == nil {
		return p.wire.failure
	}
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return errNoCommit
	}
	return p.store.wrap(ctx, Transient, doing, unreadable(p.wire.begin, err))
}

// errNoCommit is a repository without any branch.
var errNoCommit = refuse(Input, "the repository has no commit yet; want one with the files in it")

// wire is what go-git's client speaks through: it refuses what is no success
// before a word of the answer is read, and bounds what is read.
type wire struct {
	base    *http.Transport
	store   *Store
	left    int64
	begin   []byte
	failure error
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.base.RoundTrip(r)
	if err != nil {
		var untrusted *tls.CertificateVerificationError
		if errors.As(err, &untrusted) {
			w.failure = w.untrusted(untrusted.Err)
		}
		return nil, err
	}
	if answer.StatusCode >= 400 {
		answer.Body.Close()
		w.failure = w.refusal(answer)
		return nil, w.failure
	}
	if answer.StatusCode >= 300 {
		if w.failure = w.redirected(r.URL, answer); w.failure != nil {
			answer.Body.Close()
			return nil, w.failure
		}
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode < 300 &&
		strings.HasPrefix(strings.ToLower(kind), "text/html") {
		answer.Body.Close()
		w.failure = refuse(Configuration, "%s answers with a page for people (%s) and not as "+
			"git does, such as a login; want the address of a repository, as git clone takes it", w.store.address, kind)
		return nil, w.failure
	}
	w.begin = w.begin[:0]
	answer.Body = bounded{answer.Body, answer.Body, &w.left, &w.begin}
	return answer, nil
}

// untrusted tells what is wrong with a certificate.
func (w *wire) untrusted(err error) error {
	where := w.store.address
	if invalid, is := errors.AsType[x509.CertificateInvalidError](err); is &&
		invalid.Reason == x509.Expired && invalid.Cert != nil {
		return refuse(Credentials, "a certificate "+
			"of %s is valid from %s to %s alone; want another one there, or the clock of this machine put right",
			where, invalid.Cert.NotBefore.UTC().Format(time.RFC3339), invalid.Cert.NotAfter.UTC().Format(time.RFC3339))
	}
	if other, is := errors.AsType[x509.HostnameError](err); is {
		return refuse(Credentials, "the certificate "+
			"of %s is of another host (%v); want the address by a name that it has, or another one there", where, other)
	}
	return refuse(Credentials,
		"the certificate of %s is not trusted: %v; want its authority in the file of certificates", where, err)
}

// refusal tells who has to do something about an answer.
func (w *wire) refusal(answer *http.Response) error {
	where, code := w.store.address, answer.StatusCode
	switch {
	case code == http.StatusUnauthorized:
		return refuse(Credentials,
			"%s does not accept the credentials (401); want a token that is valid and may read the repository", where)
	case code == http.StatusForbidden:
		return refuse(Credentials,
			"%s does not permit that (403); want a token with the permission, or an allowed address", where)
	case code == http.StatusNotFound || code == http.StatusGone:
		return refuse(Credentials, "%s is not there, or the credentials "+
			"may not see it (%d); want the address of a repository and a token that may read it", where, code)
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		return &Error{
			Class: Transient, RetryAfter: retryAfter(answer.Header, w.store.config.Now()),
			text: fmt.Sprintf("%s answers %d; want it to serve again", where, code),
		}
	}
	return refuse(Configuration, "%s answers %d; want the address of a repository", where, code)
}

// retryAfter reads seconds or a date, which is compared with the Date of the same
// answer, so that the clock here does not matter; an hour at most.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text, wait := header.Get("Retry-After"), time.Duration(0)
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	if seconds, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
		wait = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), time.Hour)
}

// redirected lets a server move a repository within itself. Another host is the
// operator's to name: neither credentials nor trust go there, nor out of https. It is
// asked before the library, which calls that a failure of the network.
func (w *wire) redirected(from *url.URL, answer *http.Response) error {
	next, err := answer.Location()
	switch {
	case err != nil:
		return nil // there is nowhere to go, and the library says so
	case from.Scheme == "https" && next.Scheme != "https":
		return refuse(Configuration, "%s redirects to %s://%s, where the token and the files would go unencrypted; "+
			"want the address by which the server is reached over https", w.store.address, next.Scheme, next.Host)
	case next.Host != from.Host:
		return refuse(Configuration, "%s redirects to another host, %s://%s; "+
			"want that address in the configuration, if it is to be trusted", w.store.address, next.Scheme, next.Host)
	}
	return nil
}
