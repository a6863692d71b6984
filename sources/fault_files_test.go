package sources_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/config"
)

// meanwhile is a context that lets a test do something each time a reading asks
// whether to go on: before each file, and once all are read.
type meanwhile struct {
	context.Context
	do func(number int)
	n  int
}

func (m *meanwhile) Err() error {
	m.n++
	m.do(m.n)
	return nil
}

// loadWhile reads a folder while something happens to it.
func loadWhile(t testing.TB, dir string, do func(number int)) (sources.Desired, int) {
	t.Helper()
	p, problems := config.ReadProject(dir)
	if len(problems) > 0 {
		t.Fatalf("ReadProject = %v, want no problem", problems)
	}
	m := &meanwhile{Context: context.Background(), do: do}
	return sources.Load(m, p, kinds.All()), m.n
}

// generation is one state of a project: its three files say the same number.
func generation(number int) map[string]string {
	files := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		files[name+".yaml"] = fmt.Sprintf("kind: campaign\n"+
			"name: Campaign %s\nbidding_type: clicks\nbudget: {daily: %d}\n", name, number)
	}
	return files
}

// generations returns the numbers the campaigns of a snapshot say.
func generations(d sources.Desired) map[string]bool {
	seen := map[string]bool{}
	for r := range d.Snapshot.All() {
		seen[r.Value("budget.daily").String()] = true
	}
	return seen
}

// wantRefused holds that nothing can be applied, and why.
func wantRefused(t testing.TB, d sources.Desired, part string) {
	t.Helper()
	wantProblem(t, d, part)
	if !diag.HasErrors(d.Problems) {
		t.Errorf("Load found\n%swant an error", printed(d.Problems))
	}
}

func TestF6FilesOfAMountedFolderAreOfOneGeneration(t *testing.T) {
	swaps := 0
	for at := 1; ; at++ {
		dir := t.TempDir()
		for number := 1; number <= 2; number++ {
			for name, content := range generation(number) {
				write(t, filepath.Join(dir, fmt.Sprintf("..%d", number), name), content)
			}
		}
		link := filepath.Join(dir, "..data")
		must(t, os.Symlink("..1", link))
		d, asked := loadWhile(t, link, func(number int) {
			if number == at { // as the kubelet does it
				must(t, os.Symlink("..2", link+"_tmp"))
				must(t, os.Rename(link+"_tmp", link))
				must(t, os.RemoveAll(filepath.Join(dir, "..1")))
			}
		})
		if seen := generations(d); len(seen) > 1 {
			t.Fatalf("swapped at step %d, the snapshot holds the generations %v, want one", at, seen)
		}
		if d.Snapshot.Len() != 3 && !diag.HasErrors(d.Problems) {
			t.Fatalf("swapped at step %d, the snapshot holds %d of 3 campaigns without an error", at, d.Snapshot.Len())
		}
		if at > asked {
			break
		}
		if !generations(wantClean(t, load(t, link)))["2000000"] {
			t.Fatal("the next reading is of the old generation, want the new")
		}
		swaps++
	}
	if swaps < 4 {
		t.Errorf("%d swaps fell into a reading, want one before each file", swaps)
	}
}

func TestF6LinksOfAMountedFolderAreRefusedWithTheWayOut(t *testing.T) {
	dir := folder(t, map[string]string{"..2026/ads.yaml": springCampaign})
	must(t, os.Symlink("..2026", filepath.Join(dir, "..data")))
	must(t, os.Symlink("..data/ads.yaml", filepath.Join(dir, "ads.yaml")))
	d := load(t, dir)
	wantRefused(t, d, "ads.yaml: a symbolic link stands among the sources; want the file itself")
	if want := "give the folder ..data to adsync: its files are replaced all at once"; d.Problems[0].Hint != want {
		t.Errorf("hint = %q, want %q", d.Problems[0].Hint, want)
	}
	wantClean(t, load(t, filepath.Join(dir, "..data")))
}

func TestF6ALinkToAFolderOfSourcesIsRefused(t *testing.T) {
	dir := folder(t, map[string]string{"spring.yaml": springCampaign})
	must(t, os.Mkdir(filepath.Join(dir, "v1"), 0o700))
	must(t, os.Symlink("v1", filepath.Join(dir, "latest")))
	wantRefused(t, load(t, dir), "latest: a symbolic link stands among the sources; want the file itself")
}

