package postgres

import (
	"fmt"
	"slices"
	"testing"

	"adsync/internal/testing/pgtest"
)

func accounts(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("shop-%03d", i))
	}
	return names
}

func pull(t testing.TB, d *Database, names []string) Share {
	t.Helper()
	s, err := d.Attendance().Pull(t.Context(), names)
	noError(t, err)
	slices.Sort(s.Held)
	return s
}

func TestAPullThatFindsNothingWritesNothing(t *testing.T) {
	address, names := pgtest.Database(t), accounts(50)
	d := open(t, address, 0)
	noError(t, d.Attendance().Configure(t.Context(), names))
	pull(t, d, names)
	var before, after int64
	noError(t, d.pool.QueryRow(t.Context(), `SELECT pg_current_wal_insert_lsn() - '0/0'`).Scan(&before))
	for range 20 {
		pull(t, d, names)
	}
	noError(t, d.pool.QueryRow(t.Context(), `SELECT pg_current_wal_insert_lsn() - '0/0'`).Scan(&after))
	if after-before > 1000 { // what the server itself writes meanwhile
		t.Errorf("20 pulls wrote %d bytes of log; want none", after-before)
	}
}
