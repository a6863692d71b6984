package runs

import (
	"os"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/sources/config"
	"adsync/sources/tidy"
)

// Selection is files of one project, as a command line names them.
type Selection struct {
	Project  config.Project
	Files    []string
	Problems []diag.Problem // why a file of the folder is not among them
}

// Selected returns the files that the arguments of a command mean: a file itself,
// of a folder its sources and its adsync.yaml; without arguments those of the
// current folder.
func Selected(args []string) ([]Selection, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var all []Selection
	for _, arg := range args {
		root, inside, err := config.FindProject(arg)
		if err != nil {
			return nil, console.Configuration("%v", err)
		}
		i := slices.IndexFunc(all, func(s Selection) bool { return s.Project.Root == console.Shorter(root) })
		if i < 0 {
			project, _ := config.ReadProject(console.Shorter(root)) // its problems are those of its file
			all, i = append(all, Selection{Project: project}), len(all)
		}
		all[i].add(inside, IsFolder(arg))
	}
	return all, nil
}

// IsFolder reports whether a name is a folder.
func IsFolder(name string) bool {
	about, err := os.Stat(name)
	return err == nil && about.IsDir()
}

func (s *Selection) add(inside string, folder bool) {
	names := []string{inside}
	if folder {
		names, s.Problems = tidy.SourceFiles(s.Project)
		names = slices.DeleteFunc(names, func(name string) bool {
			return inside != "." && !strings.HasPrefix(name, inside+"/")
		})
	}
	for _, name := range names {
		if !slices.Contains(s.Files, name) {
			s.Files = append(s.Files, name)
		}
	}
}
