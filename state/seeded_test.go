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

// S17: a killed process leaves its text behind, and its number is another
// process's by now. Nobody holds the state, and the next takes it at once; while
// that one has it, a text that names somebody who is gone frees nothing.
func TestS17ANumberThatIsUsedAgainHoldsNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, openFolder(t, dir).Close())
	path := filepath.Join(dir, lockName)
	must(t, os.WriteFile(path,
		fmt.Appendf(nil, `{"pid":%d,"host":"here","since":"2026-01-01T00:00:00Z"}`, os.Getppid()), 0o600))
	left, err := HeldBy(dir)
	if must(t, err); left.Held || !left.Known || left.Holder.PID != os.Getppid() {
		t.Errorf("HeldBy = %+v; want nobody to hold it, and the text to name %d, who is alive", left, os.Getppid())
	}
	s, err := Open(t.Context(), dir, options())
	must(t, err)
	defer func() { _ = s.Close() }()
	// no process has this number
	must(t, os.WriteFile(path, []byte(`{"pid":4194305,"host":"here","since":"2026-01-01T00:00:00Z"}`), 0o600))
	held, err := HeldBy(dir)
	if must(t, err); !held.Held {
		t.Errorf("HeldBy beside a text that names nobody = %+v; want it held", held)
	}
	_, err = Open(t.Context(), dir, options())
	wantError(t, "Open of a state that is held, beside the text of nobody", err, ErrLocked)
}
