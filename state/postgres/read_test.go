package postgres

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"adsync/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// trickle is a line that brings one byte at a time.
type trickle struct{ net.Conn }

func (c trickle) Read(b []byte) (int, error) { return c.Conn.Read(b[:min(len(b), 1)]) }

// trickling has all later questions go over lines that bring one byte at a time.
func trickling(t *testing.T, d *Database) {
	t.Helper()
	config := d.pool.Config()
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return trickle{c}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	noError(t, err)
	d.pool.Close()
	d.pool = pool
}

// A connection has one buffer: what comes after a record, and what another question gets, may come to lie where the
// record lay.
func TestARecordIsReadAsItWasWrittenHoweverItsBytesArrive(t *testing.T) {
	d := open(t, pgtest.Database(t), 0)
	a := claim(t, d, "act_1")
	want := `{"sequence":1,"run":"run-1","point":"sent"}`
	large := strings.Repeat(want, 1000)
	h := a.Head()
	h.Serial++
	noError(t, a.Commit(h, []Write{{Class: "last", Key: "k", Value: want}, {Class: "last", Key: "l", Value: large}}))
	trickling(t, d)
	for key, want := range map[string]string{"k": want, "l": large} {
		got, _, there, err := a.Read(t.Context(), "last", key)
		if err != nil || !there || got != want {
			t.Errorf("Read(%s) = %.60q, %t, %v; want %.60q", key, got, there, err, want)
		}
	}
	all, err := a.All(t.Context(), "last")
	if err != nil || fmt.Sprint(all) != fmt.Sprint([]Record{{Key: "k", Value: want}, {Key: "l", Value: large}}) {
		t.Errorf("All() = %.200q, %v; want both records", fmt.Sprint(all), err)
	}
}

// A line that was cut may be found closed: then it is asked again over another, and the database is away where that
// fails too.
func TestALineThatIsFoundClosedIsAskedAgain(t *testing.T) {
	d := open(t, pgtest.Database(t), 0)
	closings := 1
	ask := func() error {
		return d.inTransaction(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
			if closings--; closings >= 0 {
				noError(t, tx.Conn().Close(ctx))
			}
			_, err := tx.Exec(ctx, `SELECT 1`)
			return err
		})
	}
	noError(t, ask())
	closings = 2
	if err := ask(); !IsAway(err) {
		t.Errorf("a database whose lines are always closed is %v; want that it is away", err)
	}
}
