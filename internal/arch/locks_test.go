package arch

import (
	"go/ast"
	"go/types"
	"testing"
)

// TestALockIsGivenBackByDefer: what breaks off while it holds a lock ends one run
// of one account; a lock that stays held would end every later one.
func TestALockIsGivenBackByDefer(t *testing.T) {
	seen := 0
	for _, s := range program(t) {
		if isEmulator(s.dir) {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			block, is := n.(*ast.BlockStmt)
			if !is {
				return true
			}
			for i, statement := range block.List {
				taken, back := lockOf(statement)
				if taken == "" {
					continue
				}
				seen++
				if i+1 == len(block.List) || !defers(block.List[i+1], taken, back) {
					t.Errorf("%s: %s is locked; want `defer %s.%s()` in the next line",
						s.at(statement), taken, taken, back)
				}
			}
			return true
		})
	}
	if seen < 50 {
		t.Errorf("found %d locks; want those of the whole program", seen)
	}
}

// lockOf returns what a statement locks, and the call that gives it back; "" for
// another statement.
func lockOf(s ast.Stmt) (taken, back string) {
	e, is := s.(*ast.ExprStmt)
	if !is {
		return "", ""
	}
	on, name := called(e.X)
	if back = map[string]string{"Lock": "Unlock", "RLock": "RUnlock"}[name]; back == "" {
		return "", ""
	}
	return on, back
}

func defers(s ast.Stmt, taken, back string) bool {
	d, is := s.(*ast.DeferStmt)
	if !is {
		return false
	}
	on, name := called(d.Call)
	return on == taken && name == back
}

// called returns the expression and the name of a call without arguments.
func called(e ast.Expr) (on, name string) {
	call, is := e.(*ast.CallExpr)
	if !is || len(call.Args) > 0 {
		return "", ""
	}
	selector, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return "", ""
	}
	return types.ExprString(selector.X), selector.Sel.Name
}