// TestF7NoReadingIsOfTwoGenerations changes every file, one after the other,
// from each moment of a reading on.
func TestF7NoReadingIsOfTwoGenerations(t *testing.T) {
	for first := 1; first <= 9; first++ {
		for apart := range 3 {
			dir := folder(t, generation(1))
			d, _ := loadWhile(t, dir, func(number int) {
				for i, name := range []string{"a.yaml", "b.yaml", "c.yaml"} {
					if number == first+i*apart {
						write(t, filepath.Join(dir, name), generation(2)[name])
					}
				}
			})
			if seen := generations(d); len(seen) > 1 && !mixedOnDisk(t, dir, seen) {
				t.Errorf("changed from step %d, %d apart: the snapshot holds %v, want one generation",
					first, apart, seen)
			}
		}
	}
}

// mixedOnDisk reports whether the files themselves never became one generation.
func mixedOnDisk(t testing.TB, dir string, seen map[string]bool) bool {
	t.Helper()
	return len(generations(load(t, dir))) == len(seen)
}

func TestF7FilesThatNeverHoldStillAreRefused(t *testing.T) {
	dir := folder(t, generation(1))
	d, _ := loadWhile(t, dir, func(number int) {
		write(t, filepath.Join(dir, "b.yaml"), generation(number)["b.yaml"])
	})
	wantRefused(t, d, "b.yaml: file changes while it is read; want files that hold still")
	if d.Snapshot.Len() != 0 {
		t.Errorf("Load = %d campaigns of files in motion, want none", d.Snapshot.Len())
	}
}

func TestF13ALinkAmongTheSourcesIsRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "target.yaml")
	write(t, outside, strings.ReplaceAll(springCampaign, "Spring", "Outside"))
	dir := folder(t, map[string]string{"spring.yaml": springCampaign})
	must(t, os.Symlink(outside, filepath.Join(dir, "link.yaml")))
	first := load(t, dir)
	wantRefused(t, first, "link.yaml: a symbolic link stands among the sources; want the file itself")
	write(t, outside, "kind: campaign\nname: Edited\nbidding_type: clicks\n")
	if again := load(t, dir); printed(again.Problems) != printed(first.Problems) || again.Hash != first.Hash {
		t.Errorf("Load after an edit of the target found\n%swant what it found before\n%s",
			printed(again.Problems), printed(first.Problems))
	}
}

// TestF14AFileThatFailsToReadHoldsEverything reads a file that gives EIO:
// a process's own memory, from its beginning, where nothing is.
func TestF14AFileThatFailsToReadHoldsEverything(t *testing.T) {
	d := sources.Load(context.Background(), config.Project{Root: "/proc/self", Sources: []string{"mem"}}, kinds.All())
	wantRefused(t, d, "mem: file cannot be read; want to read every source")
	if d.Problems[0].Hint != "input/output error" {
		t.Errorf("hint = %q, want the system's reason", d.Problems[0].Hint)
	}
}

func TestF15AFileThatVanishesIsNotARemovedOne(t *testing.T) {
	t.Run("and comes back", func(t *testing.T) {
		dir := folder(t, generation(1))
		b := filepath.Join(dir, "b.yaml")
		d, _ := loadWhile(t, dir, func(number int) {
			if number == 2 {
				must(t, os.Rename(b, b+"~"))
			}
			if number == 3 {
				must(t, os.Rename(b+"~", b))
			}
		})
		if wantClean(t, d); d.Snapshot.Len() != 3 {
			t.Errorf("Load = %d campaigns, want the three that are there", d.Snapshot.Len())
		}
	})
	t.Run("each time it is read", func(t *testing.T) {
		dir := folder(t, generation(1))
		b := filepath.Join(dir, "b.yaml")
		d, _ := loadWhile(t, dir, func(number int) {
			if number%4 == 2 {
				must(t, os.Rename(b, b+"~"))
			}
			if number%4 == 3 {
				must(t, os.Rename(b+"~", b))
			}
		})
		wantRefused(t, d, "b.yaml: file changes while it is read")
	})
	t.Run("where it is named", func(t *testing.T) {
		files := generation(1)
		files["adsync.yaml"] = "sources: [a.yaml, b.yaml, c.yaml]\n"
		dir := folder(t, files)
		d, _ := loadWhile(t, dir, func(number int) {
			if number == 2 {
				must(t, os.Remove(filepath.Join(dir, "b.yaml")))
			}
		})
		wantRefused(t, d, `adsync.yaml:1:19: sources has "b.yaml", and no file is there; want at least one`)
	})
}

