package yamlfmt

import (
	"slices"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// token is a node that begins with a character of its own in the text.
type token struct {
	node   *yaml.Node
	parent int  // indentation of what it stands in; -1 at the top
	flow   bool // it stands between brackets
}

// scanner goes over the characters of a document beside the parser's nodes, and
// finds what the nodes do not tell: where things end, and every comment.
type scanner struct {
	*document
	at     place
	tokens []token
	open   []*yaml.Node // brackets that are not closed yet
}

func (d *document) scan() error {
	d.ends, d.folded, d.blocks = map[*yaml.Node]place{}, map[*yaml.Node][]string{}, map[*yaml.Node]blockText{}
	d.consumed = make([]bool, len(d.lines))
	s := &scanner{document: d}
	if d.root != nil {
		s.collect(d.root, -1, false)
	}
	for s.at.line < len(d.lines) {
		s.step()
	}
	if len(s.tokens) > 0 || len(s.open) > 0 {
		line := d.first
		if len(s.tokens) > 0 {
			line += s.tokens[0].node.Line - 1
		}
		return &Problem{Line: line, Message: "text cannot be followed; want a simpler way of writing it"}
	}
	for _, c := range d.comments {
		c.blank = c.own && d.isBlank(c.line-1)
	}
	return nil
}

// collect lists the nodes in the order they are written.
func (s *scanner) collect(n *yaml.Node, parent int, flow bool) {
	if n.Kind == yaml.ScalarNode {
		if !isNothing(n) {
			s.tokens = append(s.tokens, token{n, parent, flow})
		}
		return
	}
	if isFlow(n) {
		// A pair without braces in a list in brackets begins with its key.
		if opens := s.runeAt(placeOf(n)); opens == '[' || opens == '{' {
			s.tokens = append(s.tokens, token{n, parent, flow})
		}
	}
	inner := parent
	if !isFlow(n) {
		inner = n.Column - 1
	}
	for _, child := range n.Content {
		s.collect(child, inner, flow || isFlow(n))
	}
}

func (d *document) runeAt(p place) rune {
	if p.line < 0 || p.line >= len(d.lines) || p.column < 0 || p.column >= len(d.lines[p.line]) {
		return 0
	}
	return d.lines[p.line][p.column]
}

// step takes the next token, comment or character.
func (s *scanner) step() {
	if s.at.column >= len(s.lines[s.at.line]) {
		s.at = place{s.at.line + 1, 0}
		return
	}
	if len(s.tokens) > 0 && placeOf(s.tokens[0].node) == s.at {
		t := s.tokens[0]
		s.tokens = s.tokens[1:]
		s.take(t)
		return
	}
	switch s.runeAt(s.at) {
	case '#':
		if s.at.column == 0 || isSpace(s.runeAt(place{s.at.line, s.at.column - 1})) {
			s.comment()
			return
		}
	case ']', '}':
		if last := len(s.open) - 1; last >= 0 {
			s.ends[s.open[last]] = s.at
			s.open = s.open[:last]
		}
	}
	s.at.column++
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' }

func (s *scanner) comment() {
	line := s.lines[s.at.line]
	s.comments = append(s.comments, &comment{
		place: s.at, text: strings.TrimRight(string(line[s.at.column:]), " \t"),
		own: strings.TrimSpace(string(line[:s.at.column])) == "",
	})
	s.at.column = len(line)
}

func (s *scanner) take(t token) {
	if t.node.Kind == yaml.ScalarNode {
		s.scalars = append(s.scalars, t)
	}
	switch {
	case t.node.Kind != yaml.ScalarNode:
		s.open = append(s.open, t.node)
		s.at.column++
	case t.node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		s.takeBlock(t)
	case t.node.Style&yaml.DoubleQuotedStyle != 0:
		s.takeQuoted(t, '"')
	case t.node.Style&yaml.SingleQuotedStyle != 0:
		s.takeQuoted(t, '\'')
	default:
		s.takePlain(t)
	}
}

// takeQuoted goes to the end of a text in quotes.
func (s *scanner) takeQuoted(t token, quote rune) {
	start := s.at
	for s.at.column++; s.at.line < len(s.lines); s.at = (place{s.at.line + 1, 0}) {
		line := s.lines[s.at.line]
		for ; s.at.column < len(line); s.at.column++ {
			switch {
			case line[s.at.column] == '\\' && quote == '"':
				s.at.column++
			case line[s.at.column] != quote:
			case quote == '\'' && s.runeAt(place{s.at.line, s.at.column + 1}) == quote:
				s.at.column++
			default:
				s.at.column++
				s.keepFolded(t.node, start)
				return
			}
		}
	}
}

// takePlain goes to the end of a text without quotes.
func (s *scanner) takePlain(t token) {
	start := s.at
	if value := []rune(t.node.Value); slices.Equal(value,
		s.lines[s.at.line][s.at.column:min(len(s.lines[s.at.line]), s.at.column+len(value))]) {
		s.at.column += len(value)
		s.ends[t.node] = s.at
		return
	}
	for {
		s.at.column = s.plainEnd(t.flow)
		s.ends[t.node] = s.at
		next := s.at.line + 1
		for next < len(s.lines) && strings.TrimSpace(string(s.lines[next])) == "" {
			next++
		}
		if s.at.column < s.contentEnd() || next >= len(s.lines) || !s.continues(t, next) {
			break
		}
		s.at = place{next, indentOf(s.lines[next])}
		for isSpace(s.runeAt(s.at)) {
			s.at.column++
		}
	}
	s.keepFolded(t.node, start)
}

// contentEnd is the column after the last character of the line.
func (s *scanner) contentEnd() int {
	return len([]rune(strings.TrimRight(string(s.lines[s.at.line]), " \t")))
}

// continues reports whether a line goes on with the text.
func (s *scanner) continues(t token, line int) bool {
	text := strings.TrimLeft(string(s.lines[line]), " \t")
	if strings.HasPrefix(text, "#") || !t.flow && indentOf(s.lines[line]) <= t.parent {
		return false
	}
	if t.flow {
		return !strings.ContainsRune(",[]{}", []rune(text)[0])
	}
	return len(s.tokens) == 0 || line < s.tokens[0].node.Line-1
}

// plainEnd is where the part of the text in this line ends: before a comment,
// or between brackets before what ends an entry.
func (s *scanner) plainEnd(flow bool) int {
	line := s.lines[s.at.line]
	for c := s.at.column; c < len(line); c++ {
		comment := line[c] == '#' && c > 0 && isSpace(line[c-1])
		entry := flow && (strings.ContainsRune(",[]{}", line[c]) ||
			line[c] == ':' && (c+1 == len(line) || strings.ContainsRune(" \t,[]{}", line[c+1])))
		if comment || entry {
			return len([]rune(strings.TrimRight(string(line[:c]), " \t")))
		}
	}
	return s.contentEnd()
}

// keepFolded keeps the lines of a text that goes over several of them.
func (s *scanner) keepFolded(n *yaml.Node, start place) {
	s.ends[n] = s.at
	if start.line == s.at.line {
		return
	}
	for l := start.line; l <= s.at.line; l++ {
		line := s.lines[l]
		if l == s.at.line {
			line = line[:s.at.column]
		}
		if l == start.line {
			line = line[start.column:]
		}
		text := strings.TrimLeft(string(line), " \t")
		if trimmed := strings.TrimRight(text, " \t"); !strings.HasSuffix(trimmed, `\`) {
			text = trimmed
		}
		s.folded[n] = append(s.folded[n], text)
	}
}

// takeBlock keeps the lines of a text behind | or >.
func (s *scanner) takeBlock(t token) {
	line := s.lines[s.at.line]
	end := s.at.column + 1
	for end < len(line) && strings.ContainsRune("+-123456789", line[end]) {
		end++
	}
	header := string(line[s.at.column:end])
	for s.at.column = end; s.at.column < len(line); {
		if line[s.at.column] == '#' {
			s.comment()
			break
		}
		s.at.column++
	}
	indent := s.blockIndent(t, header)
	first, last := s.at.line+1, s.at.line
	for l := first; l < len(s.lines) &&
		(indentOf(s.lines[l]) >= indent || indentOf(s.lines[l]) == len(s.lines[l])); l++ {
		if len(s.lines[l]) > indent || strings.Contains(header, "+") {
			last = l
		}
	}
	block := blockText{header: strings.Trim(header, "123456789")}
	if block.header != header {
		block.header = header[:1] + "2" + strings.Trim(header[1:], "123456789")
	}
	for l := first; l <= last; l++ {
		s.consumed[l] = true
		block.lines = append(block.lines, string(s.lines[l][min(indent, len(s.lines[l])):]))
	}
	s.blocks[t.node] = block
	s.ends[t.node] = place{last, len(s.lines[last])}
	s.at = place{last + 1, 0}
}

// blockIndent is the indentation of a block of text: given in its header, or
// the deepest down to its first line that holds something.
func (s *scanner) blockIndent(t token, header string) int {
	for _, r := range header {
		if r >= '1' && r <= '9' {
			return max(t.parent, 0) + int(r-'0')
		}
	}
	deepest := t.parent + 1
	for l := s.at.line + 1; l < len(s.lines); l++ {
		indent := indentOf(s.lines[l])
		deepest = max(deepest, indent)
		if indent < len(s.lines[l]) {
			break
		}
	}
	return deepest
}
