// Package openid logs people in at a provider of OpenID Connect: the authorization code flow with PKCE, and a state
// and a nonce that a cookie binds to the browser.
//
// It refuses addresses without TLS but on this machine, redirects of the provider, answers of over 1 MiB, and to
// repeat what may hold a code or a token. Its one invariant: whomever it names the provider has named in an ID token
// that it signed for this daemon and for this very login.
//
// Open openid.go first: Begin leads a browser to the provider, Finish takes what it comes back with. found.go asks
// the provider how it is spoken to, when somebody first logs in; flight.go is the cookie meanwhile; claims.go reads
// who somebody is; client.go bounds what is asked.
package openid

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"adsync/internal/pattern"
	"adsync/internal/secret"
	"adsync/internal/words/catalogue"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Path leads to the provider, and AnswerPath back from it.
const (
	Path       = "/login/openid"
	AnswerPath = Path + "/answer"
)

// Config says which provider logs people in, and what counts of its answers.
type Config struct {
	Issuer   string // as the provider calls itself: an address
	ClientID string // as it calls this daemon
	Secret   secret.Text
	Redirect string        // where people come back to: the address of the page, with AnswerPath
	Scopes   []string      // beside openid
	Name     string        // claim by which it names somebody
	Groups   string        // claim that lists their groups; "": none are asked for
	Lasts    time.Duration // how long somebody is logged in

	Transport http.RoundTripper // nil: the standard one
	Now       func() time.Time
}

// secretLeast is how many characters the client's secret has at least: it seals cookies, too.
const secretLeast = 16

// Provider is one. It is safe for many goroutines.
type Provider struct {
	Config
	client *http.Client
	issuer *url.URL
	seal   cipher.AEAD
	turn   chan struct{} // whoever holds it asks the provider how it is spoken to
	found  atomic.Pointer[found]
	failed atomic.Pointer[failure]
}

// Person is who logged in, as the provider says.
type Person struct {
	Login  string
	Groups []string
}

// New makes a provider. It asks nobody.
func New(c Config) (*Provider, error) {
	p := &Provider{Config: c, turn: make(chan struct{}, 1)}
	var err error
	if p.issuer, err = url.Parse(c.Issuer); err != nil || !p.isSafe(p.issuer) || p.issuer.RawQuery != "" {
		return nil, errors.New("issuer is no address of a provider; want https://, as its own page has it")
	}
	back, err := url.Parse(c.Redirect)
	if err != nil || back.Host == "" || back.Path != AnswerPath || back.RawQuery != "" ||
		back.Scheme != "https" && (back.Scheme != "http" || !isThisMachine(back.Hostname())) {
		return nil, errors.New("redirect is no address of this page; want such as https://ads.example.com" + AnswerPath)
	}
	if len(c.ClientID) == 0 || len(c.Secret.Reveal()) < secretLeast {
		return nil, errors.New("client_secret has fewer than 16 characters; want one that the provider drew")
	}
	p.client = bounded(c.Transport)
	p.seal, err = sealer(c)
	return p, err
}

// Host is how people call the provider.
func (p *Provider) Host() string { return p.issuer.Host }

// Mark says which provider it is, and what the daemon is called there.
func (p *Provider) Mark() string { return p.ClientID + " at " + p.Issuer }

// Page is where people log in: at another name of this machine the cookie would be missing when they come back.
func (p *Provider) Page() *url.URL {
	u, _ := url.Parse(p.Redirect) // New has read it
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: Path}
}

// Begin returns where a browser goes to log in, and the cookie that it brings along when it comes back.
func (p *Provider) Begin(ctx context.Context, back string) (address, cookie string, err error) {
	f, err := p.find(ctx)
	if err != nil {
		return "", "", err
	}
	fl := flight{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Back: back,
		Since: p.Now()}
	address = f.oauth.AuthCodeURL(fl.State, oidc.Nonce(fl.Nonce), oauth2.S256ChallengeOption(fl.Verifier))
	return address, p.sealed(fl), nil
}

// Finish returns who logged in, and where they wanted to go; that, where it is known, with an error, too.
func (p *Provider) Finish(ctx context.Context, cookie string, answer url.Values) (who Person, back string, err error) {
	fl, ok := p.opened(cookie)
	age := p.Now().Sub(fl.Since)
	if !ok || age > FlightLasts || age < -FlightLasts ||
		subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(fl.State)) != 1 {
		return who, fl.Back, &Error{Stale, catalogue.Say("failed.login-stale")}
	}
	if iss := answer.Get("iss"); iss != "" && iss != p.Issuer {
		return who, fl.Back, refused("failed.provider-other")
	}
	if code := answer.Get("error"); code != "" {
		if !errorCode.MatchString(code) {
			code = catalogue.Say("failed.provider-no-code")
		}
		return who, fl.Back, &Error{Cancelled,
			catalogue.Say("failed.login-cancelled", "host", p.Host(), "code", code)}
	}
	f, err := p.find(ctx)
	if err != nil {
		return who, fl.Back, err
	}
	who, err = p.prove(ctx, f, fl, answer.Get("code"))
	return who, fl.Back, err
}

// errorCode is what a code of RFC 6749 looks like. Other words of an answer are not repeated.
var errorCode = pattern.Of(`^[a-z_]{1,40}$`)

// prove takes an ID token for the code, and reads in it who it is. A code is sent once.
func (p *Provider) prove(ctx context.Context, f *found, fl flight, code string) (who Person, err error) {
	if code == "" {
		return who, refused("failed.login-no-code")
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := f.oauth.Exchange(ctx, code, oauth2.VerifierOption(fl.Verifier))
	if err != nil {
		return who, p.judge(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return who, refused("failed.no-token")
	}
	token, err := f.verifier.Verify(ctx, raw)
	if err != nil {
		return who, p.refusedToken(err)
	}
	var party struct {
		Authorized string `json:"azp"`
	}
	switch err := token.Claims(&party); {
	case err != nil:
		return who, refused("failed.token-claims")
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(fl.Nonce)) != 1:
		return who, refused("failed.token-nonce")
	case len(token.Audience) > 1 && party.Authorized == "",
		party.Authorized != "" && party.Authorized != p.ClientID:
		return who, refused("failed.token-client")
	case token.AccessTokenHash != "" && token.VerifyAccessToken(tokens.AccessToken) != nil:
		return who, refused("failed.token-access")
	}
	return p.personOf(ctx, f, token, tokens)
}

// LogoutURL is where people log out at the provider, "" where it offers none, or does not answer.
func (p *Provider) LogoutURL(ctx context.Context) string {
	f, err := p.find(ctx)
	if err != nil || f.logout == "" {
		return ""
	}
	u, _ := url.Parse(f.logout) // it was read when it was found
	asks := u.Query()
	asks.Set("client_id", p.ClientID)
	u.RawQuery = asks.Encode()
	return u.String()
}

// scopes are all that are asked for.
func (p *Provider) scopes() []string {
	if slices.Contains(p.Scopes, oidc.ScopeOpenID) {
		return p.Scopes
	}
	return append([]string{oidc.ScopeOpenID}, p.Scopes...)
}
