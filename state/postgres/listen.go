package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// errDeaf says that what processes ring is not heard over this connection, as behind PgBouncer in transaction mode.
var errDeaf = errors.New("notifications of the database do not come through")

// How long the first bell may take, and how often a connection on which nothing rings is tried.
const (
	firstBell  = 5 * time.Second
	quietBells = 30 * time.Second
)

// Listen calls heard with whatever is rung, on a connection of its own, until that fails or the context ends. listening
// is called once it is known that bells are heard: what was rung before was not.
func (v *Views) Listen(ctx context.Context, listening func(), heard func(said string)) error {
	connecting, cancel := within(ctx)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, v.database.pool.Config().ConnConfig)
	if err != nil {
		return redacted(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(connecting, `LISTEN `+channel); err != nil {
		return err
	}
	if err := v.try(ctx, conn); err != nil {
		return err
	}
	listening()
	for {
		said, err := bell(ctx, conn, quietBells)
		switch {
		case err == nil:
			heard(said)
		case ctx.Err() != nil:
			return ctx.Err()
		case !pgconn.Timeout(err):
			return err
		default:
			err := conn.Ping(ctx)
			if err != nil {
				return err
			}
		}
	}
}

// try rings from another connection, and wants to hear it.
func (v *Views) try(ctx context.Context, conn *pgx.Conn) error {
	word := "try " + rand.Text()
	if err := v.Ring(ctx, word); err != nil {
		return err
	}
	until := time.Now().Add(firstBell)
	for {
		said, err := bell(ctx, conn, time.Until(until))
		switch {
		case err == nil && said == word:
			return nil
		case err != nil && ctx.Err() == nil && pgconn.Timeout(err):
			return errDeaf
		case err != nil:
			return err
		}
	}
}

func bell(ctx context.Context, conn *pgx.Conn, most time.Duration) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	n, err := conn.WaitForNotification(ctx)
	if err != nil {
		return "", err
	}
	return n.Payload, nil
}
