package postgres

import (
	"context"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
)

// Attendance is which worker looks after which account.
type Attendance struct {
	database *Database

	mu         sync.Mutex
	attends    int64           // the worker that others count among those that look after accounts
	attended   map[string]bool // what it looks after, as of its last pull
	attendedAs int64           // as which worker
	pulled     pulled

	looks looks
}

// pulled is what a whole pull found.
type pulled struct {
	by     int64 // the worker; 0 is none
	names  []string
	share  Share
	unheld int // accounts that nobody looked after, once it was done
	since  int // shorter pulls since then
}

// unheldAgain is after how many pulls the accounts that nobody looks after are gone through although they are as many
// as before: one may have been given back while another was taken.
const unheldAgain = 5

// Attendance returns who looks after which account.
func (d *Database) Attendance() *Attendance { return &d.attendance }

// Share is what a worker looks after, as of one pull.
type Share struct {
	Held    []string // names of the accounts that are this worker's, in order
	Excess  int      // how many more than its fair share those are
	Workers int      // that look after accounts, this one among them
	Orders  string   // another with each order that came or went since it was asked last
}

// Pull takes accounts that nobody looks after, up to this worker's fair share of all of them, and returns what it has
// by now. Accounts of a worker whose lease has ended are nobody's. Where nothing is to be taken nothing is written.
func (a *Attendance) Pull(ctx context.Context, names []string) (Share, error) {
	id, err := a.attending(ctx)
	if err != nil {
		return Share{}, err
	}
	s, unheld, same, err := a.asBefore(ctx, id, names)
	if same {
		return s, nil
	}
	wanted := make(map[string]bool, len(names)) // thousands are not sent with each pull
	for _, name := range names {
		wanted[name] = true
	}
	pull := func(ctx context.Context, tx pgx.Tx) error {
		var dead []int64 // for good: a heartbeat puts off no end that has passed
		if err := tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE attends AND ends > clock_timestamp()),
				coalesce(array_agg(id) FILTER (WHERE ends <= clock_timestamp()), '{}') FROM adsync.worker`).
			Scan(&s.Workers, &dead); err != nil {
			return err
		}
		if s.Held, err = namesOf(tx.Query(ctx, `SELECT name FROM adsync.attendance WHERE worker = $1`, id)); err != nil {
			return err
		}
		s.Held = slices.DeleteFunc(s.Held, func(name string) bool { return !wanted[name] })
		fair := (len(names) + s.Workers - 1) / max(s.Workers, 1)
		if s.Excess = max(len(s.Held)-fair, 0); len(s.Held) >= fair || unheld == 0 {
			return nil
		}
		taken, err := namesOf(tx.Query(ctx, `UPDATE adsync.attendance SET worker = $1 WHERE name IN (
				SELECT name FROM adsync.attendance WHERE name = ANY($2) AND (worker IS NULL OR worker = ANY($3))
				ORDER BY random() LIMIT $4 FOR UPDATE SKIP LOCKED
			) RETURNING name`, id, names, dead, fair-len(s.Held)))
		s.Held = append(s.Held, taken...)
		unheld -= len(taken)
		return err
	}
	if err == nil {
		err = a.database.inTransaction(ctx, pull)
	}
	if err == nil {
		err = a.database.worker.valid(id)
	}
	a.attend(id, s.Held, err)
	if err == nil {
		kept := Share{Held: slices.Clone(s.Held), Excess: s.Excess, Workers: s.Workers}
		a.remember(pulled{id, names, kept, unheld, 0})
	}
	return s, err
}

// asBefore asks the one question that a pull asks where nothing is to be taken or left. same reports that this worker
// has what it had at its last whole pull; unheld is how many accounts nobody looks after, of this configuration or not.
func (a *Attendance) asBefore(ctx context.Context, id int64, names []string) (
	s Share, unheld int, same bool, err error) {
	var mine, workers int
	var orders string
	err = a.database.twice(ctx, func(ctx context.Context) error {
		return a.database.pool.QueryRow(ctx, `SELECT
			(SELECT count(*) FROM adsync.attendance WHERE worker = $1),
			(SELECT count(*) FROM adsync.worker WHERE attends AND ends > clock_timestamp()),
			(SELECT count(*) FROM adsync.attendance WHERE worker IS NULL) + (SELECT coalesce(sum(n), 0)
				FROM adsync.worker w, LATERAL (SELECT count(*) AS n FROM adsync.attendance WHERE worker = w.id) of
				WHERE ends <= clock_timestamp()),
			(SELECT coalesce(md5(string_agg(account || ' ' || convert_from(name, 'UTF8') || ' ' || part, E'\n'
				ORDER BY account, name, part)), 'none') FROM adsync.beside WHERE `+isOrder+`)`, id).
			Scan(&mine, &workers, &unheld, &orders)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	p := &a.pulled
	p.since++
	s = p.share
	s.Held = slices.Clone(s.Held)
	fair := (len(names) + workers - 1) / max(workers, 1)
	nothing := unheld == 0 || len(s.Held) >= fair || unheld == p.unheld && p.since < unheldAgain
	same = err == nil && nothing && p.by == id && workers == s.Workers && mine == len(s.Held) &&
		slices.Equal(names, p.names) && a.attendedAs == id && a.database.worker.valid(id) == nil
	if !same {
		p.by, s = 0, Share{}
	}
	s.Orders = orders
	return s, unheld, same, err
}

func (a *Attendance) remember(p pulled) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pulled = p
}

// attend notes what this worker looks after; where that is not known, nothing.
func (a *Attendance) attend(id int64, names []string, failed error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attended, a.attendedAs = map[string]bool{}, id
	if failed != nil {
		return
	}
	for _, name := range names {
		a.attended[name] = true
	}
}

// Attends reports whether this worker looks after an account, as of its last pull and by its lease. It asks nobody.
func (a *Attendance) Attends(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attended[name] && a.database.worker.valid(a.attendedAs) == nil
}

func (a *Attendance) leave(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.attended, name)
	a.pulled.by = 0 // the next pull is a whole one
}

func namesOf(rows pgx.Rows, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// attending returns the id of this worker, once the others count it among those that look after accounts.
func (a *Attendance) attending(ctx context.Context) (int64, error) {
	id, err := a.database.worker.alive(ctx)
	if err != nil || a.attendsAs(id, false) {
		return id, err
	}
	err = a.database.twice(ctx, func(ctx context.Context) error {
		_, err := a.database.pool.Exec(ctx, `UPDATE adsync.worker SET attends = true WHERE id = $1`, id)
		return err
	})
	if err == nil {
		a.attendsAs(id, true)
	}
	return id, err
}

// attendsAs reports whether others count this worker, and notes that they do.
func (a *Attendance) attendsAs(id int64, note bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if note {
		a.attends = id
	}
	return a.attends == id
}

// Configure has the database know accounts by their names.
func (a *Attendance) Configure(ctx context.Context, names []string) error {
	return a.database.twice(ctx, func(ctx context.Context) error {
		_, err := a.database.pool.Exec(ctx, `INSERT INTO adsync.attendance (name)
			SELECT name FROM unnest($1::text[]) AS w (name) WHERE NOT EXISTS (
				SELECT FROM adsync.attendance a WHERE a.name = w.name) ON CONFLICT DO NOTHING`, names)
		return err
	})
}

// GiveBack leaves an account to other workers.
func (a *Attendance) GiveBack(ctx context.Context, name string) error {
	a.leave(name)
	id, _ := a.database.worker.current()
	return a.database.twice(ctx, func(ctx context.Context) error {
		_, err := a.database.pool.Exec(ctx, `UPDATE adsync.attendance SET worker = NULL WHERE name = $1 AND worker = $2`, name, id)
		return err
	})
}

// AttendedBy says which worker looks after an account; attended is false where none that lives does.
func (a *Attendance) AttendedBy(ctx context.Context, name string) (h Holder, attended bool, err error) {
	var owner *int64
	err = a.database.twice(ctx, func(ctx context.Context) error {
		rows, err := a.database.pool.Query(ctx, `SELECT worker FROM adsync.attendance WHERE name = $1`, name)
		if err != nil {
			return err
		}
		owners, err := pgx.CollectRows(rows, pgx.RowTo[*int64])
		if err == nil && len(owners) > 0 {
			owner = owners[0]
		}
		return err
	})
	if err != nil || owner == nil {
		return h, false, err
	}
	return holder(ctx, a.database.pool, *owner)
}

// Ordered returns a fingerprint of the orders that stand or wait beside each account: STOP, suspensions, wishes for a
// run. It reads no more rows than there are.
func (a *Attendance) Ordered(ctx context.Context) (map[string]string, error) {
	ordered := map[string]string{}
	err := a.database.twice(ctx, func(ctx context.Context) error {
		clear(ordered)
		rows, err := a.database.pool.Query(ctx, `SELECT account, convert_from(name, 'UTF8') || ' ' || part FROM adsync.beside
			WHERE `+isOrder+` ORDER BY account, name, part`)
		if err != nil {
			return err
		}
		var account, what string
		_, err = pgx.ForEachRow(rows, []any{&account, &what}, func() error {
			ordered[account] += what + "\n"
			return nil
		})
		return err
	})
	return ordered, err
}

// isOrder is the condition of the index beside_order.
const isOrder = `(name IN ('STOP', 'suspend.json') OR name >= 'ask-' AND name < 'ask.')`
