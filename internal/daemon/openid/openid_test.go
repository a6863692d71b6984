package openid

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"adsync/internal/secret"
	"adsync/internal/testing/openidtest"

	"github.com/golang-jwt/jwt/v5"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

type object = openidtest.Object

// provider is one under the test's hands.
type provider struct {
	*openidtest.Provider
	t *testing.T
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	return &provider{openidtest.Start(t, func() time.Time { return noon }), t}
}

// daemon is what logs people in there.
func (p *provider) daemon(change func(*Config)) *Provider {
	p.t.Helper()
	c := Config{Issuer: p.At, ClientID: openidtest.Client, Secret: secret.New(openidtest.Secret),
		Redirect: "http://localhost:8787" + AnswerPath, Scopes: []string{"email"}, Name: "email", Groups: "groups",
		Now: func() time.Time { return noon }}
	if change != nil {
		change(&c)
	}
	d, err := New(c)
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

// begin leads a browser there: what the provider is asked, what it answers, and the cookie.
func begin(t *testing.T, d *Provider) (asked, answer url.Values, cookie string) {
	t.Helper()
	address, cookie, err := d.Begin(t.Context(), "/accounts/shoes?sort=spend")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	still := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	led, err := still.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer led.Body.Close()
	back, err := led.Location()
	if err != nil || !strings.HasPrefix(back.String(), d.Redirect+"?") {
		t.Fatal(back, err)
	}
	return u.Query(), back.Query(), cookie
}

// says reports whether words have a secret in them.
func says(words string) bool {
	return strings.Contains(words, openidtest.Access) || strings.Contains(words, openidtest.Code) ||
		strings.Contains(words, openidtest.Secret)
}

// login goes the whole way.
func login(t *testing.T, d *Provider) (Person, error) {
	t.Helper()
	_, answer, cookie := begin(t, d)
	who, _, err := d.Finish(t.Context(), cookie, answer)
	return who, err
}

func TestWhoeverTheProviderNamesIsLoggedIn(t *testing.T) {
	p := newProvider(t)
	d := p.daemon(nil)
	asked, answer, cookie := begin(t, d)
	if asked.Get("scope") != "openid email" || asked.Get("response_type") != "code" ||
		asked.Get("code_challenge_method") != "S256" || asked.Get("redirect_uri") != d.Redirect ||
		len(asked.Get("state")) < 26 || len(asked.Get("nonce")) < 26 {
		t.Errorf("the provider is asked %v", asked)
	}
	who, back, err := d.Finish(t.Context(), cookie, answer)
	if err != nil || who.Login != "anna@example.com" || strings.Join(who.Groups, " ") != "buyers all" ||
		back != "/accounts/shoes?sort=spend" {
		t.Errorf("%+v, %q, %v", who, back, err)
	}
	_, _, err = d.Finish(t.Context(), cookie, answer)
	if err == nil || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("the same answer once more: %v", err)
	}
	_, answer, cookie = begin(t, d)
	if _, _, err := p.daemon(nil).Finish(t.Context(), cookie, answer); err != nil { // as daemons of a database do
		t.Errorf("at another daemon, which has the same secret: %v", err)
	}
	if at := d.LogoutURL(t.Context()); at != p.At+"/logout?client_id=adsync" {
		t.Errorf("one logs out at %q", at)
	}
}

