package state_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"adsync/state"
	"adsync/state/kv"
)

func TestAFolderHasOneSealKeyWhoeverMakesIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if _, err := state.SealKey(kv.Folder{Dir: dir}, false); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a folder without a key: %v; want fs.ErrNotExist", err)
	}
	keys := make([][]byte, 8)
	var making sync.WaitGroup
	for i := range keys {
		making.Go(func() { keys[i], _ = state.SealKey(kv.Folder{Dir: dir}, true) })
	}
	making.Wait()
	for _, key := range keys {
		if len(key) != 32 || !bytes.Equal(key, keys[0]) {
			t.Errorf("keys are %x and %x; want one of 32 bytes", key, keys[0])
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("the folder holds %v, %v; want the key alone", names, err)
	}
}

func TestASealKeyThatOthersReadOrThatIsCutIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := state.SealKey(kv.Folder{Dir: dir}, true); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "seal-key")
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := state.SealKey(kv.Folder{Dir: dir}, true); !errors.Is(err, state.ErrUnusable) {
		t.Errorf("a key others read: %v; want ErrUnusable", err)
	}
	if err := errors.Join(os.Chmod(name, 0o600), os.WriteFile(name, []byte("short"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := state.SealKey(kv.Folder{Dir: dir}, true); !errors.Is(err, state.ErrDamaged) {
		t.Errorf("a key that is cut: %v; want ErrDamaged", err)
	}
}

func TestAStateOpensBesideItsSealKey(t *testing.T) {
	dir := t.TempDir()
	key, err := state.SealKey(kv.Folder{Dir: dir}, true)
	if err != nil {
		t.Fatal(err)
	}
	store, err := state.Open(t.Context(), dir, state.Options{})
	if err != nil {
		t.Fatalf("a folder with a key and no state yet: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if again, err := state.SealKey(kv.Folder{Dir: dir}, false); err != nil || !bytes.Equal(again, key) {
		t.Errorf("the key is %x, %v; want %x", again, err, key)
	}
}
