package gitstore

import (
	"bufio"
	"compress/zlib"
	"crypto"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/hash"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// encode writes a pack. Objects that are crafted to break its maker off end the
// pack, and not the process.
func encode(write *io.PipeWriter, from storer.EncodedObjectStorer, hashes []plumbing.Hash) {
	defer func() {
		if cause := recover(); cause != nil {
			write.CloseWithError(fmt.Errorf("the objects cannot be packed: %T", cause))
		}
	}()
	write.CloseWithError(writePack(write, from, hashes))
}

// writePack writes one object after the other, so that neither all of them nor a large one
// has to be in memory. (go-git's own encoder opens all of them first.)
func writePack(to io.Writer, from storer.EncodedObjectStorer, hashes []plumbing.Hash) error {
	sum := hash.New(crypto.SHA1)
	out := bufio.NewWriterSize(io.MultiWriter(to, sum), 1<<16)
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(hashes)))
	if _, err := out.Write(head); err != nil {
		return err
	}
	squeezer := zlib.NewWriter(out)
	quick, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	if err != nil {
		return err
	}
	for _, h := range hashes {
		object, err := from.EncodedObject(plumbing.AnyObject, h)
		if err != nil {
			return err
		}
		by := squeezer
		if object.Size() >= streamed {
			by = quick
		}
		if err := writeObject(out, by, object); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = to.Write(sum.Sum(nil))
	return err
}

func writeObject(out *bufio.Writer, squeezer *zlib.Writer, object plumbing.EncodedObject) error {
	if _, err := out.Write(objectHead(object.Type(), object.Size())); err != nil {
		return err
	}
	content, err := object.Reader()
	if err != nil {
		return err
	}
	defer content.Close()
	squeezer.Reset(out)
	n, err := io.Copy(squeezer, content)
	if err = errors.Join(err, squeezer.Close()); err == nil && n != object.Size() {
		err = fmt.Errorf("object %s has %d bytes in place of %d", object.Hash(), n, object.Size())
	}
	return err
}

// objectHead is how an object begins in a pack: its type and size.
func objectHead(kind plumbing.ObjectType, size int64) []byte {
	var head []byte
	first := byte(kind)<<4 | byte(size&0x0f)
	for size >>= 4; size > 0; size >>= 7 {
		head = append(head, first|0x80)
		first = byte(size & 0x7f)
	}
	return append(head, first)
}
