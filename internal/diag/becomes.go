package diag

import (
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// Becomes joins what was and what is to be: "a → b". After a script that is written
// from right to left a word stands in the arrow's place: whoever draws the line, a
// browser and some terminals, turns around what stands between two such texts, and
// the arrow would lead from the new one to the old.
func Becomes(was, is string) string {
	if rightToLeft(was) {
		return was + " becomes " + is
	}
	return was + " → " + is
}

// Gained marks an entry that a list gains: "+a", and with a word where the sign would
// be drawn beside the entry before.
func Gained(entry string) string { return marked("+", "added ", entry) }

// Lost marks an entry that a list loses: "-a".
func Lost(entry string) string { return marked("-", "removed ", entry) }

func marked(sign, word, entry string) string {
	if rightToLeft(entry) {
		return word + entry
	}
	return sign + entry
}

// rightToLeft reports whether a text has letters that are written from right to left.
func rightToLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		p, _ := bidi.LookupRune(r)
		return p.Class() == bidi.R || p.Class() == bidi.AL
	})
}
