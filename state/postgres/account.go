package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Head says which state an account has, and how far it has come.
type Head struct {
	Format   int
	Lineage  string
	Serial   int64
	BoundTo  string // id of the ad account, "" before it was bound
	Currency string
	TimeZone string
	Records  int64
	Digest   uint64
}

// Write puts a value in a record, or removes the record.
type Write struct {
	Class, Key, Value string
	Sum               uint64
	Remove            bool
}

// Account is the state of one account, held by this process until it is closed. It is used by one goroutine at a
// time.
type Account struct {
	database *Database
	name     string
	worker   int64
	token    int64
	head     Head
	taken    bool // from a process whose lease had ended, and that may have had something under way
	lost     bool // it may have less than was acknowledged, and nobody has accepted that
}

// Holder is who holds an account.
type Holder struct {
	Host    string
	PID     int
	Command string
	Version string
	Since   time.Time
	Ends    time.Time // of its lease, which a heartbeat puts off; zero is this process
}

// HeldError is errHeld with who it is.
type HeldError struct{ Holder Holder }

func (e *HeldError) Error() string {
	h := e.Holder
	text := fmt.Sprintf("process %d on %s since %s", h.PID, h.Host, h.Since.UTC().Format(time.RFC3339))
	if h.Command != "" {
		text += fmt.Sprintf(" (%s)", h.Command)
	}
	return text
}

func (e *HeldError) Unwrap() error { return errHeld }

// Claim takes the state of an account for this process, and makes it, with fresh, where there is none. It is errHeld
// while another process holds it, and ErrLost where the database has less than was acknowledged.
func (d *Database) Claim(ctx context.Context, name string, fresh Head) (*Account, error) {
	return d.claimHeld(ctx, name, fresh, false)
}

func (d *Database) claimHeld(ctx context.Context, name string, fresh Head, lost bool) (*Account, error) {
	if !d.holds.hold(name) {
		o := d.worker.options
		return nil, &HeldError{Holder{Host: o.Host, PID: o.PID, Command: o.Command, Version: o.Version, Since: o.Since}}
	}
	a, err := d.claim(ctx, name, fresh, lost)
	if err != nil {
		d.holds.letGo(name)
	}
	return a, err
}

