package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"adsync/reconcile"

	"github.com/google/go-cmp/cmp"
)

// TestTheTableOfRecoveryIsInStep holds docs/recovery.md to the table recovery
// goes by.
func TestTheTableOfRecoveryIsInStep(t *testing.T) {
	const name, begin, end = "../../docs/recovery.md", "<!-- rules -->\n", "<!-- /rules -->"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	have, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", name)
	}
	want := "| found | what is done |\n|---|---|\n"
	for _, r := range reconcile.RecoveryRules() {
		want += fmt.Sprintf("| %s | %s |\n", r.Found, r.Does)
	}
	if *update {
		if err := os.WriteFile(name, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		have = want
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%s is not in step; run go test ./cmd/adsync -run InStep -update\n%s", name, diff)
	}
}
