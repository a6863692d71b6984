package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrTaken says that a state was to come where none was, and another is there by now.
var ErrTaken = errors.New("the database has a state of the account")

// Name returns what people call the database.
func (d *Database) Name() string {
	c := d.pool.Config().ConnConfig
	return fmt.Sprintf("the database %s at %s", c.Database, c.Host)
}

// Mark names this very database: another may have its name.
func (d *Database) Mark(ctx context.Context) (mark string, err error) {
	err = d.twice(ctx, func(ctx context.Context) error {
		return d.pool.QueryRow(ctx, `SELECT `+clusterNow+` || '/' || current_database()`).Scan(&mark)
	})
	return mark, err
}

// Receive puts a whole state in the place of what an account has: of nothing, or of the state that over has claimed.
// It is one transaction. Where it is ErrTaken nothing has changed; after another error nothing is known, as the
// commit may have come through.
func (d *Database) Receive(ctx context.Context, name string, over *Account, h Head, writes []Write) error {
	err := pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error { // once: a second try would find the first
		if err := receiveHead(ctx, tx, name, over, h); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM adsync.record WHERE account = $1`, name); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"adsync", "record"},
			[]string{"account", "class", "key", "value", "sum"},
			pgx.CopyFromSlice(len(writes), func(i int) ([]any, error) {
				w := &writes[i]
				return []any{name, w.Class, []byte(w.Key), []byte(w.Value), int64(w.Sum)}, nil
			}))
		return err
	})
	if err != nil {
		return err
	}
	commit := durable{serial: h.Serial}
	if over != nil {
		over.head, commit.token = h, over.token
	}
	d.known.know(name, commit)
	return nil
}

func receiveHead(ctx context.Context, tx pgx.Tx, name string, over *Account, h Head) error {
	values := []any{name, h.Format, h.Lineage, h.Serial, h.BoundTo, h.Currency, h.TimeZone, h.Records, int64(h.Digest)}
	if over == nil {
		tag, err := tx.Exec(ctx, `INSERT INTO adsync.head (account, `+headColumns+`, cluster, timeline)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, `+clusterNow+`, `+timelineNow+`) ON CONFLICT DO NOTHING`, values...)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrTaken
		}
		return err
	}
	tag, err := tx.Exec(ctx, `UPDATE adsync.head SET (`+headColumns+`) = ($2, $3, $4, $5, $6, $7, $8, $9)
		WHERE account = $1 AND token = $10 AND serial = $11`, append(values, over.token, over.head.Serial)...)
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("%w: %s", ErrFenced, name)
	}
	return err
}

// Remove removes the state of the account and all that is kept beside it, in one transaction.
func (a *Account) Remove(ctx context.Context) error {
	return pgx.BeginFunc(ctx, a.database.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM adsync.head WHERE account = $1 AND token = $2`, a.name, a.token)
		if err == nil && tag.RowsAffected() == 0 {
			err = fmt.Errorf("%w: %s", ErrFenced, a.name)
		}
		for _, sql := range []string{
			`DELETE FROM adsync.record WHERE account = $1`, `DELETE FROM adsync.beside WHERE account = $1`,
			`DELETE FROM adsync.attendance WHERE name = $1`, `DELETE FROM adsync.view WHERE account = $1`,
			`DELETE FROM adsync.river_job WHERE args @> jsonb_build_object('account', $1::text)`,
		} {
			if err == nil {
				_, err = tx.Exec(ctx, sql, a.name)
			}
		}
		return err
	})
}
