package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// keeper is given each record that was proved.
type keeper func(r record, value string, sum uint64)

// load reads every record of the file once and proves that they are all there
// and as they were written. It opens the file for reading only, so that what is
// damaged stays as it was found.
func load(ctx context.Context, path string, deep bool, keep keeper) (Header, error) {
	if err := checkSize(path); err != nil {
		return Header{}, err
	}
	h, err := loadAs(ctx, path, readMode, deep, keep)
	if failure, ok := errors.AsType[*sqlite.Error](err); ok && failure.Code()&0xff == sqlite3.SQLITE_CANTOPEN {
		// A file system that is read-only has no room for SQLite's other files.
		// Where there is no log, the file alone is the state.
		if _, err := os.Lstat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
			return loadAs(ctx, path, frozenMode, deep, keep)
		}
	}
	return h, err
}

func loadAs(ctx context.Context, path string, m mode, deep bool, keep keeper) (Header, error) {
	d, err := openDatabase(ctx, path, m)
	if err != nil {
		return Header{}, err
	}
	defer d.close()
	tx, err := d.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return Header{}, translate(err)
	}
	defer tx.Rollback()
	format, err := d.checkFile(ctx, tx, deep)
	if err != nil {
		return Header{}, err
	}
	header, err := d.checkRecords(ctx, tx, format, keep)
	header.Format = format
	return header, err
}

// checkSize finds a file that lost everything. SQLite takes it for a new one and
// deletes the log beside it, which may hold what can be saved.
func checkSize(path string) error {
	at, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if at.Size() < pageSize {
		return fmt.Errorf("%w: %s has %d bytes; %s", ErrDamaged, path, at.Size(), restore)
	}
	return nil
}

// checkFile looks at the file as SQLite sees it. Deep also walks its pages and its
// index: a page that is in use twice, or a row that the index does not have, would
// only hurt once something is written.
func (d *database) checkFile(ctx context.Context, tx *sql.Tx, deep bool) (format int, err error) {
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&format); err != nil {
		return 0, translate(err)
	}
	if format > formatVersion {
		return 0, fmt.Errorf("%w: its format is %d; want at most %d: use the adsync that wrote it, or a newer one",
			ErrNewer, format, formatVersion)
	}
	if format < 1 {
		return 0, fmt.Errorf("%w: its format is %d; %s", ErrDamaged, format, restore)
	}
	if !deep {
		return format, nil
	}
	var verdict string
	if err := tx.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict); err != nil {
		return 0, translate(err)
	}
	if verdict != "ok" {
		return 0, fmt.Errorf("%w: %s; %s", ErrDamaged, verdict, restore)
	}
	return format, nil
}

func (d *database) checkRecords(ctx context.Context, tx *sql.Tx, format int, keep keeper) (Header, error) {
	all := `SELECT class, key, value, sum FROM record`
	if format >= 3 {
		all += ` UNION ALL SELECT class, key, value, sum FROM long`
	}
	rows, err := tx.QueryContext(ctx, all)
	if err != nil {
		return Header{}, translate(err)
	}
	defer rows.Close()
	var header headerRecord
	var found tally
	var r record // one after the other: a state has as many as resources
	var value string
	var sum int64
	for into := []any{&r.class, &r.key, &value, &sum}; rows.Next(); {
		if err := rows.Scan(into...); err != nil {
			return Header{}, unscannable(err)
		}
		if err := d.check(r, value, sum); err != nil {
			return Header{}, err
		}
		if r.class == classHeader {
			if json.Unmarshal([]byte(value), &header) != nil {
				return Header{}, unreadable(r)
			}
			continue
		}
		found.add(uint64(sum))
		keep(r, value, uint64(sum))
	}
	if err := rows.Err(); err != nil {
		return Header{}, translate(err)
	}
	return header.of(found)
}

// of returns the header if the records found are the ones it speaks of.
func (h headerRecord) of(found tally) (Header, error) {
	switch {
	case h.Lineage == "" || h.Serial == 0:
		return Header{}, fmt.Errorf("%w: it has no header; %s", ErrDamaged, restore)
	case h.Rows != found.rows || h.Digest != strconv.FormatUint(found.digest, 16):
		return Header{}, fmt.Errorf("%w: it holds %d records that are not the %d of its header; %s",
			ErrDamaged, found.rows, h.Rows, restore)
	}
	return Header{Lineage: h.Lineage, Serial: h.Serial, Account: Account{h.Account, h.Currency, h.TimeZone}}, nil
}
