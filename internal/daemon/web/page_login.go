package web

import (
	"net/http"
	"net/url"
	"strings"

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
	back := ownPath(r.URL.Query().Get("back"))
	if c := callerOf(r); c.proxied {
		d.begin(w, r, ofProxy, c.name, c.name, back)
		return
	}
	d.login(w, r, http.StatusOK, "", loginView{Back: back})
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
		d.begin(w, r, ofPassword, keptOf(person), person.Name, v.Back)
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
	d.begin(w, r, ofToken, v.Name, v.Name, v.Back)
}

// begin begins a session, ends the one before, and leads back.
func (d *door) begin(w http.ResponseWriter, r *http.Request, kind, kept, name, back string) {
	cookie := drawn()
	err := d.Sessions.Begin(r.Context(), hashOf(kind, cookie), kept, sessionLasts)
	if c := callerOf(r); err == nil && c.session != nil {
		err = d.Sessions.End(r.Context(), hashOf(kind, c.cookie))
	}
	if err != nil {
		d.Log.Error("a session cannot be kept", "error", err)
		d.refuse(w, r, noSessions)
		return
	}
	http.SetCookie(w, d.cookie(cookie, int(sessionLasts.Seconds())))
	d.Log.Info("somebody logged in", "name", name, "from", d.from(r))
	http.Redirect(w, r, back+"?"+url.Values{"done": {"login"}}.Encode(), http.StatusSeeOther)
}

func (d *door) formLogout(w http.ResponseWriter, r *http.Request) {
	for _, kind := range []string{ofToken, ofPassword, ofProxy} {
		if err := d.Sessions.End(r.Context(), hashOf(kind, callerOf(r).cookie)); err != nil {
			d.Log.Error("a session cannot be ended", "error", err)
			d.refuse(w, r, noSessions)
			return
		}
	}
	http.SetCookie(w, d.cookie("", -1))
	http.Redirect(w, r, "/?done=logout", http.StatusSeeOther)
}
