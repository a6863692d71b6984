package arch

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// patterns is the package that every other may import: it knows nothing of adsync.
const patterns = "internal/pattern"

// TestPatternsCompile compiles what each pattern of the program writes, as nothing does before it is used.
func TestPatternsCompile(t *testing.T) {
	words := map[string]map[string]ast.Expr{} // by package and name
	for _, s := range program(t) {
		if words[s.dir] == nil {
			words[s.dir] = map[string]ast.Expr{}
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
				for i, name := range spec.Names {
					words[s.dir][name.Name] = spec.Values[i]
				}
			}
			return true
		})
	}
	compiled := 0
	for _, s := range program(t) {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !calls(call, "pattern", "Of") {
				return true
			}
			text, ok := textOf(call.Args[0], s, words)
			if !ok {
				t.Errorf("%s: the pattern cannot be read here; want constants that are added", s.at(call))
			} else if _, err := regexp.Compile(text); err != nil {
				t.Errorf("%s: %v", s.at(call), err)
			}
			compiled++
			return true
		})
	}
	if compiled < 100 {
		t.Errorf("%d patterns were compiled; want all of the program", compiled)
	}
}

// textOf returns the text of constants that are added.
func textOf(e ast.Expr, in *source, words map[string]map[string]ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.ParenExpr:
		return textOf(e.X, in, words)
	case *ast.Ident:
		if meant, known := words[in.dir][e.Name]; known {
			return textOf(meant, in, words)
		}
	case *ast.SelectorExpr:
		for name := range in.imports() {
			dir := strings.TrimPrefix(name, module)
			of, isName := e.X.(*ast.Ident)
			if meant, known := words[dir][e.Sel.Name]; known && isName && of.Name == path.Base(dir) {
				return textOf(meant, in, words)
			}
		}
	case *ast.BinaryExpr:
		left, okLeft := textOf(e.X, in, words)
		right, okRight := textOf(e.Y, in, words)
		return left + right, e.Op == token.ADD && okLeft && okRight
	}
	return "", false
}

func calls(call *ast.CallExpr, pkg, name string) bool {
	selected, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selected.Sel.Name != name {
		return false
	}
	of, ok := selected.X.(*ast.Ident)
	return ok && of.Name == pkg
}

// TestNothingIsCompiledAsTheProgramStarts keeps regular expressions and templates out of what each command waits for.
func TestNothingIsCompiledAsTheProgramStarts(t *testing.T) {
	for _, s := range program(t) {
		if !isRoom(s.dir) && !strings.HasPrefix(s.dir, "internal/emulator") {
			continue
		}
		for _, d := range s.tree.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(group, func(n ast.Node) bool {
				if _, later := n.(*ast.FuncLit); later {
					return false
				}
				call, ok := n.(*ast.CallExpr)
				if ok && (calls(call, "regexp", "MustCompile") || calls(call, "template", "Must")) {
					t.Errorf("%s: this is compiled as the program starts; want it when it is first used: pattern.Of, "+
						"or sync.OnceValue", s.at(call))
				}
				return true
			})
		}
	}
}
