package errands_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/errands"
	"adsync/internal/testing/pgtest"
	"adsync/state"
	"adsync/state/kv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// fleet is a database and its processes.
type fleet struct {
	*testing.T
	address string
}

func newFleet(t *testing.T) fleet { return fleet{t, pgtest.Database(t)} }

// process opens the database as another process does; it has a lease.
func (f fleet) process() *state.Server {
	f.Helper()
	s, err := state.OpenServer(f.Context(), f.address, state.Options{Command: "test", Lease: 6 * time.Second})
	f.no(err)
	_, err = s.Pull(f.Context(), nil) // which registers it
	f.no(err)
	f.Cleanup(func() { _ = s.Close() })
	return s
}

func (f fleet) queue(s *state.Server, kinds ...errands.Kind) *errands.Queue {
	f.Helper()
	q, err := errands.New(s, errands.Options{Kinds: kinds})
	f.no(err)
	return q
}

// does has a process do errands until the function that it returns is called.
func (f fleet) does(q *errands.Queue) (end func()) {
	ctx, cancel := context.WithCancel(f.Context())
	done := make(chan struct{})
	go func() { defer close(done); q.Run(ctx) }()
	end = func() { cancel(); <-done }
	f.Cleanup(end)
	return end
}

func (f fleet) add(s *state.Server, q *errands.Queue, e errands.Errand, at time.Time) {
	f.Helper()
	f.no(s.Together(f.Context(), e.Account, "x", func(ctx context.Context, tx pgx.Tx, _ kv.Store) error {
		return q.Add(ctx, tx, e, at)
	}))
}

func (f fleet) no(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// states are those of all jobs, in order.
func (f fleet) states(q *errands.Queue) (states []string) {
	f.Helper()
	jobs, err := q.List(f.Context(), "", true)
	f.no(err)
	for _, j := range jobs {
		states = append(states, j.State)
	}
	return states
}

// until waits until the states of all jobs are these.
func (f fleet) until(q *errands.Queue, want ...string) {
	f.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // River's clock is the database's
		have := f.states(q)
		if slices.Equal(have, want) {
			return
		}
		if time.Since(began) > time.Minute {
			f.Fatalf("after a minute the jobs are %q, want %q", have, want)
		}
	}
}

// kind is one whose errands are done by a function.
func kind(do func(context.Context, errands.Attempt) error) errands.Kind {
	return errands.Kind{
		Name: "tell", Attempts: 3, Most: 20 * time.Second, Do: do,
		Wait: func(int) time.Duration { return 10 * time.Millisecond },
	}
}

func nothing(context.Context, errands.Attempt) error { return nil }

// TestOneErrandIsOpenAtATime: what is queued twice is done once, what was done is queued anew, and a later moment gives
// way to an earlier one.
func TestOneErrandIsOpenAtATime(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	s := f.process()
	var done atomic.Int32
	q := f.queue(s, kind(func(context.Context, errands.Attempt) error { done.Add(1); return nil }))
	e := errands.Errand{Kind: "tell", Account: "a", Key: "k"}
	f.add(s, q, e, time.Now().Add(time.Hour))
	f.add(s, q, e, time.Now().Add(2*time.Hour))
	f.add(s, q, errands.Errand{Kind: "tell", Account: "b", Key: "k"}, time.Now().Add(time.Hour))
	if states := f.states(q); !slices.Equal(states, []string{"scheduled", "scheduled"}) {
		t.Fatalf("the jobs are %q, want one an account", states)
	}
	f.does(q)
	f.add(s, q, e, time.Time{})
	f.until(q, "completed", "scheduled")
	f.add(s, q, e, time.Time{})
	f.until(q, "completed", "scheduled", "completed")
	if n := done.Load(); n != 2 {
		t.Errorf("it was done %d times, want 2", n)
	}
	jobs, err := q.List(t.Context(), "b", false)
	if err != nil || len(jobs) != 1 || jobs[0].Account != "b" || jobs[0].Next == nil {
		t.Errorf("List(b) = %+v, %v; want the one that is open, with its next try", jobs, err)
	}
}

