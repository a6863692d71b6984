package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/pattern"
)

// elementText reads the text of the element just opened, to its end.
func (s *xmlScanner) elementText() (string, error) {
	var text joined
	for depth := len(s.open); len(s.open) >= depth; {
		kind, err := s.next()
		if err != nil {
			return "", err
		}
		if kind != xmlText {
			continue
		}
		chars, err := s.chars()
		if err != nil {
			return "", err
		}
		text.add(chars)
	}
	return text.String(), nil
}

// joined is a text that mostly comes in one piece, and may come in millions.
type joined struct {
	first string
	rest  strings.Builder
}

func (j *joined) add(piece string) {
	if j.first == "" {
		j.first = piece
		return
	}
	j.rest.WriteString(piece)
}

func (j *joined) String() string {
	if j.rest.Len() == 0 {
		return j.first
	}
	return j.first + j.rest.String()
}

// skipElement passes over the element just opened.
func (s *xmlScanner) skipElement() error {
	for depth := len(s.open); len(s.open) >= depth; {
		if kind, err := s.next(); err != nil || kind == xmlEnd {
			return err
		}
	}
	return nil
}

// richText reads the texts inside the element the scanner stands in, to its end.
func (s *xmlScanner) richText(element string) (string, error) {
	var text joined
	inText, phonetic := false, 0
	for depth := len(s.open); ; {
		kind, err := s.next()
		if err != nil {
			return "", err
		}
		switch kind {
		case xmlOpen:
			inText = string(s.name) == "t"
			if string(s.name) == "rPh" {
				phonetic++
			}
		case xmlText:
			if inText && phonetic == 0 {
				chars, err := s.chars()
				if err != nil {
					return "", err
				}
				text.add(chars)
			}
		case xmlClose:
			inText = false
			if string(s.name) == "rPh" {
				phonetic--
			}
			if len(s.open) < depth && string(s.name) == element {
				return unescapeX(text.String()), nil
			}
		case xmlEnd:
			return "", fmt.Errorf("XML ends inside <%s>", element)
		}
	}
}

var escapedX = pattern.Of(`_x[0-9A-Fa-f]{4}_`)

// unescapeX takes off the _x000D_ form in which workbooks write characters
// that XML cannot hold (ECMA-376 part 1, 22.4.2.4).
func unescapeX(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return escapedX.ReplaceAllStringFunc(text, func(escape string) string {
		n, err := strconv.ParseUint(escape[2:6], 16, 32)
		if err != nil || n >= 0xD800 && n <= 0xDFFF {
			return escape
		}
		return string(rune(n))
	})
}

// chars returns the decoded text of a xmlText.
func (s *xmlScanner) chars() (string, error) {
	if s.cdata {
		return strings.ReplaceAll(string(s.text), "\r\n", "\n"), nil
	}
	return unescapeXML(s.text)
}

// unescapeXML replaces the five entities of XML and character references.
func unescapeXML(raw []byte) (string, error) {
	if bytes.IndexByte(raw, '\r') >= 0 {
		raw = bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	i := bytes.IndexByte(raw, '&')
	if i < 0 {
		return string(raw), nil
	}
	var b strings.Builder
	for ; i >= 0; i = bytes.IndexByte(raw, '&') {
		b.Write(raw[:i])
		end := bytes.IndexByte(raw[i:], ';')
		if end < 0 {
			return "", fmt.Errorf("XML has a bare &")
		}
		r, err := xmlEntity(string(raw[i+1 : i+end]))
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
		raw = raw[i+end+1:]
	}
	b.Write(raw)
	return b.String(), nil
}

func xmlEntity(name string) (rune, error) {
	if r, ok := xmlEntities[name]; ok {
		return r, nil
	}
	digits, numeric := strings.CutPrefix(name, "#")
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if !numeric || err != nil || !ValidChar(rune(n)) {
		return 0, fmt.Errorf("XML has the entity %q; want none but the five of XML", name)
	}
	return rune(n), nil
}

var xmlEntities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// ValidChar reports whether XML can hold a character.
func ValidChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF ||
		r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}
