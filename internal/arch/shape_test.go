package arch

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"adsync/internal/kinds"
	"adsync/internal/resource"
)

// maxLines is how long any Go file may be, tests included.
const maxLines = 500

func TestNoFileIsTooLong(t *testing.T) {
	for _, s := range sources(t) {
		if s.lines > maxLines {
			t.Errorf("%s has %d lines; want at most %d", s.name, s.lines, maxLines)
		}
	}
}

// TestEveryPackageSaysWhatItIsFor wants one package comment, of more than a
// line, that starts with the package's name.
func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	comments := map[string][]string{}
	names := map[string]string{}
	files := map[string]map[string]bool{}
	for _, s := range program(t) {
		names[s.dir] = s.tree.Name.Name
		if files[s.dir] == nil {
			files[s.dir] = map[string]bool{}
		}
		files[s.dir][path.Base(s.name)] = true
		if s.tree.Doc != nil {
			comments[s.dir] = append(comments[s.dir], s.tree.Doc.Text())
		}
	}
	for dir, name := range names {
		start := "Package " + name + " "
		if name == "main" {
			start = "Command " + dir[strings.LastIndexByte(dir, '/')+1:] + " "
		}
		switch said := comments[dir]; {
		case len(said) != 1:
			t.Errorf("package %s has %d package comments; want one", dir, len(said))
		case !strings.HasPrefix(said[0], start):
			t.Errorf("package %s: its comment starts %.30q; want %q", dir, said[0], start)
		case strings.Count(said[0], "\n") < 2:
			t.Errorf("package %s: its comment is one line; want what it is for, what it refuses and its invariant", dir)
		}
		said := strings.Join(comments[dir], "\n")
		if named := len(fileOfPackage.FindAllString(said, -1)); len(files[dir]) > 8 && named < 3 {
			t.Errorf("package %s has %d files and names %d; want those to open first", dir, len(files[dir]), named)
		}
		for _, file := range fileOfPackage.FindAllStringSubmatch(said, -1) {
			tests := strings.HasSuffix(file[1], "_test.go")
			if !files[dir][file[1]] && !tests && file[1] != "added.go" { // a file of each mutant
				t.Errorf("package %s: its comment names %s, which is not there", dir, file[1])
			}
		}
	}
}

// fileOfPackage is a file that a package comment names without a path: one of its own.
var fileOfPackage = regexp.MustCompile(`(?:^|[\s(])([a-z_]+\.go)\b`)

// TestKindsAreDataNotCases: outside their descriptions no code of the agent
// branches on a kind. What differs between kinds is a field of the schema.
func TestKindsAreDataNotCases(t *testing.T) {
	for _, s := range program(t) {
		if isEmulator(s.dir) || s.dir == "internal/kinds" {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			for _, compared := range comparedIn(n) {
				if kind, is := namesKind(compared); is {
					t.Errorf("%s: a branch on the kind %s; want a field of its description in internal/kinds",
						s.at(compared), kind)
				}
			}
			return true
		})
	}
}

// comparedIn returns what a case, == or != compares with.
func comparedIn(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CaseClause:
		return n.List
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	}
	return nil
}

// namesKind knows a kind by its literal and by the constant of its package.
func namesKind(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && kinds.All().Of(resource.Kind(text)) != nil
	case *ast.SelectorExpr:
		of, ok := e.X.(*ast.Ident)
		return e.Sel.Name, ok && of.Name == "kinds" &&
			!slices.Contains([]string{"Active", "Paused", "Archived"}, e.Sel.Name)
	}
	return "", false
}

// mutators are the calls that can change something at the service.
var mutators = []string{
	"Mutate", "SubmitJob", "Upload", "UploadURL", "UploadMembers", "ChangeMembers", "ResumeMembers",
}

// mutating are the rooms that send: those of an apply, and the direct verbs, whose clients send
// one endpoint each.
var mutating = []string{
	"reconcile/send", "reconcile/apply", "reconcile/recover", "reconcile/people", "internal/direct",
}

// TestOnePlaceMutates: only rooms of reconcile call what can mutate.
func TestOnePlaceMutates(t *testing.T) {
	seen := false
	for _, s := range program(t) {
		if isEmulator(s.dir) || s.dir == "internal/adsapi" {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(mutators, selector.Sel.Name) {
				return true
			}
			if of, is := selector.X.(*ast.Ident); is && of.Name == "daemon" { // daemon.Upload is a type
				return true
			}
			seen = true
			if !slices.Contains(mutating, s.dir) {
				t.Errorf("%s: %s calls %s; want only %q to mutate the service",
					s.at(n), s.dir, selector.Sel.Name, mutating)
			}
			return true
		})
	}
	if !seen {
		t.Errorf("nothing calls any of %q; want the names of the calls that mutate", mutators)
	}
}

// TestOneWriterOfWorkbooksThatExist: internal/xlsx alone changes a workbook that somebody has. The library makes new
// ones: what it opens and saves again loses what it does not know.
func TestOneWriterOfWorkbooksThatExist(t *testing.T) {
	makes := false
	for _, s := range program(t) {
		if strings.HasPrefix(s.dir, testOnly) {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, is := selector.X.(*ast.Ident)
			if !is || of.Name != "excelize" {
				return true
			}
			makes = makes || selector.Sel.Name == "NewFile"
			if strings.HasPrefix(selector.Sel.Name, "Open") {
				t.Errorf("%s: excelize.%s; want internal/xlsx to change a workbook",
					s.at(n), selector.Sel.Name)
			}
			return true
		})
	}
	if !makes {
		t.Error("nothing calls excelize.NewFile; want the name of what makes a workbook")
	}
}

// TestNothingRunsBeforeMain: no init but that which sets a flag of tests, no sleep that no clock can pass.
func TestNothingRunsBeforeMain(t *testing.T) {
	for _, s := range program(t) {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil && s.dir != testOnly+"drawn" {
					t.Errorf("%s: an init function; want what runs to be called", s.at(n))
				}
			case *ast.SelectorExpr:
				of, ok := n.X.(*ast.Ident)
				if ok && of.Name == "time" && n.Sel.Name == "Sleep" {
					t.Errorf("%s: time.Sleep; want a clock that is passed in", s.at(n))
				}
			}
			return true
		})
	}
}

// never are words the design has others for, and words that say nothing. They
// are looked for in what the agent's packages export.
var never = map[string]string{
	"Changeset": "plan", "Threshold": "limit", "Loader": "source", "Previous": "last", "Cached": "last",
	"Wanted": "desired", "Remote": "live", "Helper": "a noun", "Util": "a noun", "Manager": "a noun", "Impl": "a noun",
}

func TestExportedNamesUseTheWordsOfTheDesign(t *testing.T) {
	for _, s := range program(t) {
		if isEmulator(s.dir) {
			continue
		}
		for _, name := range exported(s.tree) {
			for _, word := range words(name.Name) {
				if better, bad := never[word]; bad {
					t.Errorf("%s: %s says %s; want %s", s.at(name), name.Name, word, better)
				}
			}
		}
	}
}

// exported returns the exported functions, methods, types, constants and variables.
func exported(f *ast.File) []*ast.Ident {
	var names []*ast.Ident
	add := func(n *ast.Ident) {
		if n.IsExported() {
			names = append(names, n)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name)
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						add(n)
					}
				}
			}
		}
	}
	return names
}

// words cuts LooksLikeMicros into its words.
func words(name string) []string {
	cut := func(r rune) bool { return r == '_' }
	var spaced strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			spaced.WriteByte('_')
		}
		spaced.WriteRune(r)
	}
	return strings.FieldsFunc(spaced.String(), cut)
}
