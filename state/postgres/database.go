// Package postgres keeps the records of states in a PostgreSQL database, one state an account, for any number of
// processes on any number of machines.
//
// It knows no record's meaning. Its invariants: a commit is made by the one process that holds the account, is whole
// and durable, and follows the one before; a process whose lease has ended sends nothing and writes nothing.
//
// Open database.go to see how a database is opened, migrate.go how its tables change while older programs work,
// worker.go for the lease of a process and its heartbeat, account.go for the records of an account and the fence around
// each commit, giveback.go for how it is left to others, attendance.go for which daemon looks after which account,
// beside.go for what is kept beside a state, loss.go for a database that went back in time, slots.go for the requests
// that leave from one network address.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The errors of a database.
var (
	errHeld    = errors.New("another process holds the account")
	ErrOver    = errors.New("the lease of this process has ended")
	ErrFenced  = errors.New("another process took the account over")
	ErrLost    = errors.New("the database went back in time")
	ErrNewer   = errors.New("the database was written by a newer adsync")
	errUnsafe  = errors.New("the database does not keep what it acknowledges")
	ErrOlder   = errors.New("an older adsync works with the database")
	ErrNothing = errors.New("the database has no state of the account")
)

// Options are what a process says of itself, and how long its lease lasts.
type Options struct {
	Host    string
	PID     int
	Command string
	Version string
	Since   time.Time

	// Lease is how long the lease of this process lasts without a heartbeat; zero is 30 seconds. A heartbeat comes
	// each sixth of it, and the last third of it nothing is sent.
	Lease time.Duration
	// Awake returns how long the machine has run, its sleep counted; nil asks the system.
	Awake func() time.Duration

	Notice func(text string) // is told of a promotion, and what it kept, at any time; nil: nobody is
}

const usualLease = 30 * time.Second

// most is how long one question to the database may take.
const most = 30 * time.Second

// Database holds the states of accounts. It is safe for concurrent use.
type Database struct {
	pool   *pgxpool.Pool
	pooled bool // a pooler stands before the server
	worker *worker
	known  commits

	holds      holds
	attendance Attendance
}

// Open connects to a database by its address, such as postgres://adsync@db.internal/adsync, and brings its tables to
// this program's format. Where the address has several hosts, the one that takes writes is used.
func Open(ctx context.Context, address string, o Options) (*Database, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, redacted(err)
	}
	config.ConnConfig.RuntimeParams["application_name"] = "adsync"
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	if config.ConnConfig.ValidateConnect == nil { // never a standby
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	pool, pooled, err := connect(ctx, config)
	if err != nil {
		return nil, redacted(err)
	}
	d := &Database{pool: pool, pooled: pooled}
	d.holds = holds{database: d, open: map[string]bool{}, owed: map[string]int64{}}
	d.attendance.database = d
	migration, err := d.migrate(ctx, migrations, o.Version)
	if err != nil {
		pool.Close()
		return nil, redacted(err)
	}
	beats := config.Copy()
	beats.MaxConns, beats.MinConns = 1, 0 // a heartbeat never waits for another question
	if d.worker, err = newWorker(ctx, beats, migration, o, d.vouch); err != nil {
		pool.Close()
		return nil, redacted(err)
	}
	d.worker.withEachBeat(d.holds.repay)
	return d, nil
}

// Pooled reports whether a pooler such as PgBouncer stands before the server, so that no bells come through.
func (d *Database) Pooled() bool { return d.pooled }

// Close gives back every account this process holds.
func (d *Database) Close() error {
	err := d.worker.end()
	d.pool.Close()
	return err
}

// connect refuses a database that is not durable. Behind a pooler, such as PgBouncer, each transaction may have another
// connection to the server, which does not know what was prepared on the one before: nothing is prepared there.
func connect(ctx context.Context, config *pgxpool.Config) (pool *pgxpool.Pool, pooled bool, err error) {
	if pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, false, err
	}
	if pooled, err = examine(ctx, pool); err != nil {
		pool.Close()
		return nil, false, err
	}
	if !pooled || config.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return pool, pooled, nil
	}
	pool.Close()
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err = pgxpool.NewWithConfig(ctx, config)
	return pool, true, err
}

// examine refuses a database that is not durable. pooled reports whether a pooler stands before it: the number of the
// server's process that a pooler gives to who connects is made up.
func examine(ctx context.Context, pool *pgxpool.Pool) (pooled bool, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	var commits, encoding string
	var process uint32
	err = conn.QueryRow(ctx, `SELECT current_setting('synchronous_commit'), current_setting('server_encoding'),
		pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&commits, &encoding, &process)
	switch {
	case err != nil:
		return false, err
	case commits == "off":
		return false, fmt.Errorf("%w: its synchronous_commit is off; want on, remote_write or remote_apply", errUnsafe)
	case encoding != "UTF8":
		return false, fmt.Errorf("%w: its encoding is %s; want UTF8", errUnsafe, encoding)
	}
	return process != conn.Conn().PgConn().PID(), nil
}

// oneLine is an error of several lines, one for each host and way that was tried, in one line.
type oneLine struct{ error }

func (e oneLine) Unwrap() error { return e.error }

func (e oneLine) Error() string {
	var said []string
	for line := range strings.SplitSeq(e.error.Error(), "\n") {
		if line = strings.TrimSpace(line); !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

// redacted is an error without the address, which may hold a password.
func redacted(err error) error {
	if _, ok := errors.AsType[*pgconn.ParseConfigError](err); ok { // which quotes what it could not read
		return errors.New("the address of the database cannot be read; want postgres://USER@HOST/DATABASE")
	}
	if failure, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return oneLine{failure}
	}
	return err
}

// within bounds one question.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, most)
}

// inTransaction runs questions of one transaction, which may be asked twice. It is broken off with ctx, but for its
// end: nobody could tell what became of a COMMIT that is not waited for.
func (d *Database) inTransaction(ctx context.Context, do func(context.Context, pgx.Tx) error) error {
	return d.twice(ctx, func(ctx context.Context) error {
		tx, err := d.pool.Begin(ctx)
		if err != nil {
			return err
		}
		if err = do(ctx, tx); err == nil {
			err = ctx.Err()
		}
		ending, cancel := within(context.WithoutCancel(ctx))
		defer cancel()
		if err != nil {
			_ = tx.Rollback(ending) // a line that is cut does it, too
			return err
		}
		return tx.Commit(ending)
	})
}

// twice asks again where the line was cut: the connections of a pool are all cut by a server that began anew.
func (d *Database) twice(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := within(ctx)
	defer cancel()
	err := ask(ctx)
	if cut(err) && ctx.Err() == nil {
		d.pool.Reset()
		err = ask(ctx)
	}
	return err
}

// IsAway reports whether an error is of a database that does not answer, and may answer later.
func IsAway(err error) bool {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return cut(err) || strings.HasPrefix(failure.Code, "53") // it lacks connections, memory, disk
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting || cut(err) || errors.Is(err, context.DeadlineExceeded)
}

// cut reports whether the line to the server is gone, or the server ends.
func cut(err error) bool {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(failure.Code, "57P") || // it was told to end, or begins
			strings.HasPrefix(failure.Code, "08") // a pooler lost it, or does not reach it
	}
	_, system := errors.AsType[syscall.Errno](err)
	return system || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}
