package postgres

import (
	"context"
	"time"
)

// Slots counts the requests that all processes send to a service from one network address, in slots of ten seconds, by
// the clock of the database alone: the function adsync.take, of migrations/00002_slots.sql, says how.
type Slots struct {
	database *Database
	address  string
}

// SlotsOf returns the ledger of an address, which is known by whatever name its processes share.
func SlotsOf(d *Database, address string) *Slots { return &Slots{d, address} }

// Take asks for permits to send requests to an endpoint: for those that wait and, where many went in the last ten
// seconds, for those to come. They lapse after lasts, counted from before it was asked. Where there are fewer than
// wait, more may be there after again.
func (s *Slots) Take(
	ctx context.Context, endpoint string, waiting, recent int) (permits int, lasts, again time.Duration, err error) {
	err = s.database.twice(ctx, func(ctx context.Context) error { // what was taken and not heard of lapses
		return s.database.pool.QueryRow(ctx, `SELECT permits, lasts, again FROM adsync.take($1, $2, $3, $4)`,
			s.address, endpoint, waiting, recent).Scan(&permits, &lasts, &again)
	})
	return permits, lasts, again, err
}
