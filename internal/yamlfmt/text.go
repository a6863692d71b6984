package yamlfmt

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Text is a YAML text in which entries and items are put in, replaced and taken away, while every other character
// stays. What is put in comes from another text as it is written there. Nothing is changed before Changed; what has
// no place of its own is refused, in words for people.
type Text struct {
	original  string // with its mark
	text      string // with line feeds alone
	mark      int    // bytes of the mark
	starts    []int  // of the lines in text
	returns   []int  // carriage returns before each line of the original
	windows   bool   // most lines end with CR LF
	documents []*document
	of        map[*yaml.Node]*document
	splices   []splice
}

// splice puts a text in the place of a part of one.
type splice struct {
	from, to int
	with     string
	depth    int // of what is put in at one place, the deepest comes first
}

// Follow reads a text. The error is a *Problem.
func Follow(content []byte) (*Text, error) {
	t := &Text{original: string(content), of: map[*yaml.Node]*document{}}
	body := strings.TrimPrefix(t.original, "\ufeff")
	t.mark = len(t.original) - len(body)
	t.text = strings.ReplaceAll(body, "\r\n", "\n")
	var err error
	if t.documents, err = parse(t.text); err != nil {
		return nil, err
	}
	at, returns, ends := 0, 0, 0
	for line := range strings.SplitAfterSeq(body, "\n") {
		t.starts, t.returns = append(t.starts, at), append(t.returns, returns)
		at += len(line)
		if ends++; strings.HasSuffix(line, "\r\n") {
			at, returns = at-1, returns+1
		}
	}
	t.windows = 2*returns > ends
	for _, d := range t.documents {
		if d.root != nil {
			t.own(d, d.root)
		}
	}
	return t, nil
}

func (t *Text) own(d *document, n *yaml.Node) {
	t.of[n] = d
	for _, child := range n.Content {
		t.own(d, child)
	}
}

// Begin forgets what was put in and taken away.
func (t *Text) Begin() { t.splices = nil }

// Roots returns what each document holds that holds something.
func (t *Text) Roots() (roots []*yaml.Node) {
	for _, d := range t.documents {
		if d.root != nil {
			roots = append(roots, d.root)
		}
	}
	return roots
}

// Line returns the number of the line that a node begins in, from 1.
func (t *Text) Line(n *yaml.Node) int { return t.of[n].first + n.Line - 1 }

// Comments returns every comment, from its # on.
func (t *Text) Comments() (all []string) {
	for _, d := range t.documents {
		all = append(all, d.texts()...)
	}
	return all
}

// offset is where a place of a document is in the text.
func (t *Text) offset(d *document, p place) int {
	line := d.first - 1 + p.line
	if line >= len(t.starts) {
		return len(t.text)
	}
	if p.line >= len(d.lines) {
		return t.starts[line]
	}
	return t.starts[line] + len(string(d.lines[p.line][:min(p.column, len(d.lines[p.line]))]))
}

