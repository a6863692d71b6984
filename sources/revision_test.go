package sources_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"adsync/sources"
	"adsync/sources/commits"
	"adsync/sources/config"
)

// TestRevisionSaysWhatIsNotCommitted uses the real git (faults G17, G22).
func TestRevisionSaysWhatIsNotCommitted(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "ads")
	write := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		c := exec.Command("git",
			append([]string{"-C", top, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	read := []sources.Source{{File: "a.yaml"}, {File: "b.yaml"}, {File: "c.yaml"}}
	check := func(when string, committed bool, want ...string) {
		t.Helper()
		r, err := commits.RevisionOf(config.Project{Root: dir}, read)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if (r.Commit != "") != committed || committed && r.Path != "ads" || !slices.Equal(r.Uncommitted, want) {
			t.Errorf("%s: %+v; want the path ads where there is a commit, and uncommitted %v", when, r, want)
		}
	}
	write("a.yaml", "a: 1\n")
	check("outside a repository", false)
	run("init", "-q")
	check("before the first commit", false)
	write("b.yaml", "b: 1\n")
	run("add", ".")
	run("commit", "-q", "-m", "first")
	write("b.yaml", "b: 2\n")
	write("c.yaml", "c: 1\n")
	check("one edited, one new", true, "b.yaml", "c.yaml")
	write("b.yaml", "b: 1\r\n")
	run("add", ".")
	check("another system's line breaks, one staged", true, "c.yaml")
}
