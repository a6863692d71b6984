package session

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/sources"
	"adsync/sources/config"
)

// A picture that was exchanged after the plan was shown is not uploaded.
func TestImageChangedSinceThePlan(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "hero.png")
	if err := os.WriteFile(name, []byte("planned"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("planned"))
	source := "sha256:" + hex.EncodeToString(sum[:])
	read := imageReader(Loaded{
		Project: config.Project{Root: dir}, Desired: sources.Desired{Images: map[string]string{source: "hero.png"}},
	})
	if _, content, err := read(source); err != nil || string(content) != "planned" {
		t.Fatalf("image is %q, %v; want the planned one", content, err)
	}
	if err := os.WriteFile(name, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, content, err := read(source); err == nil || !strings.Contains(err.Error(), "hero.png has changed") {
		t.Errorf("image is %q, %v; want the change named", content, err)
	}
}
