package yamlfmt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unreadable finds the first character that no YAML has, wherever it stands.
func unreadable(content []byte) (Fault, bool) {
	line, column := 1, 1
	for i := 0; i < len(content); {
		r, size := utf8.DecodeRune(content[i:])
		if r == utf8.RuneError && size == 1 {
			return Fault{
				Line: line, Column: column, Message: fmt.Sprintf("byte 0x%02x is not UTF-8; want UTF-8 text",
					content[i]), Hint: "save it as UTF-8",
			}, true
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' ||
			r >= 0x7f && r <= 0x9f && r != 0x85 || r == 0xfffe || r == 0xffff {
			return Fault{
				Line: line, Column: column, Message: fmt.Sprintf("text holds the character U+%04X, "+
					"which cannot be seen; want text without it", r), Hint: "type the text again if it was pasted",
			}, true
		}
		column++
		switch r {
		case '\n', '\u0085', '\u2028', '\u2029':
			line, column = line+1, 1
		case '\r':
			if i+1 == len(content) || content[i+1] != '\n' {
				line, column = line+1, 1
			}
		}
		i += size
	}
	return Fault{}, false
}

// tabs finds a tab that indents the line, or one near above it.
func (p faultLine) tabs() Fault {
	texts := append(p.before[max(len(p.before)-2, 0):len(p.before):len(p.before)], p.text)
	for i, text := range texts {
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && tab+1 < len(text) {
			return Fault{
				Line:   p.number - len(texts) + 1 + i,
				Column: tab + 1, Message: "line is indented with a tab, which YAML does not take; want spaces",
				Hint: "indent with spaces; adsync fix does it where that is clear",
			}
		}
	}
	return Fault{}
}

// oddSpace finds a space at the beginning of the line that is none to YAML.
func (p faultLine) oddSpace() (Fault, bool) {
	for i, r := range p.text {
		switch {
		case r == ' ' || r == '-':
		case unicode.IsSpace(r) && r != '\t' || r == '\u200b' || r == '\u2060' || r == '\ufeff':
			return p.fault(p.columnOf(i), fmt.Sprintf("line is indented with the character "+
				"U+%04X, which is no space to YAML; want spaces", r), "type the spaces again if they were pasted"), true
		default:
			return Fault{}, false
		}
	}
	return Fault{}, false
}
