package commits

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"adsync/sources/config"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// ErrNoContent says that what a commit has in a file's place is no file that is read.
var ErrNoContent = errors.New("it cannot be read")

// ReadFirst returns the first of some files, by slash paths from the top of the repository, that a commit has, and its
// content. It is ErrNoContent where that is a link or a folder, or has more bytes than most, and fs.ErrNotExist where
// the commit has none of them.
func ReadFirst(at config.Commit, names []string, most int64) (name string, content []byte, err error) {
	h, err := openCommit(&at)
	if err != nil {
		return "", nil, err
	}
	commit, err := h.repository.CommitObject(h.at)
	if err != nil {
		return "", nil, fmt.Errorf("read commit %s: %w", at.Hash, err)
	}
	top, err := commit.Tree()
	if err != nil {
		return "", nil, fmt.Errorf("read commit %s: %w", at.Hash, err)
	}
	for _, name := range names {
		entry, err := top.FindEntry(name)
		if errors.Is(err, object.ErrEntryNotFound) || errors.Is(err, object.ErrDirectoryNotFound) {
			continue
		}
		if err != nil {
			return name, nil, fmt.Errorf("read %q: %w", name, err)
		}
		if entry.Mode != filemode.Regular && entry.Mode != filemode.Executable {
			return name, nil, fmt.Errorf("%w: it is no regular file", ErrNoContent)
		}
		blob, err := h.repository.BlobObject(entry.Hash)
		if err != nil {
			return name, nil, fmt.Errorf("read %q: %w", name, err)
		}
		if blob.Size > most {
			return name, nil, fmt.Errorf("%w: it has %d bytes; want %d at most", ErrNoContent, blob.Size, most)
		}
		r, err := blob.Reader()
		if err != nil {
			return name, nil, fmt.Errorf("read %q: %w", name, err)
		}
		content, err := io.ReadAll(r)
		return name, content, errors.Join(err, r.Close())
	}
	return "", nil, fs.ErrNotExist
}
