package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// unpacker finds the name of every object of a pack. A delta may build on an object
// that comes earlier, on one that comes later, or on one that only the store has: a
// pack of the last kind is thin, and complete makes it whole. (go-git's own parser
// fails at the last two.)
type unpacker struct {
	store    *local
	limits   Limits
	pack     *os.File
	scanner  *packfile.Scanner
	stored   []stored
	sum      plumbing.Hash
	size     int64                   // of the pack, its sum included
	onOffset map[int64][]int         // deltas that wait for the object at an offset
	onName   map[plumbing.Hash][]int // deltas that wait for an object of a name
	borrowed []int                   // objects of the store that deltas build on
	held     int64                   // bytes of objects in memory
	mostHeld int64                   // of them, beside the two that are worked on
}

// stored is one object as a pack has it.
type stored struct {
	offset int64         // in the pack, -1 for an object that only the store has
	name   plumbing.Hash // zero until it is known
	kind   plumbing.ObjectType
	base   int // index of what a delta builds on, once that is known
	crc    uint32
}

const deepestChain = 4095 // of deltas, as git bounds it

// read goes through a pack once and unpacks nothing beyond the bounds: an archive of
// a few megabytes may say that it holds terabytes.
func (s *local) read(ctx context.Context, pack *os.File, limits Limits) (*unpacker, error) {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	u := &unpacker{
		store: s, limits: limits, pack: pack, scanner: packfile.NewScanner(during{ctx, pack}), mostHeld: 256 << 20,
		onOffset: map[int64][]int{}, onName: map[plumbing.Hash][]int{},
	}
	_, count, err := u.scanner.Header()
	if err != nil {
		return nil, err
	}
	if most := limits.Objects; count > most {
		return nil, refuse(Input, "%s gives %d objects at once; want at most %d", s.address, count, most)
	}
	for range count {
		if err := u.readObject(); err != nil {
			return nil, err
		}
	}
	if u.sum, err = u.scanner.Checksum(); err != nil {
		return nil, err
	}
	u.size, err = u.scanner.SeekFromStart(0)
	return u, err
}

func (u *unpacker) readObject() error {
	header, err := u.scanner.NextObjectHeader()
	if err != nil {
		return err
	}
	limit := u.limits.ObjectBytes
	if header.Length < 0 || header.Length > limit {
		return u.store.largeObject(header.Length)
	}
	one := stored{offset: header.Offset, kind: header.Type, base: -1}
	switch header.Type {
	case plumbing.OFSDeltaObject:
		u.onOffset[header.OffsetReference] = append(u.onOffset[header.OffsetReference], len(u.stored))
	case plumbing.REFDeltaObject:
		u.onName[header.Reference] = append(u.onName[header.Reference], len(u.stored))
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		hasher := plumbing.NewHasher(header.Type, header.Length)
		if _, one.crc, err = u.content(header.Length, hasher); err != nil {
			return err
		}
		one.name = hasher.Sum()
		u.stored = append(u.stored, one)
		return nil
	default:
		return fmt.Errorf("%w: it has an object of the unknown type %d", packfile.ErrMalformedPackFile, header.Type)
	}
	head := &beginning{}
	if _, one.crc, err = u.content(header.Length, head); err != nil {
		return err
	}
	if size := head.target(); size > limit {
		return u.store.largeObject(size)
	}
	u.stored = append(u.stored, one)
	return nil
}

// content copies what an object holds, which must be as long as its header says.
func (u *unpacker) content(length int64, to io.Writer) (int64, uint32, error) {
	n, crc, err := u.scanner.NextObject(to)
	if err == nil && n != length {
		err = fmt.Errorf("%w: an object has %d bytes in place of %d", packfile.ErrMalformedPackFile, n, length)
	}
	return n, crc, err
}

// resolve finds the names of what is stored as deltas: of those that stand on an
// object of the pack, then of those that stand on one of the store.
func (u *unpacker) resolve() error {
	for i := range u.stored {
		if !u.stored[i].kind.IsDelta() {
			if err := u.build(i); err != nil {
				return err
			}
		}
	}
	names := make([]plumbing.Hash, 0, len(u.onName))
	for name := range u.onName {
		names = append(names, name)
	}
	plumbing.HashesSort(names)
	for _, name := range names {
		if u.onName[name] == nil {
			continue // it was in the pack, upon something borrowed
		}
		object, err := u.store.objects.EncodedObject(plumbing.AnyObject, name)
		if err != nil {
			continue
		}
		u.stored = append(u.stored, stored{offset: -1, name: name, kind: object.Type(), base: -1})
		u.borrowed = append(u.borrowed, len(u.stored)-1)
		if err := u.build(len(u.stored) - 1); err != nil {
			return err
		}
	}
	for i := range u.stored {
		if u.stored[i].name.IsZero() {
			return fmt.Errorf("%w: %d of its deltas, the first at byte %d, build on no object that is there",
				packfile.ErrMalformedPackFile, u.unknown(), u.stored[i].offset)
		}
	}
	return nil
}

