package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// columns are those of both tables of records. The header is one more record,
// outside the tally that it carries. Values are any bytes; as text the driver
// copies them once each way.
const columns = ` (
	class TEXT NOT NULL,
	key   TEXT NOT NULL,
	value TEXT NOT NULL,
	sum   INTEGER NOT NULL,
	PRIMARY KEY (class, key)
)`

// schema holds records in the order of their keys, without a second index that
// could disagree with them. Where a row is longer than a page takes, SQLite copies
// all of it to compare its key, so classes of long records have a table with an
// index: what that does not find, or finds elsewhere, check and the tally show.
const (
	schema     = `CREATE TABLE record` + columns + ` WITHOUT ROWID`
	schemaLong = `CREATE TABLE long` + columns
)

// table returns the name of the table that holds the records of a class.
func (c class) table() string {
	switch c {
	case classBody, classOperations, classReport, classMirror:
		return "long"
	}
	return "record"
}

const classHeader class = "header"

// headerRecord is the header as it is stored.
type headerRecord struct {
	Lineage  string `json:"lineage"`
	Serial   int64  `json:"serial"`
	Account  string `json:"account,omitzero"`
	Currency string `json:"currency,omitzero"`
	TimeZone string `json:"time_zone,omitzero"`
	Rows     int64  `json:"rows"`
	Digest   string `json:"digest"`
}

// database keeps records in a SQLite file, over one connection.
type database struct {
	pool    *sql.DB
	conn    *sql.Conn
	tables  map[string]*table
	summer  summer
	mark    *mark    // nil while the file is being made
	place   *place   // nil with mark
	entries *entries // nil with mark
	logged  int      // pages that may be in the log, counted high
}

// table is what is asked of one table of records.
type table struct{ lookup, upsert, delete *sql.Stmt }

// mode is how a database is opened.
type mode string

const (
	writeMode  mode = "rw"
	readMode   mode = "ro"
	frozenMode mode = "ro, and nobody writes it"
)

// openDatabase opens a file that is there.
func openDatabase(ctx context.Context, path string, m mode) (*database, error) {
	pool, err := sql.Open("sqlite", dataSource(path, m))
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	d := &database{pool: pool}
	if d.conn, err = pool.Conn(ctx); err != nil {
		return nil, errors.Join(translate(err), pool.Close())
	}
	return d, nil
}

