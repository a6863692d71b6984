package oauth

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"adsync/internal/emulator/world"
)

// request is an authorization request that may be shown to the user.
type request struct {
	client    world.OAuthClient
	redirect  string
	state     string
	scopes    []string
	challenge string
}

// refusal is an error of RFC 6749.
type refusal struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (r refusal) Error() string { return r.Code + ": " + r.Description }

// s256 is what a S256 code challenge looks like (RFC 7636, section 4.2).
var s256 = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`) })

// ask shows the consent page.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	if q, ok := s.readRequest(w, r, r.URL.Query()); ok {
		s.page(w, r.URL.Query(), q)
	}
}

// decide takes the answer of the consent page and sends the user back.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if err := r.ParseForm(); err != nil {
		problem(w, "The form is damaged.")
		return
	}
	q, ok := s.readRequest(w, r, r.PostForm)
	if !ok {
		return
	}
	user, known := s.directory.User(r.PostForm.Get("user"))
	switch {
	case r.PostForm.Get("decision") != "allow":
		back(w, r, q.redirect, q.state, url.Values{
			"error": {"access_denied"}, "error_description": {"The user said no."},
		})
		return
	case !known:
		problem(w, "No such user.")
		return
	}
	code, err := s.issueCode(q, user)
	if err != nil {
		problem(w, "The code could not be made: "+err.Error())
		return
	}
	back(w, r, q.redirect, q.state, url.Values{"code": {code}})
}

// readRequest checks an authorization request. A wrong client or redirect
// address is told to the user, since there is nobody safe to send back to;
// everything else is told to the client.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request, form url.Values) (request, bool) {
	q := request{redirect: form.Get("redirect_uri"), state: form.Get("state"), challenge: form.Get("code_challenge")}
	err := s.directory.View(func() error {
		q.client, _ = s.directory.Clients.Get(form.Get("client_id"))
		return nil
	})
	switch {
	case err != nil || q.client.ID == "":
		problem(w, "No client is registered as "+form.Get("client_id")+".")
		return q, false
	case !registered(q.client, q.redirect):
		problem(w, "The client may not send users to "+q.redirect+".")
		return q, false
	}
	if wrong := q.read(form); wrong != nil {
		back(w, r, q.redirect, q.state, url.Values{"error": {wrong.Code}, "error_description": {wrong.Description}})
		return q, false
	}
	return q, true
}

func (q *request) read(form url.Values) *refusal {
	for name, values := range form {
		if len(values) > 1 {
			return &refusal{"invalid_request", name + " is given more than once"}
		}
	}
	switch {
	case form.Get("response_type") != "code":
		return &refusal{"unsupported_response_type", "response_type must be code"}
	case form.Get("code_challenge_method") != "S256":
		return &refusal{"invalid_request", "code_challenge_method must be S256"}
	case !s256().MatchString(q.challenge):
		return &refusal{"invalid_request", "code_challenge must be the base64url form of a SHA-256 sum"}
	}
	var wrong *refusal
	q.scopes, wrong = readScopes(form.Get("scope"))
	return wrong
}

func readScopes(text string) ([]string, *refusal) {
	names := strings.Fields(text)
	if len(names) == 0 {
		return nil, &refusal{"invalid_scope", "scope is empty"}
	}
	for _, name := range names {
		if !slices.ContainsFunc(scopes, func(known struct{ Name, Meaning string }) bool { return known.Name == name }) {
			return nil, &refusal{"invalid_scope", "no scope is called " + name}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// registered reports whether the client may send users to an address: one of its
// own, or one that differs from a loopback address of its own by the port only
// (RFC 8252, section 7.3).
func registered(c world.OAuthClient, address string) bool {
	wanted, err := url.Parse(address)
	if err != nil || wanted.Host == "" || strings.Contains(address, "#") || wanted.User != nil {
		return false
	}
	return slices.ContainsFunc(c.RedirectURIs, func(own string) bool {
		u, err := url.Parse(own)
		if err != nil || own == address {
			return err == nil
		}
		return loopback(u.Hostname()) && u.Scheme == wanted.Scheme && u.Hostname() == wanted.Hostname() &&
			u.EscapedPath() == wanted.EscapedPath() && u.RawQuery == wanted.RawQuery
	})
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// back sends the user to the client.
func back(w http.ResponseWriter, r *http.Request, redirect, state string, values url.Values) {
	u, err := url.Parse(redirect)
	if err != nil {
		problem(w, "The redirect address is damaged.")
		return
	}
	if state != "" {
		values.Set("state", state)
	}
	query := u.Query()
	for name, value := range values {
		query[name] = value
	}
	u.RawQuery = query.Encode()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}

func (s *Server) issueCode(q request, user world.User) (string, error) {
	code, err := s.secret("oac_")
	if err != nil {
		return "", err
	}
	err = s.directory.Update(world.Cause{Actor: user.ID, Endpoint: "POST /_oauth/authorize"}, func(tx *world.Tx) error {
		hash := world.HashKey(code)
		s.prune(tx)
		s.directory.Codes.Put(tx, world.OAuthCode{
			Hash: hash, Grant: grantOf(hash), ClientID: q.client.ID, UserID: user.ID, RedirectURI: q.redirect,
			Scopes: q.scopes, Challenge: q.challenge, ExpiresAt: tx.Now.Add(codeLife).Unix(),
		})
		return nil
	})
	return code, err
}

// prune forgets codes and access tokens that ended more than a day ago.
func (s *Server) prune(tx *world.Tx) {
	past := tx.Now.AddDate(0, 0, -1).Unix()
	for _, c := range s.directory.Codes.All() {
		if c.ExpiresAt < past {
			s.directory.Codes.Delete(tx, c.Hash)
		}
	}
	for _, t := range s.directory.Tokens.All() {
		if !t.Refresh && t.ExpiresAt < past {
			s.directory.Tokens.Delete(tx, t.Hash)
		}
	}
}
