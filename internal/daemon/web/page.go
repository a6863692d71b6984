package web

import (
	"crypto/sha256"
	_ "embed" // the page, its look and its script
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/cards"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/activity"
	"adsync/internal/daemon/web/ads"
	"adsync/internal/daemon/web/campaigns"
	"adsync/internal/daemon/web/conflicts"
	"adsync/internal/daemon/web/drafts"
	"adsync/internal/daemon/web/held"
	"adsync/internal/daemon/web/loggedin"
	"adsync/internal/daemon/web/merges"
	"adsync/internal/daemon/web/talk"
	"adsync/internal/planview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

var (
	//go:embed html/page.html
	pageText string
	//go:embed html/account.html
	accountText string
	//go:embed html/pause.html
	pauseText string
	//go:embed html/page.css
	pageStyle string
	//go:embed html/page.js
	pageScript string
	//go:embed html/htmx/htmx.min.js
	htmxScript string

	templates = catalogue.Pages(templateText())
)

// templateText is all templates, before they have words.
func templateText() string {
	return pageText + accountText + pauseText +
		ads.Template + campaigns.Template + activity.Template + drafts.Template +
		conflicts.Template + merges.Template + held.Template + talk.Template + loggedin.Template
}

// styleText is the look of a plan, and what this page has beyond it.
func styleText() string { return string(planview.Style()) + cards.Style() + pageStyle }

// scriptText is what this page has beyond a plan, which sees it as it was sent, and the script of a plan; before them,
// what they say.
func scriptText() string {
	said, _ := json.Marshal(map[string]string{ // texts always have a JSON form
		"away": catalogue.Say("script.away"), "live": catalogue.Say("script.live"),
		"ended": catalogue.Say("script.ended"), "looking": catalogue.Say("script.looking"),
		"noPasskeys": catalogue.Say("script.no-passkeys"), "cancelled": catalogue.Say("script.cancelled"),
		"failed": catalogue.Say("script.failed", "why", "{why}"),
	})
	return "const words = " + string(said) + ";\n" + pageScript + planview.Script()
}

// asset answers with what no page changes. A browser keeps it, and asks each time whether it is still that.
func asset(kind, text string) http.HandlerFunc {
	sum := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text)))
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", sum)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}
}

// view is what each page holds, and its own content.
type view struct {
	Title string
	Who   string // "" where nobody logged in
	Form  string // what proves that a form is of this page
	// role of who is logged in, on the account of the page or everywhere; "" where the one token lets them in
	Role                      string
	Edits, Approves, Operates bool // what they may order on the account of the page
	CanLogin                  bool
	ReadOnly                  bool // nobody can give orders here
	Back                      string
	Goes                      string // where the page leads by itself
	Account                   string // whose events the page follows; "" for all
	Follows                   bool   // the script follows the events
	Plan                      string // hash of the plan that is shown
	Done                      string // what the last form did
	Error                     string

	AsksToken bool // logging in is what is missing

	Of any // what the page is about
}

// show writes a page.
func (re *replies) show(w http.ResponseWriter, r *http.Request, status int, name string, v view) {
	c := callerOf(r)
	v.CanLogin, v.ReadOnly = !re.readOnly() && c.session == nil && v.Goes == "", re.readOnly()
	if c.session != nil {
		role := c.grant.Role(r.PathValue("account"))
		v.Edits, v.Approves, v.Operates = role >= roles.Editor, role >= roles.Approver, role >= roles.Operator
		if v.Who, v.Form = c.name, c.session.form; re.Rules != nil && role > roles.None {
			v.Role = roleWords(role)
		}
		if v.Who == "" {
			v.Who = c.session.name
		}
	}
	if v.Back == "" {
		v.Back = "/login?" + backTo(pageOf(r))
	}
	if did := done[r.URL.Query().Get("done")]; v.Done == "" && did != "" {
		v.Done = catalogue.Say(did)
	}
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, name, v); err != nil {
		re.Log.Error("a page cannot be written", "page", name, "error", err)
		http.Error(w, catalogue.Say("problem.internal"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, b.String()) // who asked may be gone
}

// done are the texts of what a form did.
var done = map[string]string{
	approved:    "done.approved",
	agreed:      "done.agreed",
	"accepted":  "done.accepted",
	"woken":     "done.woken",
	"suspended": "done.suspended",
	"resumed":   "done.resumed",
	"paused":    "done.paused",
	"going-on":  "done.going-on",
	"login":     "done.login",
	"logout":    "done.logout",
	"ended":     "done.ended",
}

func (re *replies) showProblem(w http.ResponseWriter, r *http.Request, p problem) {
	v := view{Title: catalogue.Say("status." + strconv.Itoa(p.status)), Error: words.Upper(p.message) + ".",
		AsksToken: p.code == "token"}
	if r.PathValue("account") != "" {
		v.Of = accountPath(r.PathValue("account"))
	}
	re.show(w, r, p.status, "problem", v)
}

// accountPath is the path of an account's page.
func accountPath(name string) string { return "/accounts/" + url.PathEscape(name) }

func backTo(path string) string { return url.Values{"back": {path}}.Encode() }

// pageOf is the page that somebody is on, with what they chose there: what a form is sent to is none, and its
// account's is.
func pageOf(r *http.Request) string {
	switch {
	case r.Method == http.MethodGet:
		return r.URL.RequestURI()
	case r.PathValue("account") != "":
		return accountPath(r.PathValue("account"))
	}
	return "/"
}

// backMost is how long a way back is at most: it has to fit into a cookie.
const backMost = 1500

// ownPath keeps the way back on this page: a path of it with what was chosen there, whatever was sent.
func ownPath(back string) string {
	u, err := url.Parse(back)
	if err != nil || len(back) > backMost || u.IsAbs() || u.Host != "" || u.User != nil ||
		strings.Contains(back, "\\") || !slices.Contains([]string{"/", "/sessions"}, u.Path) &&
		!strings.HasPrefix(u.Path, "/accounts/") {
		return "/"
	}
	chosen := u.Query()
	chosen.Del("done") // of a form that was sent before
	return (&url.URL{Path: u.Path, RawQuery: chosen.Encode()}).String()
}

// withDone is a way back that says there what was done.
func withDone(back, did string) string {
	if strings.Contains(back, "?") {
		return back + "&done=" + did
	}
	return back + "?done=" + did
}
