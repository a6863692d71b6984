package notify

import (
	"fmt"
	"log/slog"
)

// Secret is a text that is not shown. It prints as stars.
type Secret struct{ text string }

// NewSecret takes a text that is not to be shown.
func NewSecret(text string) Secret { return Secret{text} }

func (Secret) String() string               { return "***" }
func (Secret) GoString() string             { return "***" }
func (Secret) LogValue() slog.Value         { return slog.StringValue("***") }
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }
func (Secret) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte("***")) }
