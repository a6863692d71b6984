package githubtest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// App is an app that is installed at the owner of the repository. Its tokens are taken, and nobody else's.
type App struct {
	ID, Installation int64
	Key              *rsa.PublicKey
	Lasts            time.Duration // each token
	Slug             string

	made  atomic.Int64
	until time.Time
}

// Made is how many tokens it was given.
func (a *App) Made() int { return int(a.made.Load()) }

// who writes comments: the app or, where it is nil, the user.
func (a *App) who() (login string, bot bool) {
	if a != nil {
		return a.Slug + "[bot]", true
	}
	return User, false
}

// letsIn reports whether a request has what its path wants: the word of the app itself, or a token.
func (a *App) letsIn(r *http.Request, now time.Time) bool {
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case a == nil:
		return bearer == Token
	case r.URL.Path == "/app" || strings.HasPrefix(r.URL.Path, "/app/"):
		return a.wrote(bearer, now)
	}
	return bearer == a.current() && now.Before(a.until)
}

func (a *App) current() string { return fmt.Sprintf("ghs_token_of_the_tests_%d", a.made.Load()) }

// wrote reports whether the app has signed this, for ten minutes at most.
func (a *App) wrote(text string, now time.Time) bool {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return false
	}
	var decoded [3][]byte
	for i, part := range parts {
		var err error
		if decoded[i], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			return false
		}
	}
	var head struct{ Alg string }
	var claims struct {
		Iss      string
		Iat, Exp int64
	}
	if json.Unmarshal(decoded[0], &head) != nil || json.Unmarshal(decoded[1], &claims) != nil {
		return false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	return head.Alg == "RS256" && rsa.VerifyPKCS1v15(a.Key, crypto.SHA256, sum[:], decoded[2]) == nil &&
		claims.Iss == fmt.Sprint(a.ID) && claims.Iat <= now.Unix() &&
		claims.Exp > now.Unix() && claims.Exp <= now.Add(10*time.Minute).Unix()
}

// answer answers what an app asks of itself, by the examples of a server.
func (a *App) answer(s *Server, parameters map[string]string) (code int, answer any) {
	switch parameters["installation_id"] {
	case "":
		return http.StatusOK, s.like("integration", "id", a.ID, "slug", a.Slug)
	case fmt.Sprint(a.Installation):
		a.made.Add(1)
		a.until = s.Now().Add(a.Lasts)
		return http.StatusCreated, s.like("installation-token", "token", a.current(),
			"expires_at", a.until.UTC().Format(time.RFC3339))
	}
	return http.StatusNotFound, map[string]any{"message": "Not Found"}
}
