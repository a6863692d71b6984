// Package golden compares what code makes with what is kept in the repository: a
// file of testdata, a generated page, or a part of a page. The flag -update of a
// test that imports it writes them anew; make generate does that for all of them.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files and generated pages anew")

// Updating reports whether files are written anew.
func Updating() bool { return *update }

// File compares got with the file at path.
func File(t testing.TB, path string, got []byte) {
	t.Helper()
	if *update {
		write(t, path, got)
		return
	}
	if diff := cmp.Diff(string(read(t, path)), string(got)); diff != "" {
		t.Errorf("%s differs (-kept +made); make generate writes it anew:\n%s", path, diff)
	}
}

// Part compares got with what stands in the page at path between the comments
// <!-- mark --> and <!-- /mark -->.
func Part(t testing.TB, path, mark, got string) {
	t.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
	before, rest, found := strings.Cut(string(read(t, path)), begin)
	kept, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no %s … %s", path, strings.TrimSpace(begin), end)
	}
	if *update {
		write(t, path, []byte(before+begin+got+end+after))
		return
	}
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Errorf("%s, %s differs (-kept +made); make generate writes it anew:\n%s", path, mark, diff)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
