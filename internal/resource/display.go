package resource

import (
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
)

// Format writes a value as people read it: money in units, lists joined.
func (a *Attribute) Format(v Value) string {
	switch {
	case v.IsAbsent():
		return ""
	case v.IsNull():
		return "[clear]"
	}
	if n, ok := v.Number(); ok && a.Type == TypeMoney {
		return FormatMoney(n)
	} else if ok {
		return strconv.FormatInt(n, 10)
	}
	if a.Type.IsList() {
		return a.JoinItems(v.Items())
	}
	return v.Text()
}

// JoinItems writes a list as one cell holds it.
func (a *Attribute) JoinItems(items []string) string {
	if a.Type == TypeHints {
		return strings.Join(items, "\n")
	}
	return strings.Join(items, ", ")
}

// Show is Format, safe for a terminal and quoted where it is text.
func (a *Attribute) Show(v Value) string {
	switch {
	case v.IsAbsent():
		return catalogue.Say("shown.none")
	case v.IsNull():
		return "[clear]"
	case a.Type == TypeHints:
		return catalogue.Say("shown.entries", "n", len(v.Items()))
	case a.Type.IsList() && len(v.Items()) == 0:
		return catalogue.Say("shown.empty")
	case a.Addressed != "":
		return diag.Printable(a.JoinItems(a.Shown(v)))
	case a.Type == TypeMembers:
		return diag.Printable(showMembers(v))
	case a.Type == TypeText || a.Type == TypeQuery || a.Type == TypeObject:
		return `"` + diag.Printable(a.Format(v)) + `"`
	}
	return diag.Printable(a.Format(v))
}

// digestShown is how much of the digest of a list tells one list from another.
const digestShown = 12

// showMembers names a file of people and the list it holds. Of what was sent
// before only the list is known.
func showMembers(v Value) string {
	digest, read := strings.CutPrefix(v.Text(), "sha256:")
	if !read {
		return v.Text()
	}
	list := "list " + digest[:min(len(digest), digestShown)]
	if v.Written() == v.Text() {
		return list
	}
	return v.Written() + " (" + list + ")"
}

// Slug makes the default key of a name: lower-case letters, digits and hyphens.
// A name without any gives "".
func Slug(name string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range strings.ToLower(ascii(name)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(r)
			continue
		}
		hyphen = true
	}
	return b.String()
}

// ValidKey reports whether a key as written can stand in an address.
func ValidKey(key string) bool {
	return key != "" && len(key) <= 200 && !strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
			r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	})
}
