package gitstore

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const theToken = "ghp-canary-0123456789"

// hosted serves a repository as git does it over https, to whoever has the token.
type hosted struct {
	*httptest.Server
	url    string
	ca     string
	before atomic.Pointer[interceptor] // asked first
	asked  atomic.Int32
}

// interceptor may answer in place of the server.
type interceptor func(http.ResponseWriter, *http.Request) (answered bool)

func hostedAt(t *testing.T, u *upstream) *hosted {
	t.Helper()
	exe, err := exec.Command("git", "--exec-path").Output()
	must(t, err)
	quiet := log.New(io.Discard, "", 0)
	backend := &cgi.Handler{
		Logger: quiet, Stderr: io.Discard,
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(u.bare),
			"GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ann", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
	h := &hosted{}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		if first := h.before.Load(); first != nil && (*first)(w, r) {
			return
		}
		if _, password, _ := r.BasicAuth(); password != theToken {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "the token "+password+" is not good", http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	h.Config.ErrorLog = quiet
	h.StartTLS()
	t.Cleanup(h.Close)
	h.url = h.URL + "/shop.git"
	h.ca = filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(h.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}), 0o600))
	return h
}

func (h *hosted) answers(f http.HandlerFunc) {
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool { f(w, r); return true })
}

func (h *hosted) intercept(f interceptor) { h.before.Store(&f) }

func (h *hosted) config() Config {
	return Config{URL: h.url, Ref: "main", SubPath: "ads", CAFile: h.ca, Token: says(theToken)}
}

func TestAServerOverHTTPSIsFetchedFrom(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	s := opened(t, h.config())
	first := fetched(t, s)
	u.write("ads/autumn.yaml", "kind: campaign\n")
	second := u.push("autumn")
	r := fetched(t, s)
	if first.Movement != firstSeen || r.Movement != fastForward || r.Commit != second || r.Accepted != first.Commit {
		t.Errorf("fetches are %+v and %+v; want %s, forward", first, r, second)
	}
	if whole, left := packs(t, s); whole != 2 || left != 0 {
		t.Errorf("store has %d packs and %d parts; want one a fetch, and no part", whole, left)
	}
	must(t, filepath.WalkDir(s.config.Dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		if strings.Contains(string(content), theToken) {
			t.Errorf("%s holds the token", name)
		}
		return err
	}))
	asked := h.asked.Load()
	if r := fetched(t, s); r.Movement != unmoved || h.asked.Load()-asked != 1 {
		t.Errorf("with nothing new %+v after %d requests; want the same after one", r, h.asked.Load()-asked)
	}
}

// G9: who has to do something is told apart, and the token is in no word of it.
func TestG9WhatAServerRefusesIsToldApart(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	for _, row := range []struct {
		name   string
		config func(*Config)
		answer http.HandlerFunc
		class  Class
		says   string
		wait   time.Duration
	}{
		{name: "no token", config: func(c *Config) { c.Token = nil }, class: Credentials, says: "401"},
		{name: "an old token", config: func(c *Config) { c.Token = says("expired-" + theToken) },
			class: Credentials, says: "does not accept the credentials (401)"},
		{name: "forbidden", answer: status(403, ""), class: Credentials, says: "does not permit that (403)"},
		{name: "not there", answer: status(404, ""),
			class: Credentials, says: "is not there, or the credentials may not see it (404)"},
		{name: "too many requests", answer: status(429, "30"),
			class: Transient, says: "answers 429", wait: 30 * time.Second},
		{name: "a moment to come back, by a clock that is not ours",
			answer: byAnotherClock, class: Transient, says: "answers 503", wait: 7 * time.Minute},
		{name: "down", answer: status(503, ""), class: Transient, says: "answers 503"},
		{name: "a page in place of git",
			answer: func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<html>log in</html>")) },
			class:  Configuration, says: "answers with a page for people (text/html"},
		{name: "a page of somebody who is down", answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
		}, class: Transient, says: "answers 502"},
		{name: "another host", answer: moved("https://elsewhere.example"),
			class: Configuration, says: "redirects to another host, https://elsewhere.example"},
		{name: "out of https", answer: moved("http://" + strings.TrimPrefix(h.URL, "https://")), class: Configuration,
			says: "would go unencrypted; want the address by which the server is reached over https"},
		{name: "out of https, and to another host", answer: moved("http://elsewhere.example"),
			class: Configuration, says: "redirects to http://elsewhere.example"},
		{name: "a certificate nobody trusts", config: func(c *Config) { c.CAFile = "" },
			class: Credentials, says: "certificate"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := h.config()
			if row.config != nil {
				row.config(&c)
			}
			h.before.Store(nil)
			if row.answer != nil {
				h.answers(row.answer)
			}
			_, err := opened(t, c).Fetch(t.Context())
			wantError(t, err, row.class, row.says)
			hidden(t, err)
			if known, is := err.(*Error); !is || known.RetryAfter != row.wait {
				t.Errorf("error is %#v; want to wait %s", err, row.wait)
			}
		})
	}
}

