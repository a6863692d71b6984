package gitstore

import (
	"bufio"
	"compress/zlib"
	"crypto"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/hash"
)

// complete puts what a thin pack builds on into the pack itself, as git's index-pack
// does: no pack of the store needs another one.
func (u *unpacker) complete() error {
	inside := map[plumbing.Hash]bool{}
	for _, one := range u.stored {
		if one.offset >= 0 {
			inside[one.name] = true
		}
	}
	end, added := u.size-sumBytes, 0
	for _, i := range u.borrowed {
		if inside[u.stored[i].name] {
			continue // it came along, as a delta on something else that was borrowed
		}
		if end > u.limits.PackBytes {
			return errTooLarge
		}
		body, err := u.ground(i)
		if err != nil {
			return err
		}
		u.stored[i].offset = end
		if end, u.stored[i].crc, err = appendObject(u.pack, end, u.stored[i].kind, body); err != nil {
			return err
		}
		added++
	}
	if added == 0 {
		return nil
	}
	return u.seal(end, added)
}

// sumBytes is the length of the sum that ends a pack.
const sumBytes = 20

// appendObject writes an object as a pack has it, and returns where it ends.
func appendObject(pack io.WriterAt, at int64, kind plumbing.ObjectType,
	body []byte) (end int64, crc uint32, err error) {
	sum := crc32.NewIEEE()
	place := io.NewOffsetWriter(pack, at)
	out := bufio.NewWriter(io.MultiWriter(place, sum))
	_, err = out.Write(objectHead(kind, int64(len(body))))
	if err != nil {
		return 0, 0, err
	}
	squeezed := zlib.NewWriter(out)
	_, err = squeezed.Write(body)
	if err = errors.Join(err, squeezed.Close(), out.Flush()); err != nil {
		return 0, 0, err
	}
	end, err = place.Seek(0, io.SeekCurrent)
	return at + end, sum.Sum32(), err
}

// seal writes how many objects a pack has, and its sum, after some were added.
func (u *unpacker) seal(end int64, added int) error {
	count := make([]byte, 4)
	if _, err := u.pack.ReadAt(count, 8); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(count, binary.BigEndian.Uint32(count)+uint32(added))
	if _, err := u.pack.WriteAt(count, 8); err != nil {
		return err
	}
	sum, err := sumOf(u.pack, end)
	if err != nil {
		return err
	}
	u.sum = sum
	if _, err := u.pack.WriteAt(sum[:], end); err != nil {
		return err
	}
	return u.pack.Truncate(end + sumBytes)
}

// sumOf is the sum of a pack up to its end.
func sumOf(pack *os.File, end int64) (sum plumbing.Hash, err error) {
	whole := hash.New(crypto.SHA1)
	if _, err := io.Copy(whole, io.NewSectionReader(pack, 0, end)); err != nil {
		return sum, err
	}
	copy(sum[:], whole.Sum(nil))
	return sum, nil
}
