package commits_test

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"adsync/sources/commits"
	"adsync/sources/config"
)

// branches is a repository with a branch and what is proposed to it.
type branches struct {
	t    *testing.T
	dir  string
	made int // commits
}

func (b *branches) git(args ...string) string {
	b.t.Helper()
	c := exec.Command("git", append([]string{"-C", b.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com",
		"-c", "init.defaultBranch=main"}, args...)...)
	said, err := c.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, said)
	}
	return strings.TrimSpace(string(said))
}

// commit writes files, takes away those whose content is "", and returns the commit.
func (b *branches) commit(files map[string]string) string {
	b.t.Helper()
	for name, content := range files {
		path := filepath.Join(b.dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		switch {
		case err != nil:
		case content == "":
			err = os.Remove(path)
		case strings.HasPrefix(content, "-> "):
			err = os.Symlink(strings.TrimPrefix(content, "-> "), path)
		default:
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
	b.git("add", "-A")
	b.made++
	b.git("commit", "-q", "-m", strconv.Itoa(b.made))
	return b.git("rev-parse", "HEAD")
}

// stage commits files as the index has them, also where the disk takes no such name, and returns the commit.
func (b *branches) stage(files map[string]string) string {
	b.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] == "" {
			b.git("rm", "-q", "--cached", name)
			continue
		}
		scratch := filepath.Join(b.t.TempDir(), "file")
		if err := os.WriteFile(scratch, []byte(files[name]), 0o600); err != nil {
			b.t.Fatal(err)
		}
		b.git("update-index", "--add", "--cacheinfo", "100644,"+b.git("hash-object", "-w", scratch)+","+name)
	}
	b.git("commit", "-q", "-m", "staged")
	return b.git("rev-parse", "HEAD")
}

// What merging a branch makes of the files of a project, file by file.
func TestWhatAMergeMakesOfTheFiles(t *testing.T) {
	const policy = "format_version: 1\npolicy: {max_daily_exposure: 10}\n"
	began := map[string]string{"shop/a.yaml": "a", "shop/b.yaml": "b", "shop/adsync.yaml": policy, "other/c.yaml": "c"}
	for _, row := range []struct {
		name         string
		main, branch map[string]string // changed since they parted
		want         map[string]string // of the project; nil: stale
		changed      []string
		stale        []string
	}{
		{"one changes a file", nil, map[string]string{"shop/a.yaml": "A"},
			map[string]string{"a.yaml": "A", "b.yaml": "b", "adsync.yaml": policy}, []string{"a.yaml"}, nil},
		{"each changes another", map[string]string{"shop/b.yaml": "B"}, map[string]string{"shop/a.yaml": "A"},
			map[string]string{"a.yaml": "A", "b.yaml": "B", "adsync.yaml": policy}, []string{"a.yaml"}, nil},
		{"both change one", map[string]string{"shop/a.yaml": "ours"}, map[string]string{"shop/a.yaml": "theirs"},
			nil, []string{"a.yaml"}, []string{"a.yaml"}},
		{"both change one alike", map[string]string{"shop/a.yaml": "A"}, map[string]string{"shop/a.yaml": "A"},
			map[string]string{"a.yaml": "A", "b.yaml": "b", "adsync.yaml": policy}, []string{"a.yaml"}, nil},
		{"one takes away what the other changes", map[string]string{"shop/a.yaml": "A"},
			map[string]string{"shop/a.yaml": ""}, nil, []string{"a.yaml"}, []string{"a.yaml"}},
		{"one is added and one taken away", nil, map[string]string{"shop/n/d.yaml": "d", "shop/b.yaml": ""},
			map[string]string{"a.yaml": "a", "n/d.yaml": "d", "adsync.yaml": policy},
			[]string{"b.yaml", "n/d.yaml"}, nil},
		{"nothing of this project", nil, map[string]string{"other/c.yaml": "C"},
			map[string]string{"a.yaml": "a", "b.yaml": "b", "adsync.yaml": policy}, nil, nil},
		{"the policy", nil, map[string]string{"shop/adsync.yaml": "format_version: 1\n", "shop/a.yaml": "A"},
			map[string]string{"a.yaml": "A", "b.yaml": "b", "adsync.yaml": policy},
			[]string{"a.yaml", "adsync.yaml"}, nil},
		{"both change the policy", map[string]string{"shop/adsync.yaml": policy + "# ours\n"},
			map[string]string{"shop/adsync.yaml": policy + "# theirs\n"},
			map[string]string{"a.yaml": "a", "b.yaml": "b", "adsync.yaml": policy + "# ours\n"},
			[]string{"adsync.yaml"}, nil},
		{"a link that leads out", nil, map[string]string{"shop/l.yaml": "-> /etc/hostname"},
			map[string]string{"a.yaml": "a", "b.yaml": "b", "l.yaml": "-> /etc/hostname", "adsync.yaml": policy},
			[]string{"l.yaml"}, nil},
		{"adsync's own state", nil, map[string]string{"shop/.adsync/state.db": "forged", "shop/.adsync/STOP": "forged"},
			map[string]string{"a.yaml": "a", "b.yaml": "b", "adsync.yaml": policy}, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := &branches{t: t, dir: t.TempDir()}
			b.git("init", "-q")
			b.commit(began)
			b.git("checkout", "-q", "-b", "change")
			head := b.commit(row.branch)
			b.git("checkout", "-q", "main")
			at := b.git("rev-parse", "HEAD")
			if row.main != nil {
				at = b.commit(row.main)
			}
			m, err := commits.ReadMerged(t.Context(), config.Commit{
				Repository: filepath.Join(b.dir, ".git"), Path: "shop", Hash: at,
			}, head, "", t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if !slices.Equal(m.Changed, row.changed) || !slices.Equal(m.Stale, row.stale) {
				t.Errorf("changed %q, stale %q; want %q, %q", m.Changed, m.Stale, row.changed, row.stale)
			}
			if m.Checkout == nil {
				if row.want != nil {
					t.Error("nothing is read")
				}
				return
			}
			have := filesIn(t, m.Project.Root)
			for name, content := range row.want {
				if have[name] != content {
					t.Errorf("%s is %q; want %q", name, have[name], content)
				}
				delete(have, name)
			}
			if len(have) > 0 {
				t.Errorf("beside them there is %v", have)
			}
			if m.Project.Stop != "" {
				t.Errorf("the branch stops the account: %s", m.Project.Stop)
			}
		})
	}
}

// TestWhichMergeIsThatOfTheForge: both sides changed a.yaml, and a commit is said to merge them.
func TestWhichMergeIsThatOfTheForge(t *testing.T) {
	for _, row := range []struct {
		name   string
		merges []string          // what its parents are, of main, change, old (of main) and other
		files  map[string]string // that it has
		want   string            // of a.yaml; "": it is not believed
	}{
		{"it is that merge", []string{"main", "change"}, map[string]string{"shop/a.yaml": "both"}, "both"},
		{"it takes the file away", []string{"main", "change"}, map[string]string{"shop/a.yaml": ""}, "gone"},
		{"it changes the policy", []string{"main", "change"},
			map[string]string{"shop/a.yaml": "both", "shop/adsync.yaml": "policy: {max_daily_exposure: 99}\n"}, "both"},
		{"it changes another project", []string{"main", "change"},
			map[string]string{"shop/a.yaml": "both", "other/c.yaml": "C"}, "both"},
		{"the branch was elsewhere", []string{"old", "change"}, map[string]string{"shop/a.yaml": "both"}, ""},
		{"the head was another", []string{"main", "other"}, map[string]string{"shop/a.yaml": "both"}, ""},
		{"it merges the branch into the head", []string{"change", "main"},
			map[string]string{"shop/a.yaml": "both"}, ""},
		{"it merges one more", []string{"main", "change", "other"}, map[string]string{"shop/a.yaml": "both"}, ""},
		{"it merges nothing", []string{"main"}, map[string]string{"shop/a.yaml": "both"}, ""},
		{"it changes what nobody changed", []string{"main", "change"},
			map[string]string{"shop/a.yaml": "both", "shop/b.yaml": "B"}, ""},
		{"it adds a file", []string{"main", "change"},
			map[string]string{"shop/a.yaml": "both", "shop/e.yaml": "e"}, ""},
		{"it leaves out what one side changed", []string{"main", "change"},
			map[string]string{"shop/a.yaml": "both", "shop/d.yaml": "d"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := &branches{t: t, dir: t.TempDir()}
			b.git("init", "-q")
			at := map[string]string{}
			at["old"] = b.commit(map[string]string{"shop/adsync.yaml": "format_version: 1\n", "shop/a.yaml": "a",
				"shop/b.yaml": "b", "shop/d.yaml": "d", "other/c.yaml": "c"})
			b.git("checkout", "-q", "-b", "change")
			at["change"] = b.commit(map[string]string{"shop/a.yaml": "theirs", "shop/d.yaml": "D"})
			at["other"] = b.commit(map[string]string{"shop/a.yaml": "later"})
			b.git("checkout", "-q", "main")
			at["main"] = b.commit(map[string]string{"shop/a.yaml": "ours"})
			b.git("checkout", "-q", "--detach")
			b.commit(map[string]string{"shop/d.yaml": "D"}) // as a merge has it
			b.commit(row.files)
			args := []string{"commit-tree", "-m", "Merge", "HEAD^{tree}"}
			for _, parent := range row.merges {
				args = append(args, "-p", at[parent])
			}
			merge := b.git(args...)
			m, err := commits.ReadMerged(t.Context(), config.Commit{
				Repository: filepath.Join(b.dir, ".git"), Path: "shop", Hash: at["main"],
			}, at["change"], merge, t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if m.ByForge != (row.want != "") || m.ByForge != (len(m.Stale) == 0) {
				t.Fatalf("by the forge: %t, stale %q; want %q", m.ByForge, m.Stale, row.want)
			}
			if !m.ByForge {
				return
			}
			have := filesIn(t, m.Project.Root)
			if got := cmp.Or(have["a.yaml"], "gone"); got != row.want || have["adsync.yaml"] != "format_version: 1\n" ||
				have["d.yaml"] != "D" || have["b.yaml"] != "b" {
				t.Errorf("the files are %v; want %q, and the policy of the branch", have, row.want)
			}
		})
	}
}

// A branch that nothing can be made of is said to be one; it is not the machine's fault.
func TestWhatCannotBeMerged(t *testing.T) {
	for _, row := range []struct {
		name         string
		main, branch map[string]string
		orphan       bool
		want         string
	}{
		{"a file where the other has a folder", map[string]string{"shop/x/a.yaml": "a"},
			map[string]string{"shop/x": "x"}, false, `it cannot be merged: "x" is a file on one side, and a folder on the other`},
		{"a folder in the place of the policy", nil,
			map[string]string{"shop/adsync.yaml": "", "shop/adsync.yaml/b.yaml": "b"},
			false, `it cannot be merged: "adsync.yaml" is a file on one side`},
		{"nothing in common", nil, map[string]string{"shop/b.yaml": "b"}, true, "it cannot be merged: "},
		{"a name that is too long", nil, map[string]string{"shop/" + strings.Repeat("n", 300): "n"}, false,
			"it is beyond the bounds: the name "},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := &branches{t: t, dir: t.TempDir()}
			b.git("init", "-q")
			b.commit(map[string]string{"shop/adsync.yaml": "format_version: 1\n", "shop/a.yaml": "a"})
			b.git("checkout", "-q", "-b", "change")
			if row.orphan {
				b.git("checkout", "-q", "--orphan", "other")
			}
			head := b.stage(row.branch)
			b.git("checkout", "-q", "-f", "main")
			at := b.git("rev-parse", "HEAD")
			if row.main != nil {
				at = b.commit(row.main)
			}
			m, err := commits.ReadMerged(t.Context(), config.Commit{
				Repository: filepath.Join(b.dir, ".git"), Path: "shop", Hash: at,
			}, head, "", t.TempDir(), "")
			if err == nil {
				m.Close()
			}
			if err == nil || !strings.Contains(err.Error(), row.want) ||
				!errors.Is(err, commits.ErrUnmergeable) && !errors.Is(err, commits.ErrBeyondBounds) {
				t.Errorf("%v; want %q", err, row.want)
			}
		})
	}
}

