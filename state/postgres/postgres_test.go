package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// open connects as a process of its own.
func open(t testing.TB, address string, lease time.Duration) *Database {
	t.Helper()
	d, err := Open(t.Context(), address, Options{Host: "here", PID: 7, Command: "adsync apply", Lease: lease})
	if err != nil {
		t.Fatalf("Open() = %v, want a database", err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func fresh() Head { return Head{Format: 4, Lineage: "0123", Serial: 1} }

func claim(t testing.TB, d *Database, name string) *Account {
	t.Helper()
	a, err := d.Claim(t.Context(), name, fresh())
	if err != nil {
		t.Fatalf("Claim(%s) = %v, want the account", name, err)
	}
	return a
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// next commits one record.
func next(a *Account, value string) error {
	h := a.Head()
	h.Serial++
	return a.Commit(h, []Write{{Class: "last", Key: "k", Value: value}})
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What a process left that is gone for a day is forgotten, and its accounts are free.
func TestProcessesThatAreLongGoneAreForgotten(t *testing.T) {
	address := pgtest.Database(t)
	gone := open(t, address, 0)
	claim(t, gone, "act_1")
	gone.worker.stop()
	gone.worker.beaten.Wait()
	_, err := gone.pool.Exec(t.Context(), `UPDATE adsync.worker SET ends = ends - interval '2 days'`)
	noError(t, err)
	other := open(t, address, 0)
	claim(t, other, "act_1")
	var workers int
	noError(t, other.pool.QueryRow(t.Context(), `SELECT count(*) FROM adsync.worker`).Scan(&workers))
	if workers != 1 {
		t.Errorf("the database knows %d workers, want the one that lives", workers)
	}
}

func TestProcessesThatBeginTogetherMigrateOnce(t *testing.T) {
	address := pgtest.Database(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			d, err := Open(context.Background(), address, Options{})
			if err != nil {
				t.Errorf("Open() = %v, want a database", err)
				return
			}
			d.Close()
		})
	}
	all.Wait()
}

// Processes behind PgBouncer get each other's connections: what one prepared is no other's, and all work.
func TestBehindPgBouncer(t *testing.T) {
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "CREATE DATABASE pooled")
	if d := open(t, server.URL("pooled"), 0); d.Pooled() {
		t.Error("Pooled() of a server itself = true, want false")
	}
	address := server.Pooled(t, "pooled")
	for range 3 {
		d := open(t, address, 0)
		if !d.Pooled() {
			t.Error("Pooled() = false behind PgBouncer, want true")
		}
		noError(t, d.Attendance().Configure(t.Context(), []string{"shop"}))
		_, err := d.Attendance().Pull(t.Context(), []string{"shop"})
		noError(t, err)
		noError(t, d.Close())
	}
	d := open(t, address, 0)
	server.Kill()
	if _, err := d.Serial(t.Context(), "shop"); !IsAway(err) {
		t.Errorf("Serial() while the server behind it is gone = %v; want that it is away", err)
	}
	server.Run(t)
	for began := time.Now(); ; {
		if _, err := d.Serial(t.Context(), "shop"); err == nil {
			break
		} else if !IsAway(err) || time.Since(began) > time.Minute {
			t.Fatalf("Serial() after the server is back = %v; want that it is away, and then an answer", err)
		}
	}
}

func TestADatabaseThatKeepsNothingIsRefused(t *testing.T) {
	address := pgtest.Database(t)
	d := open(t, address, 0)
	name := d.pool.Config().ConnConfig.Database
	_, err := d.pool.Exec(t.Context(), `ALTER DATABASE `+name+` SET synchronous_commit = off`)
	noError(t, err)
	_, err = Open(t.Context(), address, Options{})
	wantError(t, "Open()", err, errUnsafe)
}

// A line may be numbered before what a rewrite has read and be committed after: it is not lost.
func TestALineThatIsCommittedDuringARewriteStays(t *testing.T) {
	d := open(t, pgtest.Database(t), 0)
	b := d.Beside("act_1")
	late, err := d.pool.Begin(t.Context())
	noError(t, err)
	_, err = late.Exec(t.Context(), `INSERT INTO adsync.beside (account, name, content)
		VALUES ('act_1', 'log', convert_to(E'late\n', 'UTF8'))`)
	noError(t, err)
	noError(t, b.Append("log", []byte("early")))
	noError(t, b.Rewrite("log", func([]byte) []byte {
		noError(t, late.Commit(context.Background()))
		return []byte("changed\n")
	}))
	content, err := b.Get("log", 1000)
	if err != nil || !strings.Contains(string(content), "late\n") || !strings.Contains(string(content), "changed\n") {
		t.Errorf("the content is %q, %v; want the line and what was changed", content, err)
	}
}

func TestNoErrorHasThePassword(t *testing.T) {
	for _, address := range []string{
		"postgres://adsync:tops3cret@127.0.0.1:1/adsync",
		"postgres://adsync:tops3cret@[::1/adsync",
		"postgres://adsync:tops3cret@127.0.0.1:port/adsync",
		"host=127.0.0.1 port=1 password=tops3cret sslmode=perhaps",
	} {
		_, err := Open(t.Context(), address, Options{})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Open(%q) = %v, want an error without the password", address, err)
		}
	}
}

func TestAPromotionThatLostNothingGoesOn(t *testing.T) {
	server := pgtest.Start(t, "synchronous_standby_names=standby", "fsync=off")
	server.Exec(t, "postgres", "SET synchronous_commit = local; CREATE TABLE here (n int)") // before there is a standby
	standby := server.Standby(t)
	both := server.URL("postgres", standby)
	d := open(t, both, 0)
	a := claim(t, d, "act_1")
	noError(t, next(a, "one"))
	server.Kill()
	standby.Promote(t)
	standby.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = ''")
	standby.Exec(t, "postgres", "SELECT pg_reload_conf()")
	_ = next(a, "two") // its line is cut, or is another where the pool found that out
	noError(t, a.Close())
	a = claim(t, d, "act_1")
	noError(t, next(a, "two"))
	noError(t, a.Close())

	stranger := open(t, both, 0) // it cannot know that nothing was lost; the account was claimed there since
	noError(t, claim(t, stranger, "act_1").Close())
}

func TestAPromotionThatLostCommitsIsNoticed(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	d := open(t, server.URL("postgres"), 0)
	a := claim(t, d, "act_1")
	noError(t, next(a, "one"))
	standby := server.Standby(t)
	both := server.URL("postgres", standby)
	d2 := open(t, both, 0)
	noError(t, a.Close())
	a = claim(t, d2, "act_1")
	standby.AwaitReplay(t, server)
	standby.Kill() // it hears nothing of what comes now
	noError(t, next(a, "two"))
	noError(t, next(a, "three"))
	server.Kill()
	standby.Run(t)
	standby.Promote(t)

	for range 2 { // the first question may find the line cut
		err := next(a, "four")
		if errors.Is(err, ErrLost) {
			break
		}
	}
	wantError(t, "Commit on a database that forgot", next(a, "four"), ErrLost)
	_ = a.Close()
	_, err := d2.Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim by who knows better", err, ErrLost)
	stranger := open(t, standby.URL("postgres"), 0)
	_, err = stranger.Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim by who cannot know", err, ErrLost)
	_, err = stranger.Snapshot(t.Context(), "act_1", func(_, _, _ string, _ uint64) error { return nil })
	wantError(t, "Snapshot by who cannot know", err, ErrLost)
	lost, err := stranger.ClaimLost(t.Context(), "act_1")
	noError(t, err)
	noError(t, next(lost, "what was decided"))
	noError(t, lost.Close())
	_, err = open(t, standby.URL("postgres"), 0).Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim before it is accepted", err, ErrLost)
	lost, err = stranger.ClaimLost(t.Context(), "act_1")
	noError(t, err)
	noError(t, lost.Accept(t.Context()))
	noError(t, lost.Close())
	noError(t, claim(t, open(t, standby.URL("postgres"), 0), "act_1").Close())
}

// A server that is killed during commits has each whole or not at all, and has every one it acknowledged.
func TestAServerThatIsKilledHasWhatItAcknowledged(t *testing.T) {
	server := pgtest.Start(t)
	d := open(t, server.URL("postgres"), 0)
	acknowledged := 0
	for range 5 {
		a := claim(t, d, "act_1")
		committed := make(chan int)
		first := acknowledged + 1
		go func() {
			defer close(committed)
			for n := 0; next(a, fmt.Sprint(first+n)) == nil; n++ {
				committed <- n
			}
		}()
		var killed sync.WaitGroup
		for n := range committed {
			if acknowledged++; n == 20 {
				killed.Go(server.Kill)
			}
		}
		killed.Wait()
		server.Run(t)
		noError(t, a.Close())
		a = claim(t, d, "act_1")
		value, _, there, err := a.Read(t.Context(), "last", "k")
		if err != nil || !there || value != fmt.Sprint(acknowledged) && value != fmt.Sprint(acknowledged+1) {
			t.Fatalf("the record is %q, %v; want %d, which was acknowledged, or the next", value, err, acknowledged)
		}
		if want := fmt.Sprint(a.Head().Serial - 1); value != want {
			t.Fatalf("the record is of commit %s, and the head of %s", value, want)
		}
		fmt.Sscan(value, &acknowledged)
		noError(t, a.Close())
	}
}

// Who was killed while it made the tables holds nobody up.
func TestAMigrationThatWasCutOffHoldsNobodyUp(t *testing.T) {
	server := pgtest.Start(t)
	address := server.URL("postgres")
	server.Exec(t, "postgres", "CREATE SCHEMA adsync")
	block, err := pgx.Connect(t.Context(), address)
	noError(t, err)
	tx, err := block.Begin(t.Context())
	noError(t, err)
	_, err = tx.Exec(t.Context(), "CREATE TABLE adsync.head ()") // the migration waits for what becomes of it
	noError(t, err)
	cut := make(chan error)
	go func() {
		d, err := Open(context.Background(), address, Options{})
		if err == nil {
			err = d.Close()
		}
		cut <- err
	}()
	watch, err := pgx.Connect(t.Context(), address)
	noError(t, err)
	for waits := false; !waits; {
		noError(t, watch.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND query LIKE '%CREATE TABLE%')`).Scan(&waits))
	}
	server.Kill()
	if <-cut == nil {
		t.Fatal("the tables were made by a server that was killed")
	}
	server.Run(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	d, err := Open(ctx, address, Options{})
	if err != nil {
		t.Fatalf("Open() after a migration that was cut off = %v; want a database", err)
	}
	claim(t, d, "act_1")
	noError(t, d.Close())
}

func TestAStandbyThatMayBeBehindIsNamed(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	d := open(t, server.URL("postgres"), 0)
	behind := func(d *Database) []string {
		names, err := d.Behind(t.Context())
		noError(t, err)
		return names
	}
	if names := behind(d); len(names) > 0 {
		t.Errorf("Behind() = %q without a standby; want none", names)
	}
	standby := server.Standby(t)
	standby.AwaitReplay(t, server)
	if names := behind(d); len(names) != 1 || names[0] != "standby" {
		t.Errorf("Behind() = %q; want the standby", names)
	}
	server.Exec(t, "postgres", `CREATE ROLE little LOGIN; GRANT USAGE ON SCHEMA adsync TO little;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA adsync TO little`)
	little := open(t, strings.Replace(server.URL("postgres"), "adsync@", "little@", 1), 0)
	if names := behind(little); len(names) != 1 || !strings.Contains(names[0], "pg_read_all_stats") {
		t.Errorf("Behind() of a role that may not see it = %q; want that it may not", names)
	}
	noError(t, claim(t, little, "act_1").Close()) // no more rights are needed
	server.Exec(t, "postgres", `GRANT pg_read_all_stats TO little`)
	if names := behind(little); len(names) != 1 || names[0] != "standby" {
		t.Errorf("Behind() of a role that may see it = %q; want the standby", names)
	}
}
