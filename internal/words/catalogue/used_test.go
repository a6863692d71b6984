package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryTextIsUsed reads the templates and the code: each text that they ask for is there, with the places that they
// fill, and each that is there is asked for. A key may be put together, as "state." + name: then all that begin so are
// used.
func TestEveryTextIsUsed(t *testing.T) {
	used := map[string]bool{"language": true, "list.comma": true} // of the catalogue itself
	reads := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		switch filepath.Ext(path) {
		case ".html":
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if _, err := Template(string(content)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, said := range strings.Split(string(content), `say "`)[1:] {
				key, _, _ := strings.Cut(said, `"`)
				used[key] = true
			}
		case ".go":
			inCode(t, path, used)
		}
		return nil
	}
	for _, root := range []string{"../..", "../../../cmd", "../../../plan", "../../../reconcile", "../../../sources"} {
		if err := filepath.WalkDir(root, reads); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(english().texts)) {
		if engineers, plain := strings.CutSuffix(key, plainKey); plain {
			used[key] = used[engineers]
			for place := range english().texts[key].places() {
				if _, is := english().texts[engineers].places()[place]; !is {
					t.Errorf("english.txt: %s has the place %q; want those that %s has", key, place, engineers)
				}
			}
		}
		if !used[key] {
			t.Errorf("english.txt: nothing asks for %q; want no text that nobody reads", key)
		}
	}
	if len(used) < 300 {
		t.Errorf("%d texts are used; want hundreds", len(used))
	}
}

// inCode notes the texts that a file asks for, where it imports the catalogue.
func inCode(t *testing.T, path string, used map[string]bool) {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tree.Imports, func(i *ast.ImportSpec) bool {
		return i.Path.Value == `"adsync/internal/words/catalogue"`
	}) {
		return
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if key := literalOf(n); english().texts[key] != nil {
				used[key] = true
			}
		case *ast.BinaryExpr:
			if begins := literalOf(n.X); n.Op == token.ADD && strings.HasSuffix(begins, ".") {
				for key := range english().texts {
					used[key] = used[key] || strings.HasPrefix(key, begins)
				}
			}
		case *ast.CallExpr:
			for i, a := range n.Args {
				key := literalOf(a)
				if english().texts[key] == nil && !(i == 0 && key != "" && isSay(n)) {
					continue
				}
				var given []string
				for k := i + 1; k < len(n.Args); k += 2 {
					given = append(given, literalOf(n.Args[k]))
				}
				want := slices.Sorted(maps.Keys(english().texts[key].places()))
				if slices.Sort(given); english().texts[key] == nil || !slices.Equal(given, want) {
					t.Errorf("%s: %q is given %q; want it in the catalogue, with the places %q",
						set.Position(n.Pos()), key, given, want)
				}
			}
		}
		return true
	})
}

func isSay(call *ast.CallExpr) bool {
	said, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	of, _ := said.X.(*ast.Ident)
	return said.Sel.Name == "Say" || said.Sel.Name == "Fill" ||
		said.Sel.Name == "Text" && of != nil && of.Name == "catalogue"
}

// literalOf is the text of a literal; "" of what is none.
func literalOf(e ast.Expr) string {
	if l, is := e.(*ast.BasicLit); is && l.Kind == token.STRING {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}
