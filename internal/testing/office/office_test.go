package office_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/testing/office"
)

// TestWhatItDoesNotOpen is said of that file, and those after it are converted.
func TestWhatItDoesNotOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	folder := t.TempDir()
	table := filepath.Join(folder, "table.csv")
	if err := os.WriteFile(table, []byte("Campaign,Key\nSpring,0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := office.Convert(office.AsXLSX, folder, filepath.Join(folder, "missing.xlsx"))
	if err == nil || !strings.Contains(err.Error(), "missing.xlsx") {
		t.Errorf("a file that is missing: %v; want an error that names it", err)
	}
	err = office.ConvertBy(office.CSV, "csv:No such filter", folder, table)
	if err == nil {
		t.Error("a filter that does not exist is said to have saved a file")
	}
	if err := office.ConvertBy(office.CSV, office.AsCSV, filepath.Join(folder, "new", "folder"), table); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(folder, "new", "folder", "table.csv"))
	if want := "Campaign,Key\nSpring,123\n"; err != nil || string(saved) != want {
		t.Errorf("saved %q, %v; want %q", saved, err, want)
	}
}
