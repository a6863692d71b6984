package adsapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretNeverShowsItself(t *testing.T) {
	secret := NewSecret(canary)
	client := clientOf(t, &wire{})
	type hidden struct{ key Secret }
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%10.3s"} {
		fmt.Fprintf(&out, verb, secret)
		fmt.Fprintf(&out, verb, &secret)
		fmt.Fprintf(&out, verb, Config{Key: secret})
		fmt.Fprintf(&out, verb, hidden{secret})
		fmt.Fprintf(&out, verb, client)
		fmt.Fprintf(&out, verb, *client)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("x", "key", secret, "config", Config{Key: secret}.Key, "hidden", hidden{secret})
	}
	for _, value := range []any{secret, map[string]Secret{"k": secret}, map[Secret]int{secret: 1}} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatalf("Marshal(%T): %v", value, err)
		}
		out.Write(text)
	}
	for _, spelled := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary)} {
		if strings.Contains(out.String(), spelled) {
			t.Fatalf("the key is in the output as %q:\n%s", spelled, out.String())
		}
	}
	if !strings.Contains(out.String(), redacted) || secret.Reveal() != canary {
		t.Fatalf("Reveal() = %q and output %q; want the key and %q", secret.Reveal(), out.String(), redacted)
	}
}

func TestSecretZeroIsEmpty(t *testing.T) {
	if got := (Secret{}).Reveal(); got != "" {
		t.Fatalf("Secret{}.Reveal() = %q; want empty", got)
	}
	if got := fmt.Sprint(Secret{}); got != redacted {
		t.Fatalf("Sprint(Secret{}) = %q; want %q", got, redacted)
	}
}
