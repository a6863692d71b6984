package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Views are what the workers that look after accounts tell of them, for lists and pages of every process.
type Views struct{ database *Database }

// Views returns what is told of accounts.
func (d *Database) Views() *Views { return &Views{d} }

// View is what is told of an account.
type View struct {
	Account  string // as attendance has it
	Name     string // for people
	Words    string // what is searched, in small letters
	State    string
	Waits    int
	Exposure int64 // in micros
	Problems int
	Glance   []byte // nil before the first word
	Plan     []byte // nil: as it was before
}

// Told is a view as it was found.
type Told struct {
	View
	Host    string    // of who told it
	Updated time.Time // when it was told; zero before
	By      string    // host of the worker that looks after the account now; "" where none does
	Seen    time.Time // when that worker was heard of last; zero where none does
	Lives   bool      // its lease has not ended
}

// Name has the database know accounts before anything is told of them.
func (v *Views) Name(ctx context.Context, views []View) error {
	c := columnsOf(views)
	return v.database.twice(ctx, func(ctx context.Context) error {
		_, err := v.database.pool.Exec(ctx, `INSERT INTO adsync.view (account, name, words)
			SELECT n.account, n.name, n.words FROM unnest($1::text[], $2::text[], $3::text[]) AS n (account, name, words)
			WHERE NOT EXISTS (SELECT FROM adsync.view v
				WHERE v.account = n.account AND v.name = n.name AND v.words = n.words)
			ON CONFLICT (account) DO UPDATE SET name = excluded.name, words = excluded.words`,
			c.accounts, c.names, c.words)
		return err
	})
}

// columns are views by column.
type columns struct {
	accounts, names, words, states []string
	waits, problems                []int
	exposures                      []int64
	glances, plans                 [][]byte
}

func columnsOf(views []View) (c columns) {
	for _, v := range views {
		c.accounts, c.names, c.words = append(c.accounts, v.Account), append(c.names, v.Name), append(c.words, v.Words)
		c.states, c.waits = append(c.states, v.State), append(c.waits, v.Waits)
		c.problems, c.exposures = append(c.problems, v.Problems), append(c.exposures, v.Exposure)
		c.glances, c.plans = append(c.glances, v.Glance), append(c.plans, v.Plan)
	}
	return c
}

// Tell replaces what was told of accounts, of those that this worker looks after, and rings at every process that
// listens. It returns of which it was told.
func (v *Views) Tell(ctx context.Context, views []View) (accounts []string, err error) {
	id, _ := v.database.worker.current()
	c := columnsOf(views)
	err = v.database.twice(ctx, func(ctx context.Context) error {
		rows, err := v.database.pool.Query(ctx, `WITH told AS (
				INSERT INTO adsync.view AS v
					(account, name, words, state, waits, exposure, problems, glance, plan, host)
				SELECT n.account, n.name, n.words, n.state, n.waits, n.exposure, n.problems, n.glance, n.plan, $11
				FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::bigint[], $8::int[],
					$9::bytea[], $10::bytea[])
					AS n (account, name, words, state, waits, exposure, problems, glance, plan)
				JOIN adsync.attendance a ON a.name = n.account AND a.worker = $1
				ON CONFLICT (account) DO UPDATE SET name = excluded.name, words = excluded.words,
					state = excluded.state, waits = excluded.waits, exposure = excluded.exposure,
					problems = excluded.problems, glance = excluded.glance, plan = coalesce(excluded.plan, v.plan),
					host = excluded.host, updated = clock_timestamp()
				RETURNING account
			), rung AS (
				SELECT account, pg_notify('adsync', 'view ' || account) FROM told
			) SELECT account FROM rung`,
			id, c.accounts, c.names, c.words, c.states, c.waits, c.exposures, c.problems, c.glances, c.plans,
			v.database.worker.options.Host)
		accounts, err = namesOf(rows, err)
		return err
	})
	return accounts, err
}

// Query chooses views.
type Query struct {
	Accounts []string // of these alone
	Words    string   // that a view holds, in small letters
	States   []string // nil: of every state
	After    string   // the name before the first; "" from the first on
	Most     int
}

