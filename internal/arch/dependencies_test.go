package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryDependencyIsExplained holds docs/develop/dependencies.md to go.mod, to the
// tools and to the code: a line for every module that is imported or is a tool,
// and none for one that is not there. Modules that others bring need no line.
func TestEveryDependencyIsExplained(t *testing.T) {
	required, tools := requirements(t)
	used := usedModules(t, required, tools)
	explained := explanations(t)
	for module, where := range used {
		if !slices.Contains(explained, module) {
			t.Errorf("docs/develop/dependencies.md has no line for %s, which %s uses", module, where)
		}
	}
	for _, module := range explained {
		if used[module] == "" {
			t.Errorf("docs/develop/dependencies.md explains %s, which nothing uses; want no line", module)
		}
	}
}

// requirements returns the modules of all go.mod files, and the tools' packages.
func requirements(t *testing.T) (modules, tools []string) {
	t.Helper()
	for _, name := range []string{
		"go.mod", "internal/tools/go.mod", "internal/tools/kubernetes/go.mod", "internal/tools/image/go.mod",
		"internal/tools/openid/go.mod",
	} {
		block := ""
		for line := range strings.Lines(read(t, name)) {
			words := strings.Fields(line)
			switch {
			case len(words) == 0:
			case words[0] == ")":
				block = ""
			case len(words) == 2 && words[1] == "(":
				block = words[0]
			case block == "require":
				modules = append(modules, words[0])
			case block == "" && words[0] == "require":
				modules = append(modules, words[1])
			case block == "tool":
				tools = append(tools, words[0])
			case block == "" && words[0] == "tool":
				tools = append(tools, words[1])
			}
		}
	}
	if len(modules) == 0 || len(tools) == 0 {
		t.Fatalf("go.mod and internal/tools/go.mod name %d modules and %d tools; want some of both",
			len(modules), len(tools))
	}
	return modules, tools
}

// usedModules returns the modules whose packages are imported or are tools, with
// one place that uses each.
func usedModules(t *testing.T, required, tools []string) map[string]string {
	t.Helper()
	used := map[string]string{}
	for _, tool := range tools {
		used[moduleOf(required, tool)] = "internal/tools/go.mod"
	}
	for _, s := range sources(t) {
		for name, spec := range s.imports() {
			first, _, _ := strings.Cut(name, "/")
			if !strings.Contains(first, ".") {
				continue
			}
			module := moduleOf(required, name)
			if module == "" {
				t.Errorf("%s: %s is of no module in go.mod", s.at(spec), name)
				continue
			}
			used[module] = s.name
		}
	}
	return used
}

// moduleOf is the longest module path in front of a package's.
func moduleOf(modules []string, name string) string {
	longest := ""
	for _, m := range modules {
		if (name == m || strings.HasPrefix(name, m+"/")) && len(m) > len(longest) {
			longest = m
		}
	}
	return longest
}

// explanations returns the modules that stand first in a table row, as code.
func explanations(t *testing.T) []string {
	t.Helper()
	var explained []string
	for line := range strings.Lines(read(t, "docs/develop/dependencies.md")) {
		if row, ok := strings.CutPrefix(line, "| `"); ok {
			module, _, _ := strings.Cut(row, "`")
			if slices.Contains(explained, module) {
				t.Errorf("docs/develop/dependencies.md has two lines for %s", module)
			}
			explained = append(explained, module)
		}
	}
	return explained
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
