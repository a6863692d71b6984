package yamlfmt

import (
	"slices"
	"sort"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// block is a mapping or list that is written one entry a line.
type block struct {
	node    *yaml.Node
	column  int    // where its entries begin, as it is written now
	owner   *entry // whose value it is; nil at the top
	entries []*entry
	foot    []*comment // behind the last entry, where the entries begin
}

// entry is a key with its value, or an item of a list.
type entry struct {
	in    *block
	key   *yaml.Node // nil in a list
	value *yaml.Node
	at    place
	block *block // the value where it is written one entry a line
	order *Order // of what is in the value

	gap   bool       // a blank line stands before it
	head  []*comment // before it, each in a line of its own
	side  []*comment // behind it, in its line
	after []*comment // behind it, in lines of their own, with a blank line after them
}

// tree is a document as entries that hold their comments.
type tree struct {
	*document
	head    []*comment // before the first entry
	headGap bool       // a blank line stands between them and the first entry
	root    *block     // nil where nothing is written, or on one line in brackets
	order   []*entry   // as they are written now
}

func newTree(d *document) *tree {
	t := &tree{document: d}
	if d.root != nil && d.spreads(d.root) {
		t.root = t.blockOf(d.root, nil)
	}
	for i, c := range d.comments {
		t.attach(i, c)
	}
	if len(t.order) > 0 {
		t.headGap, t.order[0].gap = t.order[0].gap, false
	}
	return t
}

// spreads reports whether a value is written one entry a line: it is now, or its
// brackets stand in different lines.
func (d *document) spreads(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode || len(n.Content) == 0 {
		return false
	}
	end, bracketed := d.ends[n]
	return !bracketed && !isFlow(n) || bracketed && end.line > n.Line-1
}

func (t *tree) blockOf(n *yaml.Node, owner *entry) *block {
	b := &block{node: n, column: n.Column - 1, owner: owner}
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	line := -1
	for i := 0; i+step <= len(n.Content); i += step {
		e := &entry{in: b, value: n.Content[i+step-1], at: placeOf(n.Content[i])}
		if step == 2 {
			e.key = n.Content[i]
		} else if !isFlow(n) {
			e.at = t.dashOf(b, e, line)
		}
		t.order = append(t.order, e)
		e.gap = t.gapBefore(e)
		if t.spreads(e.value) {
			e.block = t.blockOf(e.value, e)
		}
		line = t.lastLine(e)
		b.entries = append(b.entries, e)
	}
	return b
}

// dashOf finds the dash of an item, which may stand above its value.
func (t *tree) dashOf(b *block, e *entry, after int) place {
	for line := e.at.line; line > after && line >= b.node.Line-1; line-- {
		p := place{line, b.column}
		if t.runeAt(p) == '-' && (line < e.at.line || b.column < e.at.column) && dashes(t.lines[line][:b.column]) {
			return p
		}
	}
	return place{e.at.line, b.column}
}

// dashes reports whether nothing but dashes of outer lists stands in the part of a line.
func dashes(part []rune) bool {
	return !slices.ContainsFunc(part, func(r rune) bool { return r != ' ' && r != '-' && r != '?' })
}

// lastLine is the last line of what has been read of an entry.
func (t *tree) lastLine(e *entry) int {
	if e.block != nil && len(e.block.entries) > 0 {
		return t.lastLine(e.block.entries[len(e.block.entries)-1])
	}
	if end, known := t.ends[e.value]; known {
		return end.line
	}
	return e.at.line
}

// gapBefore reports whether a blank line stands right before an entry that begins a
// line.
func (t *tree) gapBefore(e *entry) bool {
	return t.isBlank(e.at.line-1) && dashes(t.lines[e.at.line][:e.at.column])
}

// attach gives a comment to what it stands at. Every comment finds a place.
func (t *tree) attach(i int, c *comment) {
	next := sort.Search(len(t.order), func(i int) bool { return c.before(t.order[i].at) })
	if next == 0 {
		t.head = append(t.head, c)
		return
	}
	e := t.open(t.order[next-1], c)
	if e == nil { // behind the closing bracket of the whole document
		t.root.foot = append(t.root.foot, c)
		return
	}
	if !c.own {
		e.side = append(e.side, c)
		return
	}
	if next < len(t.order) {
		t.attachBetween(i, c, e, t.order[next])
		return
	}
	t.attachAfter(c, e)
}

// open climbs out of brackets that are closed before the comment.
func (t *tree) open(e *entry, c *comment) *entry {
	for b := e.in; b != nil; {
		if end, bracketed := t.ends[b.node]; bracketed && end.before(c.place) {
			e = b.owner
		}
		if b.owner == nil {
			break
		}
		b = b.owner.in
	}
	return e
}

// attachBetween places a comment in a line of its own that has an entry after it.
func (t *tree) attachBetween(i int, c *comment, e, next *entry) {
	switch {
	case next.in.owner == e: // between a key and what is below it
		next.head = append(next.head, c)
	case t.within(c, e.value): // between a key and its value
		e.head = append(e.head, c)
	case isFlow(e.in.node) && next.in == e.in:
		next.head = append(next.head, c)
	case isFlow(e.in.node): // before the closing bracket
		e.in.foot = append(e.in.foot, c)
	default:
		before, deep := climb(e, c, next.in)
		if !deep {
			t.attachBeside(i, c, before, next)
			return
		}
		before.in.foot = append(before.in.foot, c)
	}
}

// within reports whether a comment stands before the end of a value that is no block.
func (t *tree) within(c *comment, value *yaml.Node) bool {
	end, known := t.ends[value]
	return known && c.before(end)
}

// climb goes from an entry up to the one beside which a comment stands, by its
// column, and no further than the block the next entry is in. deep says that
// it stands deeper than that block.
func climb(e *entry, c *comment, next *block) (before *entry, deep bool) {
	for e.in != next && e.below(c) {
		e = e.in.owner
	}
	return e, e.in != next
}

// attachBeside decides between the entry before a comment and the one after it:
// comments right below the one, with a blank line before the other, are the
// first one's.
func (t *tree) attachBeside(i int, c *comment, before, next *entry) {
	first, last := i, i
	for first > 0 && !t.comments[first].blank && t.comments[first-1].own &&
		t.comments[first-1].line == t.comments[first].line-1 {
		first--
	}
	for last+1 < len(t.comments) && t.comments[last+1].own && t.comments[last+1].line == t.comments[last].line+1 {
		last++
	}
	if !t.comments[first].blank && t.isBlank(t.comments[last].line+1) {
		before.after = append(before.after, c)
		return
	}
	next.head = append(next.head, c)
}

// attachAfter places a comment in a line of its own behind the last entry.
func (t *tree) attachAfter(c *comment, e *entry) {
	if t.within(c, e.value) {
		e.head = append(e.head, c)
		return
	}
	for e.below(c) && !isFlow(e.in.node) {
		e = e.in.owner
	}
	e.in.foot = append(e.in.foot, c)
}

// below reports whether an entry stands deeper than a comment. Of a key and the list
// under it, dashes in the key's column, the key is what a comment stands at.
func (e *entry) below(c *comment) bool {
	outer := e.in.owner
	return outer != nil && (e.in.column > c.column || outer.in.column >= c.column)
}
