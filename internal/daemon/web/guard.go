package web

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/daemon/openid"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/conns"
	"adsync/internal/daemon/web/loggedin"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
)

// contentPolicy lets a page load its own two files and the pictures written into it and
// nothing else, send forms here, and stand in no frame.
const contentPolicy = "default-src 'none'; style-src 'self'; " +
	"script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// caller is who sent a request, as far as it is known.
type caller struct {
	name    string // "" where nobody said
	grant   roles.Grant
	known   bool     // it was proven, or the one token was given
	machine bool     // by a token of its own, and so of no other name
	proxied bool     // the proxy proved it
	session *session // nil of a program
	unknown bool     // a session was named, and nobody can say whose it is
}

// may reports whether somebody has a role, or a higher one; "" is for all accounts.
func (c *caller) may(role roles.Role, account string) bool { return c.grant.Role(account) >= role }

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
	proving  chan struct{} // a place for each password that is looked at
}

func (d *door) routes() []route {
	all := []route{
		{"GET", "/login", everybody, d.showLogin},
		{"POST", "/login", everybody, d.formLogin},
		{"POST", "/logout", everybody, d.person(d.formLogout)},
		{"GET", "/sessions", somebody, d.showSessions},
		{"POST", "/sessions/end", somebody, d.person(d.formEndSession)},
		{"GET", "/api/v1/sessions", somebody, d.getSessions},
		{"POST", "/api/v1/sessions/{session}/end", operators, d.program(d.postEndSession)},
	}
	if d.Passkeys != nil {
		k := &keys{d}
		all = append(all, route{"GET", "/passkey", everybody, k.showNewKey},
			route{"POST", "/passkey", everybody, k.formNewKey}, route{"POST", "/login/passkey", everybody, k.formByKey})
	}
	if d.OpenID != nil {
		p := &providers{d, make(chan struct{}, answersAtOnce)}
		all = append(all, route{"GET", openid.Path, everybody, p.leadToProvider},
			route{"GET", openid.AnswerPath, everybody, p.takeAnswer})
	}
	return all
}

// admits lets through to a route those it is for.
func (d *door) admits(to route) http.HandlerFunc {
	if to.for_ == everybody {
		return to.do
	}
	return func(w http.ResponseWriter, r *http.Request) {
		c, account := callerOf(r), r.PathValue("account")
		role, needed := c.grant.Role(account), to.for_.role()
		if to.for_ == somebody {
			role, needed = c.grant.Highest(), roles.Viewer
		}
		switch {
		case needed > roles.Viewer && d.readOnly():
			d.refuse(w, r, problem{http.StatusForbidden, "read_only",
				catalogue.Say("problem.read-only")})
		case !c.known && role < needed, c.proxied && c.session == nil && isPage(r) && r.Method == http.MethodGet:
			d.unknown(w, r)
		case needed > roles.Viewer && d.UserHeader != "" && c.name == "":
			d.refuse(w, r, problem{http.StatusForbidden,
				"no_name", catalogue.Say("problem.proxy-nobody")})
		case role < roles.Viewer && account != "":
			d.refuse(w, r, d.problemOf(daemon.ErrNoAccount)) // whether it is there is not theirs to know
		case role < needed:
			d.refuse(w, r, lacks(c, role, needed))
		default:
			if needed > roles.Viewer && d.Rules != nil {
				d.Log.Info("an order came", "what", r.Pattern, "account", account, "by", c.name, "from", d.from(r))
			}
			to.do(w, r)
		}
	}
}

// lacks says which role somebody has, and which is wanted.
func lacks(c *caller, role, needed roles.Role) problem {
	who := cmp.Or(shown.Name(c.name), catalogue.Say("problem.somebody"))
	if role == roles.None {
		return problem{http.StatusForbidden, "role", catalogue.Say("problem.no-role",
			"who", who, "wanted", roleWords(needed))}
	}
	return problem{http.StatusForbidden, "role",
		catalogue.Say("problem.role", "who", who, "role", roleWords(role), "wanted", roleWords(needed))}
}

