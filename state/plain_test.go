package state

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAFolderWithForeignFilesIsRefusedUntouched holds that nothing is written
// through a link in the state's folder, and that a pipe keeps nobody waiting.
func TestAFolderWithForeignFilesIsRefusedUntouched(t *testing.T) {
	for _, name := range []string{lockName, markName, databaseName, databaseName + "-wal"} {
		for kind, put := range map[string]func(victim, at string) error{
			"link":   os.Symlink,
			"pipe":   func(_, at string) error { return unix.Mkfifo(at, 0o600) },
			"folder": func(_, at string) error { return os.Mkdir(at, 0o700) },
		} {
			dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
			must(t, os.WriteFile(victim, []byte("precious"), 0o600))
			must(t, openFolder(t, dir).Close())
			must(t, os.RemoveAll(filepath.Join(dir, name)))
			must(t, put(victim, filepath.Join(dir, name)))
			_, err := Open(t.Context(), dir, options())
			wantError(t, "Open with a "+kind+" as "+name, err, ErrUnusable)
			_, err = OpenReadOnly(t.Context(), dir)
			wantError(t, "OpenReadOnly with a "+kind+" as "+name, err, ErrUnusable)
			_, err = HeldBy(dir)
			wantError(t, "HeldBy with a "+kind+" as "+name, err, ErrUnusable)
			_, err = Unlock(dir)
			wantError(t, "Unlock with a "+kind+" as "+name, err, ErrUnusable)
			if b, err := os.ReadFile(victim); err != nil || string(b) != "precious" {
				t.Errorf("a %s as %s: the file it leads to holds %q, %v", kind, name, b, err)
			}
		}
	}
}
