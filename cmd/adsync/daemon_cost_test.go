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
	costAccounts = flag.Int("database-cost-accounts", 60, "how many accounts of 150 resources TestDatabaseCost has")
)

// What is calculated: so many accounts, each looked at once a minute, and as many daemons as that takes addresses.
const (
	costCarriedTo  = 10_000
	costDaemons    = 21
	looksOfADaemon = 4 // a second, for 240 accounts that are looked at once a minute
)

// TestDatabaseCost measures what looks and daemons cost a PostgreSQL server that waits for the disk: three daemons with
// accounts in which nothing happens, once while they look and once while they do not; then the server alone. It carries
// them to 10,000 accounts (make database-cost).
//
// The log is counted by what its records say, and what comes by a clock of the server's own is measured apart: images
// of whole pages, one of each that changes after a checkpoint, and vacuums. Both are calculated as often as the server
// makes them by itself at most.
func TestDatabaseCost(t *testing.T) {
	if *costFor == 0 {
		return // make database-cost measures
	}
	const daemons = 3
	every := time.Duration(*costAccounts) * time.Second / (daemons * looksOfADaemon)
	server := pgtest.Start(t)
	f := &idleFleet{t: t, dir: t.TempDir(), accounts: *costAccounts, database: server.Database(t)}
	f.set(every, f.accounts)
	conn, err := pgx.Connect(t.Context(), f.database)
	noError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `CREATE EXTENSION pg_walinspect`)
	noError(t, err)

	ps := f.startSeveral(daemons)
	for began, last := time.Now(), int64(-1); last != f.changed.Load(); { // each applies, and is read again
		if time.Since(began) > time.Hour {
			t.Fatal("accounts are not as their files say after an hour")
		}
		last = f.changed.Load()
		time.Sleep(90 * time.Second) // longer than an account waits for the limits of its address
	}
	time.Sleep(reconcile.QuietFor + every) // nothing has happened for a while
	run := func(statements ...string) {
		for _, statement := range statements {
			_, err := conn.Exec(t.Context(), statement)
			noError(t, err)
		}
	}
	run("ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()", "VACUUM ANALYZE", "CHECKPOINT")
	rest := func() { time.Sleep(*costFor) } // what is measured is real time
	looking := databaseCostOf(t, server, conn, f, "looks", rest)
	vacuumed := databaseCostOf(t, server, conn, f, "a vacuum", func() {
		run("VACUUM ANALYZE adsync.slot, adsync.worker, adsync.river_queue")
	})
	end(ps)
	f.configure(time.Hour)
	ps = f.startSeveral(daemons)
	for last := int64(-1); last != f.requests.Load(); { // each is read once
		last = f.requests.Load()
		time.Sleep(time.Minute)
	}
	waiting := databaseCostOf(t, server, conn, f, "daemons that do not look", rest)
	end(ps)
	alone := databaseCostOf(t, server, conn, f, "a server alone", rest)

	looks := looking.looks - waiting.looks
	look := databaseCost{
		processor: (looking.processor - waiting.processor) / looks, log: (looking.log - waiting.log) / looks,
		rows: (looking.rows - waiting.rows) / looks,
	}
	daemon := databaseCost{
		processor: (waiting.processor - alone.processor) / daemons, log: (waiting.log - alone.log) / daemons,
		rows: (waiting.rows - alone.rows) / daemons,
	}
	t.Logf("three daemons, %d accounts of 150 resources: a look costs %.0f µs of processor, %.0f bytes of log and "+
		"%.3f rows; a daemon, each second, %.0f µs, %.0f bytes and %.2f rows; a server alone %.0f µs",
		f.accounts, 1e6*look.processor, look.log, look.rows, 1e6*daemon.processor, daemon.log, daemon.rows,
		1e6*alone.processor)
	const looksASecond = costCarriedTo / 60.0
	core := looksASecond*look.processor + costDaemons*daemon.processor + alone.processor
	written := 86_400 * (looksASecond*look.log + costDaemons*daemon.log + alone.log)
	var checkpoint, vacuum float64 // how far apart they are at least, in seconds
	noError(t, conn.QueryRow(t.Context(), `SELECT
		extract(epoch FROM current_setting('checkpoint_timeout')::interval)::float8,
		extract(epoch FROM current_setting('autovacuum_naptime')::interval)::float8`).Scan(&checkpoint, &vacuum))
	images := 86_400 / checkpoint * looking.images / daemons * costDaemons
	vacuums := 86_400 / vacuum * (vacuumed.log*vacuumed.seconds + vacuumed.images)
	day := written + images + vacuums
	t.Logf("%d accounts, %d daemons, by calculation: %.1f %% of a core, %.2f GB of log a day: %.2f GB of records, "+
		"%.2f of whole pages with a checkpoint every %.0f s, %.2f of a vacuum every %.0f s", costCarriedTo, costDaemons,
		100*core, day/1e9, written/1e9, images/1e9, checkpoint, vacuums/1e9, vacuum)
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

