package mutants

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// root is the folder of go.mod, seen from this package.
const root = "../../.."

// mutant is a mistake as its file says it.
type mutant struct {
	name  string
	edits []edit
	added string // the text of a file beside the first changed one; "" is none
}

// edit is one text of the code and the text in its place.
type edit struct{ was, becomes string }

// readMutant reads a mistake of testdata.
func readMutant(name string) (mutant, error) {
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		return mutant{}, err
	}
	m := mutant{name: name}
	if len(strings.TrimSpace(string(archive.Comment))) == 0 {
		return m, fmt.Errorf("%s: nothing before the first section; want what the mistake is", name)
	}
	waits := false // for what was becomes
	for _, f := range archive.Files {
		text := strings.TrimSuffix(string(f.Data), "\n")
		switch {
		case f.Name == "was" && !waits:
			m.edits = append(m.edits, edit{was: text})
		case f.Name == "becomes" && waits:
			m.edits[len(m.edits)-1].becomes = text
		case f.Name == "added.go" && !waits:
			m.added = text
		default:
			return m, fmt.Errorf("%s: section %q; want was and becomes in turn, or added.go", name, f.Name)
		}
		waits = f.Name == "was"
	}
	if waits || len(m.edits) == 0 {
		return m, fmt.Errorf("%s: want was and becomes", name)
	}
	return m, nil
}

// program returns the Go files that mistakes can be in, by slash path below the root:
// those of the agent, without tests and testdata.
func program(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	apart := []string{"internal/emulator", "internal/testing", "internal/tools", "internal/arch"}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || slices.Contains(apart, name) ||
			name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// apply puts a mistake into files, and returns the names of those that it changed or
// added, the changed ones first.
func (m mutant) apply(files map[string]string) ([]string, error) {
	var changed []string
	for _, e := range m.edits {
		var in []string
		for name, content := range files {
			for range strings.Count(content, e.was) {
				in = append(in, name)
			}
		}
		if len(in) != 1 {
			slices.Sort(in)
			return nil, fmt.Errorf("testdata/%s.txtar: what the code says is there %d times %q; want it once:\n%s",
				m.name, len(in), in, e.was)
		}
		files[in[0]] = strings.Replace(files[in[0]], e.was, e.becomes, 1)
		changed = append(changed, in[0])
	}
	if m.added != "" {
		beside := path.Dir(changed[0])
		name := beside + "/mutant_" + m.name + ".go"
		files[name] = "package " + path.Base(beside) + "\n\n" + m.added + "\n"
		changed = append(changed, name)
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// overlay writes the files that are named to a folder of the test's, and the list of
// them that the go command takes as -overlay.
func overlay(t *testing.T, files map[string]string, names []string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for i, name := range names {
		copied := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		original, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(name)))
		if err == nil {
			err = os.WriteFile(copied, []byte(files[name]), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = copied
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "overlay.json")
}