// TestWhereBranchesCrossed: each was merged into the other's past, and the branch then took back what both have. git
// merges what they have in common first, and takes it back on the branch too: it is never said to change nothing.
func TestWhereBranchesCrossed(t *testing.T) {
	b := &branches{t: t, dir: t.TempDir()}
	b.git("init", "-q")
	b.commit(map[string]string{"shop/adsync.yaml": "format_version: 1\n", "shop/a.yaml": "a", "shop/b.yaml": "b"})
	b.git("checkout", "-q", "-b", "change")
	theirs := b.commit(map[string]string{"shop/b.yaml": "B"})
	b.git("checkout", "-q", "main")
	ours := b.commit(map[string]string{"shop/a.yaml": "A"})
	b.git("merge", "-q", "--no-edit", theirs)
	at := b.git("rev-parse", "HEAD")
	b.git("checkout", "-q", "change")
	b.git("merge", "-q", "--no-edit", ours)
	head := b.commit(map[string]string{"shop/a.yaml": "a", "shop/b.yaml": "b"})
	m, err := commits.ReadMerged(t.Context(),
		config.Commit{Repository: filepath.Join(b.dir, ".git"), Path: "shop", Hash: at}, head, "", t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if want := []string{"a.yaml", "b.yaml"}; !slices.Equal(m.Changed, want) || !slices.Equal(m.Stale, want) {
		t.Errorf("changed %q, stale %q; want %q", m.Changed, m.Stale, want)
	}
}

func filesIn(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if target, err := os.Readlink(path); err == nil {
			files[name] = "-> " + target
			return nil
		}
		content, err := os.ReadFile(path)
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWhatACommitCameFrom(t *testing.T) {
	b := &branches{t: t, dir: t.TempDir()}
	b.git("init", "-q")
	first := b.commit(map[string]string{"a.yaml": "1"})
	second := b.commit(map[string]string{"a.yaml": "2"})
	for _, row := range []struct {
		name, commit, other string
		want                bool
	}{
		{"one before it", second, first, true},
		{"itself", second, second, true},
		{"one after it", first, second, false},
	} {
		at := config.Commit{Repository: filepath.Join(b.dir, ".git"), Hash: row.commit}
		got, err := commits.Contains(at, row.other)
		if err != nil || got != row.want {
			t.Errorf("%s: %v, %v; want %v", row.name, got, err, row.want)
		}
	}
}