// moved redirects whatever is asked to another top.
func moved(top string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, top+r.URL.RequestURI(), http.StatusMovedPermanently)
	}
}

func byAnotherClock(w http.ResponseWriter, _ *http.Request) {
	now := time.Now().Add(-48 * time.Hour).UTC()
	w.Header().Set("Date", now.Format(http.TimeFormat))
	w.Header().Set("Retry-After", now.Add(7*time.Minute).Format(http.TimeFormat))
	w.WriteHeader(http.StatusServiceUnavailable)
}

func status(code int, wait string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		if wait != "" {
			w.Header().Set("Retry-After", wait)
		}
		http.Error(w, "told back: "+password, code)
	}
}

// hidden holds that an error shows no token, however it is printed.
func hidden(t *testing.T, err error) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err)} {
		if strings.Contains(text, theToken) || strings.Contains(text, "canary") {
			t.Errorf("error shows the token: %s", text)
		}
	}
}

// X3: whatever a library says, no credential is in our words.
func TestX3ErrorsShowNoCredentials(t *testing.T) {
	s := opened(t, Config{URL: "https://ann@git.example.com/shop.git"})
	s.secrets.add(theToken)
	err := s.wrap(t.Context(), Transient, "fetch from",
		fmt.Errorf("proxy https://joe:pa55@proxy/ said: bad token %s\x1b[31m", theToken))
	hidden(t, err)
	if want := `fetch from https://git.example.com/shop.git: proxy https://***@proxy/ ` +
		`said: bad token ***`; !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("error is %q; want it to begin %q, and no escape", err, want)
	}
}

// A certificate that is not good says what is wrong with it, and is asked for anew at
// each fetch.
func TestACertificateThatIsNotGoodSaysWhy(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	now := h.Certificate().NotBefore.Add(-time.Hour)
	c := h.config()
	c.Now = func() time.Time { return now }
	s := opened(t, c)
	_, err := s.Fetch(t.Context())
	wantError(t, err, Credentials, "a certificate of https://127.0.0.1:",
		"is valid from "+h.Certificate().NotBefore.UTC().Format(time.RFC3339), "want another one there, or the clock")
	now = h.Certificate().NotBefore.Add(time.Hour)
	fetched(t, s)
	now = h.Certificate().NotAfter.Add(time.Hour)
	_, err = s.Fetch(t.Context())
	wantError(t, err, Credentials, "to "+h.Certificate().NotAfter.UTC().Format(time.RFC3339)+" alone")
	now = h.Certificate().NotBefore.Add(time.Hour)
	c.URL, c.Dir = strings.Replace(c.URL, "127.0.0.1", "localhost", 1), ""
	_, err = opened(t, c).Fetch(t.Context())
	wantError(t, err, Credentials, "is of another host", "not localhost")
	c.CAFile, c.URL = "", h.url
	_, err = opened(t, c).Fetch(t.Context())
	wantError(t, err, Credentials, "is not trusted", "want its authority in the file of certificates")
}

