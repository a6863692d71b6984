package session

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A command that never ends, by itself or by what it leaves behind with its output,
// ends no run later than it may: the account goes on without the secret.
func TestACommandForASecretHasAnEnd(t *testing.T) {
	for _, command := range []string{"sleep 60", "sleep 60 & wait", "trap '' TERM INT; sleep 60"} {
		began := time.Now()
		text, err := commandOutput(t.Context(), "echo half-of-it; "+command, 100*time.Millisecond)
		if err == nil || text != "" || !strings.Contains(err.Error(), "no end after 100ms") ||
			strings.Contains(err.Error(), "half") {
			t.Errorf("%s: printed %q, %v; want nothing, and that it has no end", command, text, err)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: it was waited for %s", command, took)
		}
	}
	if text, err := commandOutput(t.Context(), "echo ' a key '", time.Minute); text != "a key" || err != nil {
		t.Errorf("printed %q, %v; want the key", text, err)
	}
	if _, err := commandOutput(t.Context(), "echo shown; exit 3", time.Minute); err == nil ||
		strings.Contains(err.Error(), "shown") {
		t.Errorf("a command that fails: %v; want an error without its output", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := commandOutput(ctx, "sleep 60", time.Hour); err != context.Canceled {
		t.Errorf("a daemon that ends: %v; want that it does not wait", err)
	}
}