// end is the place behind a value that stands in one line, or in brackets; false for every other.
func (d *document) end(n *yaml.Node) (place, bool) {
	end, known := d.ends[n]
	if n.Kind != yaml.ScalarNode {
		end.column++
	}
	return end, known && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// last is the last line of a value, the line above where none is written.
func (d *document) last(n *yaml.Node, above int) int {
	if end, known := d.ends[n]; known {
		return end.line
	}
	if isNothing(n) {
		return above
	}
	last := n.Line - 1
	for _, child := range n.Content {
		last = d.last(child, last)
	}
	return last
}

// inline returns a value that stands in one line, as it is written.
func (t *Text) inline(n *yaml.Node) (string, bool) {
	d := t.of[n]
	end, known := d.end(n)
	if !known || end.line != n.Line-1 {
		return "", false
	}
	return t.text[t.offset(d, placeOf(n)):t.offset(d, end)], true
}

// inBrackets is a value as it is written between brackets.
func (t *Text) inBrackets(n *yaml.Node) (string, bool) {
	text, ok := t.inline(n)
	if ok && n.Kind == yaml.ScalarNode && n.Tag == "!!str" && n.Style == 0 {
		return Scalar(n.Value, true), true
	}
	return text, ok
}

var (
	errBrackets = errors.New("it stands in brackets over several lines, or is to")
	errComment  = errors.New("a comment stands there, and would be lost")
	errPlace    = errors.New("it has no line of its own")
)

// lines are whole lines, from a place of the first on, shifted to another column. The first is not shifted.
func (t *Text) lines(d *document, from place, last, column int) (string, error) {
	lines := strings.Split(t.text[t.offset(d, from):t.offset(d, place{last + 1, 0})], "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	shift := column - from.column
	for i := 1; i < len(lines); i++ {
		spaces := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
		switch {
		case spaces == len(lines[i]):
		case shift >= 0:
			lines[i] = strings.Repeat(" ", shift) + lines[i]
		case spaces >= -shift:
			lines[i] = lines[i][-shift:]
		default:
			return "", errPlace
		}
	}
	return strings.Join(lines, "\n") + "\n", nil
}

func (t *Text) put(from, to int, with string) {
	t.splices = append(t.splices, splice{from: from, to: to, with: with})
}

// under puts lines below a line of a document.
func (t *Text) under(d *document, line, depth int, text string) {
	at := t.offset(d, place{line + 1, 0})
	if at == len(t.text) && !strings.HasSuffix(t.text, "\n") {
		text = "\n" + strings.TrimSuffix(text, "\n")
	}
	t.splices = append(t.splices, splice{at, at, text, depth})
}

// Set puts the value of an entry of another text in the place of that of entry i of a mapping.
func (t *Text) Set(m *yaml.Node, i int, from *Text, source *yaml.Node, j int) error {
	d, value, other := t.of[m], m.Content[2*i+1], source.Content[2*j+1]
	_, isInline := t.inline(value)
	if text, ok := from.inline(other); ok && isInline {
		if isFlow(m) {
			text, _ = from.inBrackets(other)
		}
		end, _ := d.end(value)
		t.put(t.offset(d, placeOf(value)), t.offset(d, end), text)
		return nil
	}
	if isFlow(m) || isFlow(source) {
		return errBrackets
	}
	first := placeOf(m.Content[2*i])
	last := d.last(value, first.line)
	if d.commented(first.line, last, nil) {
		return errComment
	}
	o := from.of[source]
	begin := placeOf(source.Content[2*j])
	text, err := from.lines(o, begin, o.last(other, begin.line), first.column)
	if err != nil {
		return err
	}
	t.put(t.offset(d, first), t.offset(d, place{last, len(d.lines[last])}), strings.TrimSuffix(text, "\n"))
	return nil
}

// commented reports whether a comment stands in some lines that is not among those that go.
func (d *document) commented(first, last int, going func(comment string) bool) bool {
	return slices.ContainsFunc(d.comments, func(c *comment) bool {
		return c.line >= first && c.line <= last && (going == nil || !going(c.text))
	})
}

// Insert puts entry j of a mapping of another text behind entry i of one.
func (t *Text) Insert(m *yaml.Node, i int, from *Text, source *yaml.Node, j int) error {
	if isFlow(m) {
		key, _ := from.inBrackets(source.Content[2*j])
		text, ok := from.inBrackets(source.Content[2*j+1])
		if !ok {
			return errBrackets
		}
		return t.insertInBrackets(m, i, key+": "+text)
	}
	if isFlow(source) {
		text, ok := from.inBrackets(source.Content[2*j+1])
		if !ok {
			return errBrackets
		}
		return t.InsertText(m, i, source.Content[2*j].Value+": "+text+"\n")
	}
	o, begin := from.of[source], placeOf(source.Content[2*j])
	text, err := from.lines(o, begin, o.last(source.Content[2*j+1], begin.line), m.Column-1)
	if err != nil {
		return err
	}
	return t.InsertText(m, i, text)
}

// InsertText puts the lines of an entry, which fit the mapping's column from the second on, behind entry i.
func (t *Text) InsertText(m *yaml.Node, i int, text string) error {
	d := t.of[m]
	if isFlow(m) {
		return t.insertInBrackets(m, i, strings.TrimSuffix(text, "\n"))
	}
	line := d.last(m.Content[2*i+1], m.Content[2*i].Line-1)
	if line >= len(d.lines)-1 && d.inline && len(d.lines) == 1 {
		return errPlace
	}
	t.under(d, line, 2*m.Column, strings.Repeat(" ", m.Column-1)+text)
	return nil
}

func (t *Text) insertInBrackets(m *yaml.Node, i int, text string) error {
	d := t.of[m]
	end, known := d.end(m.Content[2*i+1])
	if !known || strings.Contains(text, "\n") {
		return errBrackets
	}
	at := t.offset(d, end)
	t.put(at, at, ", "+text)
	return nil
}

// Inline returns entries of mappings as one mapping in brackets; false where one of them takes more than a line.
func (t *Text) Inline(entries [][2]*yaml.Node) (string, bool) {
	var texts []string
	for _, e := range entries {
		key, ok := t.inBrackets(e[0])
		value, fits := t.inBrackets(e[1])
		if !ok || !fits {
			return "", false
		}
		texts = append(texts, key+": "+value)
	}
	return "{" + strings.Join(texts, ", ") + "}", true
}

// Drop takes entries of a mapping away, not all of them. going tells which comments go with them.
func (t *Text) Drop(m *yaml.Node, gone []int, going func(comment string) bool) error {
	for len(gone) > 0 {
		run := 1
		for run < len(gone) && gone[run] == gone[0]+run {
			run++
		}
		if err := t.dropRun(m, gone[0], gone[run-1], going); err != nil {
			return err
		}
		gone = gone[run:]
	}
	return nil
}

// dropRun takes away the entries from i to j.
func (t *Text) dropRun(m *yaml.Node, i, j int, going func(comment string) bool) error {
	d := t.of[m]
	first := placeOf(m.Content[2*i])
	last := d.last(m.Content[2*j+1], m.Content[2*j].Line-1)
	if d.commented(first.line, last, going) {
		return errComment
	}
	next := 2 * (j + 1)
	begins := strings.TrimSpace(string(d.lines[first.line][:first.column])) == ""
	switch {
	case !isFlow(m) && begins && !d.inline:
		t.put(t.offset(d, place{first.line, 0}), t.offset(d, place{last + 1, 0}), "")
		return nil
	case next < len(m.Content):
		if d.commented(last+1, m.Content[next].Line-1, going) && m.Content[next].Line-1 > last {
			return errComment
		}
		t.put(t.offset(d, first), t.offset(d, placeOf(m.Content[next])), "")
		return nil
	case i > 0 && isFlow(m):
		from, known := d.end(m.Content[2*i-1])
		to, ends := d.end(m.Content[2*j+1])
		if known && ends {
			t.put(t.offset(d, from), t.offset(d, to), "")
			return nil
		}
	}
	return errPlace
}

// dash is the place of the dash of an item of a list with one item a line.
func (d *document) dash(list *yaml.Node, i int) (place, error) {
	p := place{list.Content[i].Line - 1, list.Column - 1}
	for ; p.line >= list.Line-1; p.line-- {
		if d.runeAt(p) == '-' {
			if strings.TrimSpace(string(d.lines[p.line][:p.column])) != "" {
				return p, errPlace
			}
			return p, nil
		}
	}
	return p, errPlace
}

// above is the first of the lines with comments right above a line, as far as each of them is to be taken along.
func (d *document) above(p place, takes func(comment string) bool) (line int) {
	line = p.line
	for _, c := range slices.Backward(d.comments) {
		if c.line == line-1 && c.own && c.column == p.column && takes(c.text) {
			line = c.line
		}
	}
	return line
}

// item are the lines of an item with its dash.
func (t *Text) item(list *yaml.Node, i int) (first place, last int, err error) {
	d := t.of[list]
	if isFlow(list) {
		return first, 0, errBrackets
	}
	first, err = d.dash(list, i)
	return first, d.last(list.Content[i], first.line), err
}

// DropItem takes an item of a list away, with the comments above it that go.
func (t *Text) DropItem(list *yaml.Node, i int, going func(comment string) bool) error {
	d := t.of[list]
	first, last, err := t.item(list, i)
	switch {
	case err != nil:
		return err
	case d.commented(first.line, last, going):
		return errComment
	}
	t.put(t.offset(d, place{d.above(first, going), 0}), t.offset(d, place{last + 1, 0}), "")
	return nil
}

// Append puts an item of a list of another text behind the last of one, with the comments above it.
func (t *Text) Append(list *yaml.Node, from *Text, source *yaml.Node, j int) error {
	d := t.of[list]
	_, last, err := t.item(list, len(list.Content)-1)
	if err != nil {
		return err
	}
	text, err := from.Item(source, j, list.Column-1)
	if err == nil {
		t.under(d, last, 2*list.Column+1, text)
	}
	return err
}

// Item returns the lines of an item of a list at a column, with the comments above it.
func (t *Text) Item(list *yaml.Node, i, column int) (string, error) {
	d := t.of[list]
	first, last, err := t.item(list, i)
	if err != nil {
		return "", err
	}
	all := func(string) bool { return true }
	text, err := t.lines(d, place{d.above(first, all), first.column}, last, column)
	return strings.Repeat(" ", column) + text, err
}

// Column is where the entries or items of a node that has one a line begin, from 0; false for what stands in brackets.
func (t *Text) Column(n *yaml.Node) (int, bool) { return n.Column - 1, !isFlow(n) }

// DropDocument takes what a document holds away, and the document where no comment of it stays.
func (t *Text) DropDocument(root *yaml.Node, going func(comment string) bool) error {
	i := slices.IndexFunc(t.documents, func(d *document) bool { return d.root == root })
	d := t.documents[i]
	first, last := root.Line-1, d.last(root, root.Line-1)
	if len(root.Content) > 0 {
		first = min(first, root.Content[0].Line-1)
	}
	if d.inline || d.commented(first, last, going) {
		return errComment
	}
	from, to := t.offset(d, place{d.above(place{first, 0}, going), 0}), t.offset(d, place{last + 1, 0})
	if !d.commented(0, len(d.lines), going) {
		switch {
		case d.mark == "---":
			from, to = t.starts[d.first-2], t.offset(d, place{len(d.lines), 0})
		case i == 0 && i+1 < len(t.documents) && t.documents[i+1].mark == "---" && !t.documents[i+1].inline:
			from, to = 0, t.starts[t.documents[i+1].first-1]
		}
	}
	t.put(from, to, "")
	return nil
}

// AppendDocument puts a document of another text behind the last one.
func (t *Text) AppendDocument(from *Text, root *yaml.Node) error {
	d := from.of[root]
	last := len(d.lines) - 1
	for last > 0 && strings.TrimSpace(string(d.lines[last])) == "" {
		last--
	}
	text, err := from.lines(d, place{0, 0}, last, 0)
	if err != nil {
		return err
	}
	before := "---\n"
	if !strings.HasSuffix(t.text, "\n") {
		before = "\n---\n"
	}
	t.put(len(t.text), len(t.text), before+text)
	return nil
}

// Changed returns the text with all that was put in and taken away.
func (t *Text) Changed() ([]byte, error) {
	splices := slices.Clone(t.splices)
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Or(a.from-b.from, a.to-b.to, b.depth-a.depth) })
	var b strings.Builder
	b.WriteString(t.original[:t.mark])
	done := 0
	for _, s := range splices {
		if s.from < done {
			return nil, errPlace
		}
		b.WriteString(t.original[t.in(done):t.in(s.from)])
		if t.windows {
			s.with = strings.ReplaceAll(s.with, "\n", "\r\n")
		}
		b.WriteString(s.with)
		done = s.to
	}
	b.WriteString(t.original[t.in(done):])
	return []byte(b.String()), nil
}

// in is where an offset of the text is in the original.
func (t *Text) in(offset int) int {
	line, found := slices.BinarySearch(t.starts, offset)
	if !found {
		line--
	}
	return t.mark + offset + t.returns[line]
}
