package gitstore

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// patching reads large objects that git stores as deltas on the disk, where the library
// has what they build on in memory.
type patching struct {
	*filesystem.Storage
	store *Store
}

// EncodedObject returns an object whose content, where it is large, is read as it is made.
func (p patching) EncodedObject(kind plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	object, err := p.Storage.EncodedObject(kind, h)
	if err != nil || object.Size() < streamed {
		return object, err
	}
	stored, err := p.DeltaObject(plumbing.AnyObject, h)
	if err != nil {
		return nil, err
	}
	if _, is := stored.(plumbing.DeltaObject); !is {
		return object, nil
	}
	return patched{object, p}, nil
}

// patched is a large object that is stored as a delta.
type patched struct {
	plumbing.EncodedObject
	from patching
}

// Reader makes the object of what it builds on, one delta after the other, each in a file
// that goes away when it is closed.
func (o patched) Reader() (io.ReadCloser, error) {
	var deltas []plumbing.EncodedObject
	next := o.Hash()
	for len(deltas) <= deepestChain {
		stored, err := o.from.DeltaObject(plumbing.AnyObject, next)
		if err != nil {
			return nil, err
		}
		delta, is := stored.(plumbing.DeltaObject)
		if !is {
			return o.from.build(stored, deltas)
		}
		deltas = append(deltas, delta)
		next = delta.BaseHash()
	}
	return nil, fmt.Errorf("over %d deltas of object %s build on each other", deepestChain, o.Hash())
}

func (p patching) build(ground plumbing.EncodedObject, deltas []plumbing.EncodedObject) (io.ReadCloser, error) {
	content, err := ground.Reader()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	base, err := p.spill(func(out io.Writer) error { _, err := io.Copy(out, content); return err })
	for i := len(deltas) - 1; i >= 0 && err == nil; i-- {
		on := base
		base, err = p.spill(func(out io.Writer) error { return patchFile(on, deltas[i], out) })
		on.Close()
	}
	if err != nil {
		return nil, err
	}
	return base, nil
}

// spill writes a file that has no name any more, and gives it at its beginning.
func (p patching) spill(fill func(io.Writer) error) (*os.File, error) {
	file, err := p.store.create(filepath.Join(p.store.Dir(), "objects", "pack"), scratchPrefix)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	if err = os.Remove(file.Name()); err == nil {
		err = fill(out)
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// patchFile makes an object of what it builds on and a delta: copies of the base, and bytes
// of its own.
func patchFile(base *os.File, delta plumbing.EncodedObject, out io.Writer) error {
	about, err := base.Stat()
	if err != nil {
		return err
	}
	content, err := delta.Reader()
	if err != nil {
		return err
	}
	defer content.Close()
	in := bufio.NewReader(content)
	damaged := fmt.Errorf("the delta of object %s is damaged", delta.Hash())
	from, err := readSize(in)
	if err != nil || from != about.Size() {
		return damaged
	}
	left, err := readSize(in)
	if err != nil {
		return damaged
	}
	buffer := make([]byte, 1<<16)
	for left > 0 {
		command, err := in.ReadByte()
		if err != nil {
			return damaged
		}
		part, size := io.Reader(in), int64(command)
		if command&0x80 != 0 {
			var at int64
			if at, size, err = readCopy(in, command); err != nil || at+size > from {
				return damaged
			}
			part = io.NewSectionReader(base, at, size)
		}
		if size == 0 || size > left {
			return damaged
		}
		n, err := io.CopyBuffer(plainWriter{out}, io.LimitReader(part, size), buffer)
		if err != nil {
			return err
		}
		if n != size {
			return damaged
		}
		left -= size
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return damaged
	}
	return nil
}

// plainWriter has no other way to be written to, which would take a buffer for each copy.
type plainWriter struct{ io.Writer }

// readSize reads a number of seven bits a byte.
func readSize(in io.ByteReader) (n int64, err error) {
	for shift := 0; shift < 56; shift += 7 {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("a size is beyond any bound")
}

// readCopy reads where a copy begins and how long it is: the bytes that a command names.
func readCopy(in io.ByteReader, command byte) (at, size int64, err error) {
	for i := range 7 {
		if command&(1<<i) == 0 {
			continue
		}
		b, err := in.ReadByte()
		if err != nil {
			return 0, 0, err
		}
		if i < 4 {
			at |= int64(b) << (8 * i)
		} else {
			size |= int64(b) << (8 * (i - 4))
		}
	}
	if size == 0 {
		size = 1 << 16
	}
	return at, size, nil
}
