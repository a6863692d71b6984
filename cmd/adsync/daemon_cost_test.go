package main

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
	"adsync/reconcile"

	"github.com/jackc/pgx/v5"
)

var (
	costFor      = flag.Duration("database-cost", 0, "how long TestDatabaseCost measures each time; 0 leaves it out")
	costAccounts = flag.Int("database-cost-accounts", 240, "how many accounts of 150 resources TestDatabaseCost has")
)

// What is calculated: so many accounts, each looked at once a minute, and as many daemons as that takes addresses.
const (
	costCarriedTo = 10_000
	costDaemons   = 21
)

// TestDatabaseCost measures what looks and daemons cost a PostgreSQL server that waits for the disk: three daemons with
// accounts in which nothing happens, once while they look and once while they do not; then the server alone. It carries
// them to 10,000 accounts (make database-cost).
func TestDatabaseCost(t *testing.T) {
	if *costFor == 0 {
		return // make database-cost measures
	}
	const daemons, every = 3, 20 * time.Second
	server := pgtest.Start(t)
	f := &idleFleet{t: t, dir: t.TempDir(), accounts: *costAccounts, database: server.Database(t)}
	f.set(every, f.accounts)
	conn, err := pgx.Connect(t.Context(), f.database)
	noError(t, err)
	defer conn.Close(t.Context())

	ps := f.startSeveral(daemons)
	for began, last := time.Now(), int64(-1); last != f.changed.Load(); { // each applies, and is read again
		if time.Since(began) > time.Hour {
			t.Fatal("accounts are not as their files say after an hour")
		}
		last = f.changed.Load()
		time.Sleep(90 * time.Second) // longer than an account waits for the limits of its address
	}
	time.Sleep(reconcile.QuietFor + every) // nothing has happened for a while
	looking := databaseCostOf(t, server, conn, f, *costFor)
	end(ps)
	f.configure(time.Hour)
	ps = f.startSeveral(daemons)
	for last := int64(-1); last != f.requests.Load(); { // each is read once
		last = f.requests.Load()
		time.Sleep(time.Minute)
	}
	waiting := databaseCostOf(t, server, conn, f, *costFor)
	end(ps)
	alone := databaseCostOf(t, server, conn, f, *costFor)

	looks := looking.looks - waiting.looks
	look := databaseCost{
		(looking.processor - waiting.processor) / looks, (looking.log - waiting.log) / looks,
		(looking.rows - waiting.rows) / looks, 1,
	}
	daemon := databaseCost{
		(waiting.processor - alone.processor) / daemons, (waiting.log - alone.log) / daemons,
		(waiting.rows - alone.rows) / daemons, 0,
	}
	t.Logf("three daemons, %d accounts of 150 resources: a look costs %.0f µs of processor, %.0f bytes of log and "+
		"%.3f rows; a daemon, each second, %.0f µs, %.0f bytes and %.2f rows; a server alone %.0f µs and %.0f bytes",
		f.accounts, 1e6*look.processor, look.log, look.rows, 1e6*daemon.processor, daemon.log, daemon.rows,
		1e6*alone.processor, alone.log)
	const looksASecond = costCarriedTo / 60.0
	core := looksASecond*look.processor + costDaemons*daemon.processor + alone.processor
	day := 86_400 * (looksASecond*look.log + costDaemons*daemon.log + alone.log)
	t.Logf("%d accounts, %d daemons, by calculation: %.1f %% of a core, %.2f GB of log a day", costCarriedTo,
		costDaemons, 100*core, day/1e9)
	if core > 0.05 || day > 3e9 {
		t.Error("want at most 5 % of a core and 3 GB of log a day")
	}
}

// startSeveral starts daemons that share the accounts, each from a network address of its own.
func (f *idleFleet) startSeveral(n int) (ps []*process) {
	for i := range n {
		ps = append(ps, f.start(fmt.Sprintf("ADSYNC_ADDRESS=gateway-%d", i)))
	}
	return ps
}

func end(ps []*process) {
	for _, p := range ps {
		p.end()
	}
}

// databaseCost is what a server has done a second: seconds of processor, bytes of log, rows, for how many looks.
type databaseCost struct{ processor, log, rows, looks float64 }

// databaseCostOf measures for a while.
func databaseCostOf(
	t *testing.T, server *pgtest.Server, conn *pgx.Conn, f *idleFleet, during time.Duration) databaseCost {
	t.Helper()
	read := func() (c databaseCost) {
		c.processor, c.looks = server.Processor(t).Seconds(), float64(f.requests.Load())
		noError(t, conn.QueryRow(t.Context(), `SELECT (pg_current_wal_insert_lsn() - '0/0')::float8,
			(SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables)`).Scan(&c.log, &c.rows))
		return c
	}
	before, began := read(), time.Now()
	time.Sleep(during) // what is measured is real time
	after, seconds := read(), time.Since(began).Seconds()
	c := databaseCost{
		(after.processor - before.processor) / seconds, (after.log - before.log) / seconds,
		(after.rows - before.rows) / seconds, (after.looks - before.looks) / seconds,
	}
	t.Logf("each second of %s: %.2f %% of a core, %.0f bytes of log, %.2f rows, %.2f looks",
		during, 100*c.processor, c.log, c.rows, c.looks)
	return c
}
