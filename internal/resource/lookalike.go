package resource

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Skeleton makes names comparable that people take for one another: without
// case, accents, punctuation and what cannot be seen, one space between words,
// and letters of Greek and Cyrillic as the Latin ones they look like. Signs that
// make another name stay: `C#`, `A+`, `50%`.
func Skeleton(name string) string {
	var b strings.Builder
	apart := false
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Cf, r), r >= 0x300 && r <= 0x36f: // joiners, direction marks; accents
		case separates(r):
			apart = b.Len() > 0
		default:
			if apart {
				b.WriteByte(' ')
			}
			b.WriteRune(latin(unicode.ToLower(r)))
			apart = false
		}
	}
	return b.String()
}

func separates(r rune) bool {
	if strings.ContainsRune("#%&@", r) {
		return false
	}
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.IsPunct(r) || r == '|' || unicode.Is(unicode.Sk, r)
}

// looksLike pairs small letters with the Latin ones they are taken for, in their
// small or their capital form. No two letters of one script are the same.
var looksLike = func() map[rune]rune {
	pairs := map[rune]rune{}
	for _, script := range []struct{ letters, latin string }{
		{"авсеікмноԛрѕтухԝјԁ", "abceikmhoqpstyxwjd"},
		{"αβεηικμνορτυχ", "abehikmnoptyx"},
		{"ıł", "il"},
	} {
		letters := []rune(script.letters)
		for i, l := range script.latin {
			pairs[letters[i]] = l
		}
	}
	return pairs
}()

func latin(r rune) rune {
	if l, ok := looksLike[r]; ok {
		return l
	}
	return r
}
