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