// databaseCost is what a server has done a second: seconds of processor, bytes of log but for images of pages, rows,
// for how many looks; and in all those seconds how many bytes of images of pages.
type databaseCost struct{ processor, log, rows, looks, images, seconds float64 }

// databaseCostOf measures while something is done.
func databaseCostOf(t *testing.T, server *pgtest.Server, conn *pgx.Conn, f *idleFleet, what string,
	during func()) (c databaseCost) {
	t.Helper()
	type moment struct {
		processor, looks, rows float64
		log                    string
	}
	read := func() (m moment) {
		noError(t, conn.QueryRow(t.Context(), `SELECT pg_current_wal_flush_lsn()::text,
			(SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables)`).Scan(&m.log, &m.rows))
		m.processor, m.looks = server.Processor(t).Seconds(), float64(f.requests.Load())
		return m
	}
	before, began := read(), time.Now()
	during()
	after, seconds := read(), time.Since(began).Seconds()
	c.seconds = seconds
	for _, l := range logOf(t, conn, before.log, after.log) {
		c.log += l.bytes / seconds
		c.images += l.images
		t.Logf("%s: %6.2f records a second of %-36s %6.0f bytes each; %3.0f pages changed, %3.0f KiB written whole",
			what, l.records/seconds, l.of, l.bytes/l.records, l.pages, l.images/1024)
	}
	c.processor, c.looks = (after.processor-before.processor)/seconds, (after.looks-before.looks)/seconds
	c.rows = (after.rows - before.rows) / seconds
	t.Logf("%s, each second of %.0f: %.2f %% of a core, %.0f bytes of log, %.2f rows, %.2f looks; in all %.0f KiB of "+
		"whole pages", what, seconds, 100*c.processor, c.log, c.rows, c.looks, c.images/1024)
	return c
}

// logPart is what the log has of one kind of records of one table or index.
type logPart struct {
	of                     string
	records, bytes, images float64 // bytes without images of pages
	pages                  float64 // how many changed; a page counts with the first kind that changed it
}

// logOf reads the log between two positions. A commit counts with the table that its transaction wrote first.
func logOf(t *testing.T, conn *pgx.Conn, from, to string) []logPart {
	t.Helper()
	rows, err := conn.Query(t.Context(), `WITH entry AS (
			SELECT start_lsn, xid::text, resource_manager || ' ' || record_type AS kind, fpi_length AS image,
				end_lsn - start_lsn - fpi_length AS bytes,
				(regexp_match(block_ref, 'rel (\d+)/(\d+)/(\d+)'))::oid[] AS file,
				(regexp_match(block_ref, 'rel \S+ fork \S+ blk \d+'))[1] AS page
			FROM pg_get_wal_records_info($1, $2)
		), owned AS (
			SELECT *, coalesce(file, CASE WHEN xid <> '0' THEN first_value(file) OVER (
				PARTITION BY xid ORDER BY file IS NULL, start_lsn) END) AS owner,
				page IS NOT NULL AND row_number() OVER (PARTITION BY page ORDER BY start_lsn) = 1 AS first
			FROM entry
		)
		SELECT CASE WHEN c.oid IS NOT NULL THEN c.oid::regclass::text WHEN owner IS NULL THEN 'no table'
				ELSE 'another database' END || ', ' || kind AS of,
			count(*)::float8, sum(bytes)::float8, sum(image)::float8, count(*) FILTER (WHERE first)::float8
		FROM owned CROSS JOIN pg_database d LEFT JOIN pg_class c ON owner[2] IN (0, d.oid) AND c.oid =
			pg_filenode_relation(CASE WHEN owner[1] <> d.dattablespace THEN owner[1] ELSE 0 END, owner[3])
		WHERE d.datname = current_database()
		GROUP BY 1 ORDER BY 3 DESC`, from, to)
	noError(t, err)
	var parts []logPart
	var p logPart
	_, err = pgx.ForEachRow(rows, []any{&p.of, &p.records, &p.bytes, &p.images, &p.pages}, func() error {
		parts = append(parts, p)
		return nil
	})
	noError(t, err)
	return parts
}
