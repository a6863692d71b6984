package state

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"adsync/state/kv"
)

// pageSize is the database's, in bytes: a page holds about ten resources.
const pageSize = 8192

// create makes the database of a new state.
func (f folder) create(ctx context.Context, o Options) error {
	lineage, err := o.lineage()
	if err != nil {
		return err
	}
	return f.fill(ctx, Header{Format: formatVersion, Lineage: lineage, Serial: 1}, tally{}, nil)
}

// fill makes a database with records under another name and gives it its own once
// it is whole, then the mark. Whatever is cut short is begun again.
func (f folder) fill(ctx context.Context, h Header, t tally, writes []write) error {
	draft := f.path(databaseName + ".new")
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(draft + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", ErrUnusable, err)
		}
	}
	if err := makeDatabase(ctx, draft, h, t, writes); err != nil {
		return err
	}
	if f.has(databaseName + ".new-wal") { // SQLite says nothing where its last checkpoint fails
		return fmt.Errorf("%w: %s could not be made durable", ErrUnusable, draft)
	}
	if err := rename(string(f), draft, f.path(databaseName)); err != nil {
		return err
	}
	return createMark(string(f), f.path(markName), position{h.Lineage, h.Serial})
}

func makeDatabase(ctx context.Context, path string, h Header, t tally, writes []write) error {
	// SQLite returns its other files the permissions of this one.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	d, err := openDatabase(ctx, path, writeMode)
	if err != nil {
		return err
	}
	return errors.Join(d.fillNew(ctx, h, t, writes), d.close())
}

func (d *database) fillNew(ctx context.Context, h Header, t tally, writes []write) error {
	for _, statement := range []string{
		fmt.Sprintf(`PRAGMA page_size = %d`, pageSize),
		`PRAGMA journal_mode = WAL`,
		schema,
		schemaLong,
		fmt.Sprintf(`PRAGMA user_version = %d`, h.Format),
	} {
		if _, err := d.conn.ExecContext(ctx, statement); err != nil {
			return translate(err)
		}
	}
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.commit(h, t, writes)
}

// selfTest does once what every commit relies on, so that a file system that
// cannot keep a promise is found before one is made.
func (f folder) selfTest() error { return f.try(probeName) }

// Try does in a folder what every commit relies on, and leaves nothing behind: beside
// whoever holds a state there. Its error wraps [ErrUnusable].
func Try(dir string) error { return folder(dir).try(fmt.Sprintf("%s-%d", probeName, os.Getpid())) }

func (f folder) try(name string) error {
	probe := f.path(name)
	if err := writeFile(string(f), probe, []byte("adsync\n")); err != nil {
		return err
	}
	if err := os.Remove(probe); err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return nil
}

// writeFile makes a file durable under its name: whole, or not there.
func writeFile(dir, path string, content []byte) error {
	draft := path + ".new"
	file, err := os.OpenFile(draft, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, errors.Join(err, os.Remove(draft)))
	}
	return rename(dir, draft, path)
}

// rename is durable when it returns.
func rename(dir, from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return nil
}

// warnIfOpen returns when others could read the state.
func (f folder) warnIfOpen(o Options) {
	if o.Log == nil {
		return
	}
	for _, name := range []string{".", databaseName, markName, lockName} {
		path := f.path(name)
		if at, err := os.Stat(path); err == nil && at.Mode().Perm()&0o077 != 0 {
			o.Log.Warn("state can be read by others; take their permissions away",
				slog.String("path", path), slog.String("mode", at.Mode().Perm().String()))
		}
	}
}

// WritableByOthers returns what of the state in a folder others than its owner may
// write, with its mode: who writes there decides what adsync sends. It opens
// nothing.
func WritableByOthers(dir string) []string {
	f := folder(dir)
	var open []string
	for _, name := range []string{".", databaseName, markName, lockName} {
		if at, err := os.Stat(f.path(name)); err == nil && at.Mode().Perm()&0o022 != 0 {
			open = append(open, fmt.Sprintf("%s (%04o)", filepath.Clean(f.path(name)), at.Mode().Perm()))
		}
	}
	return open
}

// upgrades bring a state from the format of their index plus one to the next.
// They only go forward: an older adsync refuses what a newer one has written.
var upgrades = [...]string{
	// Format 2 keeps reports of runs beside them, in records of their own. What is
	// there stays as it is; an older adsync would drop runs and keep their reports.
	``,
	// Format 3 has a table of its own for classes of long records.
	schemaLong + `; INSERT INTO long SELECT * FROM record WHERE class IN ('body', 'operations', 'report', 'mirror');
		DELETE FROM record WHERE class IN ('body', 'operations', 'report', 'mirror')`,
	// Format 4 remembers which consents were used. An older adsync would take no notice
	// of that, and have them used again.
	``,
	// Format 5 can be closed, as it was copied elsewhere. An older adsync would go on with it.
	``,
}

// upgrade takes the file to this program's format, in one transaction.
func (d *database) upgrade(ctx context.Context, from int) error {
	if from == formatVersion {
		return nil
	}
	tx, err := d.conn.BeginTx(ctx, nil)
	if err != nil {
		return translate(err)
	}
	defer tx.Rollback()
	for _, statement := range append(upgrades[from-1:], fmt.Sprintf(`PRAGMA user_version = %d`, formatVersion)) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return translate(err)
		}
	}
	return translate(tx.Commit())
}

// sealKeyName is the key that seals what leaves the state and comes back, such as a saved
// plan.
const sealKeyName = "seal-key"

// sealKeyBytes is how long the key is.
const sealKeyBytes = 32

// SealKey returns the key that is kept beside a state. Where there is none one is made if
// it may be, and else it is fs.ErrNotExist. Two processes that make it at the same time get
// the same one.
func SealKey(beside kv.Store, mayMake bool) ([]byte, error) {
	var fresh []byte
	if mayMake {
		fresh = make([]byte, sealKeyBytes)
		_, _ = rand.Read(fresh) // never fails
	}
	key, err := beside.Secret(sealKeyName, fresh)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	case len(key) != sealKeyBytes:
		return nil, fmt.Errorf("%w: %s has %d bytes; want %d: put back the file, or remove it and save plans again",
			ErrDamaged, beside.Where(sealKeyName), len(key), sealKeyBytes)
	}
	return key, nil
}
