package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	a := &app{
		console: console{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &problems, env: func(string) string {
			return ""
		}},
	}
	code := a.main(context.Background(), []string{"convert", "--to", "xlsx", "--out", out, dir})
	if want := "ad_group/spring/runners: an entry of context_hints has 40000 characters; a cell holds 32767"; code !=
		exitInvalid || !strings.Contains(problems.String(), want) {
		t.Errorf("convert = %d, %s; want 3 and %q", code, problems.String(), want)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a workbook was written; want none")
	}
	printed(t, "convert", "--to", "yaml", dir)
}
