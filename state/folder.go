package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The files of a state's folder.
const (
	databaseName = "state.db"
	markName     = "lineage"
	lockName     = "lock"
	probeName    = "probe"
	placeName    = "place"
)

// folder is the absolute path of a state's folder.
type folder string

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// Open opens the state in a folder for one process, and makes both where there
// is nothing yet. It is ErrLocked while another process has it open, and
// ErrUnusable where the folder cannot be written durably.
func Open(ctx context.Context, dir string, o Options) (Store, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open state %s: %w", dir, err)
	}
	l, err := folder(path).open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open state %s: %w", dir, err)
	}
	return l, nil
}

func (f folder) open(ctx context.Context, o Options) (opened *held, err error) {
	lock, err := f.take(o)
	if err != nil {
		return nil, err
	}
	defer func() { // also where it breaks off: this process may go on with other work
		if opened == nil {
			err = errors.Join(err, unlock(lock))
		}
	}()
	l, err := f.openLocked(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.here(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &held{newStore(l), lock}, nil
}

// take makes the folder and locks it for this process.
func (f folder) take(o Options) (*os.File, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if err := f.plain(); err != nil {
		return nil, err
	}
	return lock(f.path(lockName), o)
}

// held is a store whose folder is locked until it is closed.
type held struct {
	*store
	lock *os.File
}

// Close returns the folder back.
func (h *held) Close() (err error) {
	defer func() { err = errors.Join(err, unlock(h.lock)) }()
	return h.store.Close()
}

func (f folder) openLocked(ctx context.Context, o Options) (*ledger, error) {
	if err := f.selfTest(); err != nil {
		return nil, err
	}
	there, err := f.exists()
	if err != nil {
		return nil, err
	}
	if !there {
		if err := f.create(ctx, o); err != nil {
			return nil, err
		}
	}
	f.warnIfOpen(o)
	return f.openExisting(ctx, o)
}

// exists reports whether the folder holds a state. What holds a part of one has
// lost the rest.
func (f folder) exists() (bool, error) {
	if f.has(databaseName) {
		return true, nil
	}
	for _, part := range []string{markName, databaseName + "-wal"} {
		if f.has(part) {
			return false, fmt.Errorf("%w: %s is gone, and %s says that it was there; %s",
				ErrLost, f.path(databaseName), part, restore)
		}
	}
	return false, nil
}

func (f folder) has(name string) bool {
	_, err := os.Lstat(f.path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

func (f folder) openExisting(ctx context.Context, o Options) (*ledger, error) {
	c := newContents()
	err := f.load(ctx, &c, true, func(r record, value string, sum uint64) { c.note(r, sum, len(value)) })
	if err != nil {
		return nil, err
	}
	if err := f.ensureMark(c.header); err != nil {
		return nil, err
	}
	entries, err := openEntries(string(f))
	if err != nil {
		return nil, err
	}
	d, err := openDatabase(ctx, f.path(databaseName), writeMode)
	if err != nil {
		return nil, errors.Join(err, entries.close())
	}
	d.entries = entries
	err = d.upgrade(ctx, c.header.Format)
	if err == nil {
		err = d.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	c.header.Format = formatVersion
	if d.mark, err = openMark(f.path(markName), c.header.Lineage); err != nil {
		return nil, errors.Join(err, d.close())
	}
	d.place = newPlace(f.path(databaseName), f.path(databaseName+"-wal"), f.path(markName), f.path(lockName))
	return newLedger(d, c, o), nil
}

// load reads the mark, then the database: a commit in between only puts the
// database ahead.
func (f folder) load(ctx context.Context, c *contents, deep bool, keep keeper) error {
	mark, marked, err := readMark(f.path(markName))
	if err != nil {
		return err
	}
	began := int64(1)
	c.header, err = load(ctx, f.path(databaseName), deep, func(r record, value string, sum uint64) {
		if r == beganRecord {
			began = lastBegan(value)
		}
		keep(r, value, sum)
	})
	if err != nil {
		return err
	}
	switch h := c.header; {
	case !marked && h.Serial == began:
		return nil
	case !marked:
		return fmt.Errorf("%w: %s is gone, so nobody can say whether the state is whole; %s",
			ErrDamaged, f.path(markName), restore)
	case mark.lineage != h.Lineage:
		return fmt.Errorf("%w: %s is of lineage %s, the folder of %s; put back the file that belongs here",
			ErrForeign, databaseName, h.Lineage, mark.lineage)
	case mark.serial > h.Serial:
		return fmt.Errorf("%w: it ends at commit %d, and commit %d was made; %s",
			ErrLost, h.Serial, mark.serial, restore)
	}
	return nil
}

// ensureMark ends a creation that was cut short before anything was recorded.
func (f folder) ensureMark(h Header) error {
	if f.has(markName) {
		return nil
	}
	return createMark(string(f), f.path(markName), position{h.Lineage, h.Serial})
}

// OpenReadOnly returns the state in a folder as it is now, without a lock: a run
// that applies at the same time is not disturbed, and not seen. A folder that
// is not there is an empty state.
func OpenReadOnly(ctx context.Context, dir string) (Store, error) {
	path, err := filepath.Abs(dir)
	if err == nil {
		var l *ledger
		if l, err = folder(path).readOnly(ctx); err == nil {
			return newStore(l), nil
		}
	}
	return nil, fmt.Errorf("open state %s: %w", dir, err)
}

func (f folder) readOnly(ctx context.Context) (*ledger, error) {
	m := memory{}
	c := newContents()
	c.header = Header{Format: formatVersion}
	if err := f.plain(); err != nil {
		return nil, err
	}
	there, err := f.exists()
	if err != nil {
		return nil, err
	}
	if there {
		err = f.load(ctx, &c, false, func(r record, value string, sum uint64) {
			c.note(r, sum, len(value))
			m.apply(write{record: r, value: value})
		})
	}
	if err != nil {
		return nil, err
	}
	l := newLedger(m, c, Options{})
	l.readOnly = true
	return l, l.here()
}

// plain refuses a folder in which one of the state's files is something else: a
// link that a commit or another user put there would have adsync empty the file
// it leads to, and a pipe would keep it waiting for ever.
func (f folder) plain() error {
	for _, name := range []string{
		lockName, markName, probeName, placeName, databaseName,
		databaseName + "-wal", databaseName + "-shm", databaseName + "-journal",
		databaseName + ".new", markName + ".new",
	} {
		about, err := os.Lstat(f.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnusable, err)
		}
		if !about.Mode().IsRegular() {
			return fmt.Errorf("%w: %s is no file of adsync's but %s; see who put it there, and take it away",
				ErrUnusable, f.path(name), described(about.Mode()))
		}
	}
	return nil
}

func described(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a link to another place"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m.IsDir():
		return "a folder"
	}
	return "something special"
}
