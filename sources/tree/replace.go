package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"adsync/internal/pattern"
	"adsync/sources/bounded"
)

// Replacement puts new content in the place of a user's file: the whole of it,
// or nothing.
type Replacement struct {
	Root  *os.Root
	Name  string // slash path
	Hash  string // SHA-256 of what was read, in hex; "" where there is to be none of this name yet
	Limit int64
	At    time.Time // the former file stays beside the new one, under this time; zero: it does not
}

// replaceAttempts is how often a file is read again that somebody saves while
// adsync is about to replace it.
const replaceAttempts = 3

// errRestless is for a file that moved each time.
var errRestless = fmt.Errorf("file was saved by somebody "+
	"else each of the %d times it was to be replaced; want it left alone for a moment", replaceAttempts)

// Settled has put replace a file, and begin again where the file moved
// meanwhile: a shared drive leaves no lock.
func Settled(put func(again bool) error) error {
	for attempt := range replaceAttempts {
		if err := put(attempt > 0); !errors.Is(err, errMoved) {
			return err
		}
	}
	return errRestless
}

// Read returns the content, if the file is still what was read and nobody has it
// open.
func (r Replacement) Read() ([]byte, error) {
	if err := r.free(); err != nil {
		return nil, err
	}
	content, hash, err := bounded.ReadRegular(r.Root, r.Name, r.Limit)
	if err != nil {
		return nil, errors.New(bounded.Unreadable(err).Message)
	}
	if hash != r.Hash {
		return nil, errMoved
	}
	return content, nil
}

var errMoved = errors.New("file was changed since it was read; want it as it was")

// free refuses a file that is open in an editor, and whatever is no plain file.
func (r Replacement) free() error {
	about, err := r.Root.Lstat(r.Name)
	if err != nil {
		return errors.New(bounded.Unreadable(err).Message)
	}
	if about.Mode()&fs.ModeSymlink != 0 {
		return errors.New("file is a symbolic link; want the file itself")
	}
	dir, base := path.Split(r.Name)
	for _, lock := range locksOf(base) {
		if _, err := r.Root.Lstat(dir + lock); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("file is open in an editor (%s is there); want it closed", lock)
		}
	}
	return nil
}

// locksOf returns the names of the files that editors put beside a file they have
// open: Excel's and LibreOffice's.
func locksOf(base string) []string { return []string{"~$" + base, ".~lock." + base + "#"} }

// LockFile returns the file beside a file that says that somebody has it open in an
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

// Write makes the new file beside the former one, on the disk before it takes the
// name, and looks a last time whether the former one is still what was read. It
// returns the name the former one is kept under, "" where it is not.
func (r Replacement) Write(content []byte) (kept string, err error) {
	dir, base := path.Split(r.Name)
	temporary := dir + "." + base + ".adsync.tmp"
	if err := r.Root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	defer func() {
		if err != nil {
			r.Root.Remove(temporary) // the error that is there says more
		}
	}()
	if err := r.prepare(temporary, content); err != nil {
		return "", err
	}
	former, err := r.Read()
	if err != nil {
		return "", err
	}
	if kept, err = r.keep(former); err != nil {
		return "", fmt.Errorf("former file cannot be kept: %w", err)
	}
	if err := r.Root.Rename(temporary, r.Name); err != nil {
		return kept, err
	}
	return kept, r.syncFolder(path.Dir(r.Name))
}

// Make puts a new file in place, whole or not at all. One that is there by now stays, and is an error.
func (r Replacement) Make(content []byte) (err error) {
	dir, base := path.Split(r.Name)
	temporary := dir + "." + base + ".adsync.tmp"
	if err := r.Root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := r.prepare(temporary, content); err != nil {
		r.Root.Remove(temporary) // the error that is there says more
		return err
	}
	defer r.Root.Remove(temporary) // its second name stays
	err = r.Root.Link(temporary, r.Name)
	if _, there := r.Root.Lstat(r.Name); errors.Is(there, fs.ErrNotExist) { // a file system without links
		err = r.Root.Rename(temporary, r.Name)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return errMade
	case err != nil:
		return err
	}
	return r.syncFolder(path.Dir(r.Name))
}

var errMade = errors.New("a file of this name has been put there meanwhile; want the name free")

// keep returns the former file a second name beside its own, under which it stays.
// No file that is there gives way to it.
func (r Replacement) keep(former []byte) (string, error) {
	if r.At.IsZero() {
		return "", nil
	}
	for n := 1; ; n++ {
		name := KeptName(r.Name, r.At, n)
		err := r.Root.Link(r.Name, name)
		if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
			err = r.copy(name, former)
		}
		switch {
		case !errors.Is(err, fs.ErrExist):
			return name, err
		case r.holds(name):
			return name, nil
		}
	}
}

// holds reports whether a file is what was read: kept before, by a run that was
// cut off.
func (r Replacement) holds(name string) bool {
	hash, err := bounded.HashRegular(r.Root, name, r.Limit)
	return err == nil && hash == r.Hash
}

// KeptName is the name of a former file beside its successor.
func KeptName(name string, at time.Time, n int) string {
	end := path.Ext(name)
	number := ""
	if n > 1 {
		number = fmt.Sprintf(", %d", n)
	}
	return strings.TrimSuffix(name, end) + at.Format(" (before 2006-01-02 1504") + number + ")" + end
}

// keptFile is how KeptName ends names: such a file is never a source, or the rows
// of its successor would be there twice.
var keptFile = pattern.Of(`.+ \(before [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{4}(, [0-9]+)?\)\.[A-Za-z]+$`)

func (r Replacement) copy(name string, content []byte) error {
	err := r.prepare(name, content)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		r.Root.Remove(name) // half of a file is no copy
	}
	return err
}

// prepare writes a new file with the permissions of the one that is there, or as others of the folder may read it.
func (r Replacement) prepare(name string, content []byte) error {
	mode := fs.FileMode(0o644)
	about, err := r.Root.Stat(r.Name)
	switch {
	case err == nil:
		mode = about.Mode().Perm()
	case r.Hash != "" || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	handle, err := r.Root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer handle.Close()
	if _, err := handle.Write(content); err != nil {
		return err
	}
	if err := handle.Chmod(mode); err != nil {
		return err
	}
	if err := handle.Sync(); err != nil {
		return err
	}
	return handle.Close()
}

func (r Replacement) syncFolder(dir string) error {
	handle, err := r.Root.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	return handle.Sync()
}
