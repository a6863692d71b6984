package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Fold moves the log that a killed process left beside the database into it, so that
// the database and its mark alone are the state, and can be copied. It reports whether
// there was a log. It is [ErrLocked] while a process has the state open.
func Fold(ctx context.Context, dir string, o Options) (folded bool, err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return false, fmt.Errorf("fold the log of state %s: %w", dir, err)
	}
	f := folder(path)
	if there, err := f.exists(); err != nil || !there || !f.logged() {
		return false, err
	}
	l, err := f.open(ctx, o)
	if err != nil {
		return false, fmt.Errorf("fold the log of state %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, unlock(l.lock)) }()
	header := l.Header()
	if err := l.ledger.Close(); err != nil { // the last connection that closes moves the log
		return false, fmt.Errorf("fold the log of state %s: %w", dir, err)
	}
	if f.logged() { // SQLite says nothing where that fails
		return false, fmt.Errorf("%w: the log of %s could not be moved into it; want space on its disk",
			ErrUnusable, f.path(databaseName))
	}
	// A kill between a commit and its mark leaves the mark behind.
	return true, createMark(path, f.path(markName), position{header.Lineage, header.Serial})
}

// logged reports whether a log holds something. Who only reads leaves an empty one.
func (f folder) logged() bool {
	about, err := os.Lstat(f.path(databaseName + "-wal"))
	return err == nil && about.Size() > 0
}
