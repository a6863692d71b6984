package console

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"adsync/internal/diag"
)

// TestJSONShowsWhatATerminalHides: a name that turns the text round is escaped,
// and is the same name to whoever reads the JSON.
func TestJSONShowsWhatATerminalHides(t *testing.T) {
	const name = "spring\u202egnirps \u2066\u200b\u009b31m é漢"
	var b bytes.Buffer
	if err := WriteJSON(&b, map[string]string{"name": name}); err != nil {
		t.Fatal(err)
	}
	if diag.HasHidden(string(bytes.ReplaceAll(b.Bytes(), []byte("\n"), nil))) {
		t.Errorf("the JSON %q hides characters", b.String())
	}
	var again map[string]string
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || again["name"] != name {
		t.Errorf("the JSON reads as %q, %v; want %q", again["name"], err, name)
	}
}

// Wherever a text is cut between two writes, its lines come out as from one.
func TestLinesAreEscapedHoweverTheyCome(t *testing.T) {
	text := "{\n  \"plain\": 1,\n  \"é\u202e\": \"\u0085x\"\n}\n"
	var whole bytes.Buffer
	if _, err := (&VisibleLines{To: &whole}).Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(whole.String(), "\u202e\u0085") {
		t.Errorf("%q has what no terminal shows", whole.String())
	}
	for cut := range len(text) {
		var parts bytes.Buffer
		lines := &VisibleLines{To: &parts}
		for _, part := range []string{text[:cut], text[cut:]} {
			if _, err := lines.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if parts.String() != whole.String() {
			t.Errorf("cut at %d: %q, want %q", cut, parts.String(), whole.String())
		}
	}
}
