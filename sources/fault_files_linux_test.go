package sources_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/tree"
)

// nobody is a user who owns no file of a test.
const nobody = 65534

// asNobody runs f as a user whom permissions bind, whoever runs the test. The
// system keeps the user of file access for each thread.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	must(t, syscall.Setfsuid(nobody))
	defer syscall.Setfsuid(0)
	f()
}

func TestF14AFileOneMayNotReadHoldsEverything(t *testing.T) {
	for _, row := range []struct{ name, closed, want string }{
		{"a file", "winter.yaml", "winter.yaml: file cannot be read: permission denied; want to read every source"},
		{"a folder", "q4", "q4: folder or file cannot be read; want to read every source"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, map[string]string{
				"spring.yaml": springCampaign, "winter.yaml": springCampaign, "q4/ads.yaml": springCampaign,
			})
			must(t, os.Chmod(filepath.Dir(dir), 0o755))
			must(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
				if entry.IsDir() {
					return os.Chmod(path, 0o755)
				}
				return os.Chmod(path, 0o644)
			}))
			closed := filepath.Join(dir, row.closed)
			must(t, os.Chmod(closed, 0))
			defer func() { must(t, os.Chmod(closed, 0o700)) }()
			var d sources.Desired
			asNobody(t, func() { d = load(t, dir) })
			wantRefused(t, d, row.want)
		})
	}
}

// TestF14AClosedFolderThatIsOpenedIsReadAgain: nothing is in it, so that no file
// comes or goes with it.
func TestF14AClosedFolderThatIsOpenedIsReadAgain(t *testing.T) {
	dir := folder(t, map[string]string{"spring.yaml": springCampaign})
	closed := filepath.Join(dir, "q4")
	must(t, os.Mkdir(closed, 0))
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	must(t, os.Chmod(dir, 0o755))
	must(t, os.Chmod(filepath.Join(dir, "spring.yaml"), 0o644))
	p, _ := config.ReadProject(dir)
	var d sources.Desired
	asNobody(t, func() {
		d = load(t, dir)
		if sum := tree.SumOf(p, d.Files); sum != d.Hash {
			t.Errorf("Sum = %s of files that are as they were; want %s", sum, d.Hash)
		}
	})
	wantRefused(t, d, "q4: folder or file cannot be read; want to read every source")
	must(t, os.Chmod(closed, 0o755))
	asNobody(t, func() {
		if tree.SumOf(p, d.Files) == d.Hash {
			t.Error("Sum is as it was, and the folder is open by now")
		}
		d = load(t, dir)
	})
	wantClean(t, d)
}
