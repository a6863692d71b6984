package diag

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable makes text safe to show on a terminal and in the log of a CI job:
// control characters, direction marks and other invisible characters are written
// as escapes, so that a name cannot move the cursor or reorder a line, and so is
// the mark of a workflow command.
func Printable(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd") // a terminal may take a single byte for a control character
	s = disarmed(s)
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// disarmed escapes what GitHub Actions would carry out from a log: "##["
// anywhere, and "::" where a line begins, which any word may after wrapping.
func disarmed(s string) string {
	if !strings.Contains(s, "::") && !strings.Contains(s, "##[") {
		return s
	}
	if strings.HasPrefix(s, "::") {
		s = `\u003a` + s[1:]
	}
	return commands.Replace(s)
}

var commands = strings.NewReplacer("##[", `\u0023#[`, " ::", ` \u003a:`)

// hidden is true for characters a reader cannot see where they stand. The
// zero-width joiner belongs to emoji and scripts, yet is shown all the same:
// a plan is read by people who must trust every character of it.
func hidden(r rune) bool {
	return r != ' ' && !unicode.IsPrint(r)
}

// HasHidden reports whether the text holds a character that cannot be seen.
// Line feeds and tabs are judged by the caller.
func HasHidden(s string) bool { return strings.ContainsFunc(s, hidden) }
