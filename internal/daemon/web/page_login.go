package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon/openid"
	"adsync/internal/daemon/passkey"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/loggedin"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// loginView is the form that asks for the token, or for who somebody is.
type loginView struct {
	Back, Name string
	WantsName  bool
	Password   bool   // their password, and not the token
	Told       string // what to do where there is nothing to fill in
	OpenID     string // where the provider is, that logs people in; "": none does
	Provider   string // path that leads there
	Logout     string // where one logs out there, too
	Passkey    *passkey.Challenge
}

func (d *door) showLogin(w http.ResponseWriter, r *http.Request) {
	asked, c := r.URL.Query(), callerOf(r)
	back := ownPath(asked.Get("back"))
	switch {
	case c.session != nil && (c.proxied || asked.Has("begun")):
		http.Redirect(w, r, withDone(back, "login"), http.StatusSeeOther)
	case !c.proxied && !asked.Has("begun"):
		d.login(w, r, http.StatusOK, "", loginView{Back: back})
	case asked.Has("begun") && c.unknown:
		d.refuse(w, r, noSessions())
	case asked.Has("begun"):
		d.refuse(w, r, problem{http.StatusBadRequest, "no_cookie", catalogue.Say("problem.no-cookie")})
	default:
		s := loggedin.Session{How: loggedin.ByProxy, Name: c.name}
		d.begin(w, r, s, sessionLasts, begunAt(back))
	}
}

// begunAt leads back by a page that looks whether the cookie of the new session came along.
func begunAt(back string) string {
	return "/login?" + url.Values{"begun": {"1"}, "back": {back}}.Encode()
}

func (d *door) login(w http.ResponseWriter, r *http.Request, status int, wrong string, v loginView) {
	if d.readOnly() {
		d.refuse(w, r, problem{http.StatusNotFound,
			"read_only", catalogue.Say("problem.no-login")})
		return
	}
	v.WantsName = d.UserHeader == ""
	if d.Rules != nil {
		if v.Password = d.Rules().Passwords(); !v.Password && d.OpenID == nil && d.Passkeys == nil {
			v.Told = catalogue.Say("login.told")
		}
	}
	if d.OpenID != nil {
		v.OpenID, v.Provider = d.OpenID.Host(), openid.Path+"?"+backTo(v.Back)
		if r.URL.Query().Get("done") == "logout" {
			ctx, cancel := context.WithTimeout(r.Context(), logoutTime)
			defer cancel()
			v.Logout = d.OpenID.LogoutURL(ctx)
		}
	}
	if d.Passkeys != nil {
		c, err := d.Passkeys.Login()
		if err != nil {
			d.refuse(w, r, d.problemOf(err))
			return
		}
		v.Passkey = &c
	}
	d.show(w, r, status, "login", view{Title: catalogue.Say("page.log-in"), Error: wrong, Back: "/login", Of: v})
}

// provider is how people call the provider that logs them in; "" where none does.
func (d *door) provider() string {
	if d.OpenID == nil {
		return ""
	}
	return d.OpenID.Host()
}

// providers are the door for those who log in at the provider.
type providers struct {
	*door
	answers chan struct{} // a place for each answer that is looked at
}

// logoutTime is how long whoever logs out waits to be told where to log out at the provider, too.
const logoutTime = 2 * time.Second

// answersAtOnce is how many answers are looked at side by side: each asks the provider.
const answersAtOnce = 8

// flightCookie is the login that is under way. The browser brings it along when the provider leads it back, which a
// strict cookie would not be.
func (d *providers) flightCookie(value string, age int) *http.Cookie {
	c := d.cookie(value, age)
	c.Name, c.SameSite = c.Name+"-login", http.SameSiteLaxMode
	return c
}

