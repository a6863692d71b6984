package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one small change.
type mutant struct {
	id    int
	place string // file:line:column
	what  string
}

// edit replaces the bytes from up to to, which may be none. Of edits at one place
// the one with the lower rank comes first.
type edit struct {
	from, to int
	text     string
	rank     int
}

// instrumenter writes one file with all its mutants in it.
type instrumenter struct {
	fset    *token.FileSet
	info    *types.Info
	source  []byte
	name    string
	mutants *[]mutant
	edits   []edit
}

func (in *instrumenter) offset(p token.Pos) int { return in.fset.Position(p).Offset }

func (in *instrumenter) text(n ast.Node) string {
	return string(in.source[in.offset(n.Pos()):in.offset(n.End())])
}

// add numbers a new mutant.
func (in *instrumenter) add(p token.Pos, format string, args ...any) int {
	at := in.fset.Position(p)
	m := mutant{
		id: len(*in.mutants) + 1, place: fmt.Sprintf("%s:%d:%d", in.name, at.Line, at.Column),
		what: fmt.Sprintf(format, args...),
	}
	*in.mutants = append(*in.mutants, m)
	return m.id
}

// around puts a call around a node. Of calls that begin at one place the one around
// the longer node comes first; of those that end at one place it ends last.
func (in *instrumenter) around(n ast.Node, before, after string) {
	from, to := in.offset(n.Pos()), in.offset(n.End())
	in.edits = append(in.edits, edit{from, from, before, -to}, edit{to, to, after, -1<<40 - from})
}

func (in *instrumenter) replace(p token.Pos, length int, text string) {
	from := in.offset(p)
	in.edits = append(in.edits, edit{from, from + length, text, 1})
}

// swapped are the operators and what a mutant puts in their place.
var swapped = map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.REM: "*"}

var boundaries = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

func (in *instrumenter) isNumber(e ast.Expr) bool {
	tv := in.info.Types[e]
	if tv.Type == nil || tv.Value != nil {
		return false
	}
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsInteger|types.IsFloat) != 0
}

func (in *instrumenter) isOrdered(e ast.Expr) bool {
	basic, ok := in.info.Types[e].Type.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsOrdered != 0
}

func (in *instrumenter) isBool(e ast.Expr) bool {
	tv := in.info.Types[e]
	return tv.IsValue() && tv.Value == nil &&
		(types.Identical(tv.Type, types.Typ[types.Bool]) || types.Identical(tv.Type, types.Typ[types.UntypedBool]))
}

// visit finds the mutants at a node.
func (in *instrumenter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.BinaryExpr:
		in.binary(n)
	case *ast.UnaryExpr:
		in.unary(n)
	case *ast.IncDecStmt:
		in.step(n)
	case *ast.AssignStmt:
		in.assign(n)
	case *ast.IfStmt:
		in.condition(n.Cond)
	case *ast.CaseClause:
		for _, e := range n.List {
			in.condition(e)
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			in.condition(e)
		}
	case *ast.BlockStmt:
		in.calls(n.List)
	}
	if clause, ok := n.(*ast.CaseClause); ok {
		in.calls(clause.Body)
	}
	return true
}

func (in *instrumenter) binary(n *ast.BinaryExpr) {
	op := n.Op.String()
	switch {
	case in.info.Types[n].Value != nil:
	case boundaries[n.Op] != "" && in.isBool(n) && in.isOrdered(n.X) && in.isOrdered(n.Y):
		boundary := in.add(n.OpPos, "%s becomes %s", op, boundaries[n.Op])
		negation := in.add(n.OpPos, "%s is negated", op)
		in.around(n, fmt.Sprintf("mutantCompare(%d, %d, %q, ", boundary, negation, op), ")")
		in.replace(n.OpPos, len(op), ",")
	case (n.Op == token.EQL || n.Op == token.NEQ) && in.isBool(n):
		in.around(n, fmt.Sprintf("mutantNot(%d, ", in.add(n.OpPos, "%s is negated", op)), ")")
	case (n.Op == token.LAND || n.Op == token.LOR) && in.isBool(n):
		other := map[token.Token]string{token.LAND: "||", token.LOR: "&&"}[n.Op]
		in.around(n, fmt.Sprintf("mutantJoin(%d, %q, ", in.add(n.OpPos, "%s becomes %s", op, other), op), "))})")
		in.replace(n.OpPos, len(op), ", func() bool { return bool((")
	case swapped[n.Op] != "" && in.isNumber(n):
		in.around(n, fmt.Sprintf("mutantCount(%d, %q, ", in.add(n.OpPos, "%s becomes %s", op, swapped[n.Op]), op), ")")
		in.replace(n.OpPos, len(op), ",")
	}
}

