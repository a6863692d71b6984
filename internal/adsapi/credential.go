package adsapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"adsync/internal/secret"
)

// Secret is the API key or a token, which never shows itself.
type Secret = secret.Text

// NewSecret holds an API key or a token. Reveal gives it, for a request header and for
// nothing else.
func NewSecret(text string) Secret { return secret.New(text) }

// credential is what stands in Authorization: a key, or the token of a login, which is renewed.
type credential struct {
	key    Secret
	tokens func(ctx context.Context, refused Secret) (Secret, error) // nil: the key

	mu    sync.Mutex
	shown []Secret // those that answers may repeat, newest last
}

// mostShown is how many tokens are blotted out of answers: one that is under way may be that before
// the last.
const mostShown = 4

// of returns what a request is sent with; refused is a token the service did not take.
func (c *credential) of(ctx context.Context, refused Secret) (Secret, error) {
	if c.tokens == nil {
		return c.key, nil
	}
	token, err := c.tokens(ctx, refused)
	if err != nil {
		return Secret{}, err
	}
	if token.Reveal() == "" || strings.ContainsFunc(token.Reveal(), notVisibleASCII) {
		return Secret{}, errors.Join(ErrUnauthorized, errors.New("the token of the login is no text for a header"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(c.shown, func(s Secret) bool { return s.Reveal() == token.Reveal() }) {
		c.shown = append(c.shown, token)
		c.shown = c.shown[max(0, len(c.shown)-mostShown):]
	}
	return token, nil
}

// blot removes what was sent from text.
func (c *credential) blot(text string) string {
	if c.tokens == nil {
		return strings.ReplaceAll(text, c.key.Reveal(), secret.Redacted)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, token := range c.shown {
		text = strings.ReplaceAll(text, token.Reveal(), secret.Redacted)
	}
	return text
}

// renewed has the token of a login renewed that the service answered 401 to: the request goes again
// with another one. Where there is none the error says so.
func (c *caller) renewed(ctx context.Context, r request, sent Secret, failed *Error) *Error {
	if c.credential.tokens == nil || failed == nil || !failed.answered(http.StatusUnauthorized) {
		return failed
	}
	_, err := c.credential.of(ctx, sent)
	switch {
	case err == nil:
		failed.renewed = true
	case errors.Is(err, ErrUnauthorized):
		failed.Message, failed.cause = clean(c.blot(failed.Message+"; "+err.Error()), maxMessage), err
	default:
		return c.withoutToken(ctx, r, err)
	}
	return failed
}

// withoutToken is a request that was not sent, as there is no token for it.
func (c *caller) withoutToken(ctx context.Context, r request, err error) *Error {
	if stopped := ctx.Err(); stopped != nil {
		return r.failure(Error{fault: faultStopped, cause: stopped})
	}
	return r.failure(Error{fault: faultNoToken, cause: c.blotError(err)})
}
