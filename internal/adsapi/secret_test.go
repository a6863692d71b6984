package adsapi

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestNothingShowsTheKey: internal/secret holds that for a key alone; this is what
// has one.
func TestNothingShowsTheKey(t *testing.T) {
	client := clientOf(t, &wire{})
	config := Config{Key: NewSecret(canary)}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		fmt.Fprintf(&out, verb+verb+verb, config, client, *client)
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "key", config.Key)
	for _, spelled := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary)} {
		if strings.Contains(out.String(), spelled) {
			t.Fatalf("the key is in the output as %q:\n%s", spelled, out.String())
		}
	}
}
