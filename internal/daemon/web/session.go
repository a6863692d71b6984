package web

import (
	"context"
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

// Sessions keeps who gave the token in a browser, by the hash of what their cookie holds: nobody can make the cookie
// of what is kept.
type Sessions interface {
	Begin(ctx context.Context, hash [sha256.Size]byte, name string, lasts time.Duration) error
	// Of returns whose session it is; "" where there is none, or none any more.
	Of(ctx context.Context, hash [sha256.Size]byte) (name string, err error)
	End(ctx context.Context, hash [sha256.Size]byte) error
}

// session is a person who gave the token in a browser.
type session struct {
	name string // as they gave it
	form string // what each of their forms holds, and no other page knows
}

// sessionOf is the session of a cookie.
func sessionOf(name, cookie string) *session {
	form := sha256.Sum256([]byte("forms of " + cookie))
	return &session{name: name, form: hex.EncodeToString(form[:])}
}

// kept is a session in memory.
type kept struct {
	name string
	ends time.Time
}

// memory has the sessions of one daemon, until it ends.
type memory struct {
	now func() time.Time

	mu  sync.Mutex
	all map[[sha256.Size]byte]kept
}

func (m *memory) Begin(_ context.Context, hash [sha256.Size]byte, name string, lasts time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[[sha256.Size]byte]kept{}
	}
	m.tidy(m.now())
	m.all[hash] = kept{name, m.now().Add(lasts)}
	return nil
}

// tidy drops the sessions that are over, and the nearest to its end where there
// are too many.
func (m *memory) tidy(now time.Time) {
	var oldest [sha256.Size]byte
	var ends time.Time
	for key, one := range m.all {
		switch {
		case !now.Before(one.ends):
			delete(m.all, key)
		case ends.IsZero() || one.ends.Before(ends):
			oldest, ends = key, one.ends
		}
	}
	if len(m.all) >= sessionsMost {
		delete(m.all, oldest)
	}
}

func (m *memory) Of(_ context.Context, hash [sha256.Size]byte) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.all[hash]
	if !m.now().Before(one.ends) {
		return "", nil
	}
	return one.name, nil
}

func (m *memory) End(_ context.Context, hash [sha256.Size]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, hash)
	return nil
}

// sent reports whether a form is one of this session's.
func (s *session) sent(form string) bool {
	return subtle.ConstantTimeCompare([]byte(s.form), []byte(form)) == 1
}

// drawn is 256 bits nobody can guess, in 64 letters.
func drawn() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand
	return hex.EncodeToString(b)
}

// isDrawn reports whether a text may be one of drawn's: no other is looked for.
func isDrawn(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == 32
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
