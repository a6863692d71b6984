package resultcopy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/xlsx"
)

// copyOf is the least workbook that says it is a copy with results.
func copyOf(t *testing.T, c Copy) []byte {
	t.Helper()
	leads := func(kind, to string) string {
		return `<Relationships><Relationship Id="r1" Type="x/` + kind + `" Target="` + to + `"/></Relationships>`
	}
	parts := map[string]string{
		"_rels/.rels": leads("officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="` + tab + `" sheetId="1" r:id="r1"/>` +
			`</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": leads("worksheet", "s.xml"),
	}
	var lines []string
	for name, text := range parts {
		lines = append(lines, xlsx.PartLine(name, uint64(len(text)), crc32.ChecksumIEEE([]byte(text))))
	}
	seal := xlsx.SumOfParts(lines)
	if c.Edited {
		seal = "another"
	}
	var rows strings.Builder
	for i, line := range c.Lines() {
		fmt.Fprintf(&rows, `<row r="%d">`, i+1)
		for column, text := range line {
			text = strings.ReplaceAll(text, Unsealed, seal)
			fmt.Fprintf(&rows, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+column, i+1, text)
		}
		rows.WriteString("</row>")
	}
	parts["xl/s.xml"] = "<worksheet><sheetData>" + rows.String() + "</sheetData></worksheet>"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		w, err := z.Create(name)
		must(t, err)
		_, err = w.Write([]byte(text))
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, name string, content []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, content, 0o600))
}

func TestNothingOfTheUsersGivesWayToACopy(t *testing.T) {
	const name = "q4 (adsync results).xlsx"
	own := Copy{Of: "q4.xlsx", Says: "before"}
	for _, row := range []struct {
		name  string
		there map[string][]byte // beside the workbook
		want  string
		stays int
	}{
		{name: "nothing is there", want: name},
		{name: "an earlier copy", there: map[string][]byte{name: copyOf(t, own)}, want: name},
		{name: "a file of the user's", there: map[string][]byte{name: []byte("mine")},
			want: "q4 (adsync results 2).xlsx", stays: 1},
		{name: "a copy that somebody edited", there: map[string][]byte{
			name: copyOf(t, Copy{Of: "q4.xlsx", Edited: true}),
		},
			want: "q4 (adsync results 2).xlsx", stays: 1},
		{name: "a copy of another workbook", there: map[string][]byte{name: copyOf(t, Copy{Of: "a/q4.xlsx"})},
			want: "q4 (adsync results 2).xlsx", stays: 1},
		{name: "both names are taken", there: map[string][]byte{
			name: []byte("mine"), "q4 (adsync results 2).xlsx": nil,
		},
			want: "q4 (adsync results 3).xlsx", stays: 2},
		{name: "the first name is free again", there: map[string][]byte{"q4 (adsync results 2).xlsx": copyOf(t, own)},
			want: name},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range row.there {
				save(t, filepath.Join(dir, file), content)
			}
			s := Shelf{Beside: dir, Folder: t.TempDir()}
			next := copyOf(t, Copy{Of: "q4.xlsx", Says: "now"})
			at, stays, err := s.Put("q4.xlsx", next)
			must(t, err)
			if filepath.Base(at) != row.want || len(stays) != row.stays {
				t.Errorf("Put = %s, %d stay; want %s, and %d", filepath.Base(at), len(stays), row.want, row.stays)
			}
			if have, err := os.ReadFile(at); err != nil || !bytes.Equal(have, next) {
				t.Errorf("the copy is %d bytes, %v; want what was put", len(have), err)
			}
			for _, stay := range stays {
				if have, err := os.ReadFile(stay); err != nil || !bytes.Equal(have, row.there[filepath.Base(stay)]) {
					t.Errorf("%s is another (%v)", filepath.Base(stay), err)
				}
			}
			if c, is := s.Current("q4.xlsx"); !is || c.Says != "now" {
				t.Errorf("the current copy says %+v, %v; want the one that was put", c, is)
			}
			entries, err := os.ReadDir(dir)
			must(t, err)
			if len(entries) != row.stays+1 {
				t.Errorf("%v lie there; want the copy and the %d that stay", entries, row.stays)
			}
		})
	}
}

func TestACopyIsReadByTheGroupOfItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shared")
	must(t, os.Mkdir(dir, 0o770))
	groups, err := os.Getgroups()
	must(t, err)
	group := os.Getgid()
	for _, other := range groups {
		group = other
	}
	if os.Geteuid() == 0 {
		group = 4242
	}
	must(t, os.Chown(dir, -1, group))
	s := Shelf{Folder: dir}
	name, _, err := s.Put("below/q4.xlsx", copyOf(t, Copy{Of: "below/q4.xlsx"}))
	must(t, err)
	for path, mode := range map[string]fs.FileMode{name: 0o640, filepath.Dir(name): 0o750} {
		about, err := os.Stat(path)
		must(t, err)
		if of := about.Sys().(*syscall.Stat_t).Gid; about.Mode().Perm() != mode || int(of) != group {
			t.Errorf("%s is %v of group %d; want %v of %d", filepath.Base(path), about.Mode().Perm(), of, mode, group)
		}
	}
}

func TestTheLastRunsAreKept(t *testing.T) {
	dir := t.TempDir()
	s := Shelf{Folder: dir, Runs: filepath.Join(dir, "runs")}
	began := time.Date(2026, 11, 24, 18, 30, 0, 0, time.UTC)
	save(t, filepath.Join(s.Runs, "mine", "notes.txt"), nil)
	save(t, filepath.Join(s.Runs, unfinished+"killed", "half"), nil)
	for n := range 25 {
		kept, err := s.Keep(began.Add(time.Duration(n)*time.Minute), "run", func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "results.csv"), nil, 0o640)
		})
		must(t, err)
		if _, err := os.Stat(filepath.Join(kept, "results.csv")); err != nil {
			t.Error(err)
		}
	}
	broken := errors.New("the disk is full")
	if _, err := s.Keep(began.Add(time.Hour), "run", func(string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("Keep = %v; want %v", err, broken)
	}
	entries, err := os.ReadDir(s.Runs)
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if len(names) != 21 || names[0] != "2026-11-24T183500Z-run" || !slices.Contains(names, "mine") {
		t.Errorf("%d folders, the first %s; want the last 20 and the user's own: %v", len(names), names[0], names)
	}
	gone, err := s.Age(began.Add(20 * time.Minute))
	must(t, err)
	left, err := os.ReadDir(s.Runs)
	must(t, err)
	if gone != 15 || len(left) != 6 || left[0].Name() != "2026-11-24T185000Z-run" {
		t.Errorf("Age takes away %d, and leaves %v; want those of 20 minutes on, and the user's own", gone, left)
	}
}

func TestGitIsToldOnce(t *testing.T) {
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string // the file that is written, "" for none
	}{
		{name: "no work tree", files: map[string]string{"a/q4.xlsx": ""}},
		{name: "a work tree", files: map[string]string{".git/info/exclude": "*.bak"}, want: ".git/info/exclude"},
		{name: "a work tree that has no such file",
			files: map[string]string{".git/HEAD": ""}, want: ".git/info/exclude"},
		{name: ".gitignore has the line", files: map[string]string{".git/HEAD": "", ".gitignore": Ignored + "\n"}},
		{name: "that of the folder has it", files: map[string]string{".git/HEAD": "", "a/.gitignore": "x\n" + Ignored}},
		{name: "a second work tree", files: map[string]string{
			".git": "gitdir: main/.git/worktrees/two\n", "main/.git/worktrees/two/commondir": "../..\n",
		}, want: "main/.git/info/exclude"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			save(t, filepath.Join(dir, "a", "x"), nil)
			for name, text := range row.files {
				save(t, filepath.Join(dir, name), []byte(text))
			}
			written, err := Exclude(filepath.Join(dir, "a"))
			must(t, err)
			inside, _ := filepath.Rel(dir, written)
			if written != "" && inside != row.want || (written == "") != (row.want == "") {
				t.Fatalf("Exclude wrote %q; want %q", written, row.want)
			}
			if row.want == "" {
				return
			}
			text, err := os.ReadFile(written)
			must(t, err)
			if want := LinesMissing(row.files[row.want], []string{Ignored}); string(text) != row.files[row.want]+want {
				t.Errorf("it holds %q; want what it had, and the line", text)
			}
			if again, err := Exclude(filepath.Join(dir, "a")); again != "" || err != nil {
				t.Errorf("Exclude again = %q, %v; want nothing written", again, err)
			}
		})
	}
}
