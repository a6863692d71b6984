package web

import (
	"adsync/internal/daemon/web/conns"
	"adsync/internal/daemon/web/shown"
	"context"
	"crypto/sha256"
	"net/http"
	"strconv"
	"strings"
)

// contentPolicy lets a page load its own two files and the pictures written into it and
// nothing else, send forms here, and stand in no frame.
const contentPolicy = "default-src 'none'; style-src 'self'; " +
	"script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// caller is who sent a request, as far as it says.
type caller struct {
	name    string   // "" where nobody said
	orders  bool     // the token was given
	session *session // nil of a program
	unknown bool     // a session was named, and nobody can say whose it is
	cookie  string
}

type callerKey struct{}

func callerOf(r *http.Request) *caller {
	c, _ := r.Context().Value(callerKey{}).(*caller)
	if c == nil {
		return &caller{}
	}
	return c
}

// door knows who asks, and lets in who may.
type door struct {
	*replies
	throttle throttle
}

func (d *door) routes() []route {
	return []route{
		{"GET", "/login", everybody, d.showLogin},
		{"POST", "/login", everybody, d.formLogin},
		{"POST", "/logout", everybody, d.person(d.formLogout)},
	}
}

// admits returns what answers a route to those it is for.
func (d *door) admits(to route) http.HandlerFunc {
	switch to.for_ {
	case readers:
		return d.reads(to.do)
	case givers:
		return d.orders(to.do)
	}
	return to.do
}

// guarded puts before every answer what holds for all of them: headers, the
// names of this daemon, other sites, and who asks.
func (d *door) guarded(next http.Handler) http.Handler {
	foreign := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if d.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !d.knows(r.Host) {
			d.refuse(w, r, problem{http.StatusMisdirectedRequest,
				"host", "the request is for another host; want an address, localhost, or a name that hosts lists"})
			return
		}
		if strings.HasPrefix(r.URL.Path, "/hooks/") {
			next.ServeHTTP(w, r) // signed by who sends them
			return
		}
		if err := foreign.Check(r); err != nil {
			d.refuse(w, r, problem{http.StatusForbidden,
				"other_site", "the request comes from the page of another site"})
			return
		}
		c, p := d.who(r)
		if p != nil {
			if p.status == http.StatusTooManyRequests {
				h.Set("Retry-After", strconv.Itoa(int(wrongWithin.Seconds())))
			}
			d.refuse(w, r, *p)
			return
		}
		if c.orders {
			conns.Keep(r.Context())
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

// who finds out who sent a request. A token that is wrong is an error, whatever
// is asked; none is not.
func (d *door) who(r *http.Request) (*caller, *problem) {
	c := &caller{}
	if d.UserHeader != "" {
		c.name = shown.Name(r.Header.Get(d.UserHeader))
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if p := d.check(r, given); p != nil {
			return nil, p
		}
		c.orders = true
		return c, nil
	}
	cookie, err := r.Cookie(d.cookieName())
	if err != nil || !isDrawn(cookie.Value) {
		return c, nil
	}
	name, err := d.Sessions.Of(r.Context(), sha256.Sum256([]byte(cookie.Value)))
	if err != nil {
		d.Log.Error("it is not known who is logged in", "error", err)
		c.unknown = true
		return c, nil
	}
	if name != "" {
		c.orders, c.cookie, c.session = true, cookie.Value, sessionOf(name, cookie.Value)
		if d.UserHeader == "" {
			c.name = name
		}
	}
	return c, nil
}

// noSessions says that nobody can log in or out, nor be known to be logged in.
var noSessions = problem{http.StatusServiceUnavailable, "not_now",
	"who is logged in cannot be known now, as the database does not answer; try again soon"}

// check compares a token, unless its sender gave too many that were wrong.
func (d *door) check(r *http.Request, given string) *problem {
	from, now := d.from(r), d.Now()
	if d.throttle.wait(from, now) > 0 {
		return &problem{http.StatusTooManyRequests,
			"too_many", "too many wrong tokens came from here; want a pause of a minute"}
	}
	if d.Token.is(given) {
		return nil
	}
	d.throttle.note(from, now)
	d.Log.Warn("a wrong token was refused", "from", from)
	return &problem{http.StatusUnauthorized, "token", "the token is not the daemon's"}
}

// reads lets through who may read.
func (d *door) reads(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if d.open() || callerOf(r).orders {
			next(w, r)
			return
		}
		d.unknown(w, r)
	}
}

// orders lets through who may give orders, and says their name.
func (d *door) orders(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r)
		switch {
		case d.Token.isZero():
			d.refuse(w, r, problem{http.StatusForbidden, "read_only",
				"the daemon takes no orders here, as it has no token; give it one, or use the command on its machine"})
		case !c.orders:
			d.unknown(w, r)
		case d.UserHeader != "" && c.name == "":
			d.refuse(w, r, problem{http.StatusForbidden,
				"no_name", "the proxy named nobody; want the header it is configured to set"})
		default:
			next(w, r)
		}
	}
}

// unknown asks for the token: a person is shown the form, a program the code.
func (d *door) unknown(w http.ResponseWriter, r *http.Request) {
	if callerOf(r).unknown {
		d.refuse(w, r, noSessions)
		return
	}
	if isPage(r) && r.Method == http.MethodGet {
		http.Redirect(w, r, "/login?"+backTo(r.URL.Path), http.StatusSeeOther)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="adsync"`)
	said := "want the daemon's token"
	if isPage(r) {
		said = "you are not logged in, or not any more; nothing was done. Log in, and do it again"
	}
	d.refuse(w, r, problem{http.StatusUnauthorized, "token", said})
}
