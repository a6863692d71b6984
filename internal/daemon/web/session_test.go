package web

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestX13ASessionsCookie(t *testing.T) {
	for _, secure := range []bool{false, true} {
		a := ask(t, func(o *Options) {
			if secure {
				o.TLS = &tls.Config{}
			}
		})
		answer := a.send("POST",
			"/login", url.Values{"name": {"Ann"}, "token": {theToken}, "back": {"/accounts/shoes"}}.Encode(), formBody)
		c := answer.Cookies()[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" ||
			c.Secure != secure || strings.HasPrefix(c.Name, "__Host-") != secure || len(c.Value) != 64 {
			t.Errorf("cookie %+v", c)
		}
		if to := answer.Header.Get("Location"); to != "/accounts/shoes?done=login" {
			t.Errorf("leads to %q", to)
		}
		a.cookie = c.Value
		form := a.form()
		a.server.Now = func() time.Time { return noon.Add(sessionLasts) }
		if strings.Contains(text(t, a.get("/")), form) {
			t.Error("a session lasts longer than it should")
		}
	}
	a := ask(t, nil)
	a.login("Ann")
	wantStatus(t, a.submit("/logout", url.Values{}), http.StatusSeeOther)
	if strings.Contains(text(t, a.get("/")), "Log out") {
		t.Error("the session is there after its end")
	}
}

// lostSessions are kept where nobody can be asked.
type lostSessions struct{}

func (lostSessions) Begin(context.Context, [sha256.Size]byte, string, time.Duration) error {
	return errors.New("away")
}

func (lostSessions) Of(context.Context, [sha256.Size]byte) (string, error) {
	return "", errors.New("away")
}

func (lostSessions) All(context.Context) (map[[sha256.Size]byte]string, error) {
	return nil, errors.New("away")
}

func (lostSessions) End(context.Context, [sha256.Size]byte) error { return errors.New("away") }

// Where nobody can say who is logged in, whoever may read without a session does, and nobody orders.
func TestX13SessionsThatCannotBeKnown(t *testing.T) {
	a := ask(t, func(o *Options) { o.Sessions = lostSessions{} })
	a.cookie = drawn()
	wantStatus(t, a.get("/"), http.StatusOK)
	for _, answer := range []*http.Response{
		a.send("POST", "/accounts/shoes/wake", "form=x", formBody, "Sec-Fetch-Site: same-origin"),
		a.send("POST", "/login", url.Values{"name": {"Ann"}, "token": {theToken}}.Encode(), formBody),
	} {
		wantStatus(t, answer, http.StatusServiceUnavailable)
	}
}
