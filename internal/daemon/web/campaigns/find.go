// Package campaigns is the view of what an account's campaigns, ad groups and ads did: the lines that an address asks
// for, as a page, as a sheet and as a document for programs.
//
// It refuses to ask the service, and to answer requests: internal/daemon/web does, with what this one returns. Its
// invariant: the page, the sheet and the document of one address have the same lines in the same order.
//
// asked.go reads the address, find.go adds up and chooses, view.go is the page, sheet.go the other two.
package campaigns

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
)

// Found are the lines that an address asks for, and the span before.
type Found struct {
	asked  Asked
	now    *figures.Table
	before *figures.Table // nil where a day of either was not read
	lines  []*figures.Line
	then   map[string]*figures.Sums // of before, by id; nil where before is
}

// Find reads what an address asks for of figures that are kept. Its error is Wrong where the address is.
func Find(kept figures.Kept, address url.Values, at time.Time) (*Found, error) {
	index, err := kept.Index()
	if err != nil {
		return nil, err
	}
	today, _ := index.Now(at)
	f := &Found{}
	if f.asked, err = read(address, today); err != nil {
		return nil, err
	}
	if f.now, err = kept.Table(f.asked.Level, f.asked.span); err != nil {
		return nil, err
	}
	if f.before, err = kept.Table(f.asked.Level, f.asked.span.Before()); err != nil {
		return nil, err
	}
	if len(f.before.Gaps()) > 0 || len(f.now.Gaps()) > 0 {
		f.before = nil // a change against a part would be none
	}
	f.lines, f.then = f.asked.chosen(f.now), sumsOf(f.before)
	return f, nil
}

func sumsOf(t *figures.Table) map[string]*figures.Sums {
	if t == nil {
		return nil
	}
	all := map[string]*figures.Sums{}
	for i := range t.Lines {
		all[t.Lines[i].ID] = &t.Lines[i].Sums
	}
	return all
}

// change is by how much the spend of a line grew, in words; "" where that is not known.
func (f *Found) change(l *figures.Line) string {
	if f.then != nil && f.then[l.ID] == nil {
		return "new"
	}
	return changeOf(&l.Sums, f.then[l.ID])
}

// chosen are the lines that are asked for, in their order.
func (q *Asked) chosen(t *figures.Table) []*figures.Line {
	var lines []*figures.Line
	words := strings.ToLower(q.Words)
	for i := range t.Lines {
		l := &t.Lines[i]
		if q.In != "" && l.Parent != q.In || words != "" && !strings.Contains(strings.ToLower(l.Name+" "+l.ID), words) {
			continue
		}
		lines = append(lines, l)
	}
	switch {
	case q.Sort != "name":
		slices.SortStableFunc(lines, func(a, b *figures.Line) int {
			return compareFigures(a.Of(q.Sort), b.Of(q.Sort), q.Up)
		})
	case !q.Up:
		slices.Reverse(lines) // they are from A
	}
	return lines
}

// compareFigures orders the greatest first; what is not known is last either way.
func compareFigures(a, b string, up bool) int {
	x, known := insights.Millionths(a)
	y, also := insights.Millionths(b)
	switch {
	case !known && !also:
		return 0
	case !known:
		return 1
	case !also:
		return -1
	case up:
		return cmp.Compare(x, y)
	}
	return cmp.Compare(y, x)
}