// TestAnErrandIsQueuedWithItsCause: neither is there without the other.
func TestAnErrandIsQueuedWithItsCause(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	s := f.process()
	q := f.queue(s, kind(nothing))
	cause := func(failed error) error {
		return s.Together(t.Context(), "a", "told.json", func(ctx context.Context, tx pgx.Tx, b kv.Store) error {
			if err := b.Put("told.json", []byte("x")); err != nil {
				return err
			}
			if err := q.Add(ctx, tx, errands.Errand{Kind: "tell", Account: "a"}, time.Time{}); err != nil {
				return err
			}
			return failed
		})
	}
	broken := errors.New("broken")
	if err := cause(broken); !errors.Is(err, broken) {
		t.Fatalf("Together = %v, want %v", err, broken)
	}
	if _, err := s.Beside("a").Get("told.json", 10); err == nil || len(f.states(q)) > 0 {
		t.Errorf("after a transaction that failed: content %v, jobs %q; want neither", err, f.states(q))
	}
	f.no(cause(nil))
	if _, err := s.Beside("a").Get("told.json", 10); err != nil || len(f.states(q)) != 1 {
		t.Errorf("after the transaction: content %v, jobs %q; want both", err, f.states(q))
	}
}

// TestAnErrandIsDoneAgain: one that fails is tried again, is given up after its attempts with what was wrong, and goes
// on where a person says so.
func TestAnErrandIsDoneAgain(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.address += "&default_query_exec_mode=exec" // as PgBouncer wants it
	s := f.process()
	var mended atomic.Bool
	q := f.queue(s, kind(func(_ context.Context, e errands.Attempt) error {
		if mended.Load() {
			return nil
		}
		return fmt.Errorf("attempt %d of %s", e.Number, e.Account)
	}))
	f.does(q)
	f.add(s, q, errands.Errand{Kind: "tell", Account: "a"}, time.Time{})
	f.until(q, "discarded")
	jobs, err := q.List(t.Context(), "", false)
	f.no(err)
	if len(jobs) != 1 || jobs[0].Tries != 3 || jobs[0].Error != "attempt 3 of a" {
		t.Fatalf("List = %+v; want the one that was given up, and why", jobs)
	}
	mended.Store(true)
	_, err = q.Retry(t.Context(), jobs[0].ID)
	f.no(err)
	f.until(q, "completed")
	if _, err := q.Retry(t.Context(), 99); !errors.Is(err, errands.ErrNoJob) {
		t.Errorf("Retry(99) = %v, want ErrNoJob", err)
	}
	f.add(s, q, errands.Errand{Kind: "tell", Account: "a"}, time.Now().Add(time.Hour))
	jobs, err = q.List(t.Context(), "", false)
	f.no(err)
	cancelled, err := q.Cancel(t.Context(), jobs[0].ID)
	if err != nil || cancelled.State != "cancelled" {
		t.Errorf("Cancel = %+v, %v; want it cancelled", cancelled, err)
	}
}

// TestAnErrandThatEndsIsQueuedAnew: who causes it while it ends waits, and queues it anew; so nothing is left lying.
func TestAnErrandThatEndsIsQueuedAnew(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	s := f.process()
	ending, caused := make(chan struct{}), make(chan struct{})
	var done atomic.Int32
	q := f.queue(s, kind(func(ctx context.Context, e errands.Attempt) error {
		return s.Together(ctx, "a", "x", func(ctx context.Context, tx pgx.Tx, _ kv.Store) error {
			if done.Add(1) == 1 {
				close(ending)
				<-caused
				return e.Again(ctx, tx, time.Now().Add(time.Hour))
			}
			return e.End(ctx, tx)
		})
	}))
	f.does(q)
	f.add(s, q, errands.Errand{Kind: "tell", Account: "a"}, time.Time{})
	<-ending
	added := make(chan struct{})
	go func() { defer close(added); f.add(s, q, errands.Errand{Kind: "tell", Account: "a"}, time.Time{}) }()
	close(caused)
	<-added
	f.until(q, "completed", "completed")
}

// TestAnErrandOfADeadProcessIsDoneByAnother, and soon: once its lease has ended.
func TestAnErrandOfADeadProcessIsDoneByAnother(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	dead, s := f.process(), f.process()
	began := make(chan struct{})
	hangs := f.queue(dead, kind(func(context.Context, errands.Attempt) error {
		close(began)
		<-t.Context().Done()
		return nil
	}))
	lives, dies := context.WithCancel(t.Context())
	go hangs.Run(lives)
	f.add(s, hangs, errands.Errand{Kind: "tell", Account: "a"}, time.Time{})
	<-began
	dies() // it takes no other, and does not end what it began
	_, err := s.Process().Pool().Exec(t.Context(), `UPDATE adsync.worker SET ends = now() - interval '1 s' WHERE `+
		`left(host, 60) || ' ' || pid || ' ' || (extract(epoch FROM since) * 1000000)::bigint = $1`, dead.Process().Name())
	f.no(err)
	var by atomic.Pointer[string]
	me := s.Process().Name()
	q := f.queue(s, kind(func(context.Context, errands.Attempt) error { by.Store(&me); return nil }))
	f.does(q)
	f.until(q, "completed")
	if by.Load() == nil || *by.Load() != me {
		t.Errorf("it was done by %v, want by %s", by.Load(), me)
	}
}

