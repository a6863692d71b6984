package newkey

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/secret"
)

const canary = "sk-canary-4Fh2"

// A swap that fails leaves the key in use as it is, and the new one beside it.
func TestASwapThatFailsLosesNeitherKey(t *testing.T) {
	name := filepath.Join(t.TempDir(), "used.key")
	if err := os.MkdirAll(filepath.Join(name, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := kept(t, name)
	if err := f.Place(true); err == nil {
		t.Fatal("Place over a folder = nil; want an error")
	}
	holds(t, f.Beside(), canary)
	if _, err := Ahead(name); err == nil || !strings.Contains(err.Error(), "earlier attempt") {
		t.Errorf("Ahead beside it = %v; want it refused, as a key lies there", err)
	}
}

// A key that is there is replaced only where that is asked for.
func TestAKeyThatIsThereStays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "used.key")
	if err := os.WriteFile(name, []byte("sk-before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := kept(t, name)
	if err := f.Place(false); err == nil {
		t.Fatal("Place beside a key = nil; want an error")
	}
	holds(t, name, "sk-before")
	holds(t, f.Beside(), canary)
}

func TestARotatedKeyIsInPlaceAndOthersCannotReadIt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "used.key")
	if err := os.WriteFile(name, []byte("sk-before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := kept(t, name).Place(true); err != nil {
		t.Fatal(err)
	}
	holds(t, name, canary)
	if about, err := os.Stat(name); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want mode 0600", about.Mode(), err)
	}
}

// What cannot be read is no key, and is not repeated: it may hold one.
func TestAnAnswerThatCannotBeReadIsNotRepeated(t *testing.T) {
	for _, answer := range []string{`{"key":"` + canary + `"}`, `{"api_key":["` + canary + `"]}`, canary} {
		if _, err := Decode([]byte(answer)); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("Decode(%q) = %v; want an error without the key", answer, err)
		}
	}
}

func kept(t *testing.T, name string) *File {
	t.Helper()
	f, err := Ahead(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Keep(secret.New(canary)); err != nil {
		t.Fatal(err)
	}
	return f
}

func holds(t *testing.T, name, want string) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil || strings.TrimSpace(string(content)) != want {
		t.Errorf("%s holds %q, %v; want %q", name, content, err, want)
	}
}
