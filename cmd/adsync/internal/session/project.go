package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"

	"github.com/spf13/cobra"
)

// ProjectOf reads adsync.yaml and nothing else.
func ProjectOf(env *Env, dir string) (config.Project, error) {
	if env.Git != nil && env.Git.failure != nil {
		return config.Project{}, env.Git.failure
	}
	project, problems := ReadProject(env, dir)
	return project, Invalid(env, Loaded{Project: project}, problems)
}

// SourceFile reports whether an argument is one source, not a folder or its adsync.yaml.
func SourceFile(name string) bool {
	about, err := os.Stat(name)
	if err != nil || !about.Mode().IsRegular() {
		return false
	}
	ending := strings.ToLower(filepath.Ext(name))
	return ending == ".xlsx" || ending == ".csv"
}

// LoadFile reads one source alone, with the account of the project it lies in;
// without a project there is no account to hold it against.
func LoadFile(ctx context.Context, env *Env, name string) Loaded {
	root := ProjectFolder(filepath.Dir(name))
	project, problems := ReadProject(env, root)
	l := Loaded{Project: project, Schemas: kinds.All()}
	below, err := filepath.Rel(root, name)
	if err != nil {
		problems = append(problems, diag.Problem{Severity: diag.Error, Code: diag.Unreadable, Message: err.Error()})
	}
	if diag.HasErrors(problems) {
		l.Desired = sources.Desired{Snapshot: &resource.Snapshot{}, Problems: problems}
		return l
	}
	l.Project.Sources = []string{globOf(filepath.ToSlash(below))}
	return loadProject(ctx, env, l, problems)
}

// ProjectFolder is the folder itself or the nearest above it with an
// adsync.yaml, else the folder itself.
func ProjectFolder(folder string) string {
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

// Addressed splits arguments into a folder, the first that is no address of a
// kind, and addresses, each with what follows its equals sign.
func Addressed(c *cobra.Command, args []string) (dir string, picks []reconcile.Pick, err error) {
	for _, arg := range args {
		text, id, _ := strings.Cut(arg, "=")
		address, ok := resource.ParseAddress(text)
		switch {
		case ok && Schemas().Of(address.Kind) != nil:
			picks = append(picks, reconcile.Pick{Address: address, ID: id})
		case dir != "":
			return "", nil, console.Usage(c,
				fmt.Errorf("%q is no address; want one such as campaign/spring-launch", arg))
		default:
			dir = arg
		}
	}
	if dir == "" {
		dir = "."
	}
	return dir, picks, nil
}

// Unnamed is the error of an address that neither the files nor any record has.
func Unnamed(address resource.Address, files *resource.Snapshot) error {
	var names []string
	for r := range files.All() {
		names = append(names, r.Address.String())
	}
	said := diag.Printable(address.String()) + " is in no file and in no record"
	if near := diag.DidYouMean(address.String(), names); near != "" {
		said += "; " + near
	}
	return console.Configuration("%s", said)
}
