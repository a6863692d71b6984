package yamlfmt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"adsync/internal/pattern"
)

// faultLine is the line a text stops being YAML in.
type faultLine struct {
	before []string // the lines of its document above it
	number int      // from 1
	text   string
}

// cause is what the parser says, by parts of its words, and what is said instead.
// The first that fits counts.
type cause struct {
	words   []string
	explain func(faultLine) Fault
}

// causes are all words of the scanner and the parser. FaultOf has an answer for those
// of another version, too.
var causes = []cause{
	{[]string{"exceeded max depth"}, func(p faultLine) Fault {
		f := p.fault(1, "nesting is too deep; want at most 10,000 brackets or dashes in each other",
			"look for brackets or dashes too many")
		f.Limit = true
		return f
	}},
	{[]string{"tab character"}, func(p faultLine) Fault {
		return p.fault(p.columnOf(max(strings.IndexByte(p.text, '\t'), 0)),
			"a tab stands where YAML wants spaces; want spaces", "")
	}},
	{[]string{"mapping values are not allowed"}, faultLine.secondColon},
	{[]string{"cannot start any token", "expected alphabetic or numeric character",
		"unknown anchor", "expected tag URI",
		"expected '!'", "the expected '>'", "undefined tag handle", "URI escaped octet", "UTF-8 octet",
		"length of a UTF-8 sequence", "mapping keys are not allowed", "expected whitespace"}, faultLine.sign},
	{[]string{"block sequence entries are not allowed"}, faultLine.listBehindKey},
	{[]string{"unknown escape character", "hexdecimal number", "Unicode character escape code"}, faultLine.escape},
	{[]string{"unexpected end of stream"}, faultLine.openQuote},
	{[]string{"unexpected document indicator"}, func(p faultLine) Fault {
		return p.fault(1, "--- begins a document within a text in quotes; want the quote closed before it", "")
	}},
	{[]string{"expected ',' or"}, faultLine.openBracket},
	{[]string{"expected comment or line break", "indentation indicator equal to 0"}, faultLine.behindBlock},
	{[]string{"could not find expected ':'"}, faultLine.noColon},
	{[]string{"expected '-' indicator"}, faultLine.noDash},
	{[]string{"expected key", "expected node content"}, faultLine.noKey},
	{[]string{"expected <document start>"}, faultLine.furtherLeft},
	{[]string{"incompatible YAML document", "version number", "digit or '.' character"}, func(p faultLine) Fault {
		return p.fault(1, fmt.Sprintf("the version is %q; want %%YAML 1.2, %%YAML 1.1 or none",
			strings.TrimSpace(p.text)), "delete the line")
	}},
	{[]string{"directive"}, faultLine.directive},
}

// explain returns what is wrong with the line in our words.
func (p faultLine) explain(problem string) Fault {
	if f := p.tabs(); f.Message != "" {
		return f
	}
	if f, found := p.oddSpace(); found {
		return f
	}
	for _, c := range causes {
		if slices.ContainsFunc(c.words, func(words string) bool { return strings.Contains(problem, words) }) {
			return c.explain(p)
		}
	}
	return p.unclear()
}

func (p faultLine) fault(column int, message, hint string) Fault {
	return Fault{Line: p.number, Column: column, Message: message, Hint: hint}
}

func (p faultLine) unclear() Fault {
	return p.fault(p.start(), fmt.Sprintf("line does not read as YAML: %q; want key: value",
		cut(strings.TrimSpace(p.text))), "put a text in quotes that has : # [ ] { } , & * ! | > ' \" % or @ in it")
}

// start is the column the line's text begins in.
func (p faultLine) start() int { return p.columnOf(len(p.text) - len(strings.TrimLeft(p.text, " \t"))) }

func (p faultLine) columnOf(byteOffset int) int {
	return 1 + utf8.RuneCountInString(p.text[:byteOffset])
}

