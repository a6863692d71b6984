// Package campaigns is the view of what an account's campaigns, ad groups and ads did, beside what they are set to: the
// lines that an address asks for, as a page, as a sheet and as a document for programs.
//
// It refuses to ask the service, and to answer requests: internal/daemon/web does, with what this one returns. Its
// invariant: the page, the sheet and the document of one address have the same lines in the same order.
//
// asked.go reads the address, find.go adds up and chooses, setting.go has the settings, paced.go how
// budgets are spent, files.go where files write the lines and which were changed, view.go is the page, sheet.go
// the other two.
package campaigns

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// Found are the lines that an address asks for, and the span before.
type Found struct {
	asked  Asked
	brand  string // what people see as who advertises; "" is not known
	now    *figures.Table
	before *figures.Table // nil where a day of either was not read
	lines  []*figures.Line
	then   map[string]*figures.Sums // of before, by id; nil where before is

	settings map[string]daemon.Setting // by id
	paced    map[string]Paced          // by id; those of which it is known
	files    map[string]inFiles        // by id
	changed  map[string]bool           // by id; nil where nobody asks
	unset    bool                      // they cannot be read now
	has      map[string]bool           // the columns of settings that a resource of the level has
}

// Account is where an account is read from.
type Account struct {
	Archive daemon.Archive
	Plan    *planview.Document // the last; nil before there is one
	Reached bool               // what it changes is done
}

// Find reads what an address asks for of what is kept of an account. Its error is Wrong where the address is.
func Find(ctx context.Context, a Account, address url.Values, at time.Time) (*Found, error) {
	kept := a.Archive.Figures()
	index, err := kept.Index()
	if err != nil {
		return nil, err
	}
	today, _ := index.Now(at)
	f := &Found{has: map[string]bool{}, brand: index.Brand}
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
	if f.asked.Changed != "" {
		if f.changed, err = a.changedSince(ctx, at.AddDate(0, 0, -latelyDays)); err != nil {
			return nil, err
		}
	}
	f.readSettings(ctx, a.Archive)
	f.readFiles(&a)
	if slices.Contains(f.asked.Columns, pacedColumn) || f.asked.Sort == pacedColumn {
		if f.paced, err = f.pace(kept, today); err != nil {
			return nil, err
		}
		f.has[pacedColumn] = len(f.paced) > 0
	}
	f.lines, f.then = f.chosen(), sumsOf(f.before)
	return f, nil
}

// Row is a resource with what is known of it.
type Row struct {
	*figures.Line
	Setting daemon.Setting
	Cell    string // where the files write it; "" where that is not known
	Anchor  string // of what the plan changes of it, on the account's page; "" where it changes nothing
}

// Rows are the lines that an address asks for.
func (f *Found) Rows() []Row {
	rows := make([]Row, len(f.lines))
	for i, l := range f.lines {
		in := f.files[l.ID]
		rows[i] = Row{l, f.settings[l.ID], in.cell, in.anchor}
	}
	return rows
}

// Table is what all resources of the level did.
func (f *Found) Table() *figures.Table { return f.now }

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
	if spent, known := l.Micros(); f.then != nil && f.then[l.ID] == nil && (spent > 0 || !known) {
		return catalogue.Say("campaigns.new")
	}
	return changeOf(&l.Sums, f.then[l.ID])
}

// columns are those that are wanted, and that the level has.
func (f *Found) columns() []string {
	return slices.DeleteFunc(slices.Clone(f.asked.Columns), func(c string) bool {
		return !slices.Contains(metrics, c) && !f.has[c]
	})
}

// chosen are the lines that are asked for, in their order.
func (f *Found) chosen() []*figures.Line {
	var lines []*figures.Line
	q, words := &f.asked, strings.ToLower(f.asked.Words)
	for i := range f.now.Lines {
		l := &f.now.Lines[i]
		s := f.settings[l.ID]
		switch {
		case q.In != "" && l.Parent != q.In, q.Status != "" && s.Status != q.Status,
			q.Review != "" && s.Review != q.Review,
			f.changed != nil && !f.changed[l.ID],
			words != "" && !strings.Contains(strings.ToLower(l.Name+" "+l.ID), words):
			continue
		}
		lines = append(lines, l)
	}
	switch {
	case q.Sort != "name":
		compare := compareFigures
		if isWord(q.Sort) {
			compare = compareWords
		}
		slices.SortStableFunc(lines, func(a, b *figures.Line) int {
			return compare(f.of(a, q.Sort), f.of(b, q.Sort), q.Up)
		})
	case !q.Up:
		slices.Reverse(lines) // they are from A
	}
	return lines
}

// compareWords orders from A where up; what has none is last either way.
func compareWords(a, b string, up bool) int {
	switch {
	case a == "" || b == "":
		return cmp.Compare(len(b), len(a))
	case up:
		return cmp.Compare(a, b)
	}
	return cmp.Compare(b, a)
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