// X13: whoever comes back has to be the browser that went, with the answer to what it asked.
func TestX13ALoginIsOfOneBrowser(t *testing.T) {
	p := newProvider(t)
	d := p.daemon(nil)
	asked, _, cookie := begin(t, d)
	state := asked.Get("state")
	_, _, others := begin(t, d)
	elsewhere := p.daemon(func(c *Config) { c.Secret = secret.New("another secret of some length") })
	_, _, foreign := begin(t, elsewhere)
	changed := []byte(cookie)
	changed[0] ^= 1
	for name, row := range map[string]struct {
		cookie, state string
		later         time.Duration
	}{
		"no cookie": {"", state, 0}, "no state": {cookie, "", 0}, "another state": {cookie, "x" + state[1:], 0},
		"the cookie of another login": {others, state, 0}, "a cookie that somebody made": {"e30", state, 0},
		"a cookie of another secret": {foreign, state, 0}, "a cookie cut short": {cookie[:len(cookie)-4], state, 0},
		"a cookie that was changed": {string(changed), state, 0},
		"much later":                {cookie, state, FlightLasts + time.Second},
	} {
		asked := p.Asked()
		d.Now = func() time.Time { return noon.Add(row.later) }
		_, _, err := d.Finish(t.Context(), row.cookie, url.Values{"state": {row.state}, "code": {openidtest.Code}})
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Stale {
			t.Errorf("%s: %v; want no login", name, err)
		}
		if p.Asked() != asked {
			t.Errorf("%s: the provider was asked", name)
		}
	}
	d.Now = func() time.Time { return noon }
	if b, err := base64.RawURLEncoding.DecodeString(cookie); err != nil || strings.Contains(string(b), state) {
		t.Errorf("the cookie shows the state: %v", err)
	}
	refusals := map[string]url.Values{
		"access_denied":            {"error": {"access_denied"}},
		"an error without a code":  {"error": {"<b>" + openidtest.Code}},
		"of another provider":      {"iss": {"https://evil.example"}, "code": {openidtest.Code}},
		"the answer has no code":   {},
		"did not log you in (temp": {"error": {"temporarily_unavailable"}, "code": {openidtest.Code}},
	}
	for want, answer := range refusals {
		answer.Set("state", state)
		if _, back, err := d.Finish(t.Context(), cookie, answer); err == nil || !strings.Contains(err.Error(), want) ||
			back == "" || strings.Contains(err.Error(), openidtest.Code) {
			t.Errorf("%v gives %v; want %q", answer, err, want)
		}
	}
}

