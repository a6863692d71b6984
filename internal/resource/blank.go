package resource

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"adsync/internal/diag"

	"golang.org/x/text/unicode/norm"
)

// Clean returns a text as it is read from every format alike: without what people
// cannot see at its ends, and in the Unicode form NFC. A text in which there is
// nothing to see is "".
func Clean(s string) string {
	s = strings.TrimFunc(s, blank)
	if IsBlank(s) {
		return ""
	}
	return norm.NFC.String(s)
}

// IsBlank reports whether there is nothing to see in a text.
func IsBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r > ' ' && r < 0x7f || !blank(r) && !diag.HasHidden(string(r))
	})
}

// emptyLooking are characters that are neither spaces nor controls, and show nothing:
// joiners, fillers of Korean, the empty pattern of Braille, the byte order mark.
const emptyLooking = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d" +
	"\u2060\u2061\u2062\u2063\u2064\u2800\u3164\ufeff\uffa0"

// blank reports whether a character at the end of a text shows nothing. Direction
// marks are none of these: they place the punctuation beside them.
func blank(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) || strings.ContainsRune(emptyLooking, r)
}
