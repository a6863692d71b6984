// Package store is the one place that commits what the emulator must not lose.
//
// Records are (bucket, key, value). Writers append batches in order; one
// goroutine commits everything that waits as one durable transaction, so many
// clients share the cost of one fsync. The package refuses a folder that another
// process has open, and after a failed commit it refuses everything.
// Its invariant: when Wait(seq) returns nil, every batch up to seq survives kill -9.
package store

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"modernc.org/sqlite"
)

// Write sets one record, or deletes it when Value is nil.
type Write struct {
	Bucket, Key string
	Value       []byte
}

// Store is a folder of records, or nothing but order when it lives in memory.
type Store struct {
	db *sql.DB // nil in memory

	mu       sync.Mutex
	wake     *sync.Cond
	pending  []Write
	appended int64 // batches given to Append
	durable  int64 // batches known to be on disk
	err      error // the first failed commit; final
	closed   bool
	done     chan struct{}
}

const (
	fileName      = "emulator.db"
	schemaVersion = 1
	sqliteBusy    = 5
)

// Open opens or creates the store in dir; dir "" keeps nothing on disk.
func Open(dir string) (*Store, error) {
	s := &Store{done: make(chan struct{})}
	s.wake = sync.NewCond(&s.mu)
	if dir == "" {
		close(s.done)
		return s, nil
	}
	db, err := openDB(dir)
	if err != nil {
		return nil, err
	}
	s.db = db
	go s.commitLoop()
	return s, nil
}

// openDB takes the folder for this process alone: the exclusive lock is the
// operating system's, so a killed process leaves none behind.
func openDB(dir string) (*sql.DB, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create data folder: %w", err)
	}
	path, err := filepath.Abs(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("name data folder %q: %w", dir, err)
	}
	if err := ownFile(path); err != nil {
		return nil, err
	}
	dsn := url.URL{
		Scheme: "file", Path: path,
		RawQuery: "_pragma=locking_mode(EXCLUSIVE)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)",
	}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if err := prepare(db); err != nil {
		return nil, errors.Join(explain(dir, err), db.Close())
	}
	return db, nil
}

// ownFile makes the file before the library does, so that nobody else can read it.
func ownFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	return f.Close()
}

func explain(dir string, err error) error {
	if se := (*sqlite.Error)(nil); errors.As(err, &se) && se.Code()&0xff == sqliteBusy {
		return fmt.Errorf("data folder %q is open in another process; want a folder of its own for each emulator", dir)
	}
	return fmt.Errorf("open data folder %q: %w", dir, err)
}

func prepare(db *sql.DB) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > schemaVersion {
		return fmt.Errorf("data folder has version %d; want at most %d", version, schemaVersion)
	}
	_, err := db.Exec(fmt.Sprintf(`
		CREATE TABLE IF NOT EXISTS records (
			bucket TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
			PRIMARY KEY (bucket, key)) WITHOUT ROWID;
		PRAGMA user_version = %d`, schemaVersion))
	return err
}

// Load calls each for every record of a bucket, by key. It is meant for the
// start, before anything is appended.
func (s *Store) Load(bucket string, each func(key string, value []byte) error) error {
	if s.db == nil {
		return nil
	}
	rows, err := s.db.Query("SELECT key, value FROM records WHERE bucket = ? ORDER BY key", bucket)
	if err != nil {
		return fmt.Errorf("load %s: %w", bucket, err)
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		var value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return fmt.Errorf("load %s: %w", bucket, err)
		}
		if err := each(key, value); err != nil {
			return fmt.Errorf("load %s %q: %w", bucket, key, err)
		}
	}
	return rows.Err()
}

// Append queues a batch after all earlier ones and returns its number, which
// Wait takes. A batch is committed whole or not at all. An empty batch returns
// the number of the last one.
func (s *Store) Append(batch []Write) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil || len(batch) == 0 {
		return s.appended
	}
	s.pending = append(s.pending, batch...)
	s.appended++
	s.wake.Broadcast()
	return s.appended
}

// Last is the number of the last batch appended.
func (s *Store) Last() int64 { return s.Append(nil) }

// Wait returns when every batch up to seq is on disk, or with the error that
// keeps it from getting there.
func (s *Store) Wait(seq int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.durable < seq && s.err == nil {
		s.wake.Wait()
	}
	if s.durable >= seq {
		return nil
	}
	return s.err
}

// Close commits what waits and releases the folder.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.wake.Broadcast()
	s.mu.Unlock()
	<-s.done
	if s.db == nil {
		return nil
	}
	return errors.Join(s.err, s.db.Close())
}

func (s *Store) commitLoop() {
	defer close(s.done)
	for {
		batch, seq, ok := s.next()
		if !ok {
			return
		}
		err := s.commit(batch)
		s.mu.Lock()
		if err != nil {
			s.err = fmt.Errorf("commit: %w", err)
		} else {
			s.durable = seq
		}
		s.wake.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// next waits for work; it reports false when the store is closed and nothing is left.
func (s *Store) next() ([]Write, int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) == 0 && !s.closed {
		s.wake.Wait()
	}
	batch := s.pending
	s.pending = nil
	return batch, s.appended, len(batch) > 0
}

func (s *Store) commit(batch []Write) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	if err := writeAll(tx, lastOfEach(batch)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// lastOfEach keeps the last write of every record, in key order, which is the
// order the tree likes best.
func lastOfEach(batch []Write) []Write {
	slices.SortStableFunc(batch, func(a, b Write) int {
		return cmp.Or(cmp.Compare(a.Bucket, b.Bucket), cmp.Compare(a.Key, b.Key))
	})
	kept := batch[:0]
	for i, w := range batch {
		if i+1 < len(batch) && batch[i+1].Bucket == w.Bucket && batch[i+1].Key == w.Key {
			continue
		}
		kept = append(kept, w)
	}
	return kept
}

func writeAll(tx *sql.Tx, batch []Write) error {
	put, err := tx.Prepare("INSERT OR REPLACE INTO records (bucket, key, value) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer put.Close()
	for _, w := range batch {
		if w.Value == nil {
			_, err = tx.Exec("DELETE FROM records WHERE bucket = ? AND key = ?", w.Bucket, w.Key)
		} else {
			_, err = put.Exec(w.Bucket, w.Key, w.Value)
		}
		if err != nil {
			return fmt.Errorf("write %s %q: %w", w.Bucket, w.Key, err)
		}
	}
	return nil
}
