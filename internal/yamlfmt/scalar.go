package yamlfmt

import (
	"fmt"
	"strings"
	"unicode"

	"adsync/internal/pattern"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Scalar writes a text so that every YAML reader takes it for this text:
// plain where that is so, else in double quotes. flow says that it stands
// between brackets.
func Scalar(s string, flow bool) string {
	if !needsQuotes(s, flow) {
		return s
	}
	return quote(s)
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		b.WriteString(quotedRune(r))
	}
	b.WriteByte('"')
	return b.String()
}

func quotedRune(r rune) string {
	switch {
	case r == '"' || r == '\\':
		return `\` + string(r)
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case unicode.IsPrint(r):
		return string(r)
	case r <= 0xff:
		return fmt.Sprintf(`\x%02X`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04X`, r)
	}
	return fmt.Sprintf(`\U%08X`, r)
}

// IsPlain reports whether every character shows and none is a line break.
func IsPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func needsQuotes(s string, flow bool) bool {
	switch {
	case s == "" || s[0] == ' ' || s[len(s)-1] == ' ' || !IsPlain(s):
		return true
	case strings.ContainsRune("#&*!|>'\"%@`,[]{}", rune(s[0])):
		return true
	case strings.ContainsRune("-?:", rune(s[0])) && (flow || len(s) == 1 || s[1] == ' '):
		return true
	case strings.Contains(s, ": ") || strings.Contains(s, " #") || s[len(s)-1] == ':':
		return true
	case flow && strings.ContainsAny(s, ",[]{}:?"):
		return true
	}
	return ReadsAsOther(s)
}

var (
	// oldWords are true, false and null to one version of YAML or another.
	oldWords = pattern.Of(`^(?i:y|n|yes|no|on|off|true|false|null|~|<<|=)$`)
	// numeric is what may read as a number or a date.
	numeric = pattern.Of(`^[-+.]?[0-9._]|^[-+]?\.(?i:inf|nan)$`)
	// sexagesimal and octal are numbers to YAML 1.1.
	oldNumber = pattern.Of(
		`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$|^[-+]?0[0-7_]+$|^[-+]?[0-9][0-9_,]*(\.[0-9_]*)?$`)
)

// ReadsAsOther reports whether some YAML reader takes the plain text for a number,
// a date, a truth value or null.
func ReadsAsOther(s string) bool {
	if !mayReadAsOther(s) {
		return false
	}
	if oldWords.MatchString(s) || oldNumber.MatchString(s) {
		return true
	}
	if !numeric.MatchString(s) {
		return false
	}
	var node yaml.Node
	err := yaml.Unmarshal([]byte(s), &node)
	return err != nil || len(node.Content) != 1 || node.Content[0].Tag != "!!str"
}

// mayReadAsOther leaves out nearly all texts at once: the longest of the words is
// false, and one of its letters has a twin of two bytes; numbers begin as these do.
func mayReadAsOther(s string) bool {
	return len(s) <= len("false")+1 || strings.IndexByte("-+._0123456789", s[0]) >= 0
}