// X13: an ID token that proves nothing logs nobody in, and the words are true of the case.
func TestX13IDTokensThatProveNothing(t *testing.T) {
	p := newProvider(t)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	hmac := func(claims jwt.MapClaims) string {
		text, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(p.PublicKey())
		return text
	}
	none := func(claims jwt.MapClaims) string {
		text, _ := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
		return text
	}
	for _, row := range []struct {
		name   string
		claims object
		sign   func(jwt.MapClaims) string
		want   string
	}{
		{name: "expired", claims: object{"exp": noon.Add(-time.Second).Unix()},
			want: "the ID token expired at 2026-11-29T11:59:59Z"},
		{name: "of an hour that comes", claims: object{"nbf": noon.Add(time.Hour).Unix()}, want: "not before"},
		{name: "without an end", claims: object{"exp": nil}, want: "does not say when"},
		{name: "for another", claims: object{"aud": "another"}, want: `expected audience "adsync"`},
		{name: "for nobody", claims: object{"aud": nil}, want: "expected audience"},
		{name: "for two, and nobody says for whom", want: "azp",
			claims: object{"aud": []string{openidtest.Client, "another"}}},
		{name: "issued to another", claims: object{"azp": "another"}, want: "azp"},
		{name: "of another provider", claims: object{"iss": "https://evil.example"}, want: "different provider"},
		{name: "of another login", claims: object{"nonce": "another"}, want: "nonce"},
		{name: "without a nonce", claims: object{"nonce": nil}, want: "nonce"},
		{name: "of another access token", claims: object{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, want: "at_hash"},
		{name: "not signed", sign: none, want: "none"},
		{name: "signed by its public key as a secret", sign: hmac, want: "HS256"},
		{name: "signed by somebody else", want: "signature",
			sign: func(c jwt.MapClaims) string { return p.SignedBy(stranger, c) }},
		{name: "no token", sign: func(jwt.MapClaims) string { return "x.y" }, want: "malformed"},
		{name: "nothing", sign: func(jwt.MapClaims) string { return "" }, want: "no ID token"},
		{name: "mail that is not verified", claims: object{"email_verified": false}, want: "email_verified"},
		{name: "mail that is hardly verified", claims: object{"email_verified": "yes"}, want: "email_verified"},
		{name: "a name that is no text", claims: object{"email": []string{"anna@example.com"}}, want: "claim email"},
		{name: "an empty name", claims: object{"email": ""}, want: "claim email"},
		{name: "groups that are none", claims: object{"groups": object{"a": 1}}, want: "groups_claim"},
	} {
		p.Claims, p.Sign = row.claims, row.sign
		who, err := login(t, p.daemon(nil))
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != Refused || !strings.Contains(e.Why, row.want) || who.Login != "" {
			t.Errorf("%s: %+v, %v; want it refused for %q", row.name, who, err, row.want)
		}
		if ok && (says(e.Why) || len(e.Why) > 400) {
			t.Errorf("%s: says too much: %s", row.name, e.Why)
		}
	}
	p.Claims, p.Sign = object{"email_verified": "true", "groups": "buyers"}, nil // as some providers have it
	if who, err := login(t, p.daemon(nil)); err != nil || len(who.Groups) != 1 {
		t.Errorf("%+v, %v", who, err)
	}
}

// What the ID token leaves out is asked for; whom it speaks of there has to be the same.
func TestClaimsBesideTheIDToken(t *testing.T) {
	p := newProvider(t)
	p.Claims = object{"email": nil, "email_verified": nil, "groups": nil}
	who, err := login(t, p.daemon(nil))
	if err != nil || who.Login != "anna@example.com" || strings.Join(who.Groups, " ") != "buyers" {
		t.Errorf("%+v, %v", who, err)
	}
	say := func(text string) {
		answer := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
		p.Answer = map[string]openidtest.Answer{"/userinfo": answer}
	}
	for text, want := range map[string]string{
		`{"sub":"u2","email":"anna@example.com","email_verified":true}`: "another user",
		`{"email":"anna@example.com","email_verified":true}`:            "another user",
		`{"sub":"u1","email":"anna@example.com"}`:                       "email_verified",
		`{"sub":"u1"}`: "claim email",
		`{"sub":"u1","email":"a@x","email_verified":true,"groups":[1]}`: "groups_claim",
		`{"sub":"u1","email":"anna@example.com","email_verified":"no"}`: "userinfo",
		openidtest.Access: "userinfo",
	} {
		say(text)
		if who, err := login(t, p.daemon(nil)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), openidtest.Access) {
			t.Errorf("%s gives %+v, %v; want %q", text, who, err, want)
		}
	}
	p.Claims = object{"groups": nil, "_claim_names": object{"groups": "src1"},
		"_claim_sources": object{"src1": object{"endpoint": "http://169.254.169.254/"}}}
	say(`{"sub":"u1"}`)
	if _, err := login(t, p.daemon(nil)); err == nil || !strings.Contains(err.Error(), "more groups") {
		t.Errorf("groups that are left out: %v", err)
	}
	if who, err := login(t, p.daemon(func(c *Config) { c.Groups = "" })); err != nil || who.Groups != nil {
		t.Errorf("where groups give no roles: %+v, %v", who, err)
	}
}

