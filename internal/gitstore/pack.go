package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// scratchPrefix begins the names of files that are not whole yet.
const scratchPrefix = "adsync-part-"

// receive fetches a pack into a file of its own, checks it against the bounds,
// makes its index, and only then gives both their names. What was there before
// is not touched.
func (s *Store) receive(ctx context.Context, p peer, refs *packp.AdvRefs, wants, haves []plumbing.Hash) (err error) {
	folder := filepath.Join(s.Dir(), "objects", "pack")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return s.wrap(ctx, Transient, "fetch from", err)
	}
	unlock, err := lockFile(ctx, filepath.Join(s.folder, fetchingName), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer unlock()
	s.reopen()
	if !slices.ContainsFunc(wants, func(h plumbing.Hash) bool { return !s.have(h) }) {
		return nil // another has fetched it meanwhile
	}
	sweep(folder)
	defer sweep(folder)
	answer, err := p.pack(ctx, refs, wants, haves)
	if err != nil {
		return err
	}
	defer answer.Close()
	file, err := s.create(folder, scratchPrefix)
	if err != nil {
		return s.wrap(ctx, Transient, "fetch from", err)
	}
	defer file.Close()
	_, err = io.Copy(file, during{ctx, answer})
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return s.notWhole()
	}
	if err != nil {
		return s.wrap(ctx, Transient, "fetch from", err)
	}
	_, err = s.install(ctx, folder, file, s.config.Limits)
	if cutShort(err) {
		return s.wrap(ctx, Transient, "fetch from", fmt.Errorf("the pack is cut short: %w", err))
	}
	if err != nil {
		return s.wrap(ctx, Input, "read what came from", err)
	}
	if err := s.tidy(ctx, folder); err != nil {
		return s.wrap(ctx, Transient, "tidy the store of", err)
	}
	return nil
}

// cutShort reports whether a pack ended too early: over ssh a line that is cut looks
// like the end of what was sent.
func cutShort(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, packfile.ErrEmptyPackfile)
}

// sweep takes away what earlier fetches left that were cut short.
func sweep(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, scratchPrefix+"*")) // the pattern is a good one
	for _, name := range left {
		os.Remove(name)
	}
}

// during ends reading with its context.
type during struct {
	ctx context.Context
	r   io.Reader
}

func (d during) Read(p []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	return d.r.Read(p)
}

func (d during) Seek(offset int64, whence int) (int64, error) {
	return d.r.(io.Seeker).Seek(offset, whence)
}

// install makes a pack part of the store, wherever it came from. It is read within
// the bounds, made whole where it is thin, and gets its index; then both get their
// names, which it returns without their extensions.
func (s *local) install(ctx context.Context, folder string, pack *os.File, limits Limits) (name string, err error) {
	unpacked, err := s.read(ctx, pack, limits)
	if err != nil {
		return "", err
	}
	if err := unpacked.resolve(); err != nil {
		return "", err
	}
	if err := unpacked.complete(); err != nil {
		return "", err
	}
	index, err := unpacked.index()
	if err != nil {
		return "", err
	}
	name = filepath.Join(folder, "pack-"+unpacked.sum.String())
	if _, err := os.Stat(name + ".pack"); err == nil {
		return name, nil
	}
	return name, s.place(folder, name, pack, index)
}

// place writes the index first: a pack is read as soon as it is there.
func (s *local) place(folder, name string, pack *os.File, index *idxfile.MemoryIndex) error {
	part, err := s.create(folder, scratchPrefix)
	if err != nil {
		return err
	}
	defer part.Close()
	if _, err := idxfile.NewEncoder(part).Encode(index); err != nil {
		return err
	}
	if err := errors.Join(part.Sync(), pack.Sync()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), name+".idx"); err != nil {
		return err
	}
	if err := os.Rename(pack.Name(), name+".pack"); err != nil {
		return err
	}
	s.reopen()
	return syncFolder(folder)
}

func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (s *local) notWhole() error {
	return refuse(Input, "%s is not whole: an object of its history is not there; want one that passes git fsck",
		s.address)
}

func (s *local) largeObject(size int64) error {
	return refuse(Input, "a file in the history of %s has %d bytes; want at most %d",
		s.address, size, s.config.Limits.ObjectBytes)
}

// beginning keeps the first bytes of a delta, which say how large its result is.
type beginning struct{ bytes []byte }

func (b *beginning) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p[:min(len(p), max(0, 24-len(b.bytes)))]...)
	return len(p), nil
}

// target is the size of a delta's result: the second of two numbers of seven
// bits a byte.
func (b *beginning) target() int64 {
	_, rest := sevenBits(b.bytes)
	size, _ := sevenBits(rest)
	return size
}

func sevenBits(b []byte) (n int64, rest []byte) {
	for i, one := range b {
		if i >= 8 {
			return 1<<63 - 1, nil // beyond any bound
		}
		n |= int64(one&0x7f) << (7 * i)
		if one&0x80 == 0 {
			return n, b[i+1:]
		}
	}
	return n, nil
}
