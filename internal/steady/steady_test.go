package steady_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"adsync/internal/steady"
)

// What is in a folder is listed, whoever makes and takes away other files meanwhile.
func TestAListLeavesNothingOutWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "pack"), 0o755),
		os.WriteFile(filepath.Join(dir, "pack", "there"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			name := filepath.Join(dir, "pack", fmt.Sprint("tmp_", n%20))
			_ = os.WriteFile(name, nil, 0o600)
			_ = os.Remove(name)
		}
	}()
	folder := steady.Folder(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := folder.ReadDir("."); err != nil || len(all) != 1 {
		t.Errorf("the folder has %d files, %v; want the folder of packs alone, and no lock", len(all), err)
	}
	for range 5000 {
		all, err := folder.ReadDir("pack")
		if err != nil {
			t.Errorf("the folder cannot be listed: %v", err)
			break
		}
		found := false
		for _, about := range all {
			found = found || about.Name() == "there"
		}
		if !found {
			t.Errorf("the list has %d files, and not the one that is always there", len(all))
			break
		}
	}
	close(stop)
	<-ended
	if _, err := folder.ReadDir("none"); !os.IsNotExist(err) {
		t.Errorf("a folder that is not there gives %v; want that it is not there", err)
	}
}