func TestF16WhatIsNoFileOrTooLargeIsRefusedAtOnce(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"a pipe does not block", func(t *testing.T, dir string) {
			must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600))
		}, "pipe.yaml: is not a regular file; want one"},
		{"a socket", func(t *testing.T, dir string) {
			s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			must(t, err)
			defer syscall.Close(s)
			t.Chdir(dir) // the path of a socket is short
			must(t, syscall.Bind(s, &syscall.SockaddrUnix{Name: "socket.yaml"}))
		}, "socket.yaml: is not a regular file; want one"},
		{"a file of 1 GB", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "huge.yaml"), "")
			must(t, os.Truncate(filepath.Join(dir, "huge.yaml"), 1<<30))
		}, "huge.yaml: file is over 1 MiB"},
		{"a workbook of 1 TB", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "huge.xlsx"), "")
			must(t, os.Truncate(filepath.Join(dir, "huge.xlsx"), 1<<40))
		}, "huge.xlsx: file is over 20 MiB"},
		{"folders without an end", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, strings.Repeat("d/", 70), "ads.yaml"), springCampaign)
		}, "folders are nested more than 64 deep; want sources nearer to the project's folder"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"spring.yaml": springCampaign})
			row.make(t, dir)
			start := time.Now()
			wantRefused(t, load(t, dir), row.want)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("Load took %v, want at most 2 s", took)
			}
		})
	}
}

func TestF16DevicesAreNoSources(t *testing.T) {
	d := sources.Load(context.Background(), config.Project{Root: "/dev", Sources: []string{"zero"}}, kinds.All())
	wantRefused(t, d, "zero: is not a regular file; want one")
}

// TestF16TooManyFilesAreRefused makes 100,000 files, all of them one file by
// other names.
func TestF16TooManyFilesAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	dir := folder(t, map[string]string{"spring.yaml": springCampaign})
	for i := range 10 { // a file takes so many names and no more: 65,000 on ext4
		copied := filepath.Join(dir, fmt.Sprintf("%d.yaml", i))
		write(t, copied, "x")
		for j := range 9_999 {
			must(t, os.Link(copied, filepath.Join(dir, fmt.Sprintf("%d-%d.yaml", i, j))))
		}
	}
	start := time.Now()
	d := load(t, dir)
	wantRefused(t, d, "sources are 100001 files; want at most 2000")
	if took := time.Since(start); took > 10*time.Second || d.Snapshot.Len() > 0 {
		t.Errorf("Load took %v and gave %d resources, want at most 10 s and none", took, d.Snapshot.Len())
	}
}

func TestF17NamesThatAreOneElsewhereAreRefused(t *testing.T) {
	other := strings.ReplaceAll(springCampaign, "Spring", "Other")
	for name, pair := range map[string][2]string{
		`file differs from "SPRING.yaml" only in case`:                 {"SPRING.yaml", "spring.yaml"},
		"only in case or in the form of its letters":                   {"caf\u00e9.yaml", "cafe\u0301.yaml"},
		`file differs from "Q4/spring.yaml" only in case or in the fo`: {"Q4/spring.yaml", "q4/spring.yaml"},
	} {
		wantRefused(t, load(t, folder(t, map[string]string{pair[0]: springCampaign, pair[1]: other})), name)
	}
}

func TestF18TheHashFollowsTheBytesNotTheTimes(t *testing.T) {
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
			t.Errorf("the hash is the same after %s changed and kept its time, want another", name)
		}
		write(t, path, files[name])
		for _, at := range []time.Time{time.Unix(0, 0), time.Now().AddDate(50, 0, 0)} {
			must(t, os.Chtimes(path, at, at))
			if got := hash(); got != first {
				t.Errorf("the hash is %s with %s of the year %d, want %s", got, name, at.Year(), first)
			}
		}
	}
	write(t, filepath.Join(dir, "unrelated.json"), "[]")
	if got := hash(); got != first {
		t.Errorf("the hash is %s with the first bytes again, want %s", got, first)
	}
}

func TestF19ACopyOfASourceIsNotASecondAccount(t *testing.T) {
	for _, name := range []string{"spring copy.yaml", "spring (1).yaml", "Copy of spring.yaml"} {
		d := load(t, folder(t, map[string]string{"spring.yaml": springCampaign, name: springCampaign}))
		wantRefused(t, d, "campaign/spring is written twice, first at ")
		if said := printed(d.Problems); !strings.Contains(said, name) || !strings.Contains(said, "spring.yaml:1:1") {
			t.Errorf("Load found\n%swant both files named", said)
		}
	}
	for _, name := range []string{"spring.yaml.orig",
		"spring.yaml~", "spring.yaml.bak", ".spring.yaml.swp", "spring.yaml.tmp"} {
		wantClean(t, load(t, folder(t, map[string]string{"spring.yaml": springCampaign, name: springCampaign})))
	}
	wantClean(t, load(t, folder(t, map[string]string{
		"adsync.yaml": "sources: [spring.yaml]\n", "spring.yaml": springCampaign, "spring copy.yaml": springCampaign,
	})))
}
