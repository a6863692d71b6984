package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/loggedin"
	"adsync/internal/daemon/web/shown"
)

// loginView is the form that asks for the token, or for who somebody is.
type loginView struct {
	Back, Name string
	WantsName  bool
	Password   bool   // their password, and not the token
	Told       string // what to do where there is nothing to fill in
}

func (d *door) showLogin(w http.ResponseWriter, r *http.Request) {
	asked, c := r.URL.Query(), callerOf(r)
	back := ownPath(asked.Get("back"))
	switch {
	case !c.proxied:
		d.login(w, r, http.StatusOK, "", loginView{Back: back})
	case c.session != nil:
		http.Redirect(w, r, withDone(back, "login"), http.StatusSeeOther)
	case asked.Has("begun"):
		d.refuse(w, r, problem{http.StatusBadRequest, "no_cookie", "your browser did not send back the cookie that " +
			"this page gave it, and nobody stays logged in without; want cookies allowed for this page"})
	default:
		s := loggedin.Session{How: loggedin.ByProxy, Name: c.name}
		d.begin(w, r, s, sessionLasts, "/login?"+url.Values{"begun": {"1"}, "back": {back}}.Encode())
	}
}

func (d *door) login(w http.ResponseWriter, r *http.Request, status int, wrong string, v loginView) {
	if d.readOnly() {
		d.refuse(w, r, problem{http.StatusNotFound,
			"read_only", "nobody logs in here, as the daemon has no token; this page is for reading"})
		return
	}
	v.WantsName = d.UserHeader == ""
	if d.Rules != nil {
		if v.Password = d.Rules().Passwords(); !v.Password {
			v.Told = "The proxy in front of this page logs people in, and named nobody. Open the page by its address."
		}
	}
	d.show(w, r, status, "login", view{Title: "Log in", Error: wrong, Back: "/login", Of: v})
}

// formLogin begins a session for the token, or for a password. Nothing proves yet who sends it: that
// it comes from this very page is what guarded holds.
func (d *door) formLogin(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, d.formProblem(err))
		return
	}
	v := loginView{Back: ownPath(r.PostForm.Get("back")), Name: shown.Name(r.PostForm.Get("name"))}
	if d.Rules != nil {
		person, p := d.proves(r, strings.TrimSpace(r.PostForm.Get("name")), r.PostForm.Get("password"))
		if p != nil {
			d.login(w, r, p.status, upper(p.message)+".", v)
			return
		}
		s := loggedin.Session{How: loggedin.ByPassword, Name: person.Name, Proof: proofOf(person)}
		d.begin(w, r, s, sessionLasts, withDone(v.Back, "login"))
		return
	}
	if d.UserHeader != "" {
		v.Name = callerOf(r).name
	}
	if v.Name == "" {
		d.login(w, r, http.StatusBadRequest, "No name was given. Approvals are recorded under it.", v)
		return
	}
	if p := d.check(r, d.Token.Is(strings.TrimSpace(r.PostForm.Get("token")))); p != nil {
		d.login(w, r, p.status, upper(p.message)+".", v)
		return
	}
	d.begin(w, r, loggedin.Session{How: loggedin.ByToken, Name: v.Name}, sessionLasts, withDone(v.Back, "login"))
}

// begin begins a session, ends the one before, and leads on.
func (d *door) begin(w http.ResponseWriter, r *http.Request, s loggedin.Session, lasts time.Duration, to string) {
	if d.begun(w, r, s, lasts) {
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// begun reports whether a session has begun; else it has answered.
func (d *door) begun(w http.ResponseWriter, r *http.Request, s loggedin.Session, lasts time.Duration) bool {
	cookie := drawn()
	s.From, s.Since, s.Ends = d.from(r), d.Now(), d.Now().Add(lasts)
	err := d.Sessions.Begin(r.Context(), hashOf(cookie), s.Text(), lasts)
	if c := callerOf(r); err == nil && c.session != nil {
		err = d.end(r, c.session.hash)
	}
	if err != nil {
		d.Log.Error("a session cannot be kept", "error", err)
		d.refuse(w, r, noSessions)
		return false
	}
	http.SetCookie(w, d.cookie(cookie, int(lasts.Seconds())))
	d.Log.Info("somebody logged in", "name", s.Name, "how", s.How, "from", s.From)
	return true
}

// end ends a session, and what it follows.
func (d *door) end(r *http.Request, hash [sha256.Size]byte) error {
	err := d.Sessions.End(r.Context(), hash)
	if err == nil {
		d.streams.end(hash)
	}
	return err
}

func (d *door) formLogout(w http.ResponseWriter, r *http.Request) {
	if err := d.end(r, callerOf(r).session.hash); err != nil {
		d.Log.Error("a session cannot be ended", "error", err)
		d.refuse(w, r, noSessions)
		return
	}
	d.Log.Info("somebody logged out", "name", callerOf(r).name, "from", d.from(r))
	d.loggedOut(w, r)
}

// loggedOut leads whose session ended to where one can begin.
func (d *door) loggedOut(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, d.cookie("", -1))
	to := "/"
	if d.Rules != nil && !callerOf(r).proxied {
		to = "/login"
	}
	http.Redirect(w, r, withDone(to, "logout"), http.StatusSeeOther)
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
		d.refuse(w, r, noSessions)
		return
	}
	v := loggedin.ViewOf(lines, callerOf(r).may(roles.Operator, ""))
	d.show(w, r, http.StatusOK, "sessions", view{Title: "Sessions", Of: v})
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
		d.refuse(w, r, noSessions)
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
			"none of the sessions that you may end is called so; it may be over by now"}
	}
	if err == nil {
		ended = lines[at]
		var hash [sha256.Size]byte
		hex.Decode(hash[:], []byte(id)) // it is one that was written here
		err = d.end(r, hash)
	}
	if err != nil {
		d.Log.Error("a session cannot be ended", "error", err)
		return ended, &noSessions
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
