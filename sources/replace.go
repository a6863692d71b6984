package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// replacement puts new content in the place of a user's file: the whole of it,
// or nothing.
type replacement struct {
	root  *os.Root
	name  string // slash path
	hash  string // SHA-256 of what was read, in hex
	limit int64
}

// read gives the content, if the file is still what was read and nobody has it
// open.
func (r replacement) read() ([]byte, error) {
	if err := r.free(); err != nil {
		return nil, err
	}
	content, hash, err := readRegular(r.root, r.name, r.limit)
	if err != nil {
		return nil, errors.New(unreadable(err).Message)
	}
	if hash != r.hash {
		return nil, errMoved
	}
	return content, nil
}

var errMoved = errors.New("file was changed since it was read; want it as it was")

// free refuses a file that is open in an editor, and whatever is no plain file.
func (r replacement) free() error {
	about, err := r.root.Lstat(r.name)
	if err != nil {
		return errors.New(unreadable(err).Message)
	}
	if about.Mode()&fs.ModeSymlink != 0 {
		return errors.New("file is a symbolic link; want the file itself")
	}
	dir, base := path.Split(r.name)
	for _, lock := range locksOf(base) {
		if _, err := r.root.Lstat(dir + lock); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("file is open in an editor (%s is there); want it closed", lock)
		}
	}
	return nil
}

// locksOf gives the names of the files that editors put beside a file they have
// open: Excel's and LibreOffice's.
func locksOf(base string) []string { return []string{"~$" + base, ".~lock." + base + "#"} }

// LockFile gives the file beside a file that says that somebody has it open in an
// editor, "" where none does.
func LockFile(name string) string {
	folder, base := filepath.Split(name)
	for _, lock := range locksOf(base) {
		if _, err := os.Lstat(folder + lock); !errors.Is(err, fs.ErrNotExist) {
			return folder + lock
		}
	}
	return ""
}

// write makes the new file beside the old one, on the disk before it takes the
// name, and looks a last time whether the old one is still what was read.
func (r replacement) write(content []byte) (err error) {
	dir, base := path.Split(r.name)
	temporary := dir + "." + base + ".adsync.tmp"
	if err := r.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer func() {
		if err != nil {
			r.root.Remove(temporary) // the error that is there says more
		}
	}()
	if err := r.prepare(temporary, content); err != nil {
		return err
	}
	if _, err := r.read(); err != nil {
		return err
	}
	if err := r.root.Rename(temporary, r.name); err != nil {
		return err
	}
	return r.syncFolder(path.Dir(r.name))
}

// prepare writes the new file with the permissions of the old one.
func (r replacement) prepare(temporary string, content []byte) error {
	about, err := r.root.Stat(r.name)
	if err != nil {
		return err
	}
	handle, err := r.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer handle.Close()
	if _, err := handle.Write(content); err != nil {
		return err
	}
	if err := handle.Chmod(about.Mode().Perm()); err != nil {
		return err
	}
	if err := handle.Sync(); err != nil {
		return err
	}
	return handle.Close()
}

func (r replacement) syncFolder(dir string) error {
	handle, err := r.root.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	return handle.Sync()
}
