package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// parsed is a package without its tests, with types.
type parsed struct {
	dir, name string
	names     []string // of files, absolute
	files     []*ast.File
	fset      *token.FileSet
	info      *types.Info
}

type listed struct {
	Dir, ImportPath, Name, Export string
	GoFiles                       []string
	DepOnly                       bool
}

// parse reads a package and what it imports, as the go command knows them.
func parse(pattern string) (*parsed, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Name,Export,GoFiles,DepOnly", pattern)
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := list.Start(); err != nil {
		return nil, err
	}
	exports, p, path := map[string]string{}, &parsed{fset: token.NewFileSet()}, ""
	for decoder := json.NewDecoder(out); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[one.ImportPath] = one.Export
		if one.DepOnly {
			continue
		}
		p.dir, p.name, path = one.Dir, one.Name, one.ImportPath
		for _, name := range one.GoFiles {
			p.names = append(p.names, filepath.Join(one.Dir, name))
		}
	}
	if err := list.Wait(); err != nil {
		return nil, fmt.Errorf("list %s: %w", pattern, err)
	}
	for _, name := range p.names {
		file, err := parser.ParseFile(p.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, file)
	}
	look := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(p.fset, "gc", look)}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := config.Check(path, p.fset, p.files, p.info); err != nil {
		return nil, err
	}
	return p, nil
}
