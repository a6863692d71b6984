package arch

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// exportedForNobody is what is exported and named in no other package, each with its reason.
var exportedForNobody = map[string]string{
	"internal/direct.ErrNotItsEndpoint": underWay,
	"internal/fetch.Refused":            underWay,
	"internal/public.Host":              underWay,
	"internal/insights.DefaultFields":   underWay,

	"internal/gitstore.bounds.EncodedObject":          "an interface of go-git has it",
	"internal/gitstore.patching.EncodedObject":        "an interface of go-git has it",
	"internal/errands.worker.Work":                    "an interface of River has it",
	"internal/errands.worker.NextRetry":               "an interface of River has it",
	"internal/daemon/passkey.key.WebAuthnID":          ofWebAuthn,
	"internal/daemon/passkey.key.WebAuthnName":        ofWebAuthn,
	"internal/daemon/passkey.key.WebAuthnDisplayName": ofWebAuthn,
	"internal/daemon/passkey.key.WebAuthnCredentials": ofWebAuthn,
	"sources/look.partsWriter.AddFS":                  "it takes the place of a method of zip.Writer",
}

const ofWebAuthn = "an interface of go-webauthn has it"

const underWay = "commands that are made now use it"

// forReflection are methods that the standard library, or pgx, looks for by their names.
var forReflection = []string{"As", "Close", "Error", "Format", "GoString", "Is", "Len", "Less", "LogValue",
	"MarshalJSON", "MarshalText", "MarshalYAML", "Read", "Scan", "ServeHTTP", "Set", "String", "Swap",
	"ScanBytes", "UnmarshalJSON", "UnmarshalText", "UnmarshalYAML", "Unwrap", "Value", "Write"}

// TestNothingIsExportedThatOnePackageUses wants what a package of the agent exports to be said in
// another package; a test that is a package apart is one. Names of packages are told apart by what
// a file imports. A method is used where another package says its name after a dot, or an
// interface has it, so that a few may slip through. A type may stand in what is exported beside
// it, and a constant in a group of which another one is used.
func TestNothingIsExportedThatOnePackageUses(t *testing.T) {
	said, methods := saidElsewhere(t)
	shown := shownBeside(t)
	for _, s := range program(t) {
		if !isRoom(s.dir) {
			continue
		}
		for _, d := range s.tree.Decls {
			names := exportedBy(d)
			group := anyOf(names, func(name string) bool { return isConstants(d) && said[s.dir+"."+name] })
			for name, at := range names {
				_, method, isMethod := strings.Cut(name, ".")
				full := s.dir + "." + name
				used := group || said[full] || shown[full] || isMethod && usesMethod(methods, s.dir, method)
				switch _, excepted := exportedForNobody[full]; {
				case !used && !excepted:
					t.Errorf("%s: %s is exported and no other package names it; want it unexported", s.at(at), name)
				case used && excepted:
					t.Errorf("%s: %s has a row in the table and is used; want no row", s.at(at), name)
				}
			}
		}
	}
}

func anyOf(names map[string]ast.Node, is func(string) bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(names)), is)
}

func isConstants(d ast.Decl) bool {
	g, is := d.(*ast.GenDecl)
	return is && g.Tok == token.CONST
}

// shownBeside returns the types that signatures, fields and variables show that are exported.
func shownBeside(t *testing.T) map[string]bool {
	shown := map[string]bool{}
	for _, s := range program(t) {
		var see func(n ast.Node)
		see = func(n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Field:
					if len(n.Names) == 0 || slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
						see(n.Type)
					}
					return false
				case *ast.Ident:
					shown[s.dir+"."+n.Name] = true
				}
				return true
			})
		}
		for _, d := range s.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() {
					for _, list := range []*ast.FieldList{d.Type.Params, d.Type.Results} {
						for _, f := range fieldsOf(list) {
							see(f.Type)
						}
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.IsExported() {
							see(spec.Type)
						}
					case *ast.ValueSpec:
						if spec.Type != nil && slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported) {
							see(spec.Type)
						}
					}
				}
			}
		}
	}
	return shown
}

// isRoom reports whether a folder is one of the agent; what only tests use names its rules apart.
func isRoom(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return slices.Contains([]string{"internal", "plan", "reconcile", "sources", "state", "cmd"}, top) &&
		!isEmulator(dir) && !strings.HasPrefix(dir, testOnly)
}

// exportedBy returns the exported names of a declaration, methods as Type.Method.
func exportedBy(d ast.Decl) map[string]ast.Node {
	names := map[string]ast.Node{}
	note := func(id *ast.Ident) {
		if id.IsExported() {
			names[id.Name] = id
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			note(d.Name)
		} else if d.Name.IsExported() && !slices.Contains(forReflection, d.Name.Name) {
			names[receiver(d.Recv.List[0].Type)+"."+d.Name.Name] = d.Name
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				note(spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					note(id)
				}
			}
		}
	}
	return names
}

// saidElsewhere returns the names that files say of packages they import, with the folder of the
// package, and for each name after a dot, or of a method of an interface, the packages that say it.
func saidElsewhere(t *testing.T) (said map[string]bool, methods map[string]map[string]bool) {
	said, methods = map[string]bool{}, map[string]map[string]bool{}
	for _, s := range sources(t) {
		from, folder := s.dir, map[string]string{}
		if strings.HasSuffix(s.tree.Name.Name, "_test") {
			from += "_test"
		}
		note := func(name string) {
			if methods[name] == nil {
				methods[name] = map[string]bool{}
			}
			methods[name][from] = true
		}
		for name, spec := range s.imports() {
			local := path.Base(name)
			if spec.Name != nil {
				local = spec.Name.Name
			}
			if dir, ours := strings.CutPrefix(name, module); ours {
				folder[local] = dir
			}
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				note(n.Sel.Name)
				if x, is := n.X.(*ast.Ident); is && folder[x.Name] != "" {
					said[folder[x.Name]+"."+n.Sel.Name] = true
				}
			case *ast.InterfaceType:
				for _, f := range n.Methods.List {
					for _, id := range f.Names {
						note(id.Name)
						methods[id.Name]["interface"] = true
					}
				}
			}
			return true
		})
	}
	return said, methods
}

func fieldsOf(list *ast.FieldList) []*ast.Field {
	if list == nil {
		return nil
	}
	return list.List
}

func usesMethod(methods map[string]map[string]bool, dir, method string) bool {
	for from := range maps.Keys(methods[method]) {
		if from != dir {
			return true
		}
	}
	return false
}
