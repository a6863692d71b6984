// Package openidtest is a provider of OpenID Connect that does whatever a test wants of it: its ID tokens are
// another's, its answers huge, its keys change. Everybody who comes is Anna.
//
// It refuses to share code with what logs in there, or with the library which that is built on. Its one invariant:
// where a test wants nothing else, it holds to the protocol, and takes a code once, from the client that asked for it
// (RFC 7636).
package openidtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// What the provider and its one client know.
const (
	Client = "adsync"
	Secret = "what only the daemon and the provider know"
	Code   = "a code: 8d1f77"          // it gives, with a number behind it
	Access = "an access token: 41c09e" // it gives
)

// Object is one of JSON.
type Object map[string]any

// Answer answers a request, of which the form is read, in the place of what the provider would.
type Answer func(http.ResponseWriter, *http.Request)

// Provider is one. A test sets what is to be otherwise before it asks.
type Provider struct {
	At  string           // its address
	Now func() time.Time // of its tokens

	Found  Object                     // of what discovery says; what is not in it is as usual
	Claims Object                     // of ID tokens; a nil one is left out
	Sign   func(jwt.MapClaims) string // nil: it signs by its key
	Answer map[string]Answer          // by path
	Tokens []url.Values               // what each request for tokens had in it, with the client as "client"

	t     *testing.T
	mu    sync.Mutex
	key   *ecdsa.PrivateKey
	kid   string
	asked int
	given map[string]url.Values // what was asked for, by the code given for it
}

// Start starts one, which ends with the test.
func Start(t *testing.T, now func() time.Time) *Provider {
	t.Helper()
	p := &Provider{t: t, Now: now, given: map[string]url.Values{}}
	p.Rotate()
	server := httptest.NewServer(p)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	p.At = server.URL
	return p
}

// Rotate gives it another key.
func (p *Provider) Rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	p.key, p.kid = key, rand.Text()
}

// Asked returns how many requests came.
func (p *Provider) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if err := r.ParseForm(); err != nil {
		http.Error(w, "no form", http.StatusBadRequest)
		return
	}
	if other := p.Answer[r.URL.Path]; other != nil {
		other(w, r)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		said := Object{"issuer": p.At, "authorization_endpoint": p.At + "/authorize", "token_endpoint": p.At + "/token",
			"jwks_uri": p.At + "/keys", "userinfo_endpoint": p.At + "/userinfo",
			"end_session_endpoint":                  p.At + "/logout",
			"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}}
		maps.Copy(said, p.Found)
		Say(w, http.StatusOK, said)
	case "/keys":
		Say(w, http.StatusOK, Object{"keys": []Object{p.publicKey()}})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.giveTokens(w, r)
	case "/userinfo":
		Say(w, http.StatusOK, Object{"sub": "u1", "email": "anna@example.com", "email_verified": true,
			"groups": []string{"buyers"}})
	default:
		http.NotFound(w, r)
	}
}

// Say answers by JSON.
func Say(w http.ResponseWriter, status int, o Object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(o) // who asked may be gone
}

// authorize logs Anna in, and leads her back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	code := Code + " " + rand.Text()
	p.given[code] = r.Form
	back := url.Values{"code": {code}, "state": {r.Form.Get("state")}, "iss": {p.At}}
	http.Redirect(w, r, r.Form.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (p *Provider) giveTokens(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	asks := maps.Clone(r.Form)
	asks.Set("client", user+" "+password)
	p.Tokens = append(p.Tokens, asks)
	given, is := p.given[asks.Get("code")]
	delete(p.given, asks.Get("code"))
	sum := sha256.Sum256([]byte(asks.Get("code_verifier")))
	switch {
	case user != Client || password != url.QueryEscape(Secret):
		Say(w, http.StatusUnauthorized, Object{"error": "invalid_client"})
	case !is || given.Get("redirect_uri") != asks.Get("redirect_uri") || given.Get("code_challenge_method") != "S256" ||
		given.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]):
		Say(w, http.StatusBadRequest, Object{"error": "invalid_grant"})
	default:
		Say(w, http.StatusOK, Object{"access_token": Access, "token_type": "Bearer", "expires_in": 60,
			"id_token": p.idToken(given.Get("nonce"))})
	}
}

func (p *Provider) idToken(nonce string) string {
	claims := jwt.MapClaims{"iss": p.At, "aud": Client, "sub": "u1", "nonce": nonce,
		"iat": p.Now().Unix(), "exp": p.Now().Add(time.Minute).Unix(),
		"email": "anna@example.com", "email_verified": true, "groups": []string{"buyers", "all"}}
	for name, value := range p.Claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	if p.Sign != nil {
		return p.Sign(claims)
	}
	return p.SignedBy(p.key, claims)
}

// SignedBy signs claims by a key, and calls it the provider's.
func (p *Provider) SignedBy(key *ecdsa.PrivateKey, claims jwt.MapClaims) string {
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = p.kid
	text, err := token.SignedString(key)
	if err != nil {
		p.t.Error(err)
	}
	return text
}

// PublicKey returns the public half of its key, uncompressed.
func (p *Provider) PublicKey() []byte {
	public, err := p.key.PublicKey.Bytes()
	if err != nil {
		p.t.Error(err)
	}
	return public
}

func (p *Provider) publicKey() Object {
	public, b64 := p.PublicKey(), base64.RawURLEncoding.EncodeToString
	return Object{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": p.kid,
		"x": b64(public[1:33]), "y": b64(public[33:])}
}
