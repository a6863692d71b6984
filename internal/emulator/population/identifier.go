package population

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Shape is what an identifier looks like. A text has at most one shape.
type Shape byte

// The shapes.
const (
	Unreadable Shape = iota
	EmailShape
	PhoneShape
	GAIDShape
	HashShape // SHA-256 of an e-mail address or a telephone number
)

var (
	emailForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)+$`)
	})
	phoneForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\+?[1-9][0-9]{6,14}$`) })
	gaidForm  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	})
	hashForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })
)

const noGAID = "00000000-0000-0000-0000-000000000000" // of people who opted out

// Read normalises an identifier and hashes it; what it said goes no further.
//
// assumption (hash_spec_version custom_audience_join_hash_v1 is not published):
// blanks around and capitals do not matter; nothing else of an e-mail address is
// changed; a telephone number is + and its digits, without blanks, dots, dashes
// and brackets, and 7 to 15 of them; the hash of nothing is no identifier.
func Read(text string) (Shape, Hash) {
	text = strings.ToLower(strings.TrimFunc(text, isBlank))
	switch {
	case hashForm().MatchString(text):
		var hash Hash
		hex.Decode(hash[:], []byte(text))
		if hash == sha256.Sum256(nil) {
			return Unreadable, Hash{}
		}
		return HashShape, hash
	case emailForm().MatchString(text):
		return EmailShape, sha256.Sum256([]byte(text))
	case gaidForm().MatchString(text):
		if text == noGAID {
			return Unreadable, Hash{}
		}
		return GAIDShape, sha256.Sum256([]byte(text))
	}
	digits := strings.Map(withoutMarks, text)
	if !phoneForm().MatchString(digits) {
		return Unreadable, Hash{}
	}
	return PhoneShape, sha256.Sum256([]byte("+" + strings.TrimPrefix(digits, "+")))
}

// isBlank is white space and the invisible marks that files carry.
func isBlank(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\ufeff'
}

func withoutMarks(r rune) rune {
	if unicode.IsSpace(r) || strings.ContainsRune("-.()", r) {
		return -1
	}
	return r
}
