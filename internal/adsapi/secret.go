package adsapi

import "adsync/internal/secret"

// Secret is the API key, which never shows itself.
type Secret = secret.Text

// NewSecret holds an API key. Reveal gives it, for a request header and for
// nothing else.
func NewSecret(text string) Secret { return secret.New(text) }
