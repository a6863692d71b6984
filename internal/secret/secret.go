// Package secret holds credentials: keys, tokens, passwords, and addresses that
// whoever knows may write to.
//
// It refuses to show them. Its one invariant: every way of printing, logging or
// encoding a Text gives "[redacted]", and only Reveal gives what it holds.
package secret

import (
	"fmt"
	"log/slog"
)

// Redacted is what a Text prints as.
const Redacted = "[redacted]"

// Text is a credential that never shows itself.
type Text struct {
	// A pointer, because fmt reads unexported fields of a printed struct
	// without asking their methods, and stops at a nested pointer.
	text *string
}

// New holds a credential.
func New(text string) Text { return Text{text: &text} }

// Reveal returns the credential itself. It belongs where it is used and nowhere
// else.
func (t Text) Reveal() string {
	if t.text == nil {
		return ""
	}
	return *t.text
}

// String returns "[redacted]".
func (t Text) String() string { return Redacted }

// GoString returns "[redacted]", for %#v.
func (t Text) GoString() string { return Redacted }

// Format writes "[redacted]" for every verb and flag.
func (t Text) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Redacted)) }

// LogValue returns "[redacted]" to slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText returns "[redacted]".
func (t Text) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// MarshalJSON returns the JSON string "[redacted]".
func (t Text) MarshalJSON() ([]byte, error) { return []byte(`"` + Redacted + `"`), nil }
