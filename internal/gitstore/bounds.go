package gitstore

import (
	"errors"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// bounds lets nothing of a repository on this machine be read before its size is known
// to be within the limits: what a server would have to send, and could be stopped at,
// lies here already.
type bounds struct {
	*filesystem.Storage
	store *Store
}

// mostInMemory is the largest commit, tree or tag, in bytes. These are read whole.
const mostInMemory = 32 << 20

// EncodedObject returns an object that is within the limits. A large file is read as it is
// passed on.
func (b bounds) EncodedObject(kind plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	size, err := b.size(h)
	if err != nil {
		return nil, err
	}
	object, err := b.Storage.EncodedObject(kind, h)
	if err == nil && size > mostInMemory && object.Type() != plumbing.BlobObject {
		return nil, refuse(Input, "a %s in the history of %s has %d bytes; want at most %d",
			object.Type(), b.store.address, size, mostInMemory)
	}
	return object, err
}

func (b bounds) size(h plumbing.Hash) (int64, error) {
	size, err := b.looseSize(h)
	if errors.Is(err, fs.ErrNotExist) {
		size, err = b.EncodedObjectSize(h)
	}
	if err == nil && size > b.store.config.Limits.ObjectBytes {
		return 0, b.store.largeObject(size)
	}
	return size, err
}

// looseSize returns the size of an object that is a file of its own. That of the library
// leaves the file open until the collector comes, which are as many as there are objects.
func (b bounds) looseSize(h plumbing.Hash) (int64, error) {
	name := h.String()
	folder := b.Filesystem()
	file, err := folder.Open(folder.Join("objects", name[:2], name[2:]))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	reader, err := objfile.NewReader(file)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	_, size, err := reader.Header()
	return size, err
}

// check refuses objects beyond the limits before the first of them is read.
func (b bounds) check(hashes []plumbing.Hash) error {
	if most := b.store.config.Limits.Objects; uint64(len(hashes)) > uint64(most) {
		return refuse(Input, "%s gives %d objects at once; want at most %d", b.store.address, len(hashes), most)
	}
	for _, h := range hashes {
		if _, err := b.size(h); err != nil {
			return err
		}
	}
	return nil
}
