package tidy

import (
	"slices"
	"strings"
	"unicode"

	"adsync/internal/diag"
	"adsync/internal/resource"

	"golang.org/x/text/unicode/norm"
)

// repair is another way of writing a value that has one reading, and why.
type repair struct{ text, why string }

const (
	whyUnseen   = "characters that cannot be seen, or a letter in two parts, say nothing here"
	whyOneDay   = "it can be read as one day only"
	whySameWord = "it is the same word"
	whyAsText   = "a number or truth value stands for the text as it is written"
)

// repaired finds the one way of writing a value that cannot be read, or that
// holds what cannot be seen where that matters. What ads say is never touched,
// and nothing is guessed: a nearest word is no reading.
func repaired(a *resource.Attribute, names bool, text string, env resource.Env) (repair, bool) {
	if reads(a, text, env) {
		matters := names || a.Type == resource.TypeURL || a.Type == resource.TypeImage || a.Type == resource.TypeQuery
		clean := cleaned(text)
		if !matters || clean == text || !diag.HasHidden(text) ||
			!reads(a, clean, env) || names && resource.Slug(clean) != resource.Slug(text) {
			return repair{}, false
		}
		return repair{clean, whyUnseen}, true
	}
	for _, try := range []struct {
		make func(string) string
		why  string
	}{
		{cleaned, whyUnseen},
		{func(s string) string { return sameWord(a, cleaned(s)) }, whySameWord},
		{func(s string) string { return theDay(a, cleaned(s)) }, whyOneDay},
	} {
		if better := try.make(text); better != "" && better != text && reads(a, better, env) {
			return repair{better, try.why}, true
		}
	}
	return repair{}, false
}

// reads reports whether a text is a value of an attribute, or of each entry of a list.
func reads(a *resource.Attribute, text string, env resource.Env) bool {
	if a.Type.IsList() {
		_, findings := a.ParseList([]string{text})
		return len(findings) == 0
	}
	v, finding := a.Parse(text, env)
	return finding == nil && v.IsSet()
}

// cleaned takes away what nobody sees: direction marks, invisible characters and
// odd spaces, and puts letters together with their accents. Joiners stay: they
// make letters of some scripts, and pictures.
func cleaned(s string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case r == '\u200c' || r == '\u200d' || r == '\n' || r == '\t':
			return r
		case diag.HasHidden(string(r)):
			return -1
		}
		return r
	}, norm.NFC.String(s))
	return strings.TrimSpace(clean)
}

// straight are the marks that programs put in the place of plain ones.
var straight = strings.NewReplacer("‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-")

const quoteMarks = "\"'“”„‟‘’‚‛«»`"

// sameWord undoes what a program has made of a word: quotes around it, dashes
// for hyphens.
func sameWord(a *resource.Attribute, s string) string {
	word := strings.Trim(straight.Replace(s), quoteMarks+" ")
	switch a.Type {
	case resource.TypeRegion, resource.TypeChoice, resource.TypeSet:
		return word
	case resource.TypeQuery:
		return strings.TrimPrefix(s, "?")
	}
	return ""
}

// theDay reads a day that is written otherwise. Two numbers that could be day and
// month are not told apart.
func theDay(a *resource.Attribute, s string) string {
	if a.Type != resource.TypeDay && a.Type != resource.TypeLast {
		return ""
	}
	return resource.DayInWords(straight.Replace(s))
}

// repairedKey finds the one valid key that is meant.
func repairedKey(text string) (repair, bool) {
	key := strings.Trim(straight.Replace(cleaned(text)), quoteMarks+" ")
	return repair{key, whySameWord}, !resource.ValidKey(strings.TrimSpace(text)) && resource.ValidKey(key)
}

// repairedName finds a name without what nobody sees.
func repairedName(text string) (repair, bool) {
	clean := cleaned(text)
	return repair{clean, whyUnseen}, clean != "" && clean != strings.TrimSpace(text)
}

// naming reports whether an attribute is what people call a resource, and no part of
// what an ad says.
func naming(s *resource.Schema, a *resource.Attribute) bool {
	return a.Type == resource.TypeText && !a.Review && slices.Contains(s.NameFrom, a.Name)
}
