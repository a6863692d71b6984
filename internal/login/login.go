package login

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/secret"

	"golang.org/x/oauth2"
)

// Config says whose login it is, and where it is kept.
type Config struct {
	Server Server
	Keep   Keeper
	// Transport carries requests to the authorization server; nil means the standard one.
	Transport http.RoundTripper
	// Now and Sleep are the clock; Sleep waits for the lock.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// OnSecret is told of each token; nil tells nobody.
	OnSecret func(secret string)
}

// Login hands out the access token of a login, renewed. It is safe for many goroutines.
type Login struct {
	Config
	turn   chan struct{} // whoever holds it looks at what follows
	held   Tokens
	unkept *Tokens // a renewal that could not be written yet, and is not used before it is
}

// New joins a server with where its tokens are kept. It reads nothing.
func New(cfg Config) (*Login, error) {
	if err := cfg.Server.Check(); err != nil {
		return nil, err
	}
	if len(cfg.Server.Scopes) == 0 {
		cfg.Server.Scopes = defaultScopes
	}
	return &Login{Config: cfg, turn: make(chan struct{}, 1)}, nil
}

// Held returns the tokens as they are kept, and a NeededError where there are none. It asks nobody.
func (l *Login) Held() (Tokens, error) {
	t, err := l.Keep.read()
	switch {
	case errors.Is(err, errNone):
		return t, &NeededError{"nobody has logged in: " + l.Keep.String() + " has no tokens"}
	case err != nil:
		return t, err
	case t.server != l.Server.Mark():
		return Tokens{}, &NeededError{"the tokens in " + l.Keep.String() + " are those of another server or client"}
	case t.Ended != "":
		return t, &NeededError{t.Ended}
	}
	l.tell(t)
	return t, nil
}

func (l *Login) tell(t Tokens) {
	for _, token := range []secret.Text{t.Access, t.Refresh} {
		if l.OnSecret != nil && token.Reveal() != "" {
			l.OnSecret(token.Reveal())
		}
	}
}

// Token returns an access token that is good for a request, and renews it where it ends soon, or where
// it is the one that the service refused. A NeededError and a RefusedError want a person; every other
// error may pass.
func (l *Login) Token(ctx context.Context, refused secret.Text) (secret.Text, error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return secret.Text{}, ctx.Err()
	}
	defer func() { <-l.turn }()
	if l.unkept == nil && l.held.good(l.Now(), refused) {
		return l.held.Access, nil
	}
	t, err := l.Held() // another process may have renewed it
	if l.unkept == nil && err == nil && t.good(l.Now(), refused) {
		l.held = t
		return t.Access, nil
	}
	if err != nil && l.unkept == nil {
		return secret.Text{}, err
	}
	unlock, err := l.Keep.lock(ctx, l.Sleep)
	if err != nil {
		return secret.Text{}, fmt.Errorf("wait for another adsync that renews the login: %w", err)
	}
	defer unlock()
	if t, err = l.renewed(ctx, refused); err != nil {
		return secret.Text{}, err
	}
	l.held = t
	return t.Access, nil
}

// renewed renews the tokens, unless somebody has done so by now. The lock is held.
func (l *Login) renewed(ctx context.Context, refused secret.Text) (Tokens, error) {
	if l.unkept != nil {
		return l.keep(*l.unkept)
	}
	if err := l.Keep.recover(); err != nil {
		return Tokens{}, err
	}
	t, err := l.Held()
	if err != nil || t.good(l.Now(), refused) {
		return t, err
	}
	if t.Refresh.Reveal() == "" {
		return l.end(t, "the login has ended, and has nothing to renew it by (the scope offline_access)")
	}
	if err := l.Keep.ahead(); err != nil {
		return Tokens{}, fmt.Errorf("the login is not renewed, as the new tokens could not be kept: %w", err)
	}
	fresh, err := l.refresh(ctx, t)
	ended, judged := judge(err)
	switch {
	case err == nil:
		return l.keep(fresh)
	case ended:
		return l.end(t, "the login was revoked, has ended, or was renewed by an answer that was lost")
	case t.Access.Reveal() != refused.Reveal() && (t.Expires.IsZero() || l.Now().Before(t.Expires)):
		return t, nil // it is good for a while yet
	}
	return Tokens{}, fmt.Errorf("the login cannot be renewed: %w", judged)
}

func (l *Login) refresh(ctx context.Context, t Tokens) (Tokens, error) {
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, client(l.Transport))
	answer, err := l.Server.config().TokenSource(ctx, &oauth2.Token{RefreshToken: t.Refresh.Reveal()}).Token()
	if err != nil {
		return Tokens{}, err
	}
	return l.Server.issued(answer, l.Now(), t.Scopes), nil
}

// keep writes tokens before anybody uses them. Those that cannot be written are tried again: the ones
// they replace are no good any more.
func (l *Login) keep(t Tokens) (Tokens, error) {
	l.tell(t)
	l.unkept = &t
	if err := l.Keep.write(t); err != nil {
		return Tokens{}, fmt.Errorf("the renewed login could not be kept, and is not used: %w", err)
	}
	l.unkept = nil
	return t, nil
}

// end keeps why the login has ended, so that nobody asks again in its name.
func (l *Login) end(t Tokens, why string) (Tokens, error) {
	needed := &NeededError{why}
	t.Access, t.Refresh, t.Ended = secret.Text{}, secret.Text{}, why
	if err := l.Keep.write(t); err != nil {
		return Tokens{}, errors.Join(needed, err)
	}
	return Tokens{}, needed
}

// Keeps writes the tokens of a person who has logged in, in the place of what is there.
func (l *Login) Keeps(ctx context.Context, t Tokens) error {
	unlock, err := l.Keep.lock(ctx, l.Sleep)
	if err != nil {
		return err
	}
	defer unlock()
	if err := l.Keep.ahead(); err != nil {
		return err
	}
	_, err = l.keep(t)
	return err
}

// Forget takes the tokens away. Where the server has an address for that it revokes them first, and
// revoked says that it did.
func (l *Login) Forget(ctx context.Context) (revoked bool, err error) {
	unlock, err := l.Keep.lock(ctx, l.Sleep)
	if err != nil {
		return false, err
	}
	defer unlock()
	t, err := l.Held()
	if needed := (*NeededError)(nil); errors.As(err, &needed) {
		return false, l.Keep.remove()
	}
	if err == nil && l.Server.RevokeURL != "" {
		if err := l.revoke(ctx, t); err != nil {
			return false, fmt.Errorf("the login is not revoked, and its tokens stay: %w", err)
		}
		revoked = true
	}
	return revoked, l.Keep.remove()
}

// revoke ends the grant at the server (RFC 7009).
func (l *Login) revoke(ctx context.Context, t Tokens) error {
	token := t.Refresh
	if token.Reveal() == "" {
		token = t.Access
	}
	form := url.Values{"token": {token.Reveal()}, "client_id": {l.Server.ClientID}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.Server.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := client(l.Transport).Do(r)
	if err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the authorization server answered %d", answer.StatusCode)
	}
	return nil
}

// Lacks returns those of the scopes that a login does not have.
func (t Tokens) Lacks(wanted ...string) (lacks []string) {
	for _, scope := range wanted {
		if !slices.Contains(t.Scopes, scope) {
			lacks = append(lacks, scope)
		}
	}
	return lacks
}