// roleWords is what the page calls a role.
func roleWords(r roles.Role) string { return catalogue.Say("role." + r.String()) }

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
				"host", catalogue.Say("problem.host", "setting", "hosts")})
			return
		}
		if strings.HasPrefix(r.URL.Path, "/hooks/") {
			next.ServeHTTP(w, r) // signed by who sends them
			return
		}
		if err := foreign.Check(r); err != nil {
			d.refuse(w, r, problem{http.StatusForbidden,
				"other_site", catalogue.Say("problem.other-site")})
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
		if c.known {
			conns.Keep(r.Context())
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

// who finds out who sent a request. A token that is wrong is an error, whatever
// is asked; none is not.
func (d *door) who(r *http.Request) (*caller, *problem) {
	if d.Rules != nil {
		return d.named(r)
	}
	c := &caller{}
	if d.open() {
		c.grant.Everywhere = roles.Viewer
	}
	if d.UserHeader != "" {
		c.name = shown.Name(r.Header.Get(d.UserHeader))
	}
	if given, ok := bearerOf(r); ok {
		if p := d.check(r, d.Token.Is(given)); p != nil {
			return nil, p
		}
		c.known, c.grant.Everywhere = true, roles.Operator
		return c, nil
	}
	if kept, cookie := d.session(r, c); kept.How == loggedin.ByToken {
		c.known, c.grant.Everywhere, c.session = true, roles.Operator, sessionOf(kept.Name, cookie)
		if d.UserHeader == "" {
			c.name = kept.Name
		}
	}
	return c, nil
}

// session returns what is kept of the session that a request names; its zero value where there is none.
func (d *door) session(r *http.Request, c *caller) (kept loggedin.Session, cookie string) {
	sent, err := r.Cookie(d.cookieName())
	if err != nil || !isDrawn(sent.Value) {
		return kept, ""
	}
	text, err := d.Sessions.Of(r.Context(), hashOf(sent.Value))
	if err != nil {
		d.Log.Error("it is not known who is logged in", "error", err)
		c.unknown = true
		return kept, ""
	}
	kept, _ = loggedin.Read(text)
	return kept, sent.Value
}

func bearerOf(r *http.Request) (string, bool) {
	return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// noSessions says that nobody can log in or out, nor be known to be logged in.
func noSessions() problem {
	return problem{http.StatusServiceUnavailable, "not_now", catalogue.Say("problem.no-sessions")}
}

// check counts what was given and is wrong. Who gave too much of that is not listened to, whatever they give.
func (d *door) check(r *http.Request, right bool) *problem {
	from, now := d.from(r), d.Now()
	if d.throttle.wait(from, now) > 0 {
		return &problem{http.StatusTooManyRequests,
			"too_many", catalogue.Say("problem.too-many")}
	}
	if right {
		return nil
	}
	d.throttle.note(from, now)
	d.Log.Warn("a wrong token was refused", "from", from)
	return &problem{http.StatusUnauthorized, "token", catalogue.Say("problem.token")}
}

// unknown asks who it is: a person is shown the form, a program the code. Who follows a link of another site, such
// as of a mail, sends no cookie along, and is led here once more by a page of this one.
func (d *door) unknown(w http.ResponseWriter, r *http.Request) {
	if callerOf(r).unknown {
		d.refuse(w, r, noSessions())
		return
	}
	if isPage(r) && r.Method == http.MethodGet {
		if _, err := r.Cookie(d.cookieName()); err != nil && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			d.show(w, r, http.StatusOK, "again", view{Title: catalogue.Say("again.moment"), Goes: pageOf(r)})
			return
		}
		http.Redirect(w, r, "/login?"+backTo(pageOf(r)), http.StatusSeeOther)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="adsync"`)
	said := catalogue.Say("problem.want-token")
	switch {
	case isPage(r):
		said = catalogue.Say("problem.logged-out")
	case d.Rules != nil:
		said = catalogue.Say("problem.want-named", "file", "daemon.yaml")
	}
	d.refuse(w, r, problem{http.StatusUnauthorized, "token", said})
}
