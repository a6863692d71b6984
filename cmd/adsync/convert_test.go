package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

// TestWhatAFormatCannotSayIsNamed: nothing is cut, and nothing is left behind.
func TestWhatAFormatCannotSayIsNamed(t *testing.T) {
	dir := t.TempDir()
	text := "kind: campaign\nname: Spring\nbidding_type: " +
		"clicks\nad_groups:\n  - name: Runners\n    context_hints:\n      - \"" + strings.Repeat("x", 40_000) + "\"\n"
	if err := os.WriteFile(filepath.Join(dir, "ads.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "ads.xlsx")
	var problems bytes.Buffer
	env := &session.Env{
		Console: console.Console{In: strings.NewReader(""),
			Out: &bytes.Buffer{}, Err: &problems, Getenv: func(string) string {
				return ""
			}},
	}
	code := execute(context.Background(), env, []string{"convert", "--to", "xlsx", "--out", out, dir})
	if want := "ad_group/spring/runners: an entry of context_hints has 40000 characters; a cell holds 32767"; code !=
		console.ExitInvalid || !strings.Contains(problems.String(), want) {
		t.Errorf("convert = %d, %s; want 3 and %q", code, problems.String(), want)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a workbook was written; want none")
	}
	printed(t, "convert", "--to", "yaml", dir)
}
