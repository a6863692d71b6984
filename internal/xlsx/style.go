package xlsx

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Style is what a cell's number format says about the number under it.
type Style struct {
	Date    bool
	Percent bool
	Symbol  string // a currency's symbol or code, "" where there is none
	Shows   string // what people see that is not the number, "" where it is
}

// maxStyles is how many cell styles a workbook may have; programs stop at 64,000
// and a little more.
const maxStyles = 1 << 17

// readStyles returns the style of each number a cell can name.
func (b *Book) readStyles(part string) ([]Style, error) {
	if part == "" {
		return nil, nil
	}
	formats := map[string]Style{}
	var styles []Style
	err := elements(b.parts.content[part], func(s *xmlScanner) error {
		if len(s.open) < 3 {
			return nil
		}
		parent := string(localName(s.open[len(s.open)-2]))
		switch {
		case string(s.name) == "numFmt" && parent == "numFmts":
			code, err := s.attrText("formatCode")
			if err != nil {
				return err
			}
			formats[string(s.attr("numFmtId"))] = parseFormat(code)
		case string(s.name) == "xf" && parent == "cellXfs":
			id := string(s.attr("numFmtId"))
			found, ok := formats[id]
			if !ok {
				found = builtIn(id)
			}
			styles = append(styles, found)
		}
		if len(styles) > maxStyles || len(formats) > maxStyles {
			return beyond("copy the cells without their formats into a new workbook",
				"", "there are more than %d; want at most so many", maxStyles)
		}
		return nil
	})
	return styles, err
}

// builtIn returns the meaning of the formats every workbook has without saying
// so (ECMA-376 part 1, 18.8.30), with the East Asian dates among them.
func builtIn(id string) Style {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil:
		return Style{}
	case n == 9 || n == 10:
		return Style{Percent: true}
	case n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58:
		return Style{Date: true}
	}
	return Style{}
}

// parseFormat judges a format code by its first section, the one for positive
// numbers: quoted text, escaped characters and bracketed conditions say nothing
// of the sort of number.
func parseFormat(code string) Style {
	if code == "General" || code == "Standard" {
		return Style{}
	}
	var p formatParser
	p.section([]rune(code))
	p.found.Shows = p.shows(code)
	return p.found
}

// formatParser reads a section of a format code.
type formatParser struct {
	found       Style
	digits      bool // a digit of the number is shown
	minus       bool // a minus sign stands before it, whatever the number
	scaled      bool // the number is shown in thousands or millions
	conditional bool // the section is for some numbers only
}

func (p *formatParser) section(runes []rune) {
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == ';':
			return
		case r == '"':
			end := indexRune(runes, i+1, '"')
			p.literal(string(runes[i+1 : end]))
			i = end
		case r == '\\' || r == '_' || r == '*':
			if r == '\\' && i+1 < len(runes) {
				p.literal(string(runes[i+1]))
			}
			i++
		case r == '[':
			end := indexRune(runes, i+1, ']')
			p.bracket(string(runes[i+1 : end]))
			i = end
		case r == '%':
			p.found.Percent = true
		case r == ',' && i > 0 && isDigit(runes[i-1]) && (i+1 == len(runes) || !isDigit(runes[i+1])):
			p.scaled = true
		case isDigit(r):
			p.digits = true
		case strings.ContainsRune("ymdhsYMDHS", r):
			p.found.Date = true
		default:
			p.literal(string(r))
		}
	}
}

func isDigit(r rune) bool { return strings.ContainsRune("0#?", r) }

// shows returns what people see in the place of a number, "" where it is the
// number, rounded or not.
func (p *formatParser) shows(code string) string {
	first, _, _ := strings.Cut(code, ";")
	switch {
	case p.found.Date || p.found.Percent || p.conditional ||
		strings.Contains(strings.ToLower(first), "general") || strings.Contains(first, "@"):
		return ""
	case strings.TrimSpace(first) == "":
		return "nothing"
	case !p.digits:
		return "a text"
	case p.minus:
		return "it with a minus sign"
	case p.scaled:
		return "it in thousands or millions"
	}
	return ""
}

func indexRune(runes []rune, from int, want rune) int {
	for i := from; i < len(runes); i++ {
		if runes[i] == want {
			return i
		}
	}
	return len(runes)
}

// literal takes note of a currency's symbol or code standing in the format, and
// of a minus sign.
func (p *formatParser) literal(text string) {
	p.minus = p.minus || !p.digits && strings.ContainsAny(text, "-\u2212")
	s := &p.found
	if code := strings.TrimSpace(text); len(code) == 3 &&
		strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && s.Symbol == "" {
		s.Symbol = code
	}
	for _, r := range text {
		if unicode.Is(unicode.Sc, r) && s.Symbol == "" {
			s.Symbol = string(r)
		}
	}
}

// bracket reads [$€-407], elapsed time [h], conditions such as [>1000] and, to
// no effect, colours.
func (p *formatParser) bracket(text string) {
	if symbol, ok := strings.CutPrefix(text, "$"); ok {
		symbol, _, _ = strings.Cut(symbol, "-")
		if p.found.Symbol == "" {
			p.found.Symbol = strings.TrimSpace(symbol)
		}
		return
	}
	p.conditional = p.conditional || strings.ContainsAny(text, "<>=")
	switch strings.ToLower(text) {
	case "h", "hh", "m", "mm", "s", "ss":
		p.found.Date = true
	}
}

// StyleOf returns the style a cell names; a number that is not there is damage.
func (b *Book) StyleOf(index int) (Style, error) {
	switch {
	case index == 0 && len(b.styles) == 0:
		return Style{}, nil
	case index < 0 || index >= len(b.styles):
		return Style{}, fmt.Errorf("a cell has style %d of %d", index, len(b.styles))
	}
	return b.styles[index], nil
}
