package adsapi

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMessage and maxExcerpt bound, in characters, what an error repeats of a
// message and of a body that is not the service's. maxShown bounds, in bytes,
// what is looked at for that; it is larger, so that the key is found whole.
const (
	maxMessage = 400
	maxExcerpt = 120
	maxShown   = 16 << 10
)

// clean makes foreign text safe to show: one line, at most max characters,
// control and invisible formatting characters escaped.
func clean(text string, max int) string {
	var b strings.Builder
	for i, r := range text {
		if max == 0 {
			b.WriteString("…")
			break
		}
		max--
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || r == '\r' || r == ' ':
			b.WriteByte(' ')
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// blot removes the key or token from text before any of it is cut or shown. A service
// or a proxy may repeat a wrong key in its message.
func (c *caller) blot(text string) string {
	return c.credential.blot(text)
}

// blotError keeps the error as a cause unless its text holds the key.
func (c *caller) blotError(err error) error {
	text := err.Error()
	if blotted := c.blot(text); blotted != text {
		return fmt.Errorf("%s", blotted)
	}
	return err
}
