package csvfile

import (
	"strings"

	"adsync/internal/pattern"
)

// Meaning is what a field says beyond its text.
type Meaning uint8

// What a field can be.
const (
	AsWritten Meaning = iota // its text, which a program may have changed
	AsText                   // its text to the letter: ="00123"
	Formula                  // a formula, whose value a CSV does not keep
)

// Read takes off what spreadsheet programs put around a text to keep it: ="00123",
// or an apostrophe before a text that would be a formula.
func Read(field string) (text string, meaning Meaning) {
	if isWrapped(field) {
		return strings.ReplaceAll(field[2:len(field)-1], `""`, `"`), AsText
	}
	if strings.HasPrefix(field, "=") {
		return field, Formula
	}
	if guarded(field) {
		return field[1:], AsWritten
	}
	return field, AsWritten
}

// isWrapped knows ="…", with quotes inside doubled.
func isWrapped(field string) bool {
	inner, opens := strings.CutPrefix(field, `="`)
	inner, closes := strings.CutSuffix(inner, `"`)
	return opens && closes && !strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`)
}

// formulaStarts are what a spreadsheet program takes for a formula's start
// (OWASP, CSV injection).
const formulaStarts = "=+-@\t\r"

// guarded reports whether apostrophes stand before the start of a formula.
func guarded(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return len(rest) < len(text) && rest != "" && strings.IndexByte(formulaStarts, rest[0]) >= 0
}

// Plain returns the field of a text that is no formula to any program. Read gives
// the text back.
func Plain(text string) string {
	if rest := strings.TrimLeft(text, "'"); rest != "" && strings.IndexByte(formulaStarts, rest[0]) >= 0 {
		return "'" + text
	}
	return text
}

// Exact returns the field of a text that must not change when a spreadsheet
// program opens and saves the file: it would make 123 of 00123, so that is
// written ="00123". Read gives the text back.
func Exact(text string) string {
	if changed.MatchString(text) {
		return `="` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return Plain(text)
}

// changed are texts that spreadsheet programs make a number, a time, a day or a
// truth of, in the languages seen most.
var changed = func() *pattern.Pattern {
	const (
		month = `(jan|feb|fev|mar|apr|abr|avr|` +
			`may|mai|mag|jun|jul|aug|ago|sep|set|oct|okt|ott|nov|dec|dez|dic|ene|gen|giu|lug)[a-z]*\.?`
		number = `[0-9.,:/% -]*[0-9][0-9.,:/% -]*(e[+-]?[0-9]+)?( ?[ap]m?)?`
		truth  = `true|false|wahr|falsch|vrai|faux|verdadero|falso`
	)
	return pattern.Of(`(?i)^(` + number + `|` +
		truth + `|` + month + `[ ._/-]*[0-9][0-9 ,./-]*|[0-9]+[ ._/-]*` + month + `([ ,./-]*[0-9]+)?)$`)
}()

// mangledNumber is how programs write a number with too many digits for them.
var mangledNumber = pattern.Of(`^[0-9]([.,][0-9]+)?[eE]\+[0-9]+$`)

// exactDigits is how many digits of a number spreadsheet programs keep.
const exactDigits = 15

// Mangled reports whether a program has likely made a number of a text: 1.2E+05, or an
// id of 15 digits and more that ends in zeros.
func Mangled(text string) bool {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return false
	}
	if mangledNumber.MatchString(text) {
		return true
	}
	return len(text) >= exactDigits && strings.Trim(text, "0123456789") == "" && strings.HasSuffix(text, "0000")
}
