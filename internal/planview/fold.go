package planview

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/plan"
)

// fold decides what a form lists. Of a long plan it lists the first of the
// changes that are alike, in every respect but their values; the others are
// counted. What stands alone is always listed.
type fold struct {
	detail
	changes int
	seen    map[string]int // changes by what they are alike in
	whole   int            // listed as people are asked for them
}

// mostWhole is how many changes that people are asked for a long plan lists: a comment has no room for more.
const mostWhole = 200

func newFold(d *Document, o detail) *fold {
	return &fold{detail: o, changes: len(d.Changes), seen: map[string]int{}}
}

// lists reports whether a change has a line of its own.
func (f *fold) lists(c *plan.ChangeDocument) bool {
	if f.full || f.changes <= f.list {
		return true
	}
	if f.asks(c) && f.whole < mostWhole {
		f.whole++
		return true
	}
	alike := likeness(c)
	f.seen[alike]++
	return f.seen[alike] <= f.like
}

// likeness is what a change has in common with others: everything but its
// address and its values.
func likeness(c *plan.ChangeDocument) string {
	var b strings.Builder
	fmt.Fprint(&b, c.Action, c.Kind, c.Hazards, c.Urgent,
		c.Pruned, c.Pending, c.RestOf, c.Without, goes(c), c.Spend.DailyAfter > c.Spend.DailyBefore)
	for _, h := range holdsOf(c.Held) {
		b.WriteString("|" + h.hazard)
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if c.Action != plan.Create {
			b.WriteString("|" + f.Name + f.Cause.String())
		}
		for _, h := range holdsOf(f.Held) {
			b.WriteString("!" + f.Name + h.hazard)
		}
	}
	return b.String()
}

// leftOut counts changes that have no line, by what is done to which kind.
type leftOut map[string]int

func (l leftOut) add(c *plan.ChangeDocument) {
	what := diag.Printable(string(c.Action) + " " + string(c.Kind))
	if !goes(c) {
		what += ", held"
	}
	l[what]++
}

func (l leftOut) merge(more leftOut) {
	for what, n := range more {
		l[what] += n
	}
}

func (l leftOut) said() []string {
	var counts []string
	for what, n := range l {
		counts = append(counts, Thousands(n)+" more like these: "+what)
	}
	slices.Sort(counts)
	return counts
}