// A token that somebody renews is found at the next fetch; one that is not there yet is
// said, and the server is not asked without.
func TestATokenThatIsRenewedIsFound(t *testing.T) {
	h := hostedAt(t, filled(t))
	token, c := theToken, h.config()
	c.Token = func(context.Context) (string, error) { return token, nil }
	s := opened(t, c)
	fetched(t, s)
	token = "expired-" + theToken
	_, err := s.Fetch(t.Context())
	wantError(t, err, Credentials, "does not accept the credentials (401)")
	hidden(t, err)
	asked := h.asked.Load()
	token = ""
	_, err = s.Fetch(t.Context())
	wantError(t, err, Credentials, "the token of https://127.0.0.1:", "is empty; want one")
	if n := h.asked.Load() - asked; n != 0 {
		t.Errorf("the server was asked %d times without a token; want never", n)
	}
	token = theToken
	if r := fetched(t, s); r.Movement != unmoved {
		t.Errorf("with another token %+v; want the same", r)
	}
}

// G10: another host gets neither the credentials nor our trust.
func TestG10ARedirectToAnotherHostIsNotFollowed(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	var reached atomic.Int32
	other := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached.Add(1) }))
	defer other.Close()
	h.answers(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+r.URL.RequestURI(),
			http.StatusFound)
	})
	_, err := opened(t, h.config()).Fetch(t.Context())
	wantError(t, err, Configuration, "redirects to another host, https://localhost:")
	hidden(t, err)
	if reached.Load() != 0 {
		t.Errorf("the other host was asked %d times; want never", reached.Load())
	}
}

func TestARedirectWithinAHostIsFollowed(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	c := h.config()
	c.URL = h.URL + "/old-name.git"
	inner := h.Config.Handler
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/old-name.git/") {
			http.Redirect(w, r, strings.Replace(r.URL.RequestURI(), "old-name", "shop", 1), http.StatusMovedPermanently)
			return
		}
		inner.ServeHTTP(w, r)
	})
	if r := fetched(t, opened(t, c)); r.Commit != u.git("rev-parse", "HEAD") {
		t.Errorf("fetched %+v; want the commit", r)
	}
}

// G1: a server that says nothing, at any point, does not keep us.
func TestG1AServerThatHangsIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	u := filled(t)
	h := hostedAt(t, u)
	done := make(chan struct{})
	defer close(done)
	for _, point := range []string{"/info/refs", "/git-upload-pack"} {
		t.Run(point, func(t *testing.T) {
			var hung atomic.Int32
			c := h.config()
			c.Timeout = 300 * time.Millisecond
			s := opened(t, c)
			h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, point) {
					return false
				}
				if point == "/git-upload-pack" {
					w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
					w.Write([]byte("0008NAK\n0009\x01PACK")) // and no more of it
					w.(http.Flusher).Flush()
				}
				hung.Add(1)
				select {
				case <-done:
				case <-r.Context().Done():
				}
				return true
			})
			_, err := s.Fetch(t.Context())
			wantError(t, err, Transient, "no end after 300ms")
			if hung.Load() != 1 {
				t.Errorf("the server hung %d times; want once", hung.Load())
			}
			if whole, left := packs(t, s); whole != 0 || left != 0 {
				t.Errorf("store has %d packs and %d parts; want none", whole, left)
			}
		})
	}
}

func TestAFetchThatIsStoppedEnds(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	ctx, cancel := context.WithCancel(t.Context())
	h.answers(func(w http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	_, err := opened(t, h.config()).Fetch(ctx)
	wantError(t, err, Transient, "was stopped")
}
