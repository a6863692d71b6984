package sources_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/tree"
)

// flawed is something that is wrong with a folder, and how it is mended.
type flawed struct {
	name, bounds string
	wrong, mend  func(t *testing.T, dir string)
	want         string
}

func putting(name string, put func(path string) error) func(*testing.T, string) {
	return func(t *testing.T, dir string) { t.Helper(); must(t, put(filepath.Join(dir, name))) }
}

// instead puts something in the place of a file, and restored the file in its own.
func instead(name string, put func(path string) error) func(*testing.T, string) {
	return putting(name, func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return put(path)
	})
}

func restored(name string) func(*testing.T, string) {
	return instead(name, func(path string) error { return os.WriteFile(path, []byte(flawless[name]), 0o600) })
}

func nothing(string) error { return nil }

var flawless = map[string]string{
	"adsync.yaml":           "account: {currency: USD}\n",
	"spring.yaml":           springCampaign + "ad_groups:\n  - {name: Runners, context_hints: [{file: hints/a.txt}]}\n",
	"people.yaml":           audienceOf("private/customers.csv", "email"),
	"hints/a.txt":           "people who run\n",
	"private/customers.csv": "bob@shop.example\n",
}

func flaws() []flawed {
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	link := func(path string) error { return os.Symlink("somewhere", path) }
	huge := func(path string) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 21*bounded.MiB)
	}
	with := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	another := with(strings.ReplaceAll(springCampaign, "Spring", "Another"))
	return []flawed{
		{name: "a link among the sources", bounds: "", wrong: putting("x.yaml", link),
			mend: putting("x.yaml", os.Remove), want: "x.yaml: a symbolic link stands among the sources"},
		{name: "a pipe among the sources", bounds: "", wrong: putting("x.yaml", pipe),
			mend: putting("x.yaml", os.Remove), want: "x.yaml: is not a regular file"},
		{name: "folders without an end",
			bounds: "", wrong: putting(strings.Repeat("d/", 70), func(path string) error {
				return os.MkdirAll(path, 0o700)
			}),
			mend: putting("d", os.RemoveAll), want: "folders are nested more than 64 deep"},
		{name: "too many sources", bounds: "files=3", wrong: putting("x.yaml", another),
			mend: putting("x.yaml", os.Remove), want: "sources are 4 files; want at most 3"},
		{name: "sources that are too large in all",
			bounds: "total=1KiB", wrong: putting("x.yaml", with(strings.Repeat("#\n", 600)+
				springCampaign)), mend: putting("x.yaml", os.Remove), want: "sources are over 1 KiB with this file"},
		{name: "hints that are too many in all", bounds: "entries=1",
			wrong: instead("hints/a.txt", with("one\ntwo\n")),
			mend:  restored("hints/a.txt"), want: "give more than 1 entries in all"},
		{name: "hints that are not there", bounds: "", wrong: instead("hints/a.txt", nothing),
			mend: putting("hints/a.txt", with(flawless["hints/a.txt"])),
			want: `file is "hints/a.txt", which is not there`},
		{name: "hints behind a link", bounds: "", wrong: instead("hints/a.txt", link),
			mend: restored("hints/a.txt"), want: `"hints/a.txt" is a symbolic link`},
		{name: "hints in a pipe", bounds: "", wrong: instead("hints/a.txt", pipe),
			mend: restored("hints/a.txt"), want: `file is "hints/a.txt": is not a regular file`},
		{name: "hints that are too large", bounds: "",
			wrong: instead("hints/a.txt", huge), mend: restored("hints/a.txt"), want: "file is over 20 MiB"},
		{name: "people who are not there", bounds: "", wrong: instead("private/customers.csv", nothing),
			mend: putting("private/customers.csv", with(flawless["private/customers.csv"])),
			want: "which is not there"},
		{name: "people in a damaged file", bounds: "",
			wrong: instead("private/customers.csv", with("bob@shop.example\nb\xc3")),
			mend:  restored("private/customers.csv"), want: "line holds bytes that are not UTF-8"},
		{name: "people behind a link", bounds: "", wrong: instead("private/customers.csv", link),
			mend: restored("private/customers.csv"), want: `"private/customers.csv" is a symbolic link`},
		{name: "people in a file that is too large", bounds: "members=10KiB",
			wrong: instead("private/customers.csv", with(strings.Repeat("bob@shop.example\n", 1_000))),
			mend:  restored("private/customers.csv"), want: "file is over 10 KiB"},
	}
}

// Who waits for files to change rests on their sum: it is that of the reading for
// as long as they are as they were, and another once what was wrong is mended
// (faults F13 to F16).
func TestTheSumIsAnotherOnceWhatIsWrongIsMended(t *testing.T) {
	for _, row := range flaws() {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, flawless)
			read := func() (config.Project, sources.Desired) {
				t.Helper()
				p, problems := config.ReadProject(dir)
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				if row.bounds != "" {
					must(t, p.Bound(row.bounds))
				}
				return p, sources.Load(t.Context(), p, kinds.All())
			}
			wantSum := func(p config.Project, d sources.Desired) {
				t.Helper()
				if sum := tree.SumOf(p, d.Files); sum != d.Hash {
					t.Errorf("Sum = %s of files that are as they were; want %s", sum, d.Hash)
				}
			}
			p, before := read()
			wantClean(t, before)
			wantSum(p, before)
			row.wrong(t, dir)
			if tree.SumOf(p, before.Files) == before.Hash {
				t.Error("Sum is as it was, and something is wrong by now")
			}
			p, wrong := read()
			wantRefused(t, wrong, row.want)
			wantSum(p, wrong)
			row.mend(t, dir)
			if tree.SumOf(p, wrong.Files) == wrong.Hash {
				t.Error("Sum is as it was, and what was wrong is mended by now")
			}
			_, after := read()
			if wantClean(t, after); after.Hash != before.Hash {
				t.Errorf("the hash is %s with the first bytes again, want %s", after.Hash, before.Hash)
			}
		})
	}
}
