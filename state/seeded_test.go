package state

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The lock is the kernel's: a text that names a process which is alive locks
// nothing, and without its text a lock is held all the same.
func TestSeededTheTextOfALockDecidesNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, openFolder(t, dir).Close())
	path := filepath.Join(dir, lockName)
	must(t, os.WriteFile(path, fmt.Appendf(nil, `{"pid":%d,"host":"here"}`, os.Getpid()), 0o600))
	second, err := Open(t.Context(), dir, options())
	if err != nil {
		t.Fatalf("Open beside the text of a process that is gone = %v; want the state", err)
	}
	defer func() { _ = second.Close() }()
	must(t, os.Truncate(path, 0))
	_, err = Open(t.Context(), dir, options())
	wantError(t, "Open of a state that is held, beside no text", err, ErrLocked)
}
