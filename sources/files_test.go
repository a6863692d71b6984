package sources

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
)

func TestWhatIsASource(t *testing.T) {
	named := func(name string) string { return strings.ReplaceAll(springCampaign, "Spring", name) }
	dir := folder(t, map[string]string{
		"spring.yaml":            named("Spring"),
		"2026/q4/winter.yml":     named("Winter"),
		"notes.txt":              "not a source",
		".hidden.yaml":           "not: a source",
		".adsync/state.yaml":     "not: a source",
		".git/config.yaml":       "not: a source",
		"~$book.xlsx":            "an editor's lock",
		"spring.yaml.tmp":        "half written",
		"spring.yaml~":           "a backup",
		"#spring.yaml#":          "a backup",
		"ads.yaml.orig":          "a backup",
		"q4.result.xlsx":         "adsync's own copy",
		"A1B2C3D4":               "a save of Excel in progress",
		"other/adsync.yaml":      "account: {id: other}\n",
		"other/campaign.yaml":    named("Other"),
		"adsync.yaml":            "account: {id: acct_1, currency: USD, timezone: UTC}\n",
		"images/notes/README.md": "not a source",
	})
	d := load(t, dir)
	var files []string
	for _, s := range d.Sources {
		files = append(files, s.File)
	}
	if got := fmt.Sprint(files); got != "[2026/q4/winter.yml spring.yaml]" {
		t.Errorf("Load reads %s, want the two sources in order", got)
	}
	wantProblem(t, d, "other: warning: folder holds another adsync.yaml")
	if diag.HasErrors(d.Problems) {
		t.Errorf("Load found\n%swant no error", printed(d.Problems))
	}
}

func TestGlobsNameSourcesExactly(t *testing.T) {
	for _, row := range []struct {
		glob, name string
		want       bool
	}{
		{"ads.yaml", "ads.yaml", true},
		{"ads.yaml", "q4/ads.yaml", false},
		{"*.yaml", "q4/ads.yaml", false},
		{"**/*.yaml", "ads.yaml", true},
		{"**/*.yaml", "2026/q4/ads.yaml", true},
		{"2026/**", "2026/q4/ads.yaml", true},
		{"2026/*/ads.yaml", "2026/q4/ads.yaml", true},
		{"2026/*/ads.yaml", "2026/q4/old/ads.yaml", false},
		{"*.yaml", "ads copy.yml", false},
	} {
		g, err := newGlob(row.glob)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.matches(row.name); got != row.want {
			t.Errorf("glob %q matches %q = %v, want %v", row.glob, row.name, got, row.want)
		}
		if folder := filepath.ToSlash(filepath.Dir(row.name)); row.want && !g.reaches(folder) {
			t.Errorf("glob %q reaches %q = false, want true", row.glob, folder)
		}
	}
	for _, bad := range []string{"", "/etc/*.yaml", "../*.yaml", "a/../b.yaml", `a\*.yaml`, "[a.yaml", "a//b"} {
		if g, err := newGlob(bad); err == nil {
			t.Errorf("newGlob(%q) = %v, want an error", bad, g)
		}
	}
}

func TestFilesThatCannotBeSources(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"F13 a symbolic link", func(t *testing.T, dir string) {
			must(t, os.Symlink("spring.yaml", filepath.Join(dir, "link.yaml")))
		}, "link.yaml: a symbolic link stands among the sources"},
		{"F6 a link to a folder of sources", func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, "v1"), 0o700))
			must(t, os.Symlink("v1", filepath.Join(dir, "latest")))
		}, "latest: a symbolic link stands among the sources"},
		{"F16 a pipe does not block", func(t *testing.T, dir string) {
			must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600))
		}, "pipe.yaml: is not a regular file; want one"},
		{"F16 a huge file", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "huge.yaml"), "")
			must(t, os.Truncate(filepath.Join(dir, "huge.yaml"), 1<<40))
		}, "huge.yaml: file is over 1 MiB"},
		{"F16 more files than the bound", func(t *testing.T, dir string) {
			for i := range 2_001 {
				write(t, filepath.Join(dir, fmt.Sprintf("f%d.yaml", i)), "x")
			}
		}, "sources are 2002 files; want at most 2000"},
		{"F17 names that differ in case", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "SPRING.yaml"), "kind: campaign\nname: Other\nbidding_type: clicks\n")
		}, `spring.yaml: file differs from "SPRING.yaml" only in case`},
		{"F17 names that differ in their Unicode form", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "caf\u00e9.yaml"), "kind: campaign\nname: A b\nbidding_type: clicks\n")
			write(t, filepath.Join(dir, "cafe\u0301.yaml"), "kind: campaign\nname: B c\nbidding_type: clicks\n")
		}, "only in case or in the form of its letters"},
		{"F5 a file open in LibreOffice", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".~lock.spring.yaml#"), "x")
		}, "spring.yaml: warning: file is open in an editor"},
		{"F19 a copy of a file", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "spring copy.yaml"), springCampaign)
		}, "spring.yaml:1:1: campaign/spring is written twice, first at spring copy.yaml:1:1; want it once (ADS1012)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"spring.yaml": springCampaign})
			row.make(t, dir)
			wantProblem(t, load(t, dir), row.want)
		})
	}
}

