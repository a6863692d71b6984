package activity

import (
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

// View is a page of events.
type View struct {
	Name, Path, Newer, Older string
	Lines                    []Line
}

// Line is an event as it is read.
type Line struct {
	When                                  shown.Moment
	What, By, Why, Commit, Link, Path     string
	Outside                               bool
	Spend, SpendAfter, Clicks, ClicksLast string // of seven days before and after; "" where not known
	Currency                              string
	IsRun, Compared                       bool
}

// Show makes a page of events in the zone of the account.
func Show(name, path, currency string, events []Event, page int, more bool, zone *time.Location) View {
	v := View{Name: shown.Name(name), Path: path}
	at := func(n int) string { return path + "/activity?page=" + strconv.Itoa(n) }
	if page > 1 {
		v.Newer = at(page - 1)
	}
	if more {
		v.Older = at(page + 1)
	}
	for i := range events {
		e := &events[i]
		l := Line{When: shown.MomentOf(e.Time, zone), What: shown.Reason(e.What), By: shown.Name(e.By),
			Why: shown.Reason(e.Why), Commit: shown.Text(e.Commit, 12), Link: e.Link, Path: e.path(path),
			Outside: e.Kind == "outside", IsRun: e.changed, Currency: shown.Text(currency, 20)}
		if c := e.Compared; c != nil {
			l.Compared = true
			l.Spend, l.SpendAfter, l.Clicks, l.ClicksLast = c.SpendBefore, c.SpendAfter, c.ClicksBefore, c.ClicksAfter
		}
		v.Lines = append(v.Lines, l)
	}
	return v
}
