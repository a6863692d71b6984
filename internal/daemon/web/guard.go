package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// contentPolicy lets a page load its own two files and nothing else, send forms
// here, and stand in no frame.
const contentPolicy = "default-src 'none'; style-src 'self'; " +
	"script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// caller is who sent a request, as far as it says.
type caller struct {
	name    string   // "" where nobody said
	orders  bool     // the token was given
	session *session // nil of a program
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

// guarded puts before every answer what holds for all of them: headers, the
// names of this daemon, other sites, and who asks.
func (s *Server) guarded(next http.Handler) http.Handler {
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
		if s.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !s.knows(r.Host) {
			s.refuse(w, r, problem{http.StatusMisdirectedRequest,
				"host", "the request is for another host; want an address, localhost, or a name that hosts lists"})
			return
		}
		if strings.HasPrefix(r.URL.Path, "/hooks/") {
			next.ServeHTTP(w, r) // signed by who sends them
			return
		}
		if err := foreign.Check(r); err != nil {
			s.refuse(w, r, problem{http.StatusForbidden,
				"other_site", "the request comes from the page of another site"})
			return
		}
		c, p := s.who(r)
		if p != nil {
			if p.status == http.StatusTooManyRequests {
				h.Set("Retry-After", strconv.Itoa(int(wrongWithin.Seconds())))
			}
			s.refuse(w, r, *p)
			return
		}
		if c.orders {
			keepLine(r)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

// who finds out who sent a request. A token that is wrong is an error, whatever
// is asked; none is not.
func (s *Server) who(r *http.Request) (*caller, *problem) {
	c := &caller{}
	if s.UserHeader != "" {
		c.name = printable(r.Header.Get(s.UserHeader), nameMost)
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if p := s.check(r, given); p != nil {
			return nil, p
		}
		c.orders = true
		return c, nil
	}
	cookie, err := r.Cookie(s.cookieName())
	if err != nil {
		return c, nil
	}
	if c.session = s.sessions.of(cookie.Value, s.Now()); c.session != nil {
		c.orders, c.cookie = true, cookie.Value
		if s.UserHeader == "" {
			c.name = c.session.name
		}
	}
	return c, nil
}

// check compares a token, unless its sender gave too many that were wrong.
func (s *Server) check(r *http.Request, given string) *problem {
	from, now := s.from(r), s.Now()
	if s.throttle.wait(from, now) > 0 {
		return &problem{http.StatusTooManyRequests,
			"too_many", "too many wrong tokens came from here; want a pause of a minute"}
	}
	if s.Token.is(given) {
		return nil
	}
	s.throttle.note(from, now)
	s.Log.Warn("a wrong token was refused", "from", from)
	return &problem{http.StatusUnauthorized, "token", "the token is not the daemon's"}
}

// reads lets through who may read.
func (s *Server) reads(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.open() || callerOf(r).orders {
			next(w, r)
			return
		}
		s.unknown(w, r)
	}
}

// orders lets through who may give orders, and says their name.
func (s *Server) orders(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r)
		switch {
		case s.Token.isZero():
			s.refuse(w, r, problem{http.StatusForbidden, "read_only",
				"the daemon takes no orders here, as it has no token; give it one, or use the command on its machine"})
		case !c.orders:
			s.unknown(w, r)
		case s.UserHeader != "" && c.name == "":
			s.refuse(w, r, problem{http.StatusForbidden,
				"no_name", "the proxy named nobody; want the header it is configured to set"})
		default:
			next(w, r)
		}
	}
}

// unknown asks for the token: a person is shown the form, a program the code.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	if isPage(r) && r.Method == http.MethodGet {
		http.Redirect(w, r, "/login?"+backTo(r.URL.Path), http.StatusSeeOther)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="adsync"`)
	said := "want the daemon's token"
	if isPage(r) {
		said = "you are not logged in, or not any more; nothing was done. Log in, and do it again"
	}
	s.refuse(w, r, problem{http.StatusUnauthorized, "token", said})
}
