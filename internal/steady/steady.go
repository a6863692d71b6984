// Package steady lists folders that others write to meanwhile, and reads the indexes of packs in few reads, for the
// library that reads git repositories.
package steady

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
)

// folder is one that others write to. A file that goes while it is listed, as a pack does
// that gets its name, makes a list of the library fail; go-git takes that for a folder that
// is not there, and then no pack is. A lock (NAME.lock), which git has on a branch while it
// writes to it, is not listed: go-git takes it for a branch.
type folder struct{ *osfs.BoundOS }

// Folder opens a folder.
func Folder(dir string) billy.Filesystem {
	opened := osfs.New(dir, osfs.WithBoundOS())
	if bound, is := opened.(*osfs.BoundOS); is {
		return folder{bound}
	}
	return opened
}

// listings is how often a folder is listed anew where files go meanwhile.
const listings = 1000

// ReadDir lists a folder as it is at one time, but for locks.
func (f folder) ReadDir(dir string) (all []os.FileInfo, err error) {
	for range listings {
		all, err = f.BoundOS.ReadDir(dir)
		if err == nil {
			return slices.DeleteFunc(all, func(about os.FileInfo) bool {
				return strings.HasSuffix(about.Name(), ".lock")
			}), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if _, gone := f.Stat(dir); gone != nil {
			return nil, gone
		}
	}
	return all, err
}

// Open opens a file to read it. go-git reads the index of a pack number by number, and asks the system for each.
func (f folder) Open(name string) (billy.File, error) {
	file, err := f.BoundOS.Open(name)
	if err != nil || path.Ext(name) != ".idx" {
		return file, err
	}
	return &buffered{file, bufio.NewReaderSize(file, indexBuffer)}, nil
}

const indexBuffer = 16 << 10 // bytes: 400 objects, and what stands before them

// buffered is a file that is read from its begin on.
type buffered struct {
	billy.File
	ahead *bufio.Reader
}

func (b *buffered) Read(into []byte) (int, error) { return b.ahead.Read(into) }

func (b *buffered) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		offset -= int64(b.ahead.Buffered())
	}
	at, err := b.File.Seek(offset, whence)
	b.ahead.Reset(b.File)
	return at, err
}
