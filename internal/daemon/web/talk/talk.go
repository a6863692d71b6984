// Package talk shows what people said of a change and of a run.
//
// It refuses to format: what somebody wrote is shown as text, line by line. Its invariant: a comment that can be taken
// away here is of who looks at it.
package talk

import (
	_ "embed" // the part of pages, and the page of a change
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/comments"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/sentence"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Template defines "talk", the part of a page that has a View as Talk, and "talk-page" of a Page.
//
//go:embed page.html
var Template string

// About returns what a plan does at an address; false where it changes nothing there.
func About(schemas resource.Schemas, p *planview.Document, address string) (string, bool) {
	if p == nil {
		return "", false
	}
	at := slices.IndexFunc(p.Changes, func(c plan.ChangeDocument) bool { return c.Address == address })
	if at < 0 {
		return "", false
	}
	tells := sentence.Teller{Schemas: schemas, Names: words.NamesOf(schemas, p.Changes), Currency: p.Account.Currency}
	return tells.Of(&p.Changes[at]).Text, true
}

// View is what was said of one thing.
type View struct {
	All     []Line
	More    int    // older ones that are not shown
	Path    string // where comments are sent
	Of      string // the address or
	Run     string // the run that they are of
	Longest int
}

// Page is that of a change.
type Page struct {
	Name, Path string // of the account
	About      string // what the change does; "" where the plan has none there by now
	Change     string // path to it; "" where there is none
	Talk       View
}

// Line is a comment.
type Line struct {
	By, About string
	Text      []string // lines
	When      shown.Moment
	Delete    string // where it is taken away; "" where who looks did not write it
}

// linesMost is how many comments a page has of one thing.
const linesMost = 200

// Of shows what was said of an address or of a run, to somebody by that name.
func Of(all []comments.Comment, address, run, path, viewer string, zone *time.Location) View {
	v := View{Path: path + "/comments", Of: address, Run: run, Longest: comments.Longest}
	about := ""
	for i := range all {
		c := &all[i]
		if c.Address != address || c.Run != run {
			continue
		}
		l := Line{By: shown.Name(c.By), Text: strings.Split(c.Text, "\n"), When: shown.MomentOf(c.Time, zone)}
		if c.About != about { // said once of those that follow each other
			about = c.About
			l.About = shown.Reason(c.About)
		}
		if viewer != "" && c.By == viewer {
			l.Delete = v.Path + "/" + url.PathEscape(c.ID) + "/delete"
		}
		v.All = append(v.All, l)
	}
	v.More = max(0, len(v.All)-linesMost)
	v.All = v.All[v.More:]
	return v
}

// lastShown is how many comments stand at a change in a plan, and how much of each.
const (
	lastShown = 3
	textShown = 300
)

// At returns what a plan has at each of its changes: the last that was said of it, and the way to the rest.
func At(all []comments.Comment, path string, zone *time.Location) func(address string) planview.Said {
	by := map[string][]*comments.Comment{}
	for i := range all {
		if c := &all[i]; c.Address != "" {
			by[c.Address] = append(by[c.Address], c)
		}
	}
	return func(address string) planview.Said {
		of := by[address]
		s := planview.Said{Path: PathOf(path, address), Link: catalogue.Say("comments.link")}
		if len(of) > 0 {
			s.Link = catalogue.Say("comments.link-n", "n", len(of))
		}
		for _, c := range of[max(0, len(of)-lastShown):] {
			s.Last = append(s.Last, planview.Remark{
				By: shown.Name(c.By), When: shown.MomentOf(c.Time, zone).Text,
				Text: shown.Text(strings.ReplaceAll(c.Text, "\n", " "), textShown),
			})
		}
		return s
	}
}

// PathOf is the page of what was said of a change.
func PathOf(path, address string) string {
	return path + "/comments?" + url.Values{"of": {address}}.Encode()
}
