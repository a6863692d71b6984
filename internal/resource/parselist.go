package resource

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
)

// Split cuts the text of one cell into items. Hints are sentences, one a line;
// everything else is also separated by comma, semicolon and `|`.
func (a *Attribute) Split(s string) []string {
	separators := "\n\r"
	if a.Type != TypeHints {
		separators = "\n\r,;|"
	}
	var items []string
	for _, item := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if item = Clean(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// ItemFinding is what is wrong with item Index of a list; -1 is the whole list.
type ItemFinding struct {
	Index int
	Finding
}

// ParseList makes the canonical value of a list attribute from its items as
// written: sets are sorted and hold each item once, hints keep their order.
func (a *Attribute) ParseList(items []string) (Value, []ItemFinding) {
	canonical := make([]string, 0, len(items))
	seen := newSeen(len(items))
	var findings []ItemFinding
	for i, item := range items {
		one, finding := a.parseItem(Clean(item))
		if finding != nil {
			findings = append(findings, ItemFinding{i, *finding})
			continue
		}
		if a.Type == TypeHints && seen.has(one, canonical) {
			continue
		}
		canonical = append(canonical, one)
	}
	if a.Type != TypeHints {
		slices.Sort(canonical)
		canonical = slices.Compact(canonical)
		findings = append(findings, namedTwice(a, canonical)...)
	}
	if a.Max > 0 && int64(len(canonical)) > a.Max {
		findings = append(findings, ItemFinding{-1, Finding{
			Code: diag.TooLong, Message: fmt.Sprintf("%s has %d entries; want at most %d",
				a.Name, len(canonical), a.Max),
		}})
	}
	if len(findings) > 0 {
		return Value{}, findings
	}
	return List(canonical), nil
}

// seen are the items of a list so far. A short list is looked through; the zero
// seen is that of one.
type seen map[string]bool

const longList = 32

func newSeen(items int) seen {
	if items < longList {
		return nil
	}
	return make(seen, items)
}

// has reports whether an item was there before, and remembers it.
func (s seen) has(item string, before []string) bool {
	if s == nil {
		return slices.Contains(before, item)
	}
	twice := s[item]
	s[item] = true
	return twice
}

func (a *Attribute) parseItem(s string) (string, *Finding) {
	if s == "" {
		return "", &Finding{Code: diag.BadValue, Message: fmt.Sprintf("%s has an empty entry; want text", a.Name)}
	}
	switch a.Type {
	case TypeRegion:
		return parseCountry(s)
	case TypeSet:
		if c, ok := a.choice(s); ok {
			return c, nil
		}
		return "", a.badChoice(s)
	case TypeIDs:
		return s, a.badName(s)
	case TypeFactors:
		return parseFactor(a, s)
	case TypeHints:
		return s, a.badHint(s)
	}
	return s, nil
}

// Quotes are what people and programs type where JSON has ".
const Quotes = `"“”„‟″＂«»'‘’‚‛`

// jsonStart knows how lists and objects of JSON begin. A hint may well begin with
// a word in brackets.
var jsonStart = pattern.Of(`^(\[\s*([` + Quotes + `{\[\]]|$)|\{\s*([` + Quotes + `}]|$))`)

// LooksLikeJSON reports whether a hint, or a cell of hints, begins like JSON.
func LooksLikeJSON(s string) bool { return jsonStart.MatchString(s) }

// badHint refuses a sentence that is garbled, or a piece of JSON: its braces and
// quotes would stand in what the service compares with what people say.
func (a *Attribute) badHint(s string) *Finding {
	if !LooksLikeJSON(s) {
		return Garbled(s)
	}
	return &Finding{
		Code: diag.BadValue, Message: fmt.Sprintf("%s looks like JSON: %s; want a sentence", a.Name, shortStart(s)),
		Hint: `write each hint alone, without brackets, ` +
			`braces and quotes, or all of them in one cell as ["one", "two"]`,
	}
}

// shortStart is the beginning of a text, for messages.
func shortStart(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