// dataSource asks for a write-ahead log and for an fsync before every commit
// returns; the fsync of macOS that reaches the disk is on as well.
func dataSource(path string, m mode) string {
	query := url.Values{"mode": {"ro"}, "_defensive": {"1"}, "_error_rc": {"1"}}
	switch m {
	case writeMode:
		query.Set("mode", "rw")
		query.Set("_txlock", "immediate")
	case frozenMode:
		query.Set("immutable", "1")
	}
	query["_pragma"] = []string{"busy_timeout(5000)",
		"synchronous(FULL)", "fullfsync(1)", "checkpoint_fullfsync(1)", "wal_autocheckpoint(0)", "cache_size(-8000)"}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// prepare makes the database ready to be written.
func (d *database) prepare(ctx context.Context) error {
	d.tables = map[string]*table{}
	for _, name := range []string{"record", "long"} {
		t := &table{}
		d.tables[name] = t
		for into, text := range map[**sql.Stmt]string{
			&t.lookup: `SELECT value, sum FROM ` + name + ` WHERE class = ? AND key = ?`,
			&t.upsert: `INSERT INTO ` +
				name + ` VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, sum = excluded.sum`,
			&t.delete: `DELETE FROM ` + name + ` WHERE class = ? AND key = ?`,
		} {
			statement, err := d.conn.PrepareContext(ctx, text)
			if err != nil {
				return translate(err)
			}
			*into = statement
		}
	}
	return nil
}

func (d *database) read(r record) (string, error) {
	var value string
	var sum int64
	err := d.tables[r.class.table()].lookup.QueryRow(string(r.class), r.key).Scan(&value, &sum)
	if errors.Is(err, sql.ErrNoRows) {
		return "", unreadable(r)
	}
	if err != nil {
		return "", unscannable(err)
	}
	return value, d.check(r, value, sum)
}

// check proves that a value is what was written.
func (d *database) check(r record, value string, sum int64) error {
	if d.summer.sum(r, value) != uint64(sum) {
		return fmt.Errorf("%w: record %s %q has another check sum; %s", ErrDamaged, r.class, r.key, restore)
	}
	return nil
}

func (d *database) each(c class, visit func(key, value string) error) error {
	rows, err := d.conn.QueryContext(context.Background(),
		`SELECT key, value, sum FROM `+c.table()+` WHERE class = ? ORDER BY key`, string(c))
	if err != nil {
		return translate(err)
	}
	defer rows.Close()
	var key, value string // of one row after the other: a state has as many as resources
	var sum int64
	for into := []any{&key, &value, &sum}; rows.Next(); {
		if err := rows.Scan(into...); err != nil {
			return unscannable(err)
		}
		if err := d.check(record{c, key}, value, sum); err != nil {
			return err
		}
		if err := visit(key, value); err != nil {
			return err
		}
	}
	return translate(rows.Err())
}

// commit writes in one transaction and then raises the mark beside the file.
func (d *database) commit(h Header, t tally, writes []write) error {
	ctx := context.Background()
	header, err := d.headerWrite(h, t)
	if err != nil {
		return err
	}
	tx, err := d.conn.BeginTx(ctx, nil)
	if err != nil {
		return translate(err)
	}
	// of what was not committed, also where it breaks off: an open transaction keeps the file from being closed
	defer tx.Rollback()
	slices.SortFunc(writes, write.compare)
	if err := d.writeAll(tx, append(writes, header)); err != nil {
		return translate(err)
	}
	if err := tx.Commit(); err != nil {
		return translate(err)
	}
	if d.mark == nil {
		return nil
	}
	if err := d.entries.sync(); err != nil {
		return err
	}
	if err := d.mark.raise(h.Serial); err != nil {
		return err
	}
	if err := d.checkpoint(ctx, writes); err != nil {
		return err
	}
	return d.place.check()
}

func (d *database) writeAll(tx *sql.Tx, writes []write) error {
	in := map[string]table{}
	for name, t := range d.tables {
		in[name] = table{upsert: tx.Stmt(t.upsert), delete: tx.Stmt(t.delete)}
	}
	for _, w := range writes {
		var err error
		if t := in[w.class.table()]; w.remove {
			_, err = t.delete.Exec(string(w.class), w.key)
		} else {
			_, err = t.upsert.Exec(string(w.class), w.key, w.value, int64(w.sum))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *database) headerWrite(h Header, t tally) (write, error) {
	value, err := json.Marshal(headerRecord{
		h.Lineage, h.Serial, h.Account.ID, h.Account.Currency, h.Account.TimeZone,
		t.rows, strconv.FormatUint(t.digest, 16),
	})
	r := record{classHeader, ""}
	return write{record: r, value: string(value), sum: d.summer.sum(r, string(value))}, err
}

// owned is never an error: a lock keeps other processes away.
func (d *database) owned() error { return nil }

// close ends the statements first: SQLite keeps a connection, and its log, for
// as long as one is left.
func (d *database) close() error {
	var failed []error
	for _, t := range d.tables {
		for _, s := range []*sql.Stmt{t.lookup, t.upsert, t.delete} {
			if s != nil {
				failed = append(failed, s.Close())
			}
		}
	}
	failed = append(failed, d.conn.Close(), d.pool.Close())
	if d.mark != nil {
		failed = append(failed, d.mark.close())
	}
	if d.entries != nil {
		failed = append(failed, d.entries.close())
	}
	return errors.Join(failed...)
}

// unscannable returns which of our errors a row is that cannot be read: a value of
// another type than it was written with is damage.
func unscannable(err error) error {
	if _, ok := errors.AsType[*sqlite.Error](err); ok ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return translate(err)
	}
	return fmt.Errorf("%w: %w; %s", ErrDamaged, err, restore)
}

// translate returns which of our errors an error of SQLite is.
func translate(err error) error {
	failure, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch failure.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB,
		sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR:
		return fmt.Errorf("%w: %w; %s", ErrDamaged, err, restore)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return err
}