// chosen is the condition of a query, but for After; its arguments are $2 to $4, and $1 is the length of a lease.
const chosen = `v.account = ANY($2) AND ($3 = '' OR position($3 in v.words) > 0)
	AND ($4::text[] IS NULL OR v.state = ANY($4))`

// found are the columns of a view that was found, $1 the length of a lease.
const found = `v.account, v.name, v.state, v.waits, v.exposure, v.problems, v.glance, v.host,
	CASE WHEN v.glance IS NOT NULL THEN v.updated END, coalesce(w.host, ''), w.ends - $1::interval,
	coalesce(w.ends > clock_timestamp(), false)
	FROM adsync.view v LEFT JOIN adsync.attendance a ON a.name = v.account
	LEFT JOIN adsync.worker w ON w.id = a.worker`

// List returns views by name, from one on, without their plans.
func (v *Views) List(ctx context.Context, q Query) (all []Told, err error) {
	err = v.database.twice(ctx, func(ctx context.Context) error {
		rows, err := v.database.pool.Query(ctx, `SELECT `+found+` WHERE `+chosen+` AND v.name > $5
			ORDER BY v.name, v.account LIMIT $6`, v.lease(), q.Accounts, q.Words, q.States, q.After, q.Most)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, told)
		return err
	})
	return all, err
}

func (v *Views) lease() time.Duration { return v.database.worker.options.Lease }

func told(row pgx.CollectableRow) (t Told, err error) {
	var updated, seen *time.Time
	err = row.Scan(&t.Account, &t.Name, &t.State, &t.Waits, &t.Exposure, &t.Problems, &t.Glance, &t.Host,
		&updated, &t.By, &seen, &t.Lives)
	if updated != nil {
		t.Updated = *updated
	}
	if seen != nil {
		t.Seen = *seen
	}
	return t, err
}

// Count returns how many views a query chooses, from the first on, by state.
func (v *Views) Count(ctx context.Context, q Query) (map[string]int, error) {
	counts := map[string]int{}
	err := v.database.twice(ctx, func(ctx context.Context) error {
		clear(counts)
		rows, err := v.database.pool.Query(ctx, `SELECT v.state, count(*)::int FROM adsync.view v
			WHERE $1::interval IS NOT NULL AND `+chosen+` GROUP BY v.state`, v.lease(), q.Accounts, q.Words, q.States)
		if err != nil {
			return err
		}
		var state string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error {
			counts[state] = n
			return nil
		})
		return err
	})
	return counts, err
}

// Since returns what was told since a moment, the oldest first.
func (v *Views) Since(ctx context.Context, at time.Time) (all []Told, err error) {
	err = v.database.twice(ctx, func(ctx context.Context) error {
		rows, err := v.database.pool.Query(ctx, `SELECT `+found+` WHERE v.updated > $2 AND v.glance IS NOT NULL
			ORDER BY v.updated`, v.lease(), at)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, told)
		return err
	})
	return all, err
}

// Of returns what is told of one account. Where nothing ever was it is the zero Told.
func (v *Views) Of(ctx context.Context, account string) (t Told, err error) {
	all, err := v.List(ctx, Query{Accounts: []string{account}, Most: 1})
	if err == nil && len(all) > 0 {
		t = all[0]
	}
	return t, err
}

// Plan returns the plan of an account, nil where none was told.
func (v *Views) Plan(ctx context.Context, account string) (plan []byte, err error) {
	err = v.database.twice(ctx, func(ctx context.Context) error {
		return v.database.pool.QueryRow(ctx, `SELECT plan FROM adsync.view WHERE account = $1`, account).Scan(&plan)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return plan, err
}

// channel is where processes ring for each other.
const channel = "adsync"

// bellMost is how many bytes PostgreSQL takes at once.
const bellMost = 7999

// Ring rings at every process that listens; who does not hears nothing later.
func (v *Views) Ring(ctx context.Context, said string) error {
	if len(said) > bellMost {
		return fmt.Errorf("%d bytes are to be told; want at most %d", len(said), bellMost)
	}
	return v.database.twice(ctx, func(ctx context.Context) error {
		_, err := v.database.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, said)
		return err
	})
}
