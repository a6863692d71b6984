package emulator_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// canary is an identifier that must never be kept or repeated.
const canary = "canary.7f3a@people.example"

// noCanary looks for the canary in every file of a folder.
func noCanary(t testing.TB, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("folder %q has no files to look into (%v)", dir, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(bytes.ToLower(text), []byte("canary")) {
			t.Errorf("%s holds the canary", filepath.Base(name))
		}
	}
}