// leadToProvider leads a browser to the provider, from the address to which it leads back: the cookie is of that.
func (d *providers) leadToProvider(w http.ResponseWriter, r *http.Request) {
	asked, page := r.URL.Query(), d.OpenID.Page()
	back := ownPath(asked.Get("back"))
	if r.Host != page.Host && !asked.Has("here") { // once: a proxy may call itself otherwise here
		page.RawQuery = url.Values{"back": {back}, "here": {"1"}}.Encode()
		http.Redirect(w, r, page.String(), http.StatusSeeOther)
		return
	}
	address, cookie, err := d.OpenID.Begin(r.Context(), back)
	if err != nil {
		d.notProven(w, r, back, err)
		return
	}
	http.SetCookie(w, d.flightCookie(cookie, int(openid.FlightLasts.Seconds())))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// takeAnswer begins a session of whomever the provider names. Its page leads on by itself: a browser that comes from
// the provider would not send the new cookie along.
func (d *providers) takeAnswer(w http.ResponseWriter, r *http.Request) {
	if p := d.check(r, true); p != nil {
		d.refuse(w, r, *p)
		return
	}
	select {
	case d.answers <- struct{}{}:
		defer func() { <-d.answers }()
	default:
		d.refuse(w, r, problem{http.StatusServiceUnavailable, "busy", catalogue.Say("problem.logins")})
		return
	}
	var flight string
	if sent, err := r.Cookie(d.flightCookie("", 0).Name); err == nil {
		flight = sent.Value
	}
	http.SetCookie(w, d.flightCookie("", -1))
	who, back, err := d.OpenID.Finish(r.Context(), flight, r.URL.Query())
	back = ownPath(back)
	if err != nil {
		d.notProven(w, r, back, err)
		return
	}
	person, p := d.welcome(who)
	if p != nil {
		d.Log.Warn("a login at the provider was refused", "why", p.message, "from", d.from(r))
		d.login(w, r, p.status, words.Upper(p.message)+".", loginView{Back: back})
		return
	}
	s := loggedin.Session{How: loggedin.ByOpenID, Name: person.Name, Proof: d.OpenID.Mark(), Login: who.Login,
		Groups: slices.DeleteFunc(who.Groups, func(name string) bool { _, is := d.rules().Groups[name]; return !is })}
	if d.begun(w, r, s, d.OpenID.Lasts) {
		d.show(w, r, http.StatusOK, "again", view{Title: catalogue.Say("login.done"), Goes: begunAt(back)})
	}
}

// welcome returns who it is here, where they have a role.
func (d *providers) welcome(who openid.Person) (roles.Person, *problem) {
	if shown.Name(who.Login) != who.Login {
		return roles.Person{}, &problem{http.StatusForbidden, "no_name",
			catalogue.Say("problem.provider-name")}
	}
	person := d.rules().Proven(who.Login, who.Groups)
	if person.Grant.Highest() == roles.None {
		return person, &problem{http.StatusForbidden, "role", catalogue.Say("problem.role-of-nobody", "who", who.Login)}
	}
	return person, nil
}

// notProven says why the provider logged nobody in, and offers to try again.
func (d *providers) notProven(w http.ResponseWriter, r *http.Request, back string, err error) {
	status, why := http.StatusBadGateway, openid.Away
	if e, ok := errors.AsType[*openid.Error](err); ok {
		why = e.Kind
	}
	switch why {
	case openid.Stale:
		status = http.StatusBadRequest
	case openid.Cancelled:
		status = http.StatusForbidden
	case openid.Refused:
		status = http.StatusForbidden
		d.throttle.note(d.from(r), d.Now())
	}
	said := shown.Reason(err.Error())
	d.Log.Warn("a login at the provider was refused", "why", said, "from", d.from(r))
	d.login(w, r, status, words.Upper(said)+".", loginView{Back: back})
}

// keys are the door for those who log in by passkeys.
type keys struct{ *door }

// newKeyView is the page that makes a passkey, and then has its line.
type newKeyView struct {
	*passkey.Challenge
	Line string
}

// showNewKey is for everybody: a passkey logs nobody in before the operator says whose it is.
func (d *keys) showNewKey(w http.ResponseWriter, r *http.Request) {
	d.newKey(w, r, http.StatusOK, "")
}

func (d *keys) newKey(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	c, err := d.Passkeys.Ask()
	if err != nil {
		d.refuse(w, r, d.problemOf(err))
		return
	}
	d.show(w, r, status, "passkey",
		view{Title: catalogue.Say("passkey.make"), Error: wrong, Of: newKeyView{Challenge: &c}})
}

func (d *keys) formNewKey(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, d.formProblem(err))
		return
	}
	line, err := d.Passkeys.Made(r.PostForm.Get("flight"), r.PostForm.Get("answer"))
	if err != nil {
		d.newKey(w, r, http.StatusBadRequest, words.Upper(err.Error())+".")
		return
	}
	d.show(w, r, http.StatusOK, "passkey", view{Title: catalogue.Say("passkey.done"), Of: newKeyView{Line: line}})
}

func (d *keys) formByKey(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, d.formProblem(err))
		return
	}
	v := loginView{Back: ownPath(r.PostForm.Get("back"))}
	if p := d.check(r, true); p != nil {
		d.login(w, r, p.status, words.Upper(p.message)+".", v)
		return
	}
	who, line, err := d.Passkeys.Prove(r.PostForm.Get("flight"), r.PostForm.Get("answer"), d.rules().People)
	if errors.Is(err, passkey.ErrWrong) {
		d.throttle.note(d.from(r), d.Now())
	}
	if err != nil {
		d.Log.Warn("a passkey was refused", "why", err, "from", d.from(r))
		d.login(w, r, http.StatusUnauthorized, words.Upper(err.Error())+".", v)
		return
	}
	s := loggedin.Session{How: loggedin.ByPasskey, Name: who.Name, Proof: passkey.Proof(line)}
	d.begin(w, r, s, sessionLasts, withDone(v.Back, "login"))
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
			d.login(w, r, p.status, words.Upper(p.message)+".", v)
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
		d.login(w, r, http.StatusBadRequest, catalogue.Say("login.no-name"), v)
		return
	}
	if p := d.check(r, d.Token.Is(strings.TrimSpace(r.PostForm.Get("token")))); p != nil {
		d.login(w, r, p.status, words.Upper(p.message)+".", v)
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
		d.refuse(w, r, noSessions())
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
		d.refuse(w, r, noSessions())
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
