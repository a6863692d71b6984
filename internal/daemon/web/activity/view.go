package activity

import (
	"cmp"
	"net/url"
	"strconv"
	"time"

	"adsync/internal/daemon/web/shown"
)

// pageMost is how many events a page has.
const pageMost = 50

// Page returns the events of a page, counted from 1, and whether there are older ones.
func Page(all []Event, page int) (some []Event, more bool) {
	from := min(max(page-1, 0), len(all)) * pageMost
	from = min(from, len(all))
	to := min(from+pageMost, len(all))
	return all[from:to], to < len(all)
}

// About is what events are of.
type About struct {
	Name, Path, Currency string // of the account
	Zone                 *time.Location
	Of, OfName           string // as Sources have them
}

// View is a page of events.
type View struct {
	Name, Path, Newer, Older string
	Of                       string // the resource of which alone it is told; "" of the whole account
	Lines                    []Line
}

// Line is an event as it is read.
type Line struct {
	When                                    shown.Moment
	What, By, From, Why, Commit, Link, Path string
	Undo                                    string // where it is taken back; "" where it cannot be
	Outside                                 bool
	Spend, SpendAfter, Clicks, ClicksLast   string // of seven days before and after; "" where not known
	Currency                                string
	IsRun, Compared                         bool
}

// Show makes a page of events in the zone of the account.
func Show(a About, events []Event, page int, more bool) View {
	v := View{Name: shown.Name(a.Name), Path: a.Path}
	asked := url.Values{}
	if a.Of != "" {
		v.Of = shown.Name(cmp.Or(a.OfName, a.Of))
		asked.Set("of", a.Of)
	}
	at := func(n int) string {
		asked.Set("page", strconv.Itoa(n))
		return a.Path + "/activity?" + asked.Encode()
	}
	if page > 1 {
		v.Newer = at(page - 1)
	}
	if more {
		v.Older = at(page + 1)
	}
	for i := range events {
		e := &events[i]
		l := Line{When: shown.MomentOf(e.Time, a.Zone), What: shown.Reason(e.What), By: shown.Name(e.By),
			From: shown.Text(e.From, 60),
			Why:  shown.Reason(e.Why), Commit: shown.Text(e.Commit, 12), Link: e.Link, Path: e.path(a.Path),
			Undo:    e.undoPath(a.Path),
			Outside: e.Kind == "outside", IsRun: e.changed, Currency: shown.Text(a.Currency, 20)}
		if c := e.Compared; c != nil {
			l.Compared = true
			l.Spend, l.SpendAfter, l.Clicks, l.ClicksLast = c.SpendBefore, c.SpendAfter, c.ClicksBefore, c.ClicksAfter
		}
		v.Lines = append(v.Lines, l)
	}
	return v
}
