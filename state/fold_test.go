package state

import (
	"os"
	"path/filepath"
	"testing"
)

// killedState is the folder of a state as a process leaves it that is killed after ten
// records, one commit before its mark says so.
func killedState(t *testing.T) (dir string, serial int64) {
	t.Helper()
	living := t.TempDir()
	writer := openFolder(t, living)
	must(t, writer.Record(t.Context(), ads(0, 9)))
	behind, err := os.ReadFile(filepath.Join(living, markName))
	must(t, err)
	must(t, writer.Record(t.Context(), ads(9, 1)))
	dir = copyOf(t, living, databaseName, databaseName+"-wal")
	must(t, os.WriteFile(filepath.Join(dir, markName), behind, 0o600))
	return dir, writer.Header().Serial
}

// copyOf copies files of a state's folder into a new one.
func copyOf(t *testing.T, from string, names ...string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(from, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(to, name), content, 0o600))
	}
	return to
}

func TestTwoFilesAreTheStateOnceTheLogIsFolded(t *testing.T) {
	dir, serial := killedState(t)
	folded, err := Fold(t.Context(), dir, options())
	if err != nil || !folded {
		t.Fatalf("Fold = %t, %v, want true", folded, err)
	}
	alone := copyOf(t, dir, databaseName, markName)
	if n := len(records(t, openFolder(t, alone))); n != 10 {
		t.Errorf("the two files hold %d records, want the 10 that were acknowledged", n)
	}
	if says, err := SerialOf(dir); err != nil || says != serial {
		t.Errorf("SerialOf = %d, %v, want %d: that of the database", says, err, serial)
	}
	if again, err := Fold(t.Context(), dir, options()); err != nil || again {
		t.Errorf("Fold again = %t, %v, want nothing to fold", again, err)
	}
}

func TestNothingIsFoldedWhereSomebodyWrites(t *testing.T) {
	dir := t.TempDir()
	writer := openFolder(t, dir)
	must(t, writer.Record(t.Context(), ads(0, 1)))
	_, err := Fold(t.Context(), dir, options())
	wantError(t, "Fold", err, ErrLocked)
}

func TestALogWithoutItsDatabaseIsNotFolded(t *testing.T) {
	dir, _ := killedState(t)
	must(t, os.Remove(filepath.Join(dir, databaseName)))
	_, err := Fold(t.Context(), dir, options())
	wantError(t, "Fold", err, ErrLost)
	if folded, err := Fold(t.Context(), t.TempDir(), options()); err != nil || folded {
		t.Errorf("Fold of an empty folder = %t, %v, want nothing to fold", folded, err)
	}
}
