package ops

import (
	"os"
	"path/filepath"
	"testing"
)

// A copy of a repository that accounts share goes with the last of them.
func TestAForgottenAccountLeavesWhatOthersShare(t *testing.T) {
	states := t.TempDir()
	shared := filepath.Join(states, ".repositories", "one")
	source := func(name string) string { return filepath.Join(states, name, "source") }
	for _, dir := range []string{shared, source("a"), source("b")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		err := os.WriteFile(filepath.Join(source(name), "shared"), []byte("../../.repositories/one\n"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		others := []string{source("a")}
		if name == "a" {
			others = []string{source("b")}
		}
		if err := (&departure{copy: source(name), others: others}).removeCopy(); err != nil {
			t.Fatal(err)
		}
		_, gone := os.Stat(shared)
		if last := name == "b"; os.IsNotExist(gone) != last {
			t.Errorf("once %s is forgotten, the shared copy: %v; want it gone: %t", name, gone, last)
		}
		if _, err := os.Stat(source(name)); !os.IsNotExist(err) {
			t.Errorf("what %s had for itself is still there: %v", name, err)
		}
	}
}
