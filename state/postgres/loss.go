package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

// A database goes back in time where a standby is promoted that had not received all, or where a copy is put back.
// It is noticed by three things: the serial, which this process knows of each account it wrote; the cluster, which is
// another where a dump was loaded; and the timeline, which rises with every promotion and every restore to a moment.
// A timeline that rose is no loss where a process that saw it rise can prove so (witness.go): of all accounts, or of
// those whose last commit this process made.

// position is where the log of a database stands.
type position struct{ cluster, timeline int64 }

// What the database is now. The name of the log that is written begins with its timeline.
const (
	clusterNow  = `(SELECT system_identifier FROM pg_control_system())`
	timelineNow = `('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint`
)

// durable is a commit that is durable, and the token under which it was made.
type durable struct{ serial, token int64 }

// commits are those of each account that this process knows to be durable, the last of each.
type commits struct {
	mu   sync.Mutex
	last map[string]durable
}

func (c *commits) know(name string, commit durable) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = map[string]durable{}
	}
	c.last[name] = commit
}

func (c *commits) of(name string) (commit durable, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	commit, known = c.last[name]
	return commit, known
}

func (c *commits) all() (names []string, serials []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, commit := range c.last {
		names, serials = append(names, name), append(serials, commit.serial)
	}
	return names, serials
}

// place is where an account was claimed last, and how far it has come.
type place struct {
	position
	durable
}

// refuseLost is ErrLost where an account has less than was acknowledged, or where nobody can say.
func (d *Database) refuseLost(ctx context.Context, tx pgx.Tx, name string, at place) error {
	known, sure := d.known.of(name)
	if sure && at.serial < known.serial {
		return fmt.Errorf("%w: %s ends at commit %d, and commit %d was made", ErrLost, name, at.serial, known.serial)
	}
	var now position
	if err := tx.QueryRow(ctx, `SELECT `+clusterNow+`, `+timelineNow).Scan(&now.cluster, &now.timeline); err != nil {
		return err
	}
	if now == at.position {
		return nil
	}
	if now.cluster != at.cluster {
		return fmt.Errorf("%w, perhaps: %s was written in the cluster %d, and this is %d: a copy was put back",
			ErrLost, name, at.cluster, now.cluster)
	}
	if err := d.worker.said.look(ctx, d.worker.pool); err != nil {
		return err
	}
	c, seen := d.worker.said.crossing(at.position, now)
	if seen && c.whole || sure && at.token == known.token && (!seen || c.kept) {
		return nil
	}
	return fmt.Errorf("%w, perhaps: %s was written on the timeline %d, and this is %d: "+
		"a standby was promoted, or a moment was restored", ErrLost, name, at.timeline, now.timeline)
}

// vouch says of all accounts that were whole before a promotion that they are whole, but for those of which this
// process knows better.
func (d *Database) vouch(ctx context.Context, c crossing) error {
	names, serials := d.known.all()
	_, err := d.pool.Exec(ctx, `UPDATE adsync.head SET timeline = $1 WHERE cluster = $2 AND timeline = $3 AND NOT EXISTS (
			SELECT FROM unnest($4::text[], $5::bigint[]) AS known (account, serial)
			WHERE known.account = head.account AND head.serial < known.serial)`,
		c.to.timeline, c.from.cluster, c.from.timeline, names, serials)
	return err
}

// Owned returns nil where the account is as this process left it. It is ErrFenced where another process took it over or
// removed it, and ErrLost where the database has forgotten commits. It asks, so only who doubts it wants to know.
func (a *Account) Owned(ctx context.Context) error {
	var token int64
	var h Head
	err := a.database.twice(ctx, func(ctx context.Context) error {
		return a.database.pool.QueryRow(ctx, `SELECT token, `+headColumns+` FROM adsync.head WHERE account = $1`, a.name).
			Scan(append([]any{&token}, h.columns()...)...)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: %s", ErrFenced, a.name)
	case err != nil:
		return err
	case token < a.token || h.Serial < a.head.Serial:
		return fmt.Errorf("%w: %s ends at commit %d, and commit %d was made", ErrLost, a.name, h.Serial, a.head.Serial)
	case token > a.token || h != a.head: // a promotion may have given a token again
		return fmt.Errorf("%w: %s", ErrFenced, a.name)
	}
	return nil
}

// whyFenced returns why a commit moved no head.
func (a *Account) whyFenced(ctx context.Context) error {
	switch err := a.Owned(ctx); {
	case err == nil:
		return fmt.Errorf("%w: %s", ErrFenced, a.name)
	case errors.Is(err, ErrFenced), errors.Is(err, ErrLost):
		return err
	default:
		return fmt.Errorf("%w, and who cannot be asked: %w", ErrFenced, err)
	}
}

// ClaimLost is Claim although the database may have less than was acknowledged. For everybody else it is lost until
// the account is accepted.
func (d *Database) ClaimLost(ctx context.Context, name string) (*Account, error) {
	serial, err := d.Serial(ctx, name)
	if err != nil {
		return nil, err
	}
	if serial == 0 {
		return nil, ErrNothing
	}
	return d.claimHeld(ctx, name, Head{}, true)
}

// Accept takes the state of an account as it is for the whole of it: a person has looked at what the account holds.
func (a *Account) Accept(ctx context.Context) error {
	err := a.database.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE adsync.head SET cluster = `+clusterNow+`, timeline = `+timelineNow+
			` WHERE account = $1 AND token = $2`, a.name, a.token)
		if err == nil && tag.RowsAffected() == 0 {
			err = fmt.Errorf("%w: %s", ErrFenced, a.name)
		}
		return err
	})
	if err == nil {
		a.database.known.know(a.name, durable{a.head.Serial, a.token}) // whatever this process knew from before
	}
	return err
}

// Behind names the standbys that commits do not wait for: one of them may be promoted with less than was
// acknowledged.
func (d *Database) Behind(ctx context.Context) ([]string, error) {
	ctx, cancel := within(ctx)
	defer cancel()
	rows, err := d.pool.Query(ctx,
		`SELECT application_name || CASE WHEN sync_state IS NULL
			THEN ' (this role may not see whether it is: want pg_read_all_stats)' ELSE '' END
		FROM pg_stat_replication WHERE sync_state IS NULL OR sync_state IN ('async', 'potential') ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
