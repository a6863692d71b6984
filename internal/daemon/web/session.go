package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"sync"
	"time"
)

// How long a session lasts, and how many there are at most.
const (
	sessionLasts = 12 * time.Hour
	sessionsMost = 1000
)

// session is a person who gave the token in a browser.
type session struct {
	name string // as they gave it
	form string // what each of their forms holds, and no other page knows
	ends time.Time
}

// sessions are those that last, by the hash of what their cookie holds.
type sessions struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]*session
}

// begin makes a session, and gives what its cookie holds.
func (s *sessions) begin(name string, now time.Time) string {
	cookie := drawn()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[[sha256.Size]byte]*session{}
	}
	s.tidy(now)
	s.all[sha256.Sum256([]byte(cookie))] = &session{name: name, form: drawn(), ends: now.Add(sessionLasts)}
	return cookie
}

// tidy drops the sessions that are over, and the nearest to its end where there
// are too many.
func (s *sessions) tidy(now time.Time) {
	var oldest [sha256.Size]byte
	var ends time.Time
	for key, one := range s.all {
		switch {
		case !now.Before(one.ends):
			delete(s.all, key)
		case ends.IsZero() || one.ends.Before(ends):
			oldest, ends = key, one.ends
		}
	}
	if len(s.all) >= sessionsMost {
		delete(s.all, oldest)
	}
}

// of returns the session of a cookie, nil where it has none.
func (s *sessions) of(cookie string, now time.Time) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[sha256.Sum256([]byte(cookie))]
	if one == nil || !now.Before(one.ends) {
		return nil
	}
	return one
}

func (s *sessions) end(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, sha256.Sum256([]byte(cookie)))
}

// sent reports whether a form is one of this session's.
func (s *session) sent(form string) bool {
	return subtle.ConstantTimeCompare([]byte(s.form), []byte(form)) == 1
}

// drawn is 256 bits nobody can guess.
func drawn() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand
	return hex.EncodeToString(b)
}

// cookieName is bound by browsers to this host and to TLS, where there is TLS.
func (o *Options) cookieName() string {
	if o.secure() {
		return "__Host-adsync"
	}
	return "adsync"
}

func (o *Options) cookie(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: o.cookieName(), Value: value, Path: "/",
		MaxAge: age, HttpOnly: true, Secure: o.secure(), SameSite: http.SameSiteStrictMode,
	}
}
