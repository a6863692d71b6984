package gitstore

import (
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// bounds lets nothing of a repository on this machine be read before its size is known
// to be within the limits: what a server would have to send, and could be stopped at,
// lies here already.
type bounds struct {
	storer.EncodedObjectStorer
	store *Store
}

// mostInMemory is the largest commit, tree or tag, in bytes. These are read whole.
const mostInMemory = 32 << 20

// EncodedObject gives an object that is within the limits. A large file is read as it is
// passed on.
func (b bounds) EncodedObject(kind plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	size, err := b.size(h)
	if err != nil {
		return nil, err
	}
	object, err := b.EncodedObjectStorer.EncodedObject(kind, h)
	if err == nil && size > mostInMemory && object.Type() != plumbing.BlobObject {
		return nil, refuse(Input, "a %s in the history of %s has %d bytes; want at most %d", object.Type(), b.store.address, size, mostInMemory)
	}
	return object, err
}

func (b bounds) size(h plumbing.Hash) (int64, error) {
	size, err := b.EncodedObjectSize(h)
	if err == nil && size > b.store.config.Limits.ObjectBytes {
		return 0, b.store.largeObject(size)
	}
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
