package roles

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"
)

// tokenLeast is how many characters a token has at least: whoever chooses a word
// is told to draw one instead.
const tokenLeast = 20

// Token is a secret that is compared and never shown: it holds a hash only. The zero Token is nobody's.
type Token struct{ sum *[sha256.Size]byte }

// NewToken takes the text of a token, without space around it.
func NewToken(text string) (Token, error) {
	text = strings.TrimSpace(text)
	if len(text) < tokenLeast {
		return Token{}, errors.New("the token has " +
			"fewer than 20 characters; want one that was drawn, such as by: openssl rand -hex 32")
	}
	sum := sha256.Sum256([]byte(text))
	return Token{&sum}, nil
}

// IsZero reports whether it is nobody's.
func (t Token) IsZero() bool { return t.sum == nil }

// Is compares in a time that says nothing of how much was right.
func (t Token) Is(text string) bool {
	if t.IsZero() {
		return false
	}
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1
}

// Same reports whether two are of one text.
func (t Token) Same(other Token) bool {
	return !t.IsZero() && !other.IsZero() && *t.sum == *other.sum
}
