package yamlfmt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"adsync/internal/pattern"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// document is one document of a text, or what stands between two marks.
type document struct {
	mark     string // the line that begins it, such as "--- # spring"; "" where there is none
	inline   bool   // it begins in the line of its mark
	gap      bool   // a blank line stands before the mark
	first    int    // number of its first line
	lines    [][]rune
	root     *yaml.Node // nil where there is nothing but comments
	comments []*comment
	ends     map[*yaml.Node]place    // of quoted texts, blocks of text, and lists and mappings in brackets
	folded   map[*yaml.Node][]string // lines of a text that goes over several, without indentation
	blocks   map[*yaml.Node]blockText
	consumed []bool  // by line: belongs to a block of text
	scalars  []token // every text, in the order they are written
}

// place is a line and a column, both from 0.
type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// comment is one comment, from its # to the end of its line.
type comment struct {
	place
	text  string
	own   bool // nothing else stands in its line
	blank bool // a blank line stands before it
}

// blockText is a text behind | or >.
type blockText struct {
	header string   // "|", ">-", "|2+"
	lines  []string // without indentation
}

var docMark = pattern.Of(`^(---|\.\.\.)([ \t].*)?$`)

// parse cuts a text into its documents and follows each of them.
func parse(text string) ([]*document, error) {
	if err := readable(text); err != nil {
		return nil, err
	}
	var documents []*document
	at := &document{first: 1}
	blank := false
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if parts := docMark.FindStringSubmatch(line); parts != nil {
			documents = append(documents, at)
			at = &document{mark: strings.TrimRight(line, " \t"), gap: blank && i > 0, first: i + 2}
			rest := strings.TrimSpace(parts[2])
			if blank = false; rest != "" && rest[0] != '#' {
				at.mark, at.first, at.inline = parts[1], i+1, true
				at.lines = append(at.lines, []rune("   "+parts[2]))
			}
			continue
		}
		at.lines = append(at.lines, []rune(strings.TrimRight(line, "\r")))
		blank = strings.TrimSpace(line) == ""
	}
	for _, d := range append(documents, at) {
		if err := d.read(); err != nil {
			return nil, err
		}
	}
	return append(documents, at), nil
}

// readable refuses what is no text, and what only YAML takes for the end of a
// line: lines would be counted two ways.
func readable(text string) error {
	if !utf8.ValidString(text) {
		return &Problem{Message: "text is not UTF-8; want UTF-8"}
	}
	line := 1
	for _, r := range text {
		switch r {
		case '\n':
			line++
		case '\r', '\u0085', '\u2028', '\u2029', 0:
			return &Problem{
				Line: line, Message: fmt.Sprintf("a line holds the character "+
					"U+%04X, which can be read as the end of the line; want it written as an escape in quotes", r),
			}
		}
	}
	return nil
}

func (d *document) read() error {
	lines := make([]string, len(d.lines))
	for i, line := range d.lines {
		lines[i] = string(line)
		if strings.HasPrefix(lines[i], "%") {
			return &Problem{Line: d.first + i, Message: "a directive stands here; want none"}
		}
	}
	var parsed yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")+"\n"), &parsed); err != nil {
		f := FaultOf(err, []byte(strings.Join(lines, "\n")+"\n"))
		return &Problem{Line: d.first + f.Line - 1, Column: f.Column, Message: f.Message, Hint: f.Hint}
	}
	if len(parsed.Content) > 0 && !isNothing(parsed.Content[0]) {
		d.root = parsed.Content[0]
		if d.root.Kind == yaml.ScalarNode {
			return &Problem{Line: d.first + d.root.Line - 1, Message: "document is one text; want a mapping"}
		}
		if err := d.plain(d.root); err != nil {
			return err
		}
	}
	return d.scan()
}

// plain refuses what makes a text mean more than it says at each place.
func (d *document) plain(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return &Problem{
			Line: d.first + n.Line - 1, Message: "an anchor or alias is written; want each value where it belongs",
		}
	case n.Style&yaml.TaggedStyle != 0:
		return &Problem{
			Line: d.first + n.Line - 1, Message: fmt.Sprintf("tag %s is written; want a value without a tag", n.Tag),
		}
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind != yaml.ScalarNode {
			return &Problem{Line: d.first + child.Line - 1, Message: "a key is a list or a mapping; want a text"}
		}
		if err := d.plain(child); err != nil {
			return err
		}
	}
	return nil
}

// isNothing is true where no value is written at all.
func isNothing(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" &&
		n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

func isFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// placeOf is where a node begins.
func placeOf(n *yaml.Node) place { return place{n.Line - 1, n.Column - 1} }

// isBlank reports whether a line is empty and belongs to no block of text.
func (d *document) isBlank(line int) bool {
	return line >= 0 && line < len(d.lines) && !d.consumed[line] && strings.TrimSpace(string(d.lines[line])) == ""
}

// indentOf counts the spaces a line begins with.
func indentOf(line []rune) int {
	if i := slices.IndexFunc(line, func(r rune) bool { return r != ' ' }); i >= 0 {
		return i
	}
	return len(line)
}
