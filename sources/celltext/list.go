package celltext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
)

// ListItems cuts a cell into the entries of a list. The vendor's own workbook
// writes lists as JSON, which people and programs retype with curly quotes.
func ListItems(a *resource.Attribute, text string) ([]string, *resource.Finding) {
	text = Trimmed(text)
	if !LooksLikeJSON(a, text) {
		return a.Split(text), nil
	}
	if items, ok := jsonItems(text); ok {
		return items, nil
	}
	if items, ok := retypedItems(text); ok && !json.Valid([]byte(text)) {
		return items, nil
	}
	return nil, &resource.Finding{
		Code: diag.BadValue, Message: fmt.Sprintf(`%s looks like JSON and is not one list `+
			`of texts: %s; want one entry a line, or one list such as ["one", "two"]`, a.Name, shortenedValue(text)),
		Hint: "write each entry on a line of its " +
			"own (Alt+Enter begins a line in a cell), without brackets, braces and quotes",
	}
}

// shortenedValue is as much of a value as a message repeats.
func shortenedValue(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// LooksLikeJSON takes [ and { for the beginning of JSON; of a hint only where a
// quote or another bracket follows.
func LooksLikeJSON(a *resource.Attribute, text string) bool {
	if a.Type == resource.TypeHints {
		return resource.LooksLikeJSON(text)
	}
	return strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")
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
	retypedJoint = pattern.Of(`[` + resource.Quotes + `]\s*[,，;]\s*[` + resource.Quotes + `]`)
	retypedList  = pattern.Of(`^\[\s*[` + resource.Quotes + `]([\s\S]*)[` + resource.Quotes + `]\s*,?\s*\]$`)
	// a list in the list, or a second one
	retypedMore = pattern.Of(`[` + resource.Quotes + `]\s*[\]}]|[\[{]\s*[` + resource.Quotes + `]`)
)

// retypedItems reads an array whose quotes are curly, single or a mix.
func retypedItems(text string) ([]string, bool) {
	m := retypedList.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	items := retypedJoint.Split(m[1], -1)
	for i := range items {
		if strings.TrimSpace(items[i]) == "" || retypedMore.MatchString(items[i]) {
			return nil, false
		}
		items[i] = strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`).Replace(items[i])
	}
	return items, true
}