func cut(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// keyed is a line taken apart: what stands before its value, and the value.
var keyed = pattern.Of(`^(\s*(?:-\s+)*)((?:[^\s'"#:\[{][^:#]*|"[^"]*"|'[^']*')\s*:(?:\s+|$))?(.*?)(\s+#.*)?$`)

// value returns the key of the line with its colon and space, "" where it has none,
// the value without a comment, and the column of the value.
func (p faultLine) value() (key, value string, column int) {
	m := keyed.FindStringSubmatchIndex(p.text)
	if m == nil {
		return "", strings.TrimSpace(p.text), p.start()
	}
	if m[4] >= 0 {
		key = strings.TrimSpace(p.text[m[4]:m[5]]) + " "
	}
	return key, strings.TrimSpace(p.text[m[6]:m[7]]), p.columnOf(m[6])
}

// quoted is the hint with the line's value in quotes.
func (p faultLine) quoted(value string) string {
	key, _, _ := p.value()
	if inner, ok := strings.CutPrefix(value, "'"); ok &&
		strings.HasSuffix(inner, "'") && !strings.Contains(inner, `"`) {
		value = inner[:len(inner)-1] // 'Don't stop': the quotes are none of the text
	}
	if strings.Contains(value, `"`) && !strings.ContainsAny(value, `'\`) {
		return "write: " + key + "'" + value + "'"
	}
	return "write: " + key + quote(value)
}

// secondColon is for name: Spring: sale, and for a line too far right.
func (p faultLine) secondColon() Fault {
	key, value, column := p.value()
	if key != "" && (strings.Contains(value, ": ") || strings.HasSuffix(value, ":")) {
		return p.fault(column, fmt.Sprintf("value is %q, "+
			"in which a colon and a space would begin another key; want it in quotes", cut(value)), p.quoted(value))
	}
	if f, found := p.gluedAbove(); found {
		return f
	}
	return p.fault(p.start(), "line is further "+
		"right than the lines above let it be; want keys of one level to begin in one column", p.above())
}

// above tells where the key above begins.
func (p faultLine) above() string {
	for _, line := range slices.Backward(p.before) {
		if text := strings.TrimLeft(line, " -"); text != "" && text[0] != '#' {
			return fmt.Sprintf("the key above begins in column %d", len(line)-len(text)+1)
		}
	}
	return ""
}

var glued = pattern.Of(`^\s*(?:- +)*([A-Za-z_]+):([^\s:/].*)$`)

// gluedAbove finds key:value without the space, in the line or the one above it.
func (p faultLine) gluedAbove() (Fault, bool) {
	texts := append(slices.Clone(p.before), p.text)
	for i := len(texts) - 1; i >= max(len(texts)-2, 0); i-- {
		if m := glued.FindStringSubmatch(texts[i]); m != nil {
			at := faultLine{number: p.number - (len(texts) - 1 - i), text: texts[i]}
			return at.fault(at.start(), fmt.Sprintf("%q has no space behind its colon; want key: value",
				cut(strings.TrimSpace(texts[i]))), fmt.Sprintf("write: %s: %s", m[1], m[2])), true
		}
	}
	return Fault{}, false
}

// sign is for values that begin with what YAML keeps for itself.
func (p faultLine) sign() Fault {
	_, value, column := p.value()
	if value == "" || !strings.ContainsAny(value[:1], "@`%&*!?|>") {
		return p.noKey()
	}
	return p.fault(column, fmt.Sprintf("value begins with %q, which YAML keeps for itself: %q; want it in quotes",
		value[:1], cut(value)), p.quoted(value))
}

func (p faultLine) listBehindKey() Fault {
	_, value, column := p.value()
	return p.fault(column, fmt.Sprintf("value begins with a dash and a space, as an entry "+
		"of a list does: %q; want it in quotes, or each entry on a line of its own", cut(value)), p.quoted(value))
}

var backslash = pattern.Of(`\\.?`)

func (p faultLine) escape() Fault {
	column := p.start()
	for _, m := range backslash.FindAllStringIndex(p.text, -1) {
		if next := p.text[m[0]+1 : m[1]]; next == "" || !strings.Contains("0abtnvfre \"/\\N_LP", next) {
			column = p.columnOf(m[0])
			break
		}
	}
	return p.fault(column, "a backslash in double quotes begins "+
		"a character that YAML does not know; want two of them, or the text in single quotes", `write \\ for each \`)
}

func (p faultLine) openQuote() Fault {
	_, value, column := p.value()
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return p.openBracket()
	}
	hint := "close it at the end of the text"
	if value[0] == '\'' {
		hint += "; within single quotes write '' for '"
	} else {
		hint += `; within double quotes write \" for "`
	}
	return p.fault(column, "a quote is opened here and not closed where the text ends; want both", hint)
}

func (p faultLine) openBracket() Fault {
	_, value, column := p.value()
	if value == "" || value[0] != '[' && value[0] != '{' {
		return p.unclear()
	}
	if goesOn(value) {
		return p.behind(value, column)
	}
	closing := closes[value[0]]
	return p.fault(column, fmt.Sprintf("%c is opened here, and %s is missing, "+
		"or a value within needs quotes: %q; want both", value[0], closing, cut(value)), "put values in quotes "+
		"that have a comma, a colon or a bracket in them; "+strings.TrimPrefix(p.quoted(value), "write: ")+" is a text")
}

// closes is what closes what a value opens with.
var closes = map[byte]string{'[': "]", '{': "}", '"': `"`, '\'': "'"}

// goesOn reports whether text follows where a value has closed what it opened.
func goesOn(value string) bool {
	inner, rest, closed := strings.Cut(value[1:], closes[value[0]])
	rest = strings.TrimSpace(rest)
	return closed && !strings.ContainsAny(inner, "[{") && rest != "" && rest[0] != ','
}

// opened is for a value in quotes or brackets that ends too early, or not at all.
func (p faultLine) opened(value string, column int) Fault {
	switch {
	case goesOn(value):
		return p.behind(value, column)
	case value[0] == '"' || value[0] == '\'':
		return p.openQuote()
	}
	return p.openBracket()
}

// behind is for a text that goes on where a quote or a bracket has closed.
func (p faultLine) behind(value string, column int) Fault {
	return p.fault(column, fmt.Sprintf("text follows where %s is closed: %q; want the whole value in quotes",
		map[byte]string{'"': "the quote", '\'': "the quote", '[': "the bracket", '{': "the brace"}[value[0]],
		cut(value)), p.quoted(value))
}

func (p faultLine) behindBlock() Fault {
	_, value, column := p.value()
	return p.fault(column, fmt.Sprintf("text stands behind %s, which begins a text on the lines below: "+
		"%q; want it in quotes, or on the lines below", value[:min(1, len(value))], cut(value)), p.quoted(value))
}

func (p faultLine) noColon() Fault {
	if f, found := p.gluedAbove(); found {
		return f
	}
	return p.fault(p.start(), fmt.Sprintf("line has no key: %q; want key: value", cut(strings.TrimSpace(p.text))),
		"put a text of several lines in quotes, or behind key: |")
}

func (p faultLine) noDash() Fault {
	return p.fault(p.start(), "line begins where entries "+
		"of a list do, and has no dash; want a dash and a space before it, or another column", p.above())
}

// noKey is for a line where a key should be.
func (p faultLine) noKey() Fault {
	_, value, column := p.value()
	switch {
	case value != "" && strings.ContainsAny(value[:1], `"'[{`):
		return p.opened(value, column)
	case value != "" && strings.ContainsAny(value[:1], ",]}"):
		return p.fault(column, fmt.Sprintf("value begins with %q, which YAML keeps for itself: %q; want it in quotes",
			value[:1], cut(value)), p.quoted(value))
	}
	if f, found := p.gluedAbove(); found {
		return f
	}
	return p.fault(p.start(), "line begins in a column "+
		"where no line of its level does; want keys of one level to begin in one column", p.above())
}

func (p faultLine) directive() Fault {
	return p.fault(1, fmt.Sprintf("line begins with %%, as instructions to a YAML program do: %q; want none",
		cut(p.text)), "put a text that begins with % in quotes")
}

func (p faultLine) furtherLeft() Fault {
	if strings.HasPrefix(p.text, "%") {
		return p.directive()
	}
	_, value, column := p.value()
	if value != "" && strings.ContainsAny(value[:1], `"'[{`) {
		return p.opened(value, column)
	}
	return p.fault(p.start(), "line begins further left than the first "+
		"of its document; want keys of one level to begin in one column, or --- before another document", p.above())
}
