// Package page is the emulator's page for people: accounts, the tree of
// campaigns, jobs with their operations, the request log, the clock, armed faults
// and open points, as plain HTML without scripts. It refuses other hosts than
// this machine, and forms that another site sends. Its invariant: what it shows
// of the service is escaped text, and the clock is all it can change.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
)

// Source is what the page shows. Its functions are called at each request.
type Source struct {
	World    *world.World
	Points   *openpoint.Settings
	Review   world.Review
	Requests func() []Request // oldest first
	Faults   func() []Fault
}

// Request is one line of the request log.
type Request struct {
	At        time.Time
	RequestID string
	Method    string
	Path      string // with the query
	AccountID string
	Actor     string
	Key       string // Idempotency-Key; "" is none
	Status    int    // 0: the connection was dropped
	Bytes     int
}

// Fault is an armed fault and its counters.
type Fault struct {
	Name, Kind    string
	Match, Action string // JSON
	Matched       int    // met the conditions
	Fired         int    // and was struck
	Held          int    // is held now
	Problem       string // why it could not do the last thing it was to do
}

// Page serves the page.
type Page struct{ source Source }

// New is the page over a source.
func New(source Source) *Page { return &Page{source: source} }

// Base is the address below which everything but the first page lies.
const Base = "/_emulator/page"

// Routes are the handlers by pattern.
func (p *Page) Routes() map[string]http.HandlerFunc {
	const account = Base + "/accounts/{account_id}"
	all := map[string]http.HandlerFunc{
		"GET " + Base + "/style.css": guarded(showStyle),
		"POST " + Base + "/clock":    guarded(p.moveClock),
	}
	for pattern, view := range map[string]viewer{
		"/{$}":                               p.home,
		account:                              p.account,
		account + "/campaigns/{campaign_id}": p.campaign,
		account + "/ad_groups/{ad_group_id}": p.adGroup,
		account + "/jobs":                    p.jobs,
		account + "/jobs/{job_id}":           p.job,
		Base + "/requests":                   p.requests,
		Base + "/open_points":                p.openPoints,
	} {
		all["GET "+pattern] = guarded(p.shown(view))
	}
	return all
}

// viewer makes what a template shows. found is false for what is not there.
type viewer func(r *http.Request) (view view, found bool, err error)

// view is a filled page: the template's name, a title, the way back, and the rest.
type view struct {
	Template string
	Title    string
	Trail    []link // from the first page to the one above
	Now      time.Time
	Content  any
}

type link struct{ Text, Address string }

func (p *Page) shown(make viewer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, found, err := make(r)
		switch {
		case err != nil:
			p.refuse(w, http.StatusServiceUnavailable, err.Error())
		case !found:
			p.refuse(w, http.StatusNotFound, "There is nothing at this address.")
		default:
			p.send(w, http.StatusOK, v)
		}
	}
}

func (p *Page) refuse(w http.ResponseWriter, status int, why string) {
	p.send(w, status, view{Template: "refusal", Title: http.StatusText(status), Trail: []link{top}, Content: why})
}

func (p *Page) send(w http.ResponseWriter, status int, v view) {
	v.Now = p.source.World.Clock.Now().UTC()
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, v.Template+".html", v); err != nil {
		http.Error(w, fmt.Sprintf("show %s: %v", v.Template, err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(text.Bytes())
}

//go:embed templates style.css
var files embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"money": money, "when": when, "unix": unix, "outcome": outcome, "either": either,
	}).ParseFS(files, "templates/*.html"))
})

func showStyle(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, files, "style.css")
}
