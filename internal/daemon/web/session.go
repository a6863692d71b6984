package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/loggedin"
	"adsync/internal/words/catalogue"
)

// sessionLasts is how long a session lasts.
const sessionLasts = 12 * time.Hour

// Sessions keeps a text of who is logged in, by the hash of what their cookie holds: nobody can make the cookie of
// what is kept.
type Sessions interface {
	Begin(ctx context.Context, hash [sha256.Size]byte, text string, lasts time.Duration) error
	// Of returns what is kept of a session; "" where there is none, or none any more.
	Of(ctx context.Context, hash [sha256.Size]byte) (text string, err error)
	All(ctx context.Context) (map[[sha256.Size]byte]string, error)
	End(ctx context.Context, hash [sha256.Size]byte) error
}

// session is a person who is logged in, in one browser.
type session struct {
	name string            // as they are recorded; what somebody gave along with the one token
	form string            // what each of their forms holds, and no other page knows
	hash [sha256.Size]byte // under which it is kept
}

// sessionOf is the session of a cookie.
func sessionOf(name, cookie string) *session {
	form := sha256.Sum256([]byte("forms of " + cookie))
	return &session{name: name, form: hex.EncodeToString(form[:]), hash: hashOf(cookie)}
}

// hashOf is under what a session is kept.
func hashOf(cookie string) [sha256.Size]byte { return sha256.Sum256([]byte("session " + cookie)) }

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

// lines returns the sessions that count and that somebody may see: their own, and an operator those of everybody.
func (d *door) lines(r *http.Request) (lines []loggedin.Line, err error) {
	all, err := d.Sessions.All(r.Context())
	c := callerOf(r)
	for hash, text := range all {
		s, is := loggedin.Read(text)
		name, counts := d.counts(s)
		if !is || !counts || name != c.name && !c.may(roles.Operator, "") {
			continue
		}
		lines = append(lines, loggedin.Line{ID: hex.EncodeToString(hash[:]), Name: name, How: s.How, From: s.From,
			Since: s.Since, Ends: s.Ends, This: c.session != nil && c.session.hash == hash})
	}
	loggedin.Sort(lines)
	return lines, err
}

// counts reports whether a session of its kind lets anybody in now, and whose it is.
func (d *door) counts(s loggedin.Session) (name string, counts bool) {
	rules := d.rules()
	switch {
	case rules == nil:
		return s.Name, s.How == loggedin.ByToken
	case s.How == loggedin.ByProxy:
		return s.Name, rules.Proxy.User != ""
	}
	p, counts := d.personOf(rules, s)
	return p.Name, counts
}

// known keeps out who reads without a name: whose sessions are shown has to be known.
func (d *door) known(w http.ResponseWriter, r *http.Request) bool {
	c := callerOf(r)
	if !c.known {
		d.unknown(w, r)
	}
	return c.known
}

func (d *door) showSessions(w http.ResponseWriter, r *http.Request) {
	if !d.known(w, r) {
		return
	}
	lines, err := d.lines(r)
	if err != nil {
		d.Log.Error("it is not known who is logged in", "error", err)
		d.refuse(w, r, noSessions())
		return
	}
	v := loggedin.ViewOf(lines, callerOf(r).may(roles.Operator, ""), d.provider())
	d.show(w, r, http.StatusOK, "sessions", view{Title: catalogue.Say("sessions.title"), Of: v})
}

type sessionsDocument struct {
	FormatVersion int             `json:"format_version"`
	Sessions      []loggedin.Line `json:"sessions"`
}

func (d *door) getSessions(w http.ResponseWriter, r *http.Request) {
	if !d.known(w, r) {
		return
	}
	lines, err := d.lines(r)
	if err != nil {
		d.Log.Error("it is not known who is logged in", "error", err)
		d.refuse(w, r, noSessions())
		return
	}
	writeJSON(w, http.StatusOK, sessionsDocument{formatVersion, append([]loggedin.Line{}, lines...)})
}

// endOf ends a session that somebody may see.
func (d *door) endOf(r *http.Request, id, by string) (ended loggedin.Line, p *problem) {
	lines, err := d.lines(r)
	at := slices.IndexFunc(lines, func(l loggedin.Line) bool { return l.ID == id })
	if err == nil && at < 0 {
		return ended, &problem{http.StatusNotFound, "no_session",
			catalogue.Say("problem.no-session")}
	}
	if err == nil {
		ended = lines[at]
		var hash [sha256.Size]byte
		hex.Decode(hash[:], []byte(id)) // it is one that was written here
		err = d.end(r, hash)
	}
	if err != nil {
		d.Log.Error("a session cannot be ended", "error", err)
		return ended, new(noSessions())
	}
	d.Log.Info("a session was ended", "of", ended.Name, "how", ended.How, "by", by, "from", d.from(r))
	return ended, nil
}

func (d *door) formEndSession(w http.ResponseWriter, r *http.Request) {
	ended, p := d.endOf(r, r.PostForm.Get("session"), callerOf(r).name)
	switch {
	case p != nil:
		d.refuse(w, r, *p)
	case ended.This:
		d.loggedOut(w, r)
	default:
		http.Redirect(w, r, withDone("/sessions", "ended"), http.StatusSeeOther)
	}
}

func (d *door) postEndSession(w http.ResponseWriter, r *http.Request) {
	var body struct {
		By string `json:"by"`
	}
	by, ok := d.givenBy(w, r, &body, &body.By)
	if !ok {
		return
	}
	ended, p := d.endOf(r, r.PathValue("session"), by)
	if p != nil {
		d.refuse(w, r, *p)
		return
	}
	writeJSON(w, http.StatusOK, sessionsDocument{formatVersion, []loggedin.Line{ended}})
}

// How many wrong tokens one address may send in how long, and how many addresses
// are remembered.
const (
	wrongMost   = 5
	wrongWithin = time.Minute
	wrongKnown  = 4096
)

// throttle counts wrong tokens by address. One that sent too many is not
// listened to until a minute has passed.
type throttle struct {
	mu    sync.Mutex
	wrong map[string]*tries
}

type tries struct {
	n     int
	since time.Time
}

// wait is how long an address is not listened to, 0 where it is.
func (t *throttle) wait(from string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.wrong[from]
	if w == nil || w.n < wrongMost {
		return 0
	}
	return max(0, w.since.Add(wrongWithin).Sub(now))
}

// note counts a wrong token.
func (t *throttle) note(from string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wrong == nil {
		t.wrong = map[string]*tries{}
	}
	w := t.wrong[from]
	if w == nil || now.Sub(w.since) >= wrongWithin {
		t.forget(now)
		w = &tries{since: now}
		t.wrong[from] = w
	}
	w.n++
}

// forget drops what is over, and everything where even so too much is left.
func (t *throttle) forget(now time.Time) {
	for from, w := range t.wrong {
		if now.Sub(w.since) >= wrongWithin {
			delete(t.wrong, from)
		}
	}
	if len(t.wrong) >= wrongKnown {
		clear(t.wrong)
	}
}

// from is who sent a request, for counting: an IPv4 address, or the first 64
// bits of an IPv6 one, of which everybody has many. Behind a proxy it is what the
// nearest proxy says; the rest of the header is anybody's.
func (o *Options) from(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if forwarded := r.Header.Values("X-Forwarded-For"); o.BehindProxy && len(forwarded) > 0 {
		hops := strings.Split(forwarded[len(forwarded)-1], ",")
		host = strings.TrimSpace(hops[len(hops)-1])
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return "?"
	}
	if four := ip.To4(); four != nil {
		return four.String()
	}
	return ip.Mask(net.CIDRMask(64, 128)).String()
}
