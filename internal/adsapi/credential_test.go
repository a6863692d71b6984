package adsapi

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// A token that the service refuses is renewed once and the request goes again, whatever it is; one
// that is refused again is the end, and nothing shows either.
func TestATokenThatIsRefusedIsRenewedOnce(t *testing.T) {
	const old, fresh = "oat-canary-old", "oat-canary-new"
	refused := answer{status: 401, body: `{"error":{"message":"` + old + ` is not known"}}`}
	done := answer{status: 200, body: `{"id":"c"}`}
	ended := errors.Join(ErrUnauthorized, errors.New("log in: adsync login"))
	for _, tc := range []struct {
		name    string
		answers []answer
		failure error // of the renewal
		sent    int
		class   error
		says    string
	}{
		{name: "renewed", answers: []answer{refused, done}, sent: 2},
		{name: "refused again", answers: []answer{refused}, sent: 2, class: ErrUnauthorized, says: "401"},
		{name: "ended", answers: []answer{refused}, failure: ended, sent: 1, class: ErrUnauthorized,
			says: "adsync login"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &wire{answers: tc.answers}
			c := clientOf(t, w, func(cfg *Config) {
				cfg.Key, cfg.Account = Secret{}, "adacct_1"
				cfg.Tokens = func(_ context.Context, refused Secret) (Secret, error) {
					if len(w.requests()) == 0 {
						return NewSecret(old), nil
					}
					return NewSecret(fresh), tc.failure
				}
			})
			_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns", Body: []byte(`{}`)})
			sent := w.requests()
			if len(sent) != tc.sent || (err == nil) != (tc.class == nil) ||
				tc.class != nil && !errors.Is(err, tc.class) {
				t.Fatalf("%d sent, %v; want %d, %v", len(sent), err, tc.sent, tc.class)
			}
			for i, s := range sent {
				want := []string{old, fresh}[min(i, 1)]
				if s.account != "adacct_1" || s.header.Get("Authorization") != "Bearer "+want {
					t.Errorf("request %d goes as %q for %q; want %q for adacct_1", i, s.header.Get("Authorization"),
						s.account, want)
				}
			}
			if err == nil {
				return
			}
			text := err.Error()
			if AppliedOf(err) != Never || !strings.Contains(text, tc.says) || strings.Contains(text, "canary") {
				t.Errorf("error %v, applied %s; want never, %q, and no token", err, AppliedOf(err), tc.says)
			}
		})
	}
}

// A login that cannot be renewed now is a service that is away: nothing was sent, and it goes again.
func TestNoTokenForNow(t *testing.T) {
	w, asked := &wire{answers: []answer{{status: 200, body: `{"id":"c"}`}}}, 0
	c := clientOf(t, w, func(cfg *Config) {
		cfg.Key = Secret{}
		cfg.Tokens = func(context.Context, Secret) (Secret, error) {
			if asked++; asked < 3 {
				return Secret{}, errors.New("the authorization server is away")
			}
			return NewSecret("oat-canary"), nil
		}
		cfg.Sleep = func(context.Context, time.Duration) error { return nil }
	})
	if _, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns", Body: []byte(`{}`)}); err != nil || asked != 3 {
		t.Errorf("%v, asked %d times; want it done at the third", err, asked)
	}
}
