package sources

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// listItems cuts a cell into the entries of a list. The vendor's own workbook
// writes lists as JSON, which people and programs retype with curly quotes.
func listItems(a *resource.Attribute, text string) ([]string, *resource.Finding) {
	text = trimmed(text)
	if !looksLikeJSON(a, text) {
		return a.Split(text), nil
	}
	for _, read := range []func(string) ([]string, bool){jsonItems, retypedItems} {
		if items, ok := read(text); ok {
			return items, nil
		}
	}
	return nil, &resource.Finding{Code: diag.BadValue, Message: fmt.Sprintf("%s is %q; want entries one a line, or a list such as [\"one\", \"two\"]", a.Name, text)}
}

// quotes are what people and programs type where JSON has ".
const quotes = `"“”„‟″＂«»'‘’‚‛`

// looksLikeJSON takes [ before a quote for a list; a hint may well begin with a
// bracketed word, an id or a country never does.
func looksLikeJSON(a *resource.Attribute, text string) bool {
	inner, ok := strings.CutPrefix(text, "[")
	if !ok || a.Type != resource.TypeHints {
		return ok
	}
	first, _ := firstRune(strings.TrimSpace(inner))
	return strings.ContainsRune(quotes, first)
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

// jsonItems reads an array of texts and whole numbers.
func jsonItems(text string) ([]string, bool) {
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, false
	}
	items := make([]string, len(raw))
	for i, item := range raw {
		if digits := string(bytes.TrimSpace(item)); digits != "" && strings.Trim(digits, "0123456789") == "" {
			items[i] = digits
			continue
		}
		if string(item) == "null" || json.Unmarshal(item, &items[i]) != nil {
			return nil, false
		}
	}
	return items, true
}

// An entry ends at a quote before a comma and the next quote, or before the
// bracket: quotes inside it are part of the text.
var (
	retypedJoint = regexp.MustCompile(`[` + quotes + `]\s*[,，;]\s*[` + quotes + `]`)
	retypedList  = regexp.MustCompile(`^\[\s*[` + quotes + `]([\s\S]*)[` + quotes + `]\s*,?\s*\]$`)
)

// retypedItems reads an array whose quotes are curly, single or a mix.
func retypedItems(text string) ([]string, bool) {
	m := retypedList.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	items := retypedJoint.Split(m[1], -1)
	for i := range items {
		if strings.TrimSpace(items[i]) == "" {
			return nil, false
		}
		items[i] = strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`).Replace(items[i])
	}
	return items, true
}
