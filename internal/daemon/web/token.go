package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// tokenLeast is how many characters a token has at least: whoever chooses a word
// is told to draw one instead.
const tokenLeast = 20

// Token is what lets somebody give orders. It holds a hash only, so that it
// shows itself nowhere.
type Token struct{ sum *[sha256.Size]byte }

// NewToken takes the text of a token, without space around it.
func NewToken(text string) (Token, error) {
	text = strings.TrimSpace(text)
	if len(text) < tokenLeast {
		return Token{}, errors.New("the token has " +
			"fewer than 20 characters; want one that was drawn, such as by: openssl rand -hex 32")
	}
	sum := sha256.Sum256([]byte(text))
	return Token{&sum}, nil
}

func (t Token) isZero() bool { return t.sum == nil }

// is compares in a time that says nothing of how much was right.
func (t Token) is(text string) bool {
	if t.isZero() {
		return false
	}
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1
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
