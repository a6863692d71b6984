package resource

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ascii takes the accents off letters. A name with letters that have no Latin
// form keeps a short hash of itself, so that two such names stay apart.
func ascii(name string) string {
	var b strings.Builder
	foreign := false
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ß':
			b.WriteString("ss")
		case r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			foreign = true
		default:
			b.WriteRune(r)
		}
	}
	if !foreign {
		return b.String()
	}
	h := fnv.New32a()
	h.Write([]byte(norm.NFC.String(name)))
	return fmt.Sprintf("%s %08x", b.String(), h.Sum32())
}
