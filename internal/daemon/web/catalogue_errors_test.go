package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/orders"
)

// What a desk says of an order that failed is of the catalogue.
func TestWhyAnOrderFailedIsInTheCatalogue(t *testing.T) {
	inAnotherLanguage(t)
	re := &replies{Options: &Options{Log: slog.New(slog.DiscardHandler)}}
	for _, err := range []error{daemon.ErrNoAccount, daemon.ErrNoRun, daemon.ErrNoLook, daemon.ErrNoFile,
		daemon.ErrNoUploads, daemon.ErrNotPushed, daemon.ErrNotOpened, daemon.ErrMoved, daemon.ErrNotNow,
		daemon.ErrNotValid, daemon.ErrOtherCommit, daemon.ErrElsewhere, daemon.ErrAway, daemon.ErrOtherPlan,
		daemon.ErrNoEdit, daemon.ErrEditMoved, daemon.ErrNotWritten} {
		p := re.problemOf(err)
		if p.code == "internal" || letters.MatchString(p.message) {
			t.Errorf("%s says %q; want a text of the catalogue", p.code, p.message)
		}
	}
	_, empty := comments.Text("")
	_, long := comments.Text(strings.Repeat("x", comments.Longest+1))
	for _, err := range []error{comments.ErrNone, comments.ErrTheir, comments.ErrFull, empty, long,
		orders.ErrNoPause} {
		if letters.MatchString(err.Error()) {
			t.Errorf("%q is English; want a text of the catalogue", err)
		}
	}
}

var verb = regexp.MustCompile(`%[.0-9]*[a-z]`)

// Who makes such an error adds no words of their own to it.
func TestWhatIsAddedToAnErrorIsOfTheCatalogue(t *testing.T) {
	orders := 0
	eachCall(t, "../../../cmd/adsync/internal", func(where token.Position, call *ast.CallExpr) {
		made, is := call.Fun.(*ast.SelectorExpr)
		if !is || made.Sel.Name != "Errorf" || len(call.Args) < 2 || !isOfDaemon(call.Args[1]) {
			return
		}
		orders++
		if format, is := call.Args[0].(*ast.BasicLit); !is ||
			letters.MatchString(verb.ReplaceAllString(format.Value, "")) {
			t.Errorf("%s: an error of the daemon has words of its own; want a text of the catalogue", where)
		}
	})
	logins := 0
	eachCall(t, "../openid", func(where token.Position, call *ast.CallExpr) {
		made, is := call.Fun.(*ast.Ident)
		if !is || made.Name != "refused" {
			return
		}
		logins++
		if key, is := call.Args[0].(*ast.BasicLit); !is || strings.Contains(key.Value, " ") {
			t.Errorf("%s: a login is refused in words of its own; want a text of the catalogue", where)
		}
	})
	if orders < 9 || logins < 15 {
		t.Errorf("%d errors of orders and %d of logins are found; want all", orders, logins)
	}
}

// isOfDaemon reports whether an argument is an error of package daemon.
func isOfDaemon(argument ast.Expr) bool {
	name, is := argument.(*ast.SelectorExpr)
	if !is {
		return false
	}
	of, is := name.X.(*ast.Ident)
	return is && of.Name == "daemon" && strings.HasPrefix(name.Sel.Name, "Err")
}

// eachCall is what the code beneath a folder calls.
func eachCall(t *testing.T, folder string, found func(token.Position, *ast.CallExpr)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				found(set.Position(call.Pos()), call)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
