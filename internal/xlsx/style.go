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
	scaled  bool   // shown in thousands or millions
	Symbol  string // a currency's symbol or code, "" where there is none
}

// maxStyles is how many cell styles a workbook may have; programs stop at 64,000
// and a little more.
const maxStyles = 1 << 17

// readStyles gives the style of each number a cell can name.
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
			return fmt.Errorf("there are more than %d", maxStyles)
		}
		return nil
	})
	return styles, err
}

// builtIn gives the meaning of the formats every workbook has without saying
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
	var found Style
	if code == "General" || code == "Standard" {
		return found
	}
	runes := []rune(code)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == ';':
			return found
		case r == '"':
			end := indexRune(runes, i+1, '"')
			found.literal(string(runes[i+1 : end]))
			i = end
		case r == '\\' || r == '_' || r == '*':
			if r == '\\' && i+1 < len(runes) {
				found.literal(string(runes[i+1]))
			}
			i++
		case r == '[':
			end := indexRune(runes, i+1, ']')
			found.bracket(string(runes[i+1 : end]))
			i = end
		case r == '%':
			found.Percent = true
		case r == ',' && i > 0 && strings.ContainsRune("0#?", runes[i-1]) && (i+1 == len(runes) || !strings.ContainsRune("0#?", runes[i+1])):
			found.scaled = true
		case strings.ContainsRune("ymdhsYMDHS", r):
			found.Date = true
		default:
			found.literal(string(r))
		}
	}
	return found
}

func indexRune(runes []rune, from int, want rune) int {
	for i := from; i < len(runes); i++ {
		if runes[i] == want {
			return i
		}
	}
	return len(runes)
}

// literal takes note of a currency's symbol or code standing in the format.
func (s *Style) literal(text string) {
	if code := strings.TrimSpace(text); len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && s.Symbol == "" {
		s.Symbol = code
	}
	for _, r := range text {
		if unicode.Is(unicode.Sc, r) && s.Symbol == "" {
			s.Symbol = string(r)
		}
	}
}

// bracket reads [$€-407], elapsed time [h] and, to no effect, colours and conditions.
func (s *Style) bracket(text string) {
	if symbol, ok := strings.CutPrefix(text, "$"); ok {
		symbol, _, _ = strings.Cut(symbol, "-")
		if s.Symbol == "" {
			s.Symbol = strings.TrimSpace(symbol)
		}
		return
	}
	switch strings.ToLower(text) {
	case "h", "hh", "m", "mm", "s", "ss":
		s.Date = true
	}
}

// StyleOf gives the style a cell names; a number that is not there is damage.
func (b *Book) StyleOf(index int) (Style, error) {
	switch {
	case index == 0 && len(b.styles) == 0:
		return Style{}, nil
	case index < 0 || index >= len(b.styles):
		return Style{}, fmt.Errorf("a cell has style %d of %d", index, len(b.styles))
	}
	return b.styles[index], nil
}
