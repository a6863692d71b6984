package state

import (
	"context"
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
