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
	there := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && f.Recv == nil {
				there[s.dir+"."+f.Name.Name] = true
				there[path.Base(s.dir)+"."+f.Name.Name] = true
			}
		}
	}
	named := heldBy.FindAllStringSubmatch(read(t, "docs/faults.md"), -1)
	if len(named) < 100 {
		t.Errorf("docs/faults.md names %d tests; want the form `package.TestName` to be found", len(named))
	}
	for _, n := range named {
		test, script := n[1], n[2]
		if script != "" {
			if _, err := os.Stat(filepath.Join(root, "cmd/adsync/testdata/script", script)); err != nil {
				t.Errorf("docs/faults.md names the script %s: %v", script, err)
			}
			continue
		}
		if !there[test] {
			t.Errorf("docs/faults.md names %s, which is no test", test)
		}
	}
}