func (u *unpacker) unknown() (n int) {
	for _, one := range u.stored {
		if one.name.IsZero() {
			n++
		}
	}
	return n
}

// waiting takes the deltas that build on an object.
func (u *unpacker) waiting(i int) []int {
	one := u.stored[i]
	deltas := append(u.onOffset[one.offset], u.onName[one.name]...)
	delete(u.onOffset, one.offset)
	delete(u.onName, one.name)
	return deltas
}

// level is an object while what builds on it is found.
type level struct {
	object int
	body   []byte // nil where there was no room to keep it
	next   []int  // deltas that build on it
	depth  int
}

// build finds the names of all that builds on an object, one chain after the other.
func (u *unpacker) build(root int) error {
	deltas := u.waiting(root)
	if len(deltas) == 0 {
		return nil
	}
	body, err := u.body(root)
	if err != nil {
		return err
	}
	levels := []level{{root, body, deltas, 0}}
	u.held = int64(len(body))
	for len(levels) > 0 {
		top := &levels[len(levels)-1]
		if top.body == nil {
			if top.body, err = u.body(top.object); err != nil {
				return err
			}
			u.held += int64(len(top.body))
		}
		next, err := u.apply(*top)
		if err != nil {
			return err
		}
		if top.next = top.next[1:]; len(top.next) == 0 { // the last of them needs it no longer
			u.held -= int64(len(top.body))
			levels = levels[:len(levels)-1]
		}
		if len(next.next) > 0 {
			levels = append(levels, next)
			u.held += int64(len(next.body))
			u.makeRoom(levels)
		}
	}
	return nil
}

// makeRoom forgets objects that are far from being needed. Their bytes are found again.
func (u *unpacker) makeRoom(levels []level) {
	for i := 0; i < len(levels)-1 && u.held > u.mostHeld; i++ {
		u.held -= int64(len(levels[i].body))
		levels[i].body = nil
	}
}

// apply makes an object of the next delta on another one.
func (u *unpacker) apply(on level) (level, error) {
	i := on.next[0]
	if on.depth >= deepestChain {
		return level{}, fmt.Errorf("%w: over %d deltas build on each other",
			packfile.ErrMalformedPackFile, deepestChain)
	}
	u.stored[i].base, u.stored[i].kind = on.object, u.stored[on.object].kind
	body, err := u.patched(i, on.body)
	if err != nil {
		return level{}, err
	}
	u.stored[i].name = plumbing.ComputeHash(u.stored[i].kind, body)
	return level{i, body, u.waiting(i), on.depth + 1}, nil
}

// patched makes an object of its delta and the bytes of its base.
func (u *unpacker) patched(i int, base []byte) ([]byte, error) {
	delta, err := u.raw(i)
	if err != nil {
		return nil, err
	}
	return packfile.PatchDelta(base, delta)
}

// raw reads an object as it is stored.
func (u *unpacker) raw(i int) ([]byte, error) {
	header, err := u.scanner.SeekObjectHeader(u.stored[i].offset)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(header.Length)) // within the bounds, as it was read before
	_, _, err = u.content(header.Length, &b)
	return b.Bytes(), err
}

// body reads an object whose base, and the base of that, are known.
func (u *unpacker) body(i int) ([]byte, error) {
	chain := []int{i}
	for u.stored[i].base >= 0 {
		i = u.stored[i].base
		chain = append(chain, i)
	}
	body, err := u.ground(i)
	for _, delta := range slices.Backward(chain[:len(chain)-1]) {
		if err != nil {
			return nil, err
		}
		body, err = u.patched(delta, body)
	}
	return body, err
}

// ground reads an object that is no delta, of the pack or of the store.
func (u *unpacker) ground(i int) ([]byte, error) {
	if u.stored[i].offset >= 0 {
		return u.raw(i)
	}
	object, err := u.store.objects.EncodedObject(plumbing.AnyObject, u.stored[i].name)
	if err != nil {
		return nil, err
	}
	reader, err := object.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return io.ReadAll(reader)
}

// index lists where every object of the pack is.
func (u *unpacker) index() (*idxfile.MemoryIndex, error) {
	writer := new(idxfile.Writer)
	if err := writer.OnHeader(uint32(len(u.stored))); err != nil {
		return nil, err
	}
	for _, one := range u.stored {
		if one.offset >= 0 {
			writer.Add(one.name, uint64(one.offset), one.crc)
		}
	}
	if err := writer.OnFooter(u.sum); err != nil {
		return nil, err
	}
	return writer.Index()
}
