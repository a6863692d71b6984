package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/kinds"
	"adsync/internal/testing/golden"

	"github.com/google/go-cmp/cmp"
)

// TestREADMEShowsWhatIsPrinted runs the main job and compares what the README and the
// page of the first run show with what was printed: plan, result and the next plan. Ids differ
// from one account to the next and the rest of the month from day to day, so
// only their form counts; a line that begins with … stands for what was left out.
func TestREADMEShowsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	dir := copyOfQuickstart(t)
	planned := printed(t, "plan", dir)
	applied := printed(t, "apply", "--yes", dir)
	again := printed(t, "plan", "--detailed-exitcode", dir)
	for _, shown := range []struct{ page, mark, printed string }{
		{"README.md", "plan", planned},
		{"README.md", "result", applied},
		{"docs/use/first-run.md", "plan", planned},
		{"docs/use/first-run.md", "result", applied},
		{"docs/use/first-run.md", "again", again},
	} {
		where := shown.page + ", " + shown.mark
		compareShown(t, where, block(t, where, readPage(t, shown.page), shown.mark), shown.printed)
	}
	if !strings.HasPrefix(applied, planned) {
		t.Errorf("apply shows another plan than plan does:\n%s", cmp.Diff(planned, applied))
	}
}

var (
	serviceID   = regexp.MustCompile(`\b(cmpn|adgrp|ad)_[0-9a-f]{24}\b`)
	restOfMonth = regexp.MustCompile(`(?m)^At most to [0-9-]{10}: .*$`)
)

func form(text string) string {
	return restOfMonth.ReplaceAllString(serviceID.ReplaceAllString(text, "$1_…"), "At most to the end of the month")
}

// compareShown wants every part between two … lines to stand in the output as
// it is shown, in the same order.
func compareShown(t *testing.T, where, shown, printed string) {
	t.Helper()
	rest := form(printed)
	var part strings.Builder
	for line := range strings.Lines(form(shown) + "…\n") {
		if !strings.HasPrefix(line, "…") {
			part.WriteString(line)
			continue
		}
		_, after, found := strings.Cut(rest, part.String())
		if !found {
			t.Fatalf("%s: what it shows is not what is printed:\n%s", where, cmp.Diff(part.String(), rest))
		}
		rest = after
		part.Reset()
	}
}

// TestREADMEIsShort: who opens the repository reads all of it.
func TestREADMEIsShort(t *testing.T) {
	if lines := strings.Count(readPage(t, "README.md"), "\n"); lines > 100 {
		t.Errorf("README.md has %d lines; want at most 100: the rest goes to docs/use", lines)
	}
}

// TestTheTablesOfTheReferenceAreInStep compares them with the code they describe.
func TestTheTablesOfTheReferenceAreInStep(t *testing.T) {
	golden.Part(t, "../../docs/use/reference.md", "kinds", kindsTable())
	golden.Part(t, "../../docs/use/reference.md", "exit codes", exitCodesTable())
}

func kindsTable() string {
	var b strings.Builder
	b.WriteString("| kind | beneath | sheet | attributes |\n|---|---|---|---|\n")
	for _, s := range kinds.All() {
		var names []string
		for _, a := range s.Attributes {
			name := "`" + a.Name + "`"
			switch {
			case a.Required:
				name += `\*`
			case a.Header == "":
				name = "*" + name + "*"
			}
			names = append(names, name)
		}
		parent := "–"
		if s.Parent != "" {
			parent = "`" + string(s.Parent) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Kind, parent, s.Sheet, strings.Join(names, ", "))
	}
	return b.String()
}

func exitCodesTable() string {
	var b strings.Builder
	b.WriteString("| code | meaning |\n|---|---|\n")
	for _, row := range console.ExitTable {
		fmt.Fprintf(&b, "| %d | %s |\n", row.Code, row.Meaning)
	}
	return b.String()
}

// block returns the fenced text after a mark.
func block(t *testing.T, where, page, mark string) string {
	t.Helper()
	_, after, found := strings.Cut(page, "<!-- "+mark+" -->\n```text\n")
	text, _, closed := strings.Cut(after, "```\n")
	if !found || !closed || text == "" {
		t.Fatalf("%s: no block of text after <!-- %s -->", where, mark)
	}
	return text
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func copyOfQuickstart(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/quickstart")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".adsync")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// printed runs a command that ends well and gives its standard output.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: &out, Err: &problems, Getenv: func(string) string {
			return ""
		}}}
	if code := execute(context.Background(), env, args); code != console.ExitDone {
		t.Fatalf("adsync %s = %d, want 0\n%s", strings.Join(args, " "), code, problems.String())
	}
	return out.String()
}

// TestFilesOfTheQuickStartAreValid takes the files the quick start shows and
// validates them as they stand there.
func TestFilesOfTheQuickStartAreValid(t *testing.T) {
	content, err := os.ReadFile("../../docs/use/quickstart-engineer.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	shown := strings.Split(string(content), "<!-- file: ")[1:]
	for _, part := range shown {
		name, rest, _ := strings.Cut(part, " -->\n```yaml\n")
		text, _, closed := strings.Cut(rest, "```\n")
		if !closed {
			t.Fatalf("quick start: no block of YAML after the file %.40q", part)
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := printed(t, "validate", dir); len(shown) != 2 || !strings.HasSuffix(out, "\n4 resources, no problems\n") {
		t.Errorf("%d files of the quick start give:\n%swant two files, 4 resources and no problems", len(shown), out)
	}
}
