// Package merges shows what a file comes to in the one that is there today, where somebody else changed that since it
// was downloaded.
//
// It refuses to merge: it has what the daemon found. Its invariant: what is not listed is counted.
package merges

import (
	_ "embed" // the section of the page
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
)

// Template defines "merge", the section of a View.
//
//go:embed page.html
var Template string

// View is a merge as it is read.
type View struct {
	Since                       shown.Moment
	Today                       string // path of the file as it is today; "" where there is none
	Refused                     string
	Took, Clashes, Left         []Value
	Count, Clashing             int
	More, MoreClashes, MoreLeft int
	Settle, Known               string // where it is settled; "" where there is nothing to settle
	KnownIs, Settled            bool
	Sorted                      []string // sheets whose order of rows is not taken over
}

// Value is one of them.
type Value struct{ Name, What, Base, Today, Yours, Reason, Choice string }

const (
	linesMost   = 500
	clashesMost = 300 // a form holds no more choices than this
)

// Prefix is what the fields of a form begin with that say what counts of a clash, before its digest.
const Prefix = "clash-"

// Show makes a section of a merge; settle is where it is settled, and known what was said of what stays.
func Show(m *daemon.Merge, today, settle, known string, zone *time.Location) *View {
	v := &View{Since: shown.MomentOf(m.Since, zone), Today: today, Refused: shown.Reason(m.Refused), Settle: settle,
		Known: m.Known, KnownIs: known == m.Known, Settled: m.Settled, Count: len(m.Took), Clashing: len(m.Clashes)}
	v.Took, v.More = values(m.Took, linesMost)
	v.Clashes, v.MoreClashes = values(m.Clashes, clashesMost)
	v.Left, v.MoreLeft = values(m.Left, linesMost)
	for _, sheet := range m.Sorted[:min(len(m.Sorted), linesMost)] {
		v.Sorted = append(v.Sorted, shown.Reason(sheet))
	}
	return v
}

func values(all []daemon.MergeValue, most int) (of []Value, more int) {
	for i := range all[:min(len(all), most)] {
		m := &all[i]
		of = append(of, Value{Name: Prefix + m.Digest, Choice: m.Choice, What: shown.Reason(m.What),
			Base: shown.Reason(m.Base), Today: shown.Reason(m.Today), Yours: shown.Reason(m.Yours),
			Reason: shown.Reason(m.Reason)})
	}
	return of, len(all) - len(of)
}
