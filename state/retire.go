package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// retiredSuffix is what the name of a folder ends in that is being removed.
const retiredSuffix = ".forgotten"

// Retire removes the state of a folder, and the folder with all that lies in it. look
// reads the state and may refuse; export keeps what is to be kept, once the log is folded
// and before anything is removed. Nobody else can open the state meanwhile. It is
// [fs.ErrNotExist] where there is none, and [ErrLocked] while a process has it open.
//
// Killed before its last step it leaves the folder whole, or under another name that the
// next Retire removes.
func Retire(ctx context.Context, dir string, o Options, look func(Store) error, export func() error) error {
	path, err := filepath.Abs(dir)
	if err == nil {
		err = folder(path).retire(ctx, o, look, export)
	}
	if err != nil {
		return fmt.Errorf("forget the state %s: %w", dir, err)
	}
	return nil
}

func (f folder) retire(ctx context.Context, o Options, look func(Store) error, export func() error) (err error) {
	retired := string(f) + retiredSuffix
	there, err := f.exists()
	if err != nil {
		return err
	}
	if !there {
		return errors.Join(os.RemoveAll(retired), fs.ErrNotExist) // what a killed Retire had exported
	}
	l, err := f.open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock(l.lock)) }()
	if err := errors.Join(look(l), l.ledger.Close()); err != nil {
		return err
	}
	if err := export(); err != nil {
		return err
	}
	if err := os.RemoveAll(retired); err != nil {
		return err
	}
	if err := rename(filepath.Dir(string(f)), string(f), retired); err != nil {
		return fmt.Errorf("%w; it is exported, and stays as it is", err)
	}
	return os.RemoveAll(retired)
}

// Retire removes the state of an account from the database, with all that is kept beside it. look reads the state and
// may refuse; then the state is written into an empty folder, and export keeps what is to be kept of it before anything
// is removed. Nobody else can open the state meanwhile. It is [fs.ErrNotExist] where there is none, and [ErrLocked]
// while a process has it open.
func (s *Server) Retire(ctx context.Context, account, dir string, o Options,
	look func(Store) error, export func() error) (err error) {
	switch serial, err := s.SerialOf(ctx, account); {
	case err != nil:
		return fmt.Errorf("forget the state of %s: %w", account, err)
	case serial == 0:
		return fmt.Errorf("forget the state of %s: %w", account, fs.ErrNotExist)
	}
	store, err := s.Open(ctx, account, o)
	if err != nil {
		return fmt.Errorf("forget the state of %s: %w", account, err)
	}
	l := store.(*leased)
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := look(l); err != nil {
		return err
	}
	_, writes, err := l.records()
	if err == nil {
		err = folder(dir).fill(ctx, l.header, l.tally, writes)
	}
	if err == nil {
		err = export()
	}
	if err == nil {
		err = ofDatabase(l.Claimed.Remove(ctx))
	}
	if err != nil {
		return fmt.Errorf("forget the state of %s: %w", account, err)
	}
	return nil
}

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
