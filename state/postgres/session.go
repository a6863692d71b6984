package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// Sessions are who is logged in at the pages of the processes: at one is at all.
type Sessions struct{ database *Database }

// SessionsOf returns who is logged in.
func SessionsOf(d *Database) *Sessions { return &Sessions{d} }

// sessionsMost is how many people are logged in at most; the nearest to its end goes first.
const sessionsMost = 1000

// Begin notes a text of who has logged in, by the hash of what the cookie holds.
func (s *Sessions) Begin(ctx context.Context, hash [sha256.Size]byte, text string, lasts time.Duration) error {
	return s.database.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM adsync.session WHERE ends <= clock_timestamp()
			OR hash IN (SELECT hash FROM adsync.session ORDER BY ends DESC OFFSET $1)`, sessionsMost-1)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO adsync.session (hash, name, ends) VALUES ($1, $2, clock_timestamp() + $3)
			ON CONFLICT DO NOTHING`, hash[:], text, lasts) // it was asked twice
		return err
	})
}

// Of returns what was noted of a session, "" where there is none, or not any more.
func (s *Sessions) Of(ctx context.Context, hash [sha256.Size]byte) (text string, err error) {
	err = s.database.twice(ctx, func(ctx context.Context) error {
		return s.database.pool.QueryRow(ctx, `SELECT name FROM adsync.session
			WHERE hash = $1 AND ends > clock_timestamp()`, hash[:]).Scan(&text)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return text, err
}

// All returns what was noted of the sessions there are.
func (s *Sessions) All(ctx context.Context) (all map[[sha256.Size]byte]string, err error) {
	err = s.database.twice(ctx, func(ctx context.Context) error {
		all = map[[sha256.Size]byte]string{}
		rows, err := s.database.pool.Query(ctx, `SELECT hash, name FROM adsync.session WHERE ends > clock_timestamp()`)
		if err != nil {
			return err
		}
		var hash []byte
		var text string
		_, err = pgx.ForEachRow(rows, []any{&hash, &text}, func() error {
			if len(hash) == sha256.Size {
				all[[sha256.Size]byte(hash)] = text
			}
			return nil
		})
		return err
	})
	return all, err
}

// End logs out, at every process.
func (s *Sessions) End(ctx context.Context, hash [sha256.Size]byte) error {
	return s.database.twice(ctx, func(ctx context.Context) error {
		_, err := s.database.pool.Exec(ctx, `DELETE FROM adsync.session WHERE hash = $1`, hash[:])
		return err
	})
}
