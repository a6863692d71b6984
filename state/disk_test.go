package state

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"adsync/internal/testing/syscalls"
)

// sector is what a disk writes whole.
const sector = 512

// disk is a folder as its file system holds it: what was made durable, and what
// may or may not be there after a power cut.
type disk struct {
	names   map[string]*inode // durable
	pending []func(map[string]*inode)
	now     map[string]*inode
}

type inode struct {
	durable []byte
	now     []byte
	pending []func([]byte) []byte // writes by sector, and cuts
}

func newDisk() *disk { return &disk{names: map[string]*inode{}, now: map[string]*inode{}} }

// apply carries out a call on the folder.
func (d *disk) apply(c syscalls.Call) {
	name := filepath.Base(c.Path)
	switch c.Name {
	case "open", "openat":
		if d.now[name] == nil && c.Creates {
			d.rename(func(names map[string]*inode, made *inode) { names[name] = made }, &inode{})
		}
		if n := d.now[name]; n != nil && c.Empties {
			n.cut(0)
		}
	case "rename", "renameat", "renameat2":
		to := filepath.Base(c.To)
		d.rename(func(names map[string]*inode, n *inode) { delete(names, name); names[to] = n }, d.now[name])
	case "unlink", "unlinkat":
		d.rename(func(names map[string]*inode, _ *inode) { delete(names, name) }, nil)
	case "write", "pwrite64":
		if n := d.now[name]; n != nil {
			n.write(c.Data, c.Offset)
		}
	case "ftruncate":
		if n := d.now[name]; n != nil {
			n.cut(c.Size)
		}
	case "fsync", "fdatasync":
		d.sync(name)
	}
}

// sync makes a file durable, or, under any other name, the folder itself.
func (d *disk) sync(name string) {
	if n := d.now[name]; n != nil {
		n.durable, n.pending = slices.Clone(n.now), nil
		return
	}
	d.names, d.pending = maps.Clone(d.now), nil
}

func (d *disk) rename(do func(map[string]*inode, *inode), n *inode) {
	change := func(names map[string]*inode) { do(names, n) }
	change(d.now)
	d.pending = append(d.pending, change)
}

func (n *inode) write(data []byte, offset int64) {
	if offset < 0 { // adsync writes such a file once, from its beginning
		offset = int64(len(n.now))
	}
	for len(data) > 0 {
		length := min(int64(len(data)), sector-offset%sector)
		part, at := data[:length], offset
		n.change(func(to []byte) []byte { return overlay(to, part, at) })
		data, offset = data[length:], offset+length
	}
}

func (n *inode) change(do func([]byte) []byte) {
	n.now = do(n.now)
	n.pending = append(n.pending, do)
}

func overlay(to, part []byte, at int64) []byte {
	if end := at + int64(len(part)); int64(len(to)) < end {
		to = append(to, make([]byte, end-int64(len(to)))...)
	}
	copy(to[at:], part)
	return to
}

func (n *inode) cut(size int64) {
	n.change(func(to []byte) []byte {
		if int64(len(to)) >= size {
			return to[:size]
		}
		return append(to, make([]byte, size-int64(len(to)))...)
	})
}

// survival says which of what is not durable a power cut leaves.
type survival string

const (
	allStays  survival = "everything stays"
	noneStays survival = "nothing stays"
	someStays survival = "some sectors stay"
)

// cutPower lays out the folder as it may be found afterwards. Names change in
// their order, as a file system with a journal keeps them; sectors in any.
func (d *disk) cutPower(t *testing.T, dir string, how survival, random *rand.Rand) {
	t.Helper()
	names := maps.Clone(d.names)
	kept := map[survival]int{allStays: len(d.pending), someStays: random.IntN(len(d.pending) + 1)}[how]
	for _, change := range d.pending[:kept] {
		change(names)
	}
	must(t, os.RemoveAll(dir))
	must(t, os.MkdirAll(dir, 0o700))
	for name, n := range names {
		if n == nil {
			continue
		}
		content := slices.Clone(n.durable)
		for _, change := range n.pending {
			if how == allStays || how == someStays && random.IntN(2) == 0 {
				content = change(content)
			}
		}
		must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
}
