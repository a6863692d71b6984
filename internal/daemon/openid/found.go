package openid

import (
	"context"
	"net/url"
	"slices"
	"time"

	"adsync/internal/words/catalogue"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// How long it counts what a provider said of itself, and that it did not answer. Keys that it has withdrawn are
// forgotten with the first; new ones are read when they are first used.
const (
	foundFor  = time.Hour
	failedFor = 5 * time.Second
)

// found is how a provider is spoken to.
type found struct {
	at       time.Time
	provider *oidc.Provider
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
	logout   string // "" where it offers none
	userinfo bool
}

// failure is why it could not be found.
type failure struct {
	at  time.Time
	err error
}

// find returns how the provider is spoken to. One that is down is asked once at a time, and holds nobody who does not
// log in.
func (p *Provider) find(ctx context.Context) (*found, error) {
	if f := p.found.Load(); f != nil && p.Now().Sub(f.at) < foundFor {
		return f, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*askTime)
	defer cancel()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, p.away(ctx.Err())
	}
	if f := p.found.Load(); f != nil && p.Now().Sub(f.at) < foundFor {
		return f, nil
	}
	if last := p.failed.Load(); last != nil && p.Now().Sub(last.at) < failedFor {
		return nil, last.err
	}
	f, err := p.discover(ctx)
	if err != nil {
		if ctx.Err() == nil { // whoever asked may have gone away: that says nothing of the provider
			p.failed.Store(&failure{p.Now(), err})
		}
		return nil, err
	}
	p.found.Store(f)
	return f, nil
}

func (p *Provider) discover(ctx context.Context) (*found, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	provider, err := oidc.NewProvider(ctx, p.Issuer)
	if err != nil {
		return nil, p.away(err)
	}
	var said struct {
		Keys    string   `json:"jwks_uri"`
		Logout  string   `json:"end_session_endpoint"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&said); err != nil {
		return nil, p.away(err)
	}
	end := provider.Endpoint()
	for name, address := range map[string]string{"authorization_endpoint": end.AuthURL,
		"token_endpoint": end.TokenURL, "jwks_uri": said.Keys} {
		if !p.isAddress(address) {
			return nil, &Error{Away,
				catalogue.Say("failed.provider-plain", "host", p.Host(), "name", name)}
		}
	}
	if end.AuthStyle = oauth2.AuthStyleInHeader; len(said.Methods) > 0 &&
		!slices.Contains(said.Methods, "client_secret_basic") {
		end.AuthStyle = oauth2.AuthStyleInParams
	}
	if !p.isAddress(said.Logout) {
		said.Logout = ""
	}
	return &found{at: p.Now(), provider: provider, logout: said.Logout,
		userinfo: p.isAddress(provider.UserInfoEndpoint()),
		oauth: oauth2.Config{ClientID: p.ClientID, ClientSecret: p.Secret.Reveal(), Endpoint: end,
			RedirectURL: p.Redirect, Scopes: p.scopes()},
		verifier: provider.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.Now}),
	}, nil
}

// isAddress reports whether a text is an address that may be asked, or opened.
func (p *Provider) isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && p.isSafe(u)
}

// isSafe reports whether an address has TLS. A provider on this machine may be spoken to without, and names no other
// machine then.
func (p *Provider) isSafe(u *url.URL) bool {
	if u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	plain := u.Scheme == "http" && p.issuer.Scheme == "http" &&
		isThisMachine(u.Hostname()) && isThisMachine(p.issuer.Hostname())
	return u.Scheme == "https" || plain
}
