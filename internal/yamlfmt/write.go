package yamlfmt

import (
	"slices"
	"strings"
	"unicode/utf8"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// writer puts the lines of a text together.
type writer struct {
	style Style
	lines []string
	tree  *tree
	gap   bool // a blank line goes before the next one of the same block
	keeps int  // number of lines where a text ended that keeps all line breaks
}

func (w *writer) text() string {
	if len(w.lines) == 0 {
		return ""
	}
	return strings.Join(w.lines, "\n") + "\n"
}

func (w *writer) document(d *document) {
	if d.mark != "" {
		w.blank(d.gap)
		w.lines = append(w.lines, d.mark)
	}
	w.tree = newTree(d)
	for i, c := range w.tree.head {
		w.comment(c, 0, i == 0)
	}
	if d.root == nil {
		return
	}
	w.blank(w.tree.headGap && len(w.tree.head) > 0)
	var order *Order
	if w.style.Order != nil {
		order = w.style.Order(func(key string) string { return valueOf(d.root, key) })
	}
	if w.tree.root == nil {
		w.lines = append(w.lines, w.flow(d.root, order))
		return
	}
	w.arrange(w.tree.root, order)
	w.block(w.tree.root, 0)
}

// valueOf returns the text of a key of a mapping, "" where there is none.
func valueOf(n *yaml.Node, key string) string {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// blank puts an empty line in, never two, and never behind a text that would
// take it for its own.
func (w *writer) blank(wanted bool) {
	if n := len(w.lines); wanted && n > 0 && n != w.keeps && w.lines[n-1] != "" {
		w.lines = append(w.lines, "")
	}
}

// arrange sorts entries, and moves the comments that would stand between a dash
// and the first key of its item before the dash.
func (w *writer) arrange(b *block, order *Order) {
	if b.node.Kind == yaml.MappingNode && order != nil {
		slices.SortStableFunc(b.entries, func(x, y *entry) int {
			return order.rank(x.key.Value) - order.rank(y.key.Value)
		})
	}
	for _, e := range b.entries {
		if e.order = order; e.key != nil {
			e.order = order.below(e.key.Value)
		}
		// A line has room for one comment behind it.
		if last := len(e.side) - 1; last > 0 {
			e.head = append(e.head, e.side[:last]...)
			e.side = e.side[last:]
		}
		if e.block == nil {
			continue
		}
		w.arrange(e.block, e.order)
		if first := e.block.entries[0]; e.key == nil {
			e.head = slices.Concat(e.head, e.side, first.head)
			e.side, first.head = nil, nil
		}
	}
}

func (w *writer) block(b *block, indent int) {
	for i, e := range b.entries {
		for j, c := range e.head {
			w.comment(c, indent, i+j == 0)
		}
		w.blank((w.gap || e.gap) && i+len(e.head) > 0)
		w.gap = false
		w.entry(e, indent)
		for _, c := range e.after {
			w.comment(c, indent, false)
		}
		w.gap = len(e.after) > 0
	}
	w.gap = false
	for _, c := range b.foot {
		w.comment(c, indent, false)
	}
}

func (w *writer) comment(c *comment, indent int, first bool) {
	w.blank((w.gap || c.blank) && !first)
	w.gap = false
	w.lines = append(w.lines, strings.Repeat(" ", indent)+c.text)
}

// entry writes a key or dash with its value.
func (w *writer) entry(e *entry, indent int) {
	start := strings.Repeat(" ", indent) + "-"
	if e.key != nil {
		start = strings.Repeat(" ", indent) + w.scalar(e.key, false) + ":"
	}
	switch line := len(w.lines); {
	case e.block == nil:
		w.value(e, start, indent)
	case e.key != nil:
		w.lines = append(w.lines, e.beside(start, indent))
		w.block(e.block, indent+2)
	default:
		w.block(e.block, indent+2)
		w.lines[line] = start + w.lines[line][indent+1:]
	}
}

// value writes what begins in the line of its key or dash.
func (w *writer) value(e *entry, start string, indent int) {
	block, isBlock := w.tree.blocks[e.value]
	folded := w.tree.folded[e.value]
	switch {
	case isNothing(e.value):
		w.lines = append(w.lines, e.beside(start, indent))
	case isBlock:
		w.lines = append(w.lines, e.beside(start+" "+block.header, indent))
		w.deeper(block.lines, indent)
		if strings.Contains(block.header, "+") {
			w.keeps = len(w.lines)
		}
	case len(folded) > 0 && !isFlow(e.in.node):
		w.lines = append(w.lines, start+" "+folded[0])
		w.deeper(folded[1:], indent)
		last := len(w.lines) - 1
		w.lines[last] = e.beside(w.lines[last], indent)
	default:
		w.lines = append(w.lines, e.beside(start+" "+w.flow(e.value, e.order), indent))
	}
}

func (w *writer) deeper(lines []string, indent int) {
	for _, line := range lines {
		if line != "" {
			line = strings.Repeat(" ", indent+2) + line
		}
		w.lines = append(w.lines, line)
	}
}

// beside puts the comment behind a line, as far from the entry's beginning as
// it was, so that comments below each other stay so.
func (e *entry) beside(line string, indent int) string {
	if len(e.side) == 0 {
		return line
	}
	c := e.side[0]
	gap := 1
	if c.line == e.at.line && !isFlow(e.in.node) {
		gap = max(1, indent+c.column-e.at.column-utf8.RuneCountInString(line))
	}
	return line + strings.Repeat(" ", gap) + c.text
}

// flow writes a value on one line.
func (w *writer) flow(n *yaml.Node, order *Order) string {
	var parts []string
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, w.flow(item, order))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.MappingNode:
		for _, i := range keysOf(n, order) {
			part := w.scalar(n.Content[i], true)
			if value := n.Content[i+1]; !isNothing(value) {
				part += ": " + w.flow(value, order.below(n.Content[i].Value))
			}
			parts = append(parts, part)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return w.scalar(n, true)
}

// keysOf returns the places of a mapping's keys in their order.
func keysOf(n *yaml.Node, order *Order) []int {
	var keys []int
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys = append(keys, i)
	}
	if order != nil {
		slices.SortStableFunc(keys, func(x, y int) int {
			return order.rank(n.Content[x].Value) - order.rank(n.Content[y].Value)
		})
	}
	return keys
}

// scalar leaves plain text as it is written, and takes off quotes that change
// nothing.
func (w *writer) scalar(n *yaml.Node, flow bool) string {
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	switch {
	case !quoted && !strings.Contains(n.Value, "\n"):
		return n.Value
	case quoted && w.style.Quoted != nil && w.style.Quoted(n.Value):
		return quote(n.Value)
	}
	return Scalar(n.Value, flow)
}
