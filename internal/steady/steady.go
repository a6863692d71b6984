// Package steady lists folders that others write to meanwhile, for the library that reads
// git repositories.
package steady

import (
	"errors"
	"io/fs"
	"os"
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
