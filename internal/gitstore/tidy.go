package gitstore

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// A store gets one pack a fetch, and every look-up asks all of them. Small ones
// are made one when there are too many; large ones stay as the server made them.
const (
	mostPacks = 64
	smallPack = 8 << 20 // bytes
)

// unbounded is for what the store holds already.
var unbounded = Limits{PackBytes: math.MaxInt64, ObjectBytes: math.MaxInt64, Objects: math.MaxUint32}

// tidy makes one pack of the small ones, and takes those away once it is there. It leaves
// that to a later fetch while somebody reads; who reads without saying so may have to try
// again.
func (s *local) tidy(ctx context.Context, folder string) error {
	small, err := smallPacks(folder)
	if err != nil || len(small) <= s.mostPacks {
		return err
	}
	unlock, err := tryLock(filepath.Join(s.folder, readingName), syscall.LOCK_EX)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	objects, err := objectsOf(small)
	if err != nil {
		return err
	}
	file, err := s.create(folder, scratchPrefix)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := packfile.NewEncoder(file, s.objects, false).Encode(objects, 10); err != nil {
		return err
	}
	whole, err := s.install(ctx, folder, file, unbounded)
	if err != nil {
		return err
	}
	for _, name := range small {
		if name == whole {
			continue
		}
		// The pack goes first: one without its index is an error to whoever looks.
		if err := errors.Join(os.Remove(name+".pack"), os.Remove(name+".idx")); err != nil {
			return err
		}
	}
	s.reopen()
	return nil
}

// smallPacks returns the packs by their paths, without the extension.
func smallPacks(folder string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "pack-*.pack"))
	if err != nil {
		return nil, err
	}
	var small []string
	for _, name := range names {
		about, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if about.Size() < smallPack {
			small = append(small, strings.TrimSuffix(name, ".pack"))
		}
	}
	return small, nil
}

// objectsOf lists what packs hold, each object once.
func objectsOf(packs []string) ([]plumbing.Hash, error) {
	var all []plumbing.Hash
	for _, name := range packs {
		file, err := os.Open(name + ".idx")
		if err != nil {
			return nil, err
		}
		index := idxfile.NewMemoryIndex()
		err = idxfile.NewDecoder(file).Decode(index)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		entries, err := index.Entries()
		if err != nil {
			return nil, err
		}
		for entry, err := entries.Next(); err == nil; entry, err = entries.Next() {
			all = append(all, entry.Hash)
		}
	}
	plumbing.HashesSort(all)
	return slices.Compact(all), nil
}
