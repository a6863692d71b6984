package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
)

// issued is the answer of the token address.
type issued struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
}

// verifierForm is what a code verifier looks like (RFC 7636, section 4.1).
var verifierForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`) })

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	form, ok := readForm(w, r)
	if !ok {
		return
	}
	answer, wrong, err := s.exchange(form)
	switch {
	case err != nil:
		writeJSON(w, http.StatusServiceUnavailable, refusal{"server_error", err.Error()})
	case wrong != nil && wrong.Code == "invalid_client":
		writeJSON(w, http.StatusUnauthorized, wrong)
	case wrong != nil:
		writeJSON(w, http.StatusBadRequest, wrong)
	default:
		writeJSON(w, http.StatusOK, answer)
	}
}

func readForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	err := r.ParseForm()
	if kind := r.Header.Get("Content-Type"); err != nil ||
		!strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
		writeJSON(w, http.StatusBadRequest,
			refusal{"invalid_request", "the body must be application/x-www-form-urlencoded"})
		return nil, false
	}
	for name, values := range r.PostForm {
		if len(values) > 1 {
			writeJSON(w, http.StatusBadRequest, refusal{"invalid_request", name + " is given more than once"})
			return nil, false
		}
	}
	return r.PostForm, true
}

// exchange returns tokens for a code or a refresh token. What a refusal revokes
// stays revoked.
func (s *Server) exchange(form url.Values) (answer issued, wrong *refusal, err error) {
	secrets, err := s.secrets()
	if err != nil {
		return answer, nil, err
	}
	err = s.directory.Update(world.Cause{Actor: form.Get("client_id"), Endpoint: "POST /_oauth/token"},
		func(tx *world.Tx) error {
			if _, known := s.directory.Clients.Get(form.Get("client_id")); !known {
				wrong = &refusal{"invalid_client", "no client is registered as " + form.Get("client_id")}
				return nil
			}
			switch form.Get("grant_type") {
			case "authorization_code":
				answer, wrong = s.byCode(tx, form, secrets)
			case "refresh_token":
				answer, wrong = s.byRefresh(tx, form, secrets)
			default:
				wrong = &refusal{"unsupported_grant_type", "grant_type must be authorization_code or refresh_token"}
			}
			return nil
		})
	return answer, wrong, err
}

// fresh are the secrets one exchange may need.
type fresh struct{ access, refresh string }

func (s *Server) secrets() (f fresh, err error) {
	if f.access, err = s.secret("oat_"); err != nil {
		return f, err
	}
	f.refresh, err = s.secret("ort_")
	return f, err
}

func (s *Server) byCode(tx *world.Tx, form url.Values, secrets fresh) (issued, *refusal) {
	code, ok := s.directory.Codes.Get(world.HashKey(form.Get("code")))
	switch {
	case !ok || code.ClientID != form.Get("client_id") || tx.Now.Unix() >= code.ExpiresAt:
		return issued{}, &refusal{"invalid_grant", "the code is unknown, expired, or another client's"}
	case code.Used:
		s.directory.Revoke(tx, s.directory.TokensOf.Of(code.Grant)...)
		return issued{}, &refusal{"invalid_grant", "the code was used before; its tokens are revoked"}
	case code.RedirectURI != form.Get("redirect_uri"):
		return issued{}, &refusal{"invalid_grant", "redirect_uri is not the one of the request"}
	case !verifies(form.Get("code_verifier"), code.Challenge):
		return issued{}, &refusal{"invalid_grant", "code_verifier does not match the code_challenge"}
	}
	code.Used = true
	s.directory.Codes.Put(tx, code)
	grant := world.OAuthToken{Grant: code.Grant, ClientID: code.ClientID, UserID: code.UserID, Scopes: code.Scopes}
	answer := s.issue(tx, grant, secrets.access)
	if slices.Contains(code.Scopes, scopeOffline) {
		answer.RefreshToken = s.issueRefresh(tx, grant, secrets.refresh)
	}
	return answer, nil
}

// verifies compares a verifier with its S256 challenge.
func verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifierForm().MatchString(verifier) && subtle.ConstantTimeCompare([]byte(made), []byte(challenge)) == 1
}

// byRefresh returns a new access token. A refresh token that was replaced before is
// in the wrong hands: its whole grant ends.
func (s *Server) byRefresh(tx *world.Tx, form url.Values, secrets fresh) (issued, *refusal) {
	held, ok := s.directory.Tokens.Get(world.HashKey(form.Get("refresh_token")))
	if !ok || !held.Refresh || held.ClientID != form.Get("client_id") {
		return issued{}, &refusal{"invalid_grant", "the refresh token is unknown or another client's"}
	}
	if held.Revoked {
		s.directory.Revoke(tx, s.directory.TokensOf.Of(held.Grant)...)
		return issued{}, &refusal{"invalid_grant", "the refresh token was replaced or revoked; its grant has ended"}
	}
	wanted := held.Scopes
	if form.Has("scope") {
		var wrong *refusal
		if wanted, wrong = readScopes(form.Get("scope")); wrong != nil {
			return issued{}, wrong
		}
		for _, name := range wanted {
			if !slices.Contains(held.Scopes, name) {
				return issued{}, &refusal{"invalid_scope", "the user did not consent to " + name}
			}
		}
	}
	grant := held
	grant.Scopes = wanted
	answer := s.issue(tx, grant, secrets.access)
	answer.RefreshToken = form.Get("refresh_token")
	if s.points.Is(openpoint.OAuthRefresh, "replaced") {
		s.directory.Revoke(tx, held)
		answer.RefreshToken = s.issueRefresh(tx, held, secrets.refresh)
	}
	return answer, nil
}

// issue keeps a new access token of a grant.
func (s *Server) issue(tx *world.Tx, grant world.OAuthToken, secret string) issued {
	life := s.points.Duration(openpoint.OAuthTokenLife)
	grant.Hash, grant.Refresh, grant.ExpiresAt = world.HashKey(secret), false, tx.Now.Add(life).Unix()
	s.directory.Tokens.Put(tx, grant)
	return issued{
		AccessToken: secret, TokenType: "Bearer", ExpiresIn: int64(life.Seconds()),
		Scope: strings.Join(grant.Scopes, " "),
	}
}

func (s *Server) issueRefresh(tx *world.Tx, grant world.OAuthToken, secret string) string {
	grant.Hash, grant.Refresh, grant.ExpiresAt, grant.Revoked = world.HashKey(secret), true, 0, false
	s.directory.Tokens.Put(tx, grant)
	return secret
}

// revoke ends an access token, or with a refresh token its whole grant. It says
// nothing of whether there was one (RFC 7009).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	form, ok := readForm(w, r)
	if !ok {
		return
	}
	err := s.directory.Update(world.Cause{Actor: form.Get("client_id"), Endpoint: "POST /_oauth/revoke"},
		func(tx *world.Tx) error {
			held, ok := s.directory.Tokens.Get(world.HashKey(form.Get("token")))
			switch {
			case !ok || held.ClientID != form.Get("client_id"):
			case held.Refresh:
				s.directory.Revoke(tx, s.directory.TokensOf.Of(held.Grant)...)
			default:
				s.directory.Revoke(tx, held)
			}
			return nil
		})
	if err != nil {
		writeJSON(w, http.StatusServiceUnavailable, refusal{"server_error", err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, struct{}{})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
