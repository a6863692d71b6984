package arch

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"
)

// heldBy finds package.TestName and name.txtar, as code.
var heldBy = regexp.MustCompile("`(?:([a-z/]+\\.(?:Test|Fuzz)[A-Za-z0-9]+)|([a-z-]+\\.txtar))`")

// TestEveryFaultIsHeldByATestThatIsThere: docs/faults.md names no test or
// script that does not exist.
func TestEveryFaultIsHeldByATestThatIsThere(t *testing.T) {
	named := heldBy.FindAllStringSubmatch(read(t, "docs/faults.md"), -1)
	if len(named) < 100 {
		t.Errorf("docs/faults.md names %d tests; want the form `package.TestName` to be found", len(named))
	}
	checkNamed(t, "docs/faults.md", named)
}

// checkNamed holds the names a page gives to the tests and scripts that are there.
func checkNamed(t *testing.T, page string, named [][]string) {
	t.Helper()
	there := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && f.Recv == nil {
				there[s.dir+"."+f.Name.Name] = true
				there[path.Base(s.dir)+"."+f.Name.Name] = true
			}
		}
	}
	for _, n := range named {
		test, script := n[1], n[2]
		if script != "" {
			if _, err := os.Stat(filepath.Join(root, "cmd/adsync/testdata/script", script)); err != nil {
				t.Errorf("%s names the script %s: %v", page, script, err)
			}
			continue
		}
		if !there[test] {
			t.Errorf("%s names %s, which is no test", page, test)
		}
	}
}
