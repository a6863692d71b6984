package adsapi

import (
	"fmt"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a credential that never shows itself: every way of printing,
// logging or encoding it gives "[redacted]". Only Reveal gives the text.
type Secret struct {
	// A pointer, because fmt reads unexported fields of a printed struct
	// without asking their methods, and stops at a nested pointer.
	text *string
}

// NewSecret holds a credential.
func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal gives the credential itself. It belongs in a request header and
// nowhere else.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String gives "[redacted]".
func (s Secret) String() string { return redacted }

// GoString gives "[redacted]", for %#v.
func (s Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue gives "[redacted]" to slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText gives "[redacted]".
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON gives the JSON string "[redacted]".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
