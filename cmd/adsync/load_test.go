package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"adsync/internal/diag"
)

// TestJSONShowsWhatATerminalHides: a name that turns the text round is escaped,
// and is the same name to whoever reads the JSON.
func TestJSONShowsWhatATerminalHides(t *testing.T) {
	const name = "spring\u202egnirps \u2066\u200b\u009b31m é漢"
	var b bytes.Buffer
	if err := writeJSON(&b, map[string]string{"name": name}); err != nil {
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