func (d *Database) claim(ctx context.Context, name string, fresh Head, lost bool) (*Account, error) {
	id, err := d.worker.alive(ctx)
	if err != nil {
		return nil, err
	}
	a := &Account{database: d, name: name, worker: id, lost: lost}
	err = d.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if lost {
			return a.claim(ctx, tx)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO adsync.head (account, format, lineage, serial, cluster, timeline)
			VALUES ($1, $2, $3, $4, `+clusterNow+`, `+timelineNow+`) ON CONFLICT DO NOTHING`,
			name, fresh.Format, fresh.Lineage, fresh.Serial); err != nil {
			return err
		}
		return a.claim(ctx, tx)
	})
	if err != nil {
		if !errors.Is(err, errHeld) && !errors.Is(err, ErrLost) {
			d.holds.owe(name, id, err) // an answer was lost: the database may say that this process holds it
		}
		return nil, err
	}
	if !lost {
		d.known.know(name, durable{a.head.Serial, a.token})
	}
	return a, nil
}

// claim takes the head. Its row is locked first, so that the second question sees what an earlier claim did.
func (a *Account) claim(ctx context.Context, tx pgx.Tx) error {
	var owner *int64
	var at position
	var late bool // it was taken over lately
	err := tx.QueryRow(ctx, `SELECT worker, token, cluster, timeline,
			coalesce(taken > clock_timestamp() - $2::interval, false), `+headColumns+`
		FROM adsync.head WHERE account = $1 FOR UPDATE`, a.name, TakenLately).
		Scan(append([]any{&owner, &a.token, &at.cluster, &at.timeline, &late}, a.head.columns()...)...)
	if err != nil {
		return err
	}
	if owner != nil && *owner != a.worker { // this one's own it could not give back, as the line was cut
		if err := refuseHeld(ctx, tx, *owner); err != nil {
			return err
		}
		a.taken = true
	}
	over := a.taken
	a.taken = a.taken || late
	here := `, cluster = ` + clusterNow + `, timeline = ` + timelineNow
	if a.lost {
		here = "" // until it is accepted
	} else if err := a.database.refuseLost(ctx, tx, a.name, place{at, durable{a.head.Serial, a.token}}); err != nil {
		return err
	}
	a.token++
	_, err = tx.Exec(ctx, `UPDATE adsync.head SET token = $2, worker = $3,
			taken = CASE WHEN $4 THEN clock_timestamp() ELSE taken END`+here+` WHERE account = $1`,
		a.name, a.token, a.worker, over)
	return err
}

// refuseHeld is errHeld where the worker lives.
func refuseHeld(ctx context.Context, tx pgx.Tx, owner int64) error {
	h, lives, err := holder(ctx, tx, owner)
	if err == nil && lives {
		return &HeldError{h}
	}
	return err
}

// querier is a connection, a transaction or a pool.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func holder(ctx context.Context, q querier, worker int64) (h Holder, lives bool, err error) {
	err = q.QueryRow(ctx, `SELECT host, pid, command, version, since, ends, ends > clock_timestamp()
		FROM adsync.worker WHERE id = $1`, worker).
		Scan(&h.Host, &h.PID, &h.Command, &h.Version, &h.Since, &h.Ends, &lives)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, false, nil
	}
	return h, lives, err
}

const headColumns = `format, lineage, serial, bound_to, currency, time_zone, records, digest`

// digest is the digest of a head, which a column keeps as a number with a sign.
type digest struct{ of *uint64 }

// Scan takes it from a column.
func (d digest) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("the digest is %T; want a number", value)
	}
	*d.of = uint64(n)
	return nil
}

func (h *Head) columns() []any {
	return []any{&h.Format, &h.Lineage, &h.Serial, &h.BoundTo, &h.Currency, &h.TimeZone, &h.Records, digest{&h.Digest}}
}

// Head returns which state it is, as it was claimed or last committed.
func (a *Account) Head() Head { return a.head }

// TakenLately is for how long everybody who claims an account hears that it was taken over: longer than what was
// under way may come late.
const TakenLately = 90 * time.Second

// TakenOver reports whether a process that held the account before, or lately, did not give it back: it may have had
// something under way.
func (a *Account) TakenOver() bool { return a.taken }

// Valid is ErrOver once this process may send nothing for the account any more. It asks nobody.
func (a *Account) Valid() error { return a.database.worker.valid(a.worker) }

// Sums visits the check sum and the size of every record, in the order of their keys.
func (a *Account) Sums(ctx context.Context, visit func(class, key string, sum uint64, size int) error) error {
	ctx, cancel := within(ctx)
	defer cancel()
	rows, err := a.database.pool.Query(ctx,
		`SELECT class, key, sum, octet_length(value) FROM adsync.record WHERE account = $1 ORDER BY class, key`, a.name)
	if err != nil {
		return err
	}
	var class string
	var key raw
	var sum int64
	var size int
	_, err = pgx.ForEachRow(rows, []any{&class, &key, &sum, &size}, func() error {
		return visit(class, string(key), uint64(sum), size)
	})
	return err
}

// Read returns a record; there is false where there is none.
func (a *Account) Read(ctx context.Context, class, key string) (value string, sum uint64, there bool, err error) {
	ctx, cancel := within(ctx)
	defer cancel()
	var text copied
	var n int64
	err = a.database.pool.QueryRow(ctx,
		`SELECT value, sum FROM adsync.record WHERE account = $1 AND class = $2 AND key = $3`,
		a.name, class, []byte(key)).Scan(&text, &n)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", 0, false, nil
	}
	return string(text), uint64(n), err == nil, err
}

// Record is a record as it lies in the database.
type Record struct {
	Key, Value string
	Sum        uint64
}

// All returns the records of a class in the order of their keys. They are read before anything is done with them: who
// reads on meanwhile would want a second connection, and many who do would wait for each other.
func (a *Account) All(ctx context.Context, class string) (all []Record, err error) {
	ctx, cancel := within(ctx)
	defer cancel()
	rows, err := a.database.pool.Query(ctx,
		`SELECT key, value, sum FROM adsync.record WHERE account = $1 AND class = $2 ORDER BY key`, a.name, class)
	if err != nil {
		return nil, err
	}
	var key, value raw
	var sum int64
	_, err = pgx.ForEachRow(rows, []any{&key, &value, &sum}, func() error {
		all = append(all, Record{string(key), string(value), uint64(sum)})
		return nil
	})
	return all, err
}

// raw are bytes of the connection's own buffer, good until the next row: of Query alone.
type raw []byte

// ScanBytes takes them without a copy.
func (b *raw) ScanBytes(v []byte) error {
	*b = v
	return nil
}

// copied are bytes of the connection's own buffer, copied while they are good: QueryRow gives the connection back.
type copied string

// ScanBytes copies them once.
func (c *copied) ScanBytes(v []byte) error {
	*c = copied(v)
	return nil
}

// commit is one statement, and so one transaction and one round trip: the head moves on where this process still
// holds it, and the records follow the head. Tokens and serials come again where a promotion lost some, so the sum of
// the records says whether it is the state that this commit follows.
const commit = `WITH fence AS (
	UPDATE adsync.head SET serial = $3, format = $4, bound_to = $5, currency = $6, time_zone = $7, records = $8,
		digest = $9
	WHERE account = $1 AND token = $2 AND serial = $3 - 1 AND records = $16 AND digest = $17
	RETURNING account
), put AS (
	INSERT INTO adsync.record (account, class, key, value, sum)
	SELECT fence.account, w.class, w.key, w.value, w.sum
	FROM fence, unnest($10::text[], $11::bytea[], $12::bytea[], $13::bigint[]) AS w (class, key, value, sum)
	ON CONFLICT (account, class, key) DO UPDATE SET value = excluded.value, sum = excluded.sum
), cut AS (
	DELETE FROM adsync.record r USING fence, unnest($14::text[], $15::bytea[]) AS w (class, key)
	WHERE r.account = fence.account AND r.class = w.class AND r.key = w.key
)
SELECT count(*) FROM fence`

// Commit writes records and the head they lead to, whose serial is one above the last. Where it fails nothing is
// known: the account has to be claimed anew. It is ErrFenced where another process holds the account by now, and
// ErrLost where the database has forgotten commits.
func (a *Account) Commit(h Head, writes []Write) error {
	ctx, cancel := within(context.Background()) // a commit is never cut short by who waits for it
	defer cancel()
	var classes, goneClasses []string
	var keys, values, goneKeys [][]byte
	var sums []int64
	for _, w := range writes {
		if w.Remove {
			goneClasses, goneKeys = append(goneClasses, w.Class), append(goneKeys, []byte(w.Key))
			continue
		}
		classes, keys = append(classes, w.Class), append(keys, []byte(w.Key))
		values, sums = append(values, []byte(w.Value)), append(sums, int64(w.Sum))
	}
	var moved int
	err := a.database.pool.QueryRow(ctx, commit, a.name, a.token, h.Serial, h.Format, h.BoundTo, h.Currency, h.TimeZone,
		h.Records, int64(h.Digest), classes, keys, values, sums, goneClasses, goneKeys,
		a.head.Records, int64(a.head.Digest)).Scan(&moved)
	if err != nil {
		return err
	}
	if moved == 0 {
		return a.whyFenced(ctx)
	}
	a.head = h
	a.database.known.know(a.name, durable{h.Serial, a.token})
	return nil
}

// Serial returns how many commits the state of an account has seen, 0 where there is none.
func (d *Database) Serial(ctx context.Context, name string) (serial int64, err error) {
	err = d.twice(ctx, func(ctx context.Context) error {
		return d.pool.QueryRow(ctx, `SELECT serial FROM adsync.head WHERE account = $1`, name).Scan(&serial)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return serial, err
}

// HeldBy says who holds an account; held is false where nobody does.
func (d *Database) HeldBy(ctx context.Context, name string) (h Holder, held bool, err error) {
	ctx, cancel := within(ctx)
	defer cancel()
	var owner *int64
	err = d.pool.QueryRow(ctx, `SELECT worker FROM adsync.head WHERE account = $1`, name).Scan(&owner)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && owner == nil {
		return h, false, nil
	}
	if err != nil {
		return h, false, err
	}
	return holder(ctx, d.pool, *owner)
}

// Snapshot visits every record of an account as it is at one moment, whoever holds it, and returns the head of that
// moment. It is ErrNothing where there is none.
func (d *Database) Snapshot(ctx context.Context, name string,
	visit func(class, key, value string, sum uint64) error) (h Head, err error) {
	return d.snapshot(ctx, name, visit, `SELECT class, key, value, sum FROM adsync.record WHERE account = $1`, name)
}

// Part visits the records of some classes, and one of another by its key, as they are at one moment. Nobody can tell
// of a part whether it is whole.
func (d *Database) Part(ctx context.Context, name string, classes []string, class, key string,
	visit func(class, key, value string, sum uint64) error) (h Head, err error) {
	return d.snapshot(ctx, name, visit, `SELECT class, key, value, sum FROM adsync.record
			WHERE account = $1 AND class = ANY($2)
		UNION ALL SELECT class, key, value, sum FROM adsync.record WHERE account = $1 AND class = $3 AND key = $4`,
		name, classes, class, []byte(key))
}

func (d *Database) snapshot(ctx context.Context, name string,
	visit func(class, key, value string, sum uint64) error, records string, of ...any) (h Head, err error) {
	ctx, cancel := within(ctx)
	defer cancel()
	moment := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, d.pool, moment, func(tx pgx.Tx) error {
		var at place
		err := tx.QueryRow(ctx, `SELECT cluster, timeline, token, `+headColumns+` FROM adsync.head WHERE account = $1`, name).
			Scan(append([]any{&at.cluster, &at.timeline, &at.token}, h.columns()...)...)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNothing
		}
		at.serial = h.Serial
		if err := cmp.Or(err, d.refuseLost(ctx, tx, name, at)); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, records, of...)
		if err != nil {
			return err
		}
		var class string
		var key, value raw
		var sum int64
		_, err = pgx.ForEachRow(rows, []any{&class, &key, &value, &sum}, func() error {
			return visit(class, string(key), string(value), uint64(sum))
		})
		return err
	})
	return h, err
}
