package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// module is the path in front of every package of this program.
const module = "adsync/"

// root is the folder of go.mod, seen from this package.
const root = "../.."

// source is one Go file of the program.
type source struct {
	name  string // slash path below the root
	dir   string // its package: "internal/kinds"
	test  bool
	lines int
	tree  *ast.File
	set   *token.FileSet
}

// at returns the place of a node as file:line.
func (s *source) at(n ast.Node) string {
	return s.name + ":" + strconv.Itoa(s.set.Position(n.Pos()).Line)
}

// imports returns the import paths of the file with the nodes that say them.
func (s *source) imports() map[string]*ast.ImportSpec {
	paths := make(map[string]*ast.ImportSpec, len(s.tree.Imports))
	for _, spec := range s.tree.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths[name] = spec
		}
	}
	return paths
}

// sources returns every Go file of the module, testdata left out.
func sources(t *testing.T) []*source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("found %d Go files below %s; want the whole program", len(all), root)
	}
	return all
}

// parsed parses the tree once, however many tests look at it.
var parsed = sync.OnceValues(func() ([]*source, error) {
	var all []*source
	set := token.NewFileSet()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(set, name, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, &source{
			name: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			lines: bytes.Count(content, []byte("\n")), tree: tree, set: set,
		})
		return nil
	})
	return all, err
})

// program leaves out the tests.
func program(t *testing.T) []*source {
	t.Helper()
	var code []*source
	for _, s := range sources(t) {
		if !s.test {
			code = append(code, s)
		}
	}
	return code
}

// isEmulator reports whether a package is the service's side, its tests included.
func isEmulator(dir string) bool {
	return dir == "internal/emulator" || strings.HasPrefix(dir, "internal/emulator/") ||
		dir == testOnly+"conformance" || strings.HasPrefix(dir, testOnly+"conformance/") ||
		dir == testOnly+"emulatortest"
}
