package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What is acknowledged has to be found under its name by the next run: files that
// go away, or a folder that is swapped, end the store at the next write.
func TestFilesThatGoAwayWhileTheyAreOpenStopTheStore(t *testing.T) {
	rows := map[string]func(dir string) error{
		"database is deleted": func(dir string) error { return os.Remove(filepath.Join(dir, databaseName)) },
		"log is deleted":      func(dir string) error { return os.Remove(filepath.Join(dir, databaseName+"-wal")) },
		"mark is deleted":     func(dir string) error { return os.Remove(filepath.Join(dir, markName)) },
		"lock is deleted":     func(dir string) error { return os.Remove(filepath.Join(dir, lockName)) },
		"folder is moved":     func(dir string) error { return os.Rename(dir, dir+"-away") },
		"folder is deleted":   os.RemoveAll,
		"folder is swapped": func(dir string) error {
			if err := os.Rename(dir, dir+"-away"); err != nil {
				return err
			}
			return os.CopyFS(dir, os.DirFS(dir+"-away"))
		},
		"database is put back from a copy": func(dir string) error {
			content, err := os.ReadFile(filepath.Join(dir, databaseName))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, "copy"), content, 0o600); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, databaseName))
		},
	}
	for name, happens := range rows {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			s := openFolder(t, dir)
			must(t, s.Bind(t.Context(), acme))
			must(t, s.Begin(t.Context(), job("1", 3)))
			if name == "folder is swapped" { // before the first write of this process as well
				must(t, s.Close())
				s = openFolder(t, dir)
			}
			must(t, happens(dir))
			wantError(t, "Move after it", s.Move(t.Context(), "1", Sent, Update{SentAt: morning}), ErrSuspect)
			if err := s.Begin(t.Context(), job("2", 3)); !errors.Is(err, ErrSuspect) {
				t.Errorf("Begin after that = %v, want ErrSuspect", err)
			}
		})
	}
}
