package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"
)

// tokenLeast is how many characters a token has at least: whoever chooses a word
// is told to draw one instead.
const tokenLeast = 20

// Token is what lets somebody give orders. It holds a hash only, so that it
// shows itself nowhere.
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

func (t Token) isZero() bool { return t.sum == nil }

// is compares in a time that says nothing of how much was right.
func (t Token) is(text string) bool {
	if t.isZero() {
		return false
	}
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1
}
