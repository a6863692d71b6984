package planview

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// fold decides what a form lists. Of a long plan it lists the first of the
// changes that are alike, in every respect but their values; the others are
// counted. What stands alone is always listed.
type fold struct {
	detail
	changes int
	listed  int
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
	if f.seen[alike] > f.like || f.most > 0 && f.listed >= f.most {
		return false
	}
	f.listed++
	return true
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
type leftOut map[done]int

// done is what is done to which kind, and whether it waits.
type done struct {
	action plan.Action
	kind   resource.Kind
	held   bool
}

func (l leftOut) add(c *plan.ChangeDocument) { l[done{c.Action, c.Kind, !goes(c)}]++ }

func (l leftOut) merge(more leftOut) {
	for what, n := range more {
		l[what] += n
	}
}

func (l leftOut) said(t *teller) []string {
	var counts []string
	for what, n := range l {
		counts = append(counts, t.several(n, what))
	}
	slices.Sort(counts)
	return counts
}

// several says what is done to some more of a kind.
func (t *teller) several(n int, what done) string {
	if t.sentences != nil {
		said := t.sentences.Several(Thousands(n), what.action, what.kind)
		if what.held {
			said = catalogue.Say("changes.alike-wait", "what", said)
		}
		return said
	}
	said := Thousands(n) + " more like these: " + diag.Printable(string(what.action)+" "+string(what.kind))
	if what.held {
		said += ", held"
	}
	return said
}

// On a page for marketers the first of those that are alike stand in line, and the others behind their count.
const (
	foldsFrom   = 6 // alike
	alikeShown  = 3
	valuesShown = 3 // of a change; more of them stand behind their count
)

// htmlGroup is one tree, or trees alike behind their count.
type htmlGroup struct {
	First bool   // the first of those that are pending
	Says  string // "" of one tree
	Held  bool
	Trees []toldTree
}

// toldTree is a tree with its changes alike behind their count.
type toldTree struct {
	htmlTree
	Alone bool // all of it is one change
	Folds []htmlFold
}

type htmlFold struct {
	Says    string
	Held    bool
	Changes []htmlChange
}

// group folds trees that are alike, and within each its changes. Those that are pending stay together.
func (p *page) group(drawn []htmlTree) (groups []htmlGroup) {
	alike := map[string]int{}
	for i := range p.trees {
		alike[p.trees[i].alike()]++
	}
	seen, folds := map[string]int{}, map[string]*htmlGroup{}
	var order []string
	flush := func() {
		for _, kind := range order {
			groups = append(groups, *folds[kind])
		}
		order = nil
	}
	counts := map[string]leftOut{}
	for i := range p.trees {
		t, kind := &p.trees[i], p.trees[i].alike()
		if drawn[i].First {
			flush()
		}
		seen[kind]++
		if alike[kind] < foldsFrom || seen[kind] <= alikeShown {
			groups = append(groups, htmlGroup{First: drawn[i].First, Trees: []toldTree{p.tree(t, drawn[i])}})
			continue
		}
		if folds[kind] == nil {
			folds[kind], counts[kind] = &htmlGroup{}, leftOut{}
			order = append(order, kind)
		}
		g := folds[kind]
		for k := range t.changes {
			counts[kind][t.changes[k].does]++
		}
		g.Trees, g.Held = append(g.Trees, p.tree(t, drawn[i])), g.Held || drawn[i].Held
		g.Says = Semicolons(counts[kind].said(p.tells))
	}
	flush()
	return groups
}

// tree folds the changes of a tree.
func (p *page) tree(t *tree, drawn htmlTree) toldTree {
	told := toldTree{htmlTree: drawn, Alone: len(drawn.Changes) == 1 && len(drawn.Left) == 0}
	alike, seen, at := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range t.changes {
		alike[t.changes[i].told.alike]++
	}
	told.Changes = nil
	for i := range t.changes {
		c := &t.changes[i]
		kind := c.told.alike
		if seen[kind]++; alike[kind] < foldsFrom || seen[kind] <= alikeShown {
			told.Changes = append(told.Changes, drawn.Changes[i])
			continue
		}
		fold, begun := at[kind]
		if !begun {
			fold = len(told.Folds)
			at[kind], told.Folds = fold, append(told.Folds, htmlFold{
				Says: p.tells.several(alike[kind]-alikeShown, c.does), Held: c.held,
			})
		}
		told.Folds[fold].Changes = append(told.Folds[fold].Changes, drawn.Changes[i])
	}
	return told
}

// alike is what a tree has in common with others.
func (t *tree) alike() string {
	var all []string
	for i := range t.changes {
		all = append(all, t.changes[i].told.alike)
	}
	slices.Sort(all)
	return fmt.Sprint(t.pending, slices.Compact(all))
}

// Anchor returns what leads to a change within a page; it is the same as long as its resource has its address.
func Anchor(address string) string {
	return fmt.Sprintf("change-%.6x", sha256.Sum256([]byte(address)))
}
