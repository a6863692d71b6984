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

// Begin notes who has logged in, by the hash of what the cookie holds.
func (s *Sessions) Begin(ctx context.Context, hash [sha256.Size]byte, name string, lasts time.Duration) error {
	return s.database.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM adsync.session WHERE ends <= clock_timestamp()
			OR hash IN (SELECT hash FROM adsync.session ORDER BY ends DESC OFFSET $1)`, sessionsMost-1)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO adsync.session (hash, name, ends) VALUES ($1, $2, clock_timestamp() + $3)
			ON CONFLICT DO NOTHING`, hash[:], name, lasts) // it was asked twice
		return err
	})
}

// Of returns who is logged in by a hash, "" where nobody is, or not any more.
func (s *Sessions) Of(ctx context.Context, hash [sha256.Size]byte) (name string, err error) {
	err = s.database.twice(ctx, func(ctx context.Context) error {
		return s.database.pool.QueryRow(ctx, `SELECT name FROM adsync.session
			WHERE hash = $1 AND ends > clock_timestamp()`, hash[:]).Scan(&name)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return name, err
}

// End logs out, at every process.
func (s *Sessions) End(ctx context.Context, hash [sha256.Size]byte) error {
	return s.database.twice(ctx, func(ctx context.Context) error {
		_, err := s.database.pool.Exec(ctx, `DELETE FROM adsync.session WHERE hash = $1`, hash[:])
		return err
	})
}