func (in *instrumenter) unary(n *ast.UnaryExpr) {
	switch {
	case n.Op == token.NOT && in.isBool(n):
		in.around(n, fmt.Sprintf("mutantNot(%d, ", in.add(n.OpPos, "! goes")), ")")
	case n.Op == token.SUB && in.isNumber(n):
		in.around(n, fmt.Sprintf("mutantSign(%d, ", in.add(n.OpPos, "the sign goes")), ")")
	}
}

func (in *instrumenter) step(n *ast.IncDecStmt) {
	op, other := n.Tok.String(), map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
	id := in.add(n.TokPos, "%s becomes %s", op, other)
	in.around(n, fmt.Sprintf("%s = mutantCount(%d, %q, ", in.text(n.X), id, op[:1]), ", 1)")
	in.replace(n.TokPos, len(op), "")
}

func (in *instrumenter) assign(n *ast.AssignStmt) {
	op := n.Tok.String()
	if len(op) != 2 || !strings.Contains("+-*/", op[:1]) || !in.isNumber(n.Lhs[0]) {
		return
	}
	other := map[string]string{"+": "-", "-": "+", "*": "/", "/": "*"}[op[:1]]
	id := in.add(n.TokPos, "%s becomes %s=", op, other)
	in.around(n, fmt.Sprintf("%s = mutantCount(%d, %q, ", in.text(n.Lhs[0]), id, op[:1]), ")")
	in.replace(n.TokPos, len(op), ",")
}

// condition negates what decides and is no operator itself.
func (in *instrumenter) condition(e ast.Expr) {
	switch ast.Unparen(e).(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return
	}
	if in.isBool(e) {
		in.around(e, fmt.Sprintf("mutantNot(%d, ", in.add(e.Pos(), "%s is negated", short(in.text(e)))), ")")
	}
}

// calls leaves out what is called for its effect.
func (in *instrumenter) calls(list []ast.Stmt) {
	for _, s := range list {
		if call, ok := s.(*ast.ExprStmt); ok {
			in.around(s, fmt.Sprintf("if mutantKeeps(%d) { ", in.add(s.Pos(), "%s goes", short(in.text(call)))), " }")
		}
	}
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return text
}

// written is the file with its mutants.
func (in *instrumenter) written() []byte {
	slices.SortStableFunc(in.edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.rank - b.rank
	})
	var out strings.Builder
	at := 0
	for _, e := range in.edits {
		out.Write(in.source[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(in.source[at:])
	return []byte(out.String())
}

// helper is the file that every mutated package gets.
func helper(name string) []byte {
	return []byte("package " + name + helperText)
}

// instrument writes the files that match with their mutants into a folder, and
// gives the overlay.
func instrument(p *parsed, matches func(string) bool,
	into string) (overlay map[string]string, mutants []mutant, err error) {
	overlay = map[string]string{}
	put := func(path string, content []byte) error {
		replaced := filepath.Join(into, filepath.Base(path))
		overlay[path] = replaced
		return os.WriteFile(replaced, content, 0o600)
	}
	for i, file := range p.files {
		if name := filepath.Base(p.names[i]); matches(name) {
			source, err := os.ReadFile(p.names[i])
			if err != nil {
				return nil, nil, err
			}
			in := &instrumenter{fset: p.fset, info: p.info, source: source, name: name, mutants: &mutants}
			ast.Inspect(file, in.visit)
			if err := put(p.names[i], in.written()); err != nil {
				return nil, nil, err
			}
		}
	}
	return overlay, mutants, put(filepath.Join(p.dir, "zz_mutants.go"), helper(p.name))
}
