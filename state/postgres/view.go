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
	Currency string // of the money below; "" where it is not known
	Rejected int    // ads
	// possible spend a day, and what was spent, in micros; nil: it is not known
	Possible, Day, Week, WeekBefore *int64
	FreshUntil                      *time.Time // Day is yesterday before; nil where that is not known
	// what was spent of what was to be spent in these seven days; nil: it is not known
	Paced, Due *int64
	PacedUntil *time.Time // as FreshUntil
	Glance     []byte     // nil before the first word
	Plan       []byte     // nil: as it was before
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
	currencies                     []string
	rejected                       []int
	possible, days, weeks, before  []*int64
	fresh                          []*time.Time
	paced, due                     []*int64
	pacedUntil                     []*time.Time
	glances, plans                 [][]byte
}

func columnsOf(views []View) (c columns) {
	for _, v := range views {
		c.accounts, c.names, c.words = append(c.accounts, v.Account), append(c.names, v.Name), append(c.words, v.Words)
		c.states, c.waits = append(c.states, v.State), append(c.waits, v.Waits)
		c.problems, c.exposures = append(c.problems, v.Problems), append(c.exposures, v.Exposure)
		c.currencies, c.rejected = append(c.currencies, v.Currency), append(c.rejected, v.Rejected)
		c.possible, c.days = append(c.possible, v.Possible), append(c.days, v.Day)
		c.weeks, c.before = append(c.weeks, v.Week), append(c.before, v.WeekBefore)
		c.fresh = append(c.fresh, v.FreshUntil)
		c.paced, c.due = append(c.paced, v.Paced), append(c.due, v.Due)
		c.pacedUntil = append(c.pacedUntil, v.PacedUntil)
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
					(account, name, words, state, waits, exposure, problems, glance, plan, host,
					currency, rejected, possible, day, week, week_before, fresh_until, paced, due, paced_until)
				SELECT n.account, n.name, n.words, n.state, n.waits, n.exposure, n.problems, n.glance, n.plan, $11,
					n.currency, n.rejected, n.possible, n.day, n.week, n.week_before, n.fresh_until,
					n.paced, n.due, n.paced_until
				FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::bigint[], $8::int[],
					$9::bytea[], $10::bytea[], $12::text[], $13::int[], $14::bigint[], $15::bigint[], $16::bigint[],
					$17::bigint[], $18::timestamptz[], $19::bigint[], $20::bigint[], $21::timestamptz[])
					AS n (account, name, words, state, waits, exposure, problems, glance, plan,
					currency, rejected, possible, day, week, week_before, fresh_until, paced, due, paced_until)
				JOIN adsync.attendance a ON a.name = n.account AND a.worker = $1
				ON CONFLICT (account) DO UPDATE SET name = excluded.name, words = excluded.words,
					state = excluded.state, waits = excluded.waits, exposure = excluded.exposure,
					problems = excluded.problems, glance = excluded.glance, plan = coalesce(excluded.plan, v.plan),
					host = excluded.host, currency = excluded.currency, rejected = excluded.rejected,
					possible = excluded.possible, day = excluded.day, week = excluded.week,
					week_before = excluded.week_before, fresh_until = excluded.fresh_until,
					paced = excluded.paced, due = excluded.due, paced_until = excluded.paced_until,
					updated = clock_timestamp()
				RETURNING account
			), rung AS (
				SELECT account, pg_notify('adsync', 'view ' || account) FROM told
			) SELECT account FROM rung`,
			id, c.accounts, c.names, c.words, c.states, c.waits, c.exposures, c.problems, c.glances, c.plans,
			v.database.worker.options.Host, c.currencies, c.rejected, c.possible, c.days, c.weeks, c.before, c.fresh,
			c.paced, c.due, c.pacedUntil)
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
	// by spend of the last seven days, currency by currency, those of which it is not known last; else by name
	BySpend bool
	Now     time.Time // which day was yesterday
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

// byName finds a part by name, bySpend one by spend; $5 is the moment.
const (
	byName = `SELECT ` + found + ` WHERE ` + chosen + ` AND v.name > $6 AND $5::timestamptz IS NOT NULL
		ORDER BY v.name, v.account LIMIT $7`
	bySpend = `WITH placed AS (SELECT account, name,
			row_number() OVER (ORDER BY week IS NULL, currency, week DESC, name, account) AS place
			FROM (SELECT v.account, v.name, v.currency, CASE WHEN v.fresh_until > $5 THEN v.week END AS week
				FROM adsync.view v WHERE ` + chosen + `) AS of)
		SELECT ` + found + ` JOIN placed p ON p.account = v.account
		WHERE p.place > coalesce((SELECT max(place) FROM placed WHERE name = $6), 0) ORDER BY p.place LIMIT $7`
)

// List returns a part of the views, without their plans.
func (v *Views) List(ctx context.Context, q Query) (all []Told, err error) {
	question := byName
	if q.BySpend {
		question = bySpend
	}
	err = v.database.twice(ctx, func(ctx context.Context) error {
		rows, err := v.database.pool.Query(ctx, question,
			v.lease(), q.Accounts, q.Words, q.States, q.Now, q.After, q.Most)
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

// Total is what views of one state and one currency come to.
type Total struct {
	State, Currency          string
	Accounts, Held, Rejected int
	// possible spend a day; what was spent yesterday and in the seven days to it; and Week of those of which WeekBefore
	// is known, too
	Possible, Day, Week, Compared Sum
	WeekBefore                    int64 // what those of Compared spent in the seven days before, in micros
	Paced                         Sum
	Due                           int64 // what those of Paced were to spend, in micros
}

// Sum is an amount in micros of as many accounts as it is known of.
type Sum struct {
	Accounts int
	Micros   int64
}

// Totals returns what the views that a query chooses come to, from the first on, by state and currency.
func (v *Views) Totals(ctx context.Context, q Query) (all []Total, err error) {
	const most = `least(coalesce(sum(%s), 0), 9223372036854775807)::bigint`
	sums := func(column string) string { return fmt.Sprintf(`count(%s)::int, `+most, column, column) }
	err = v.database.twice(ctx, func(ctx context.Context) error {
		rows, err := v.database.pool.Query(ctx, `SELECT state, currency, count(*)::int, sum(waits)::int,
				sum(rejected)::int, `+sums("possible")+`, `+sums("day")+`, `+sums("week")+`, `+sums("compared")+`,
				`+fmt.Sprintf(most, "before")+`, `+sums("paced")+`, `+fmt.Sprintf(most, "due")+`
			FROM (SELECT state, currency, waits, rejected, possible, day, week, paced, due,
					CASE WHEN before IS NOT NULL THEN week END AS compared,
					CASE WHEN week IS NOT NULL THEN before END AS before
				FROM (SELECT v.state, v.currency, v.waits, v.rejected, v.possible,
						CASE WHEN v.fresh_until > $5 THEN v.day END AS day,
						CASE WHEN v.fresh_until > $5 THEN v.week END AS week,
						CASE WHEN v.fresh_until > $5 THEN v.week_before END AS before,
						CASE WHEN v.paced_until > $5 THEN v.paced END AS paced,
						CASE WHEN v.paced_until > $5 THEN v.due END AS due
					FROM adsync.view v WHERE $1::interval IS NOT NULL AND `+chosen+`) AS fresh) AS of
			GROUP BY state, currency`, v.lease(), q.Accounts, q.Words, q.States, q.Now)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Total, err error) {
			err = row.Scan(&t.State, &t.Currency, &t.Accounts, &t.Held, &t.Rejected,
				&t.Possible.Accounts, &t.Possible.Micros, &t.Day.Accounts, &t.Day.Micros,
				&t.Week.Accounts, &t.Week.Micros, &t.Compared.Accounts, &t.Compared.Micros, &t.WeekBefore,
				&t.Paced.Accounts, &t.Paced.Micros, &t.Due)
			return t, err
		})
		return err
	})
	return all, err
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
