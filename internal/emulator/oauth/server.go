// Package oauth is a small authorization server for trying OAuth clients: the
// authorization code flow with PKCE, refresh tokens, and a consent page on which
// anyone may pick the user to be. It refuses clients without PKCE and redirect
// addresses that are not registered. Its invariant: a token never has a scope
// that its user did not consent to, and all times are those of the emulator's clock.
//
// The interface leaves the flow, its addresses, the form and the lifetime of
// tokens open (part 5); what is here follows RFC 6749, 7009, 7636, 8252 and 8414.
package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
)

// Scopes that can be asked for.
const (
	ScopeRead    = "ads.admin.all.read"
	ScopeWrite   = "ads.admin.all.write"
	scopeOffline = "offline_access" // asks for a refresh token
)

// scopes are all of them, with what the consent page says of each.
var scopes = []struct{ Name, Meaning string }{
	{ScopeRead, "see your ad accounts, campaigns and reports"},
	{ScopeWrite, "change your ad accounts and campaigns, and spend money"},
	{scopeOffline, "keep this access while you are away"},
	{"openid", "know that it is you"},
	{"profile", "see your name"},
}

// codeLife is how long an authorization code is good for.
const codeLife = 10 * time.Minute

// Server is the authorization server.
type Server struct {
	directory *world.Directory
	points    *openpoint.Settings
	now       func() time.Time
	random    io.Reader
}

// NewServer is the server over the emulator's users and clients. random makes
// codes and tokens.
func NewServer(w *world.World, points *openpoint.Settings, random io.Reader) *Server {
	return &Server{directory: w.Directory, points: points, now: w.Clock.Now, random: random}
}

// Routes are the addresses of the server, by method and pattern.
func (s *Server) Routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /_oauth/authorize":                       s.ask,
		"POST /_oauth/authorize":                      s.decide,
		"POST /_oauth/token":                          s.token,
		"POST /_oauth/revoke":                         s.revoke,
		"GET /.well-known/oauth-authorization-server": s.metadata,
	}
}

// secret is a fresh secret of 256 bits.
func (s *Server) secret(prefix string) (string, error) {
	var b [32]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return "", err
	}
	return prefix + base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// grantOf names a consent by its code's hash.
func grantOf(codeHash string) string {
	sum := sha256.Sum256([]byte("grant/" + codeHash))
	return "grant_" + hex.EncodeToString(sum[:12])
}

func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	issuer := "http://" + r.Host
	var names []string
	for _, scope := range scopes {
		names = append(names, scope.Name)
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                issuer,
		"authorization_endpoint":                issuer + "/_oauth/authorize",
		"token_endpoint":                        issuer + "/_oauth/token",
		"revocation_endpoint":                   issuer + "/_oauth/revoke",
		"response_types_supported":              []string{"code"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"},
		"scopes_supported":                      names,
	})
}
