package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
)

// sourceFile says that an argument is one source, not a folder or its adsync.yaml.
func sourceFile(name string) bool {
	about, err := os.Stat(name)
	if err != nil || !about.Mode().IsRegular() {
		return false
	}
	ending := strings.ToLower(filepath.Ext(name))
	return ending == ".xlsx" || ending == ".csv"
}

// loadFile reads one source alone, with the account of the project it lies in;
// without a project there is no account to hold it against.
func (a *app) loadFile(ctx context.Context, name string) loaded {
	root := projectFolder(filepath.Dir(name))
	project, problems := a.readProject(root)
	l := loaded{project: project, schemas: kinds.All()}
	below, err := filepath.Rel(root, name)
	if err != nil {
		problems = append(problems, diag.Problem{Severity: diag.Error, Code: diag.Unreadable, Message: err.Error()})
	}
	if diag.HasErrors(problems) {
		l.desired = sources.Desired{Snapshot: &resource.Snapshot{}, Problems: problems}
		return l
	}
	l.project.Sources = []string{globOf(filepath.ToSlash(below))}
	return a.loadProject(ctx, l, problems)
}

// projectFolder is the folder itself or the nearest above it with an
// adsync.yaml, else the folder itself.
func projectFolder(folder string) string {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	for above := absolute; ; above = filepath.Dir(above) {
		if _, err := os.Stat(filepath.Join(above, "adsync.yaml")); err == nil {
			if relative, err := filepath.Rel(absolute, above); err == nil {
				return filepath.Join(folder, relative)
			}
			return above
		}
		if above == filepath.Dir(above) {
			return folder
		}
	}
}

// globOf is the pattern that means one path alone.
func globOf(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}
