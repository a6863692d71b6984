package arch

import (
	"go/ast"
	"testing"
)

// maxFiles is how many files that are not tests a folder may hold.
const maxFiles = 25

// maxMethods is how many methods a receiver may have.
const maxMethods = 30

// foldersOver and receiversOver are what is over its limit still, each with the
// number it has. A number may only fall, and a row goes with what it is about.
var (
	foldersOver   = map[string]int{}
	receiversOver = map[string]int{}
)

func TestNoFolderHoldsTooManyFiles(t *testing.T) {
	files := map[string]int{}
	for _, s := range program(t) {
		files[s.dir]++
	}
	hold(t, files, maxFiles, foldersOver, "files that are not tests")
}

func TestNoReceiverHasTooManyMethods(t *testing.T) {
	methods := map[string]int{}
	for _, s := range program(t) {
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[s.dir+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	hold(t, methods, maxMethods, receiversOver, "methods")
}

// hold compares counts with their limit, or with the row of what is over it still.
func hold(t *testing.T, counts map[string]int, limit int, over map[string]int, of string) {
	t.Helper()
	for what, n := range counts {
		if most := max(limit, over[what]); n > most {
			t.Errorf("%s has %d %s; want at most %d", what, n, of, most)
		}
	}
	for what := range over {
		if counts[what] <= limit {
			t.Errorf("%s has %d %s and a row in the table; want no row", what, counts[what], of)
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