// TestAProcessWithoutALeaseTakesNoErrand, and leaves them as they are; it does them once it has a lease again.
func TestAProcessWithoutALeaseTakesNoErrand(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	s := f.process()
	q := f.queue(s, kind(nothing))
	f.does(q)
	counts := func(what, query string, want int, meanwhile func()) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			meanwhile()
			var n int
			f.no(s.Process().Pool().QueryRow(t.Context(), `SELECT count(*) FROM adsync.`+query).Scan(&n))
			if n == want {
				return
			}
			if time.Since(began) > time.Minute {
				t.Fatalf("after a minute there are %d %s, want %d", n, what, want)
			}
		}
	}
	pulls := func() { _, err := s.Pull(t.Context(), nil); f.no(err) }
	counts("processes that lead at River", "river_leader", 1, pulls)
	_, err := s.Process().Pool().Exec(t.Context(), `DELETE FROM adsync.worker`)
	f.no(err)
	counts("processes that lead at River", "river_leader", 0, func() {})
	f.add(s, q, errands.Errand{Kind: "tell", Account: "a"}, time.Time{})
	counts("errands that nobody has taken",
		"river_job WHERE state = 'available' AND attempted_at IS NULL", 1, func() {})
	counts("errands that are done and were never put off",
		"river_job WHERE state = 'completed' AND attempt = 1 AND NOT metadata ? 'snoozes'", 1, pulls)
}

// TestTheTablesAreRivers holds the migration of state/postgres to what River's own make.
func TestTheTablesAreRivers(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	s := f.process()
	_, err := s.Process().Pool().Exec(t.Context(), "CREATE SCHEMA theirs")
	f.no(err)
	theirs, err := rivermigrate.New(riverpgxv5.New(s.Process().Pool()), &rivermigrate.Config{Schema: "theirs"})
	f.no(err)
	_, err = theirs.Migrate(t.Context(), rivermigrate.DirectionUp, nil)
	f.no(err)
	ours, err := rivermigrate.New(riverpgxv5.New(s.Process().Pool()), &rivermigrate.Config{Schema: "adsync"})
	f.no(err)
	valid, err := ours.Validate(t.Context(), nil)
	if err != nil || !valid.OK {
		t.Errorf("Validate = %+v, %v; want every migration of River there", valid, err)
	}
	if have, want := shape(f, s.Process().Pool(), "adsync"), shape(f, s.Process().Pool(), "theirs"); have != want {
		t.Errorf("our tables are\n%s\nRiver's are\n%s", have, want)
	}
}

// shape is what River's tables are in a schema.
func shape(f fleet, pool *pgxpool.Pool, schema string) string {
	f.Helper()
	rows, err := pool.Query(f.Context(), `SELECT line FROM (
			SELECT format('%s.%s %s %s %s', table_name, column_name, udt_name, is_nullable, column_default)
			FROM information_schema.columns WHERE table_schema = $1 AND table_name LIKE 'river%'
		UNION ALL
			SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename LIKE 'river%'
		UNION ALL
			SELECT format('%s %s %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
			FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
			WHERE c.relnamespace = $1::regnamespace AND c.relname LIKE 'river%'
		UNION ALL
			SELECT format('%s %s', relname, relpersistence) FROM pg_class
			WHERE relnamespace = $1::regnamespace AND relname LIKE 'river%'
		UNION ALL
			SELECT enumlabel::text FROM pg_enum e JOIN pg_type t ON t.oid = enumtypid WHERE typnamespace = $1::regnamespace
		) AS all_of_them (line) ORDER BY line`, schema)
	f.no(err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	f.no(err)
	if len(lines) < 50 {
		f.Fatalf("the schema %s has %d lines; want River's tables", schema, len(lines))
	}
	// River's own made this table twice
	return strings.NewReplacer(schema+".", "", "migration_pkey1", "migration_pkey").Replace(strings.Join(lines, "\n"))
}