// A provider that changes its keys, is down, comes back, or answers as none does.
func TestAProviderThatIsOtherwise(t *testing.T) {
	p := newProvider(t)
	d := p.daemon(nil)
	if _, err := login(t, d); err != nil {
		t.Fatal(err)
	}
	p.Rotate()
	if _, err := login(t, d); err != nil {
		t.Errorf("after it changed its keys: %v", err)
	}
	away := func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, openidtest.Access, http.StatusServiceUnavailable)
	}
	large := func(w http.ResponseWriter, _ *http.Request) {
		for range 3 * answerMost / 1000 {
			_, _ = io.WriteString(w, strings.Repeat(" ", 1000))
		}
	}
	elsewhere := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
		w.WriteHeader(http.StatusFound)
	}
	code := func(code string, status int) openidtest.Answer {
		return func(w http.ResponseWriter, r *http.Request) {
			openidtest.Say(w, status, object{"error": code, "error_description": r.Form.Encode()})
		}
	}
	const discovery = "/.well-known/openid-configuration"
	for _, row := range []struct {
		path   string
		answer openidtest.Answer
		want   string
		kind   Kind
	}{
		{discovery, away, "does not answer as", Away}, {discovery, large, "larger than", Away},
		{discovery, elsewhere, "redirect", Away},
		{"/token", away, "answered 503", Away}, {"/token", large, "does not answer as", Away},
		{"/token", elsewhere, "redirect", Away},
		{"/token", code("invalid_grant", 400), "invalid_grant", Refused},
		{"/token", code("invalid_client", 401), "client_secret", Away},
		{"/token", code(openidtest.Code, 400), "answered 400", Away},
		{"/keys", away, "does not answer as", Away}, {"/keys", large, "larger than", Away},
		{"/keys", elsewhere, "redirect", Away},
	} {
		p.Answer = map[string]openidtest.Answer{row.path: row.answer}
		d := p.daemon(nil)
		_, _, err := d.Begin(t.Context(), "/")
		if row.path != discovery {
			_, err = login(t, d)
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != row.kind || !strings.Contains(e.Why, row.want) || len(e.Why) > 400 ||
			says(e.Why) {
			t.Errorf("%s: %v; want %q", row.path, err, row.want)
		}
	}
	p.Answer = nil
	for name, address := range map[string]string{
		"authorization_endpoint": "javascript:alert(1)", "token_endpoint": "http://169.254.169.254/token",
		"jwks_uri": "", "issuer": "https://evil.example",
	} {
		p.Found = object{name: address}
		if _, _, err := p.daemon(nil).Begin(t.Context(), "/"); err == nil {
			t.Errorf("%s %q is taken", name, address)
		}
	}
	p.Found = object{"end_session_endpoint": "javascript:alert(1)"}
	if at := p.daemon(nil).LogoutURL(t.Context()); at != "" {
		t.Errorf("one logs out at %q", at)
	}
}

// A provider that was down is asked again once somebody logs in, and not by everybody at once.
func TestAProviderThatComesBack(t *testing.T) {
	p := newProvider(t)
	now := noon
	d := p.daemon(func(c *Config) { c.Now = func() time.Time { return now } })
	p.Answer = map[string]openidtest.Answer{
		"/.well-known/openid-configuration": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }}
	for range 3 {
		if _, _, err := d.Begin(t.Context(), "/"); err == nil {
			t.Fatal("it is down")
		}
	}
	if n := p.Asked(); n != 1 {
		t.Errorf("it was asked %d times within 5 seconds; want once", n)
	}
	p.Answer = nil
	now = now.Add(failedFor)
	if _, _, err := d.Begin(t.Context(), "/"); err != nil {
		t.Errorf("it is back: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	other := p.daemon(nil)
	if _, _, err := other.Begin(gone, "/"); err == nil {
		t.Error("whoever is gone is answered")
	}
	if _, _, err := other.Begin(t.Context(), "/"); err != nil {
		t.Errorf("after somebody who has gone: %v", err)
	}
}

func TestAddressesThatAreNotSafe(t *testing.T) {
	const own = "https://ads.example.com" + AnswerPath
	for issuer, redirect := range map[string]string{
		"http://login.example.com": own, "https://": own, "ftp://x": own, "https://a:b@login.example.com": own,
		"https://login.example.com/?x=1": own, "https://login.example.com#x": own,
		"https://1": "http://ads.example.com" + AnswerPath, "https://2": "https://ads.example.com/",
		"https://3": AnswerPath, "https://4": own + "?x=1",
	} {
		short := Config{Issuer: "https://login.example.com", ClientID: openidtest.Client, Secret: secret.New("short"),
			Redirect: own}
		if _, err := New(short); err == nil || strings.Contains(err.Error(), "short") {
			t.Errorf("a short secret: %v", err)
		}
		c := Config{Issuer: issuer, ClientID: openidtest.Client, Secret: secret.New(openidtest.Secret),
			Redirect: redirect}
		if _, err := New(c); err == nil {
			t.Errorf("issuer %q with redirect %q is taken", c.Issuer, c.Redirect)
		}
	}
}
