package gitstore

import (
	"os"
	"path/filepath"
	"testing"
)

// G14: whatever a server sends for a pack is refused or is one: nothing panics,
// and what is refused leaves nothing.
func FuzzG14Packs(f *testing.F) {
	seeds, err := filepath.Glob("testdata/packs/*.pack")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no pack to begin with: %v", err)
	}
	for _, name := range seeds {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, pack []byte) {
		store := filepath.Join(dir, "store")
		defer os.RemoveAll(store)
		s, err := Open(Config{URL: "/nowhere", Dir: store, Limits: Limits{ObjectBytes: 1 << 20, Objects: 1000}})
		must(t, err)
		failure := installed(t, s, pack)
		if whole, left := packs(t, s); failure != nil && whole+left != 0 {
			t.Errorf("refused with %v, the store has %d packs and %d parts; want none", failure, whole, left)
		}
	})
}
