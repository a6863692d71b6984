package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// SQLite says nothing where two of its calls fail: the fsync of the folder after
// it made its log, and the checkpoint it makes by itself. Both are done here as
// well, or instead, so that no commit is acknowledged whose log may be gone
// after a power cut.

// logPages is how many pages the log may hold before they are moved into the
// database: what SQLite does by itself at 1,000.
const logPages = 1000

// entries is the folder of an open database, held from before SQLite touches it:
// the kernel reports an error to everybody who had the folder open when it came,
// and to nobody who opened it later.
type entries struct {
	folder *os.File
	made   bool // what was made in the folder is durable
}

func openEntries(dir string) (*entries, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return &entries{folder: folder}, nil
}

// sync makes the name of the log durable, once: it is made by the first commit
// and stays until the database is closed.
func (e *entries) sync() error {
	if e.made {
		return nil
	}
	if err := e.folder.Sync(); err != nil {
		return fmt.Errorf("make %s durable: %w", e.folder.Name(), err)
	}
	e.made = true
	return nil
}

func (e *entries) close() error { return e.folder.Close() }

// checkpoint moves the log into the database once it may be long. A reader may
// keep a part of it back; that part goes with the next.
func (d *database) checkpoint(ctx context.Context, writes []write) error {
	d.logged += 2 // the header's, and one that is split
	for _, w := range writes {
		d.logged += 1 + len(w.value)/pageSize
	}
	if d.logged < logPages {
		return nil
	}
	var busy, pages, moved int
	if err := d.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`).Scan(&busy, &pages, &moved); err != nil {
		return translate(err)
	}
	d.logged = pages - moved
	return nil
}

// place is where the files of an open database have to stay. A file that is
// deleted, replaced or moved with its folder takes every write and keeps none of
// them under its name: what was acknowledged would be gone for the next run.
type place struct {
	names []string
	files map[string]fs.FileInfo
}

// newPlace notes which files are there. The log comes with the first commit.
func newPlace(names ...string) *place {
	p := &place{names, map[string]fs.FileInfo{}}
	for _, name := range names {
		if now, err := os.Stat(name); err == nil {
			p.files[name] = now
		}
	}
	return p
}

// check holds that every file is there under its name, and the one it was. It
// comes after a commit, when all of them are there.
func (p *place) check() error {
	for _, name := range p.names {
		now, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("%s went away while adsync had it open: %w", name, err)
		}
		if first := p.files[name]; first != nil && !os.SameFile(first, now) {
			return fmt.Errorf("%s is another file than the one adsync opened; somebody replaced it", name)
		}
		p.files[name] = now
	}
	return nil
}

// The mark is a small file beside the database that names the lineage and the
// serial of the last commit. It is raised after each commit without an fsync of
// its own: it may lag behind after a power cut and is never ahead. So a database
// that is gone, put back from a copy, or whose log lost its end is seen for what
// it is, and never taken for a new or a whole one.
//
// It has two slots, written in turn, so that a torn write leaves the other.

const slotSize = 512

// position is what a slot says.
type position struct {
	lineage string
	serial  int64
}

type mark struct {
	file    *os.File
	lineage string
}

func (p position) slot() []byte {
	text := fmt.Sprintf("adsync state %s serial %d ", p.lineage, p.serial)
	text += fmt.Sprintf("sum %016x\n", slotSum(text))
	return append([]byte(text), bytes.Repeat([]byte{' '}, slotSize-len(text))...)
}

func slotSum(text string) uint64 {
	return new(summer).sum(record{classHeader, "mark"}, text)
}

// parseSlot reads what slot wrote.
func parseSlot(b []byte) (position, bool) {
	var p position
	if _, err := fmt.Sscanf(string(b), "adsync state %s serial %d ", &p.lineage, &p.serial); err != nil {
		return position{}, false
	}
	return p, bytes.Equal(b, p.slot())
}

// readMark returns what the mark says; there is false where there is no file.
func readMark(path string) (p position, there bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return position{}, false, nil
	}
	if err != nil {
		return position{}, true, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	for ; len(b) >= slotSize; b = b[slotSize:] {
		if slot, ok := parseSlot(b[:slotSize]); ok && slot.serial > p.serial {
			p = slot
		}
	}
	if p.serial == 0 {
		return position{}, true, fmt.Errorf("%w: %s cannot be read; %s", ErrDamaged, path, restore)
	}
	return p, true, nil
}

// createMark writes a mark that is durable when it returns.
func createMark(dir, path string, p position) error {
	return writeFile(dir, path, append(p.slot(), p.slot()...))
}

func openMark(path, lineage string) (*mark, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return &mark{file, lineage}, nil
}

// raise reports whether a serial is durable.
func (m *mark) raise(serial int64) error {
	if _, err := m.file.WriteAt(position{m.lineage, serial}.slot(), serial%2*slotSize); err != nil {
		return fmt.Errorf("write %s: %w", m.file.Name(), err)
	}
	return nil
}

func (m *mark) close() error { return m.file.Close() }

// SerialOf returns how many commits the state in a folder has seen, 0 where there is
// none. It takes no lock, and reads one small file: whether a state is another by
// now costs nothing to ask.
func SerialOf(dir string) (int64, error) {
	if err := folder(dir).plain(); err != nil {
		return 0, err
	}
	mark, _, err := readMark(folder(dir).path(markName))
	return mark.serial, err
}
