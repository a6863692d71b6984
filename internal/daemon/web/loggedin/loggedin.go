// Package loggedin shows who is logged in at the page: since when, from which address, and how, with a button that ends
// it. It has the form in which a session is kept, too.
//
// It refuses to know cookies and requests: whose a session is now, and who may end it, is said to it. Its one
// invariant: what is not kept as it is written here is nobody's session.
package loggedin

import (
	"cmp"
	_ "embed" // the page
	"encoding/json"
	"slices"
	"time"

	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
)

// Template defines "sessions", the page that has a View.
//
//go:embed page.html
var Template string

// Ways to log in, as sessions are kept and the API says them.
const (
	ByToken    = "token" // the daemon's one, under a name that somebody gave
	ByPassword = "password"
	ByProxy    = "proxy"
	ByOpenID   = "openid"
	ByPasskey  = "passkey"
)

// Session is one, as it is kept.
type Session struct {
	How   string    `json:"how"`
	Name  string    `json:"name"` // of who logged in, as it was then
	From  string    `json:"from"` // address
	Since time.Time `json:"since"`
	Ends  time.Time `json:"ends"`

	// Proof is what has to be now as it was then: of a password or a passkey, what the hash of what is known of it
	// begins with; else the provider and what the daemon is called there.
	Proof  string   `json:"proof,omitempty"`
	Login  string   `json:"login,omitempty"`  // as the provider calls them
	Groups []string `json:"groups,omitempty"` // that they were in when they logged in, of those that give roles
}

// Text is how it is kept.
func (s Session) Text() string {
	b, _ := json.Marshal(s) // texts and times always have a JSON form
	return string(b)
}

// Read reads what was kept; false where it is none.
func Read(text string) (s Session, is bool) {
	err := json.Unmarshal([]byte(text), &s)
	return s, err == nil && s.How != ""
}

// Line is a session as it is told.
type Line struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	How   string    `json:"how"`
	From  string    `json:"from"`
	Since time.Time `json:"since"`
	Ends  time.Time `json:"ends"`
	This  bool      `json:"-"` // it is the one that asks
}

// Sort puts the newest first.
func Sort(lines []Line) {
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
}

// View is the page.
type View struct {
	Rows []Row
	More int  // that are not shown
	All  bool // of everybody, and not of who asks alone
}

// most is how many are shown, the newest.
const most = 200

// Row is a line of it.
type Row struct {
	ID, Name, How, From string
	Since, Ends         shown.Moment
	This                bool
}

// ViewOf makes the page of lines.
func ViewOf(lines []Line, all bool, provider string) View {
	v := View{All: all, More: max(0, len(lines)-most)}
	lines = lines[:len(lines)-v.More]
	for _, l := range lines {
		v.Rows = append(v.Rows, Row{l.ID, shown.Name(l.Name), wayOf(l.How, provider), shown.Text(l.From, 60),
			shown.MomentOf(l.Since, time.UTC), shown.MomentOf(l.Ends, time.UTC), l.This})
	}
	return v
}

// wayOf says how somebody logged in.
func wayOf(how, provider string) string {
	switch how {
	case ByPassword:
		return catalogue.Say("sessions.password")
	case ByProxy:
		return catalogue.Say("sessions.proxy")
	case ByPasskey:
		return catalogue.Say("sessions.passkey")
	case ByOpenID:
		return catalogue.Say("sessions.openid", "provider", provider)
	}
	return catalogue.Say("sessions.token")
}
