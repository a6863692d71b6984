package yamlfmt

import (
	"cmp"
	"slices"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Edit is one change of a text.
type Edit struct {
	Line, Column int // where the text or the mapping begins, from 1
	Text         string
	Quoted       bool // in quotes whatever it says
	Plain        bool // without quotes whatever it says: a day
	Drop         bool // takes the document, or the item of a list, away
}

// Change makes edits and leaves every other character of a text as it is. An
// edit that has no place of its own is left out: of a text over several lines,
// of a document or item with comments. It gives the edits that were made.
func Change(content []byte, edits []Edit) ([]byte, []Edit, error) {
	mark := ""
	text := string(content)
	if rest, marked := strings.CutPrefix(text, "\ufeff"); marked {
		mark, text = "\ufeff", rest
	}
	documents, err := parse(strings.ReplaceAll(text, "\r\n", "\n"))
	if err != nil {
		return nil, nil, err
	}
	lines := strings.SplitAfter(text, "\n")
	var made []Edit
	dropped := make([]bool, len(lines)+1)
	// The last goes first, so that columns before it hold.
	edits = slices.SortedFunc(slices.Values(edits), func(a, b Edit) int {
		return cmp.Or(b.Line-a.Line, b.Column-a.Column)
	})
	for _, e := range edits {
		d := documentOf(documents, e.Line)
		if d != nil && (e.Drop && d.drop(e, dropped) || !e.Drop && d.replace(e, lines)) {
			made = append(made, e)
		}
	}
	var b strings.Builder
	b.WriteString(mark)
	for i, line := range lines {
		if !dropped[i] {
			b.WriteString(line)
		}
	}
	slices.Reverse(made)
	return []byte(b.String()), made, nil
}

func documentOf(documents []*document, line int) *document {
	for _, d := range documents {
		if line >= d.first && line < d.first+len(d.lines) {
			return d
		}
	}
	return nil
}

// replace puts another text in the place of one that stands in one line.
func (d *document) replace(e Edit, lines []string) bool {
	for _, t := range d.scalars {
		at := placeOf(t.node)
		end, known := d.ends[t.node]
		if at.line+d.first != e.Line || at.column+1 != e.Column ||
			!known || end.line != at.line || t.node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			continue
		}
		written := Scalar(e.Text, t.flow)
		switch quoted := t.node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0; {
		case e.Plain:
			written = e.Text
		case e.Quoted || quoted:
			written = quote(e.Text)
		}
		line := []rune(lines[e.Line-1])
		lines[e.Line-1] = string(line[:at.column]) + written + string(line[end.column:])
		return true
	}
	return false
}

// drop takes away the lines of a document behind a mark, or of an item of a
// list that is not in brackets. One with a comment stays: somebody said
// something about it.
func (d *document) drop(e Edit, dropped []bool) bool {
	at := place{e.Line - d.first, e.Column - 1}
	if d.root == nil {
		return false
	}
	first, last := -1, len(d.lines)-1 // with its mark
	if placeOf(d.root) != at {
		t := newTree(d)
		item := t.itemAt(at)
		if item == nil || len(item.in.entries) < 2 {
			return false
		}
		first, last = item.at.line, t.lastLine(item)
	} else if d.mark != "---" || d.inline {
		return false
	}
	for _, c := range d.comments {
		if c.line >= first-1 && c.line <= last {
			return false
		}
	}
	for l := first; l <= last; l++ {
		dropped[d.first-1+l] = true
	}
	return true
}

// itemAt finds the item of a list, one a line, whose value begins at a place.
func (t *tree) itemAt(p place) *entry {
	for _, e := range t.order {
		if e.key == nil && !isFlow(e.in.node) && placeOf(e.value) == p {
			return e
		}
	}
	return nil
}
