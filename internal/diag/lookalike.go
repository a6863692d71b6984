package diag

import (
	"strings"
	"unicode"
)

// lookalikes are the letters of other scripts that people take for Latin ones
// (a part of Unicode TR 39, confusables).
const lookalikes = "аеорсухіјѕһԁԛԝѵӏАВЕКМНОРСТХІЈЅҮ" + // Cyrillic
	"ονιυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + // Greek
	"օոսցԼՏ" // Armenian

// Lookalike finds a letter of another script that stands in a word with Latin
// ones and looks like one of them. A word all of one script is what it says.
func Lookalike(text string) (r rune, found bool) {
	if !strings.ContainsAny(text, lookalikes) {
		return 0, false
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r)
	}) {
		i := strings.IndexAny(word, lookalikes)
		if i < 0 || !strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
			continue
		}
		return []rune(word[i:])[0], true
	}
	return 0, false
}