func TestF14OneUnreadableFileIsAnError(t *testing.T) {
	dir := folder(t, map[string]string{"spring.yaml": springCampaign, "winter.yaml": springCampaign})
	must(t, os.Remove(filepath.Join(dir, "winter.yaml")))
	must(t, os.Mkdir(filepath.Join(dir, "winter.yaml"), 0o700)) // stands for a file that cannot be read, whoever runs the test
	tree, err := openTree(Project{Root: dir, Sources: defaultSources})
	must(t, err)
	defer tree.close()
	f := tree.readSource(context.Background(), "winter.yaml")
	if f.problem == nil || f.problem.Position.File != "winter.yaml" || f.problem.Severity != diag.Error {
		t.Errorf("readSource = %v, want an error that names winter.yaml", f.problem)
	}
}

func TestF7ASetThatChangesWhileItIsReadIsReadAgain(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": springCampaign, "b.yaml": "kind: campaign\n"})
	tree, err := openTree(Project{Root: dir, Sources: defaultSources})
	must(t, err)
	defer tree.close()
	files, _ := tree.settle(context.Background())
	for _, row := range []struct {
		name   string
		change func()
		want   string
	}{
		{"nothing changed", func() {}, ""},
		{"a file of the same length", func() { write(t, filepath.Join(dir, "a.yaml"), strings.ToUpper(springCampaign)) }, "a.yaml"},
		{"a file more", func() { write(t, filepath.Join(dir, "c.yaml"), "x") }, "c.yaml"},
		{"F15 a file gone", func() { must(t, os.Remove(filepath.Join(dir, "b.yaml"))) }, "b.yaml"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.change()
			if got := tree.changedSince(files, tree.list().files); got != row.want {
				t.Errorf("changedSince = %q, want %q", got, row.want)
			}
			files, _ = tree.settle(context.Background())
		})
	}
}

func TestNothingIsNeverAnEmptySet(t *testing.T) {
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no file", nil, "no source is there; want at least one .yaml, .yml or .xlsx file in the project's folder (ADS1018)"},
		{"files without a resource", map[string]string{"lists.yaml": "kind: hint_list\nkey: a\nhints: [b]\n"}, "the sources hold no resource; want at least one (ADS1018)"},
		{"a glob without a file", map[string]string{"adsync.yaml": "sources: [ads.yaml, gone/*.yaml]\n", "ads.yaml": springCampaign}, `adsync.yaml:1:21: sources has "gone/*.yaml", and no file is there`},
		{"a file of another format", map[string]string{"adsync.yaml": "sources: ['*.txt']\n", "ads.txt": "x"}, "ads.txt: file is of no format this version reads"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := load(t, folder(t, row.files))
			wantProblem(t, d, row.want)
			if !diag.HasErrors(d.Problems) {
				t.Error("Load found no error, want one")
			}
		})
	}
	if d := Load(context.Background(), Project{Root: filepath.Join(t.TempDir(), "gone"), Sources: defaultSources}, kinds.All()); !diag.HasErrors(d.Problems) || d.Snapshot == nil {
		t.Errorf("Load of a missing folder = %v, want an error and an empty snapshot", d.Problems)
	}
}

func TestAStopBetweenFilesIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, _ := ReadProject(folder(t, map[string]string{"spring.yaml": springCampaign}))
	wantProblem(t, Load(ctx, p, kinds.All()), "spring.yaml: reading was stopped before this file")
}

func TestF18TheHashFollowsTheBytes(t *testing.T) {
	files := map[string]string{
		"adsync.yaml":    "account: {currency: USD}\n",
		"spring.yaml":    springCampaign + "ad_groups:\n  - {name: Runners, context_hints: [{file: hints/a.txt}]}\n",
		"hints/a.txt":    "people who run\n",
		"unrelated.json": "{}",
	}
	dir := folder(t, files)
	hash := func() string { return load(t, dir).Hash }
	first := hash()
	for _, name := range []string{"adsync.yaml", "spring.yaml", "hints/a.txt"} {
		path := filepath.Join(dir, name)
		about, err := os.Stat(path)
		must(t, err)
		write(t, path, files[name]+"# seen\n")
		must(t, os.Chtimes(path, about.ModTime(), about.ModTime()))
		if hash() == first {
			t.Errorf("the hash is the same after %s changed, want another", name)
		}
		write(t, path, files[name])
	}
	write(t, filepath.Join(dir, "unrelated.json"), "[]")
	if got := hash(); got != first {
		t.Errorf("the hash is %s with the first bytes again, want %s", got, first)
	}
}
