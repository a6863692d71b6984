package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/sources"
)

// selection is files of one project, as a command line names them.
type selection struct {
	project  sources.Project
	files    []string
	problems []diag.Problem // why a file of the folder is not among them
}

// selected gives the files that the arguments of a command mean: a file itself,
// of a folder its sources and its adsync.yaml; without arguments those of the
// current folder.
func selected(args []string) ([]selection, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var all []selection
	for _, arg := range args {
		root, inside, err := sources.FindProject(arg)
		if err != nil {
			return nil, configuration("%v", err)
		}
		i := slices.IndexFunc(all, func(s selection) bool { return s.project.Root == shorter(root) })
		if i < 0 {
			project, _ := sources.ReadProject(shorter(root)) // its problems are those of its file
			all, i = append(all, selection{project: project}), len(all)
		}
		all[i].add(inside, isFolder(arg))
	}
	return all, nil
}

func isFolder(name string) bool {
	about, err := os.Stat(name)
	return err == nil && about.IsDir()
}

// shorter gives a path from the current folder where that is one below it.
func shorter(name string) string {
	here, err := os.Getwd()
	if err != nil || !filepath.IsAbs(name) {
		return name
	}
	near, err := filepath.Rel(here, name)
	if err != nil || strings.HasPrefix(near, "..") {
		return name
	}
	return near
}

func (s *selection) add(inside string, folder bool) {
	names := []string{inside}
	if folder {
		names, s.problems = s.project.Files()
		names = slices.DeleteFunc(names, func(name string) bool {
			return inside != "." && !strings.HasPrefix(name, inside+"/")
		})
	}
	for _, name := range names {
		if !slices.Contains(s.files, name) {
			s.files = append(s.files, name)
		}
	}
}
