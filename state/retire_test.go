package state_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"adsync/state"
)

// A folder is removed after its export alone: whatever fails before leaves it whole, and
// what a kill left behind goes with the next attempt.
func TestAFolderIsRemovedAfterItsExportAlone(t *testing.T) {
	refuses := errors.New("refused")
	yes := func(state.Store) error { return nil }
	for _, tc := range []struct {
		name   string
		look   func(state.Store) error
		export func(dir string) error
		want   error
		stays  bool
	}{
		{"it is exported", yes, func(string) error { return nil }, nil, false},
		{"somebody refuses", func(state.Store) error { return refuses },
			func(string) error { panic("exported") }, refuses, true},
		{"the export fails", yes, func(string) error { return refuses }, refuses, true},
		{"it is locked while it is exported", yes, func(dir string) error {
			if _, err := state.Open(context.Background(), dir, state.Options{}); !errors.Is(err, state.ErrLocked) {
				t.Errorf("Open meanwhile = %v; want ErrLocked", err)
			}
			return nil
		}, nil, false},
		{"a former attempt was killed as it removed", yes, func(dir string) error {
			return errors.Join(os.MkdirAll(dir+".forgotten/results", 0o700),
				os.WriteFile(dir+".forgotten/state.db", nil, 0o600))
		}, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			store, err := state.Open(t.Context(), dir, state.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			err = state.Retire(t.Context(), dir, state.Options{}, tc.look, func() error { return tc.export(dir) })
			if !errors.Is(err, tc.want) {
				t.Fatalf("Retire = %v; want %v", err, tc.want)
			}
			if _, err := os.Stat(dir + ".forgotten"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what is removed is there under another name: %v", err)
			}
			if !tc.stays {
				if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the folder is there: %v", err)
				}
				if err := state.Retire(t.Context(),
					dir, state.Options{}, tc.look, nil); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a second Retire = %v; want fs.ErrNotExist", err)
				}
				return
			}
			if store, err = state.Open(t.Context(), dir, state.Options{}); err != nil {
				t.Fatalf("the state cannot be opened any more: %v", err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
