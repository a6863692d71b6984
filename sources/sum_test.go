package sources

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/bounded"
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
		{"a link among the sources", "", putting("x.yaml", link),
			putting("x.yaml", os.Remove), "x.yaml: a symbolic link stands among the sources"},
		{"a pipe among the sources", "", putting("x.yaml", pipe),
			putting("x.yaml", os.Remove), "x.yaml: is not a regular file"},
		{"folders without an end",
			"", putting(strings.Repeat("d/", 70), func(path string) error { return os.MkdirAll(path, 0o700) }),
			putting("d", os.RemoveAll), "folders are nested more than 64 deep"},
		{"too many sources", "files=3", putting("x.yaml", another),
			putting("x.yaml", os.Remove), "sources are 4 files; want at most 3"},
		{"sources that are too large in all", "total=1KiB", putting("x.yaml", with(strings.Repeat("#\n", 600)+
			springCampaign)), putting("x.yaml", os.Remove), "sources are over 1 KiB with this file"},
		{"hints that are too many in all", "entries=1",
			instead("hints/a.txt", with("one\ntwo\n")), restored("hints/a.txt"), "give more than 1 entries in all"},
		{"hints that are not there", "", instead("hints/a.txt", nothing),
			putting("hints/a.txt", with(flawless["hints/a.txt"])), `file is "hints/a.txt", which is not there`},
		{"hints behind a link", "", instead("hints/a.txt", link),
			restored("hints/a.txt"), `"hints/a.txt" is a symbolic link`},
		{"hints in a pipe", "", instead("hints/a.txt", pipe),
			restored("hints/a.txt"), `file is "hints/a.txt": is not a regular file`},
		{"hints that are too large", "", instead("hints/a.txt", huge), restored("hints/a.txt"), "file is over 20 MiB"},
		{"people who are not there", "", instead("private/customers.csv", nothing),
			putting("private/customers.csv", with(flawless["private/customers.csv"])), "which is not there"},
		{"people in a damaged file", "", instead("private/customers.csv", with("bob@shop.example\nb\xc3")),
			restored("private/customers.csv"), "line holds bytes that are not UTF-8"},
		{"people behind a link", "", instead("private/customers.csv", link),
			restored("private/customers.csv"), `"private/customers.csv" is a symbolic link`},
		{"people in a file that is too large", "members=10KiB",
			instead("private/customers.csv", with(strings.Repeat("bob@shop.example\n", 1_000))),
			restored("private/customers.csv"), "file is over 10 KiB"},
	}
}

// Who waits for files to change rests on their sum: it is that of the reading for
// as long as they are as they were, and another once what was wrong is mended
// (faults F13 to F16).
func TestTheSumIsAnotherOnceWhatIsWrongIsMended(t *testing.T) {
	for _, row := range flaws() {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, flawless)
			read := func() (Project, Desired) {
				t.Helper()
				p, problems := ReadProject(dir)
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				if row.bounds != "" {
					must(t, p.Bound(row.bounds))
				}
				return p, Load(t.Context(), p, kinds.All())
			}
			wantSum := func(p Project, d Desired) {
				t.Helper()
				if sum := SumOf(p, d.Files); sum != d.Hash {
					t.Errorf("Sum = %s of files that are as they were; want %s", sum, d.Hash)
				}
			}
			p, before := read()
			wantClean(t, before)
			wantSum(p, before)
			row.wrong(t, dir)
			if SumOf(p, before.Files) == before.Hash {
				t.Error("Sum is as it was, and something is wrong by now")
			}
			p, wrong := read()
			wantRefused(t, wrong, row.want)
			wantSum(p, wrong)
			row.mend(t, dir)
			if SumOf(p, wrong.Files) == wrong.Hash {
				t.Error("Sum is as it was, and what was wrong is mended by now")
			}
			_, after := read()
			if wantClean(t, after); after.Hash != before.Hash {
				t.Errorf("the hash is %s with the first bytes again, want %s", after.Hash, before.Hash)
			}
		})
	}
}
