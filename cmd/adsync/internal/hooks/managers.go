package hooks

import (
	"os"
	"path/filepath"
	"strings"

	"adsync/internal/pattern"
)

// manager is a tool that keeps the hooks of a repository.
type manager struct {
	name  string
	file  string // that says what a hook runs
	lines string // to add there
	runs  bool   // it runs adsync already
}

// managers are the tools that are known, by the files that say a repository uses them.
var managers = []struct {
	name, lines string
	files       []string
}{
	{"pre-commit", `- repo: local
  hooks:
  - {id: adsync, name: adsync, entry: adsync hooks run, language: system, always_run: true, require_serial: true}`,
		[]string{".pre-commit-config.yaml"}},
	{"lefthook", `pre-commit:
  commands:
    adsync:
      run: adsync hooks run`,
		[]string{"lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yml",
			"lefthook.toml", ".lefthook.toml", "lefthook.json", ".lefthook.json"}},
}

// byID finds the hook of .pre-commit-hooks.yaml in a configuration of pre-commit.
var byID = pattern.Of(`(?m)^[^#\n]*\bid: *["']?adsync\b`)

// manager finds the tool that keeps the hooks, the one that runs adsync first.
func (r *repository) manager(hook string) (found manager, is bool) {
	for _, m := range r.managersFound(hook) {
		content, _ := os.ReadFile(m.file)
		m.runs = runs.Match(content) || m.name == "pre-commit" && byID.Match(content)
		if m.runs || !is {
			found, is = m, true
		}
	}
	return found, is
}

func (r *repository) managersFound(hook string) (all []manager) {
	for _, known := range managers {
		for _, name := range known.files {
			if name = filepath.Join(r.top, name); isThere(name) {
				all = append(all, manager{name: known.name, file: name, lines: known.lines})
			}
		}
	}
	// husky has git run .husky/_/pre-commit, which it writes anew, and that runs .husky/pre-commit.
	above, _, named := strings.Cut(hook, filepath.FromSlash("/.husky/"))
	if !named {
		above = r.top
	}
	if husky := filepath.Join(above, ".husky"); named || isThere(husky) {
		all = append(all, manager{name: "husky", file: filepath.Join(husky, "pre-commit"), lines: command})
	}
	return all
}

func isThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
