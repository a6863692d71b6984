package members

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"adsync/internal/pattern"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// The rules of ruleSet. What the service itself normalises under its
// hash_spec_version is not published; these change nothing that decides which
// mailbox or line is meant:
//
//   - what cannot be seen is taken off: blanks of every sort at the ends, and
//     zero-width, direction and other format characters anywhere;
//   - an e-mail address is put in lower case and in Unicode form NFC, its
//     domain in ASCII (IDNA, UTS 46); dots and +tags stay, as they are another
//     mailbox with most providers;
//   - a telephone number is + and its digits (E.164), without blanks, dots,
//     hyphens and brackets; a country code is never added;
//   - a hash is 64 hex digits in lower case; the hash of nothing is none.
//
// The hash is the SHA-256 of the UTF-8 bytes.

// HashOf returns the hash of one identifier, or why it has none. A blank one has neither.
func HashOf(as Identifier, text string) (Hash, Reason) {
	if text = visible(text); text == "" {
		return Hash{}, ""
	}
	return normalise(as, text)
}

func normalise(as Identifier, text string) (Hash, Reason) {
	switch as {
	case Email:
		return email(text)
	case Phone:
		return phone(text)
	}
	return given(text)
}

// visible takes off what nobody sees.
func visible(text string) string {
	if !plainASCII(text) {
		text = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || r == '\u034f' ||
				r == '\u115f' || r == '\u1160' || r == '\u3164' || r >= '\ufe00' && r <= '\ufe0f' {
				return -1
			}
			return r
		}, text)
	}
	return strings.TrimSpace(text)
}

func plainASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

var otherHash = pattern.Of(
	`^([0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{96}|[0-9a-fA-F]{128}|[A-Za-z0-9+/_-]{43}=?)$`)

var hashOfNothing = Hash(sha256.Sum256(nil))

func given(text string) (Hash, Reason) {
	hash, isHash := hashIn(text)
	switch {
	case hash == hashOfNothing:
		return Hash{}, hashOfNone
	case isHash:
		return hash, ""
	case strings.Contains(text, "@"), phoneForm.MatchString(withoutMarks(text)):
		return Hash{}, plainGiven
	case otherHash.MatchString(text):
		return Hash{}, hashOther
	}
	return Hash{}, noHash
}

// hashIn reads a SHA-256 in hex, of either case.
func hashIn(text string) (hash Hash, ok bool) {
	if len(text) != hex.EncodedLen(len(hash)) {
		return Hash{}, false
	}
	_, err := hex.Decode(hash[:], []byte(text))
	return hash, err == nil
}

func email(text string) (Hash, Reason) {
	if _, isHash := hashIn(text); isHash {
		return Hash{}, hashGiven
	}
	at := strings.LastIndexByte(text, '@')
	switch {
	case at < 0:
		return Hash{}, noEmail
	case strings.ContainsAny(text, `<>"();,:[]\`),
		strings.ContainsFunc(text, unicode.IsSpace), strings.IndexByte(text, '@') != at:
		return Hash{}, namedEmail
	}
	local := strings.ToLower(text[:at])
	if !plainASCII(local) {
		local = norm.NFC.String(local)
	}
	domain, ok := asciiDomain(text[at+1:])
	if local == "" || len(local) > 64 || !ok || strings.ContainsFunc(local, unicode.IsControl) {
		return Hash{}, noEmail
	}
	return sha256.Sum256([]byte(local + "@" + domain)), ""
}

var domains = idna.New(idna.MapForLookup(), idna.Transitional(false),
	idna.StrictDomainName(true), idna.VerifyDNSLength(true), idna.BidiRule())

// asciiDomain puts a domain in the form it is looked up in.
func asciiDomain(text string) (string, bool) {
	if lower := strings.ToLower(text); isHostName(lower) {
		return lower, true
	}
	domain, err := domains.ToASCII(text)
	if err != nil || !strings.Contains(domain, ".") || strings.HasSuffix(domain, ".") {
		return "", false
	}
	return domain, true
}

// isHostName knows the domains that IDNA leaves as they are, which nearly all
// are: it spares them the way through it.
func isHostName(text string) bool {
	labels, label := 1, 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			label++
		case c == '-' && label > 0 && i+1 < len(text) && text[i+1] != '.' && text[i+1] != '-':
			label++
		case c == '.' && label > 0 && label < 64:
			labels, label = labels+1, 0
		default:
			return false
		}
	}
	return labels > 1 && label > 0 && label < 64 && len(text) < 254
}

var (
	phoneForm = pattern.Of(`^\+[1-9][0-9]{6,14}$`)
	digits    = pattern.Of(`^[0-9]{4,20}$`)
	extension = pattern.Of(`(?i)^\+?[0-9]{4,}(ext|x|#|,|;)`)
)

func phone(text string) (Hash, Reason) {
	if _, isHash := hashIn(text); isHash {
		return Hash{}, hashGiven
	}
	number := withoutMarks(text)
	switch {
	case trunkZero.MatchString(text):
		return Hash{}, trunk
	case phoneForm.MatchString(number):
		return sha256.Sum256([]byte(number)), ""
	case digits.MatchString(number):
		return Hash{}, noCountry
	case extension.MatchString(number):
		return Hash{}, withExtension
	}
	return Hash{}, noPhone
}

// trunkZero is the zero of "+44 (0)20 …": dialled at home only.
var trunkZero = pattern.Of(`\(\s*0\s*\)`)

// withoutMarks takes off what people write between the digits of a number.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || r == '\u2212' || r == '.' || r == '(' || r == ')' {
			return -1
		}
		return r
	}, text)
}
