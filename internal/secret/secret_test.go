package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

const canary = "canary-of-a-credential"

func TestATextNeverShowsItself(t *testing.T) {
	text := New(canary)
	type hidden struct{ key Text }
	type Shown struct{ Key Text }
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%10.3s"} {
		for _, value := range []any{text, &text, hidden{text}, &hidden{text}, Shown{text}, []Text{text}} {
			fmt.Fprintf(&out, verb, value)
		}
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("x", "key", text, "shown", Shown{text}, "hidden", hidden{text})
	}
	for _, value := range []any{text, Shown{text}, map[string]Text{"k": text}, map[Text]int{text: 1}} {
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatalf("Marshal(%T): %v", value, err)
		}
		out.Write(encoded)
	}
	for _, spelled := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary)} {
		if strings.Contains(out.String(), spelled) {
			t.Fatalf("it is in the output as %q:\n%s", spelled, out.String())
		}
	}
	if !strings.Contains(out.String(), Redacted) || text.Reveal() != canary {
		t.Fatalf("Reveal() = %q and output %q; want the text and %q", text.Reveal(), out.String(), Redacted)
	}
}

func TestTheZeroTextIsEmpty(t *testing.T) {
	if got := (Text{}).Reveal(); got != "" {
		t.Errorf("Text{}.Reveal() = %q; want empty", got)
	}
	if got := fmt.Sprint(Text{}); got != Redacted {
		t.Errorf("Sprint(Text{}) = %q; want %q", got, Redacted)
	}
}
