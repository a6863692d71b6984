package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

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

// settle has workers pull and give back until nothing changes, and returns what each has.
func settle(t testing.TB, names []string, workers ...*Database) (held [][]string) {
	t.Helper()
	for range 20 {
		before := held
		held = nil
		for _, d := range workers {
			s := pull(t, d, names)
			for _, name := range s.Held[:s.Excess] {
				noError(t, d.Attendance().GiveBack(t.Context(), name))
			}
			held = append(held, s.Held[s.Excess:])
		}
		if slices.EqualFunc(before, held, slices.Equal) {
			return held
		}
	}
	t.Fatal("workers pull and give back without end")
	return nil
}

func wantOnce(t testing.TB, held [][]string, names []string) {
	t.Helper()
	all := slices.Concat(held...)
	slices.Sort(all)
	if !slices.Equal(all, names) {
		t.Errorf("workers have %d accounts, %d of them different; want each of %d once",
			len(all), len(slices.Compact(all)), len(names))
	}
}

func TestWorkersShareAccountsFairly(t *testing.T) {
	address, names := pgtest.Database(t), accounts(100)
	first, second, third := open(t, address, 0), open(t, address, 0), open(t, address, 0)
	noError(t, first.Attendance().Configure(t.Context(), names))

	held := settle(t, names, first)
	wantOnce(t, held, names)

	held = settle(t, names, first, second, third)
	wantOnce(t, held, names)
	for i, one := range held {
		if len(one) < 32 || len(one) > 34 {
			t.Errorf("worker %d has %d of 100 accounts; want a third", i, len(one))
		}
	}

	noError(t, second.Close()) // gives all back at once
	held = settle(t, names, first, third)
	wantOnce(t, held, names)

	more := accounts(120)
	noError(t, first.Attendance().Configure(t.Context(), more))
	wantOnce(t, settle(t, more, first, third), more)
}

func TestAccountsOfAWorkerThatIsGoneAreTakenOver(t *testing.T) {
	address, names := pgtest.Database(t), accounts(10)
	const lease = 600 * time.Millisecond
	frozen, other := open(t, address, lease), open(t, address, lease)
	noError(t, frozen.Attendance().Configure(t.Context(), names))
	wantOnce(t, [][]string{pull(t, frozen, names).Held}, names)
	frozen.worker.stop()
	frozen.worker.beaten.Wait()
	for began := time.Now(); len(pull(t, other, names).Held) < len(names); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 10*lease { // the database's clock runs by itself
			t.Fatal("nobody took the accounts over")
		}
	}
	if _, attended, err := other.Attendance().AttendedBy(t.Context(), names[0]); err != nil || !attended {
		t.Errorf("AttendedBy() = %t, %v; want a worker that lives", attended, err)
	}
	noError(t, frozen.Attendance().GiveBack(t.Context(), names[0])) // it is another's
	wantOnce(t, [][]string{pull(t, other, names).Held}, names)
}

// However many pull at once, no account has two workers.
func TestManyThatPullAtOnceTakeEachAccountOnce(t *testing.T) {
	address, names := pgtest.Database(t), accounts(200)
	var workers []*Database
	for range 6 {
		workers = append(workers, open(t, address, 0))
	}
	noError(t, workers[0].Attendance().Configure(t.Context(), names))
	var all sync.WaitGroup
	for _, d := range workers {
		all.Go(func() {
			for range 5 {
				s, err := d.Attendance().Pull(context.Background(), names)
				if err != nil {
					t.Errorf("Pull() = %v", err)
					return
				}
				for _, name := range s.Held[:s.Excess] {
					if err := d.Attendance().GiveBack(context.Background(), name); err != nil {
						t.Errorf("GiveBack() = %v", err)
					}
				}
			}
		})
	}
	all.Wait()
	wantOnce(t, settle(t, names, workers...), names)
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
