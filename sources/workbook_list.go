package sources

import (
	"encoding/json"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// listItems cuts a cell into the entries of a list. The vendor's own workbook
// writes lists as JSON, which people retype with curly quotes.
func listItems(a *resource.Attribute, text string) ([]string, *resource.Finding) {
	trimmed := strings.TrimSpace(text)
	if !looksLikeJSON(trimmed) {
		return a.Split(text), nil
	}
	for _, candidate := range []string{trimmed, straightQuotes.Replace(trimmed)} {
		if items, ok := jsonItems(candidate); ok {
			return items, nil
		}
	}
	return nil, &resource.Finding{Code: diag.BadValue, Message: fmt.Sprintf("%s is %q; want entries one a line, or a list such as [\"one\", \"two\"]", a.Name, trimmed)}
}

var straightQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‟", `"`, "″", `"`, "＂", `"`, "«", `"`, "»", `"`)

// looksLikeJSON takes [ before a quote for a list; a hint may well begin with a
// bracketed word.
func looksLikeJSON(text string) bool {
	inner, ok := strings.CutPrefix(text, "[")
	if !ok {
		return false
	}
	first, _ := firstRune(strings.TrimSpace(inner))
	return strings.ContainsRune(`"“”„‟″＂«»`, first)
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

func jsonItems(text string) ([]string, bool) {
	var items []string
	if err := json.Unmarshal([]byte(text), &items); err != nil {
		return nil, false
	}
	return items, true
}
