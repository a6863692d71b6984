package web

import (
	"adsync/internal/daemon/web/shown"
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
)

// loginView is the form that asks for the token.
type loginView struct {
	Back, Name string
	WantsName  bool
}

func (d *door) showLogin(w http.ResponseWriter, r *http.Request) {
	d.login(w, r, http.StatusOK, "", loginView{Back: ownPath(r.URL.Query().Get("back"))})
}

func (d *door) login(w http.ResponseWriter, r *http.Request, status int, wrong string, v loginView) {
	if d.Token.isZero() {
		d.refuse(w, r, problem{http.StatusNotFound,
			"read_only", "nobody logs in here, as the daemon has no token; this page is for reading"})
		return
	}
	v.WantsName = d.UserHeader == ""
	d.show(w, r, status, "login", view{Title: "Log in", Error: wrong, Back: "/login", Of: v})
}

// formLogin begins a session for the token. Nothing proves yet who sends it: that
// it comes from this very page is what guarded holds.
func (d *door) formLogin(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, d.formProblem(err))
		return
	}
	v := loginView{Back: ownPath(r.PostForm.Get("back")), Name: shown.Name(r.PostForm.Get("name"))}
	if d.UserHeader != "" {
		v.Name = callerOf(r).name
	}
	if v.Name == "" {
		d.login(w, r, http.StatusBadRequest, "No name was given. Approvals are recorded under it.", v)
		return
	}
	if p := d.check(r, strings.TrimSpace(r.PostForm.Get("token"))); p != nil {
		d.login(w, r, p.status, upper(p.message)+".", v)
		return
	}
	cookie := drawn()
	err := d.Sessions.Begin(r.Context(), sha256.Sum256([]byte(cookie)), v.Name, sessionLasts)
	if c := callerOf(r); err == nil && c.session != nil {
		err = d.Sessions.End(r.Context(), sha256.Sum256([]byte(c.cookie)))
	}
	if err != nil {
		d.Log.Error("a session cannot be kept", "error", err)
		d.refuse(w, r, noSessions)
		return
	}
	http.SetCookie(w, d.cookie(cookie, int(sessionLasts.Seconds())))
	d.Log.Info("somebody logged in", "name", v.Name, "from", d.from(r))
	http.Redirect(w, r, v.Back+"?"+url.Values{"done": {"login"}}.Encode(), http.StatusSeeOther)
}

func (d *door) formLogout(w http.ResponseWriter, r *http.Request) {
	if err := d.Sessions.End(r.Context(), sha256.Sum256([]byte(callerOf(r).cookie))); err != nil {
		d.Log.Error("a session cannot be ended", "error", err)
		d.refuse(w, r, noSessions)
		return
	}
	http.SetCookie(w, d.cookie("", -1))
	http.Redirect(w, r, "/?done=logout", http.StatusSeeOther)
}
