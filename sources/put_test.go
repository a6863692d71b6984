package sources_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/sources/config"
	"adsync/sources/tidy"
)

// A file is put into the folder whole, in the place of the very one that it is to follow, or in one that is free. What
// else is there stays, and nothing is left behind.
func TestAFileIsPutIntoTheFolder(t *testing.T) {
	at := time.Date(2026, 11, 29, 20, 14, 0, 0, time.UTC)
	sum := func(text string) string {
		s := sha256.Sum256([]byte(text))
		return hex.EncodeToString(s[:])
	}
	for _, row := range []struct {
		name, file, base string
		before           func(t *testing.T, dir string)
		kept, refused    string // "": it is put there
	}{
		{"in a free place", "new.yaml", "", nil, "", ""},
		{"in the place of another", "spring.yaml", sum("before"), nil, "spring (before 2026-11-29 2014).yaml", ""},
		{"of one in a folder below", "below/deep.yaml", sum("deep"), nil,
			"below/deep (before 2026-11-29 2014).yaml", ""},
		{"one was put there meanwhile", "spring.yaml", "", nil, "", "put there meanwhile"},
		{"it was changed meanwhile", "spring.yaml", sum("long ago"), nil, "", "changed since"},
		{"it was taken away meanwhile", "gone.yaml", sum("before"), nil, "", "file is gone"},
		{"it is open in Excel", "spring.yaml", sum("before"), func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "~$spring.yaml"), nil, 0o600))
		}, "", "open in an editor"},
		{"it is a link", "spring.yaml", sum("before"), func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "spring.yaml"), filepath.Join(dir, "elsewhere")))
			must(t, os.Symlink("elsewhere", filepath.Join(dir, "spring.yaml")))
		}, "", "symbolic link"},
		{"its folder is a link", "link/new.yaml", "", func(t *testing.T, dir string) {
			must(t, os.Symlink(t.TempDir(), filepath.Join(dir, "link")))
		}, "", "symbolic link"},
		{"out of the folder", "../new.yaml", "", nil, "", "escapes"},
		{"half of one before", "new.yaml", "", func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, ".new.yaml.adsync.tmp"), []byte("half"), 0o600))
		}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "below"), 0o755))
			must(t, os.WriteFile(filepath.Join(dir, "spring.yaml"), []byte("before"), 0o640))
			must(t, os.WriteFile(filepath.Join(dir, "below", "deep.yaml"), []byte("deep"), 0o640))
			if row.before != nil {
				row.before(t, dir)
			}
			kept, err := tidy.Put(config.Project{Root: dir}, row.file, row.base, []byte("after"), at)
			now, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(row.file)))
			switch {
			case row.refused != "":
				if err == nil || !strings.Contains(err.Error(), row.refused) || string(now) == "after" || kept != "" {
					t.Errorf("%q, %v, and it reads %q; want %q", kept, err, now, row.refused)
				}
			case err != nil || kept != row.kept || string(now) != "after":
				t.Errorf("%q, %v, and it reads %q; want %q", kept, err, now, row.kept)
			}
			if row.kept != "" {
				former, err := os.ReadFile(filepath.Join(dir, row.kept))
				if err != nil || sum(string(former)) != row.base {
					t.Errorf("%s: %q %v; want the former file", row.kept, former, err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
