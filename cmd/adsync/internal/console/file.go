package console

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/term"
)

// createFile gives what was written its name. One that is taken is fs.ErrExist, also where it was taken meanwhile.
func createFile(file *renameio.PendingFile, name string) error {
	if err := file.Sync(); err != nil {
		return err
	}
	err := os.Link(file.Name(), name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(name); err == nil { // a file system without links
		return fs.ErrExist
	}
	return file.CloseAtomicallyReplace()
}

// WriteFile replaces a file as a whole, or not at all. Who may read it follows
// from the user's umask.
func WriteFile(name string, write func(io.Writer) error) error {
	return putFile(name, write, (*renameio.PendingFile).CloseAtomicallyReplace)
}

func putFile(name string, write func(io.Writer) error, place func(*renameio.PendingFile) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	file, err := renameio.NewPendingFile(name, renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer file.Cleanup() // where it was not put in place
	out := bufio.NewWriterSize(file, 1<<16)
	if err := cmp.Or(write(out), out.Flush()); err != nil {
		return err
	}
	return place(file)
}

// WidthOf is how many columns a terminal has; 0 where it is none.
func WidthOf(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
