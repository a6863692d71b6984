package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// worker is this process as the database knows it: a row that lives for as long as its heartbeat puts off its end.
// The database's clock decides when others may take what it holds; its own, which counts sleep, decides earlier when
// it stops. Where its lease ended it is another worker from then on, and what it held is nobody's.
type worker struct {
	options   Options
	migration int64         // the newest that this program knows
	pool      *pgxpool.Pool // of one connection, for heartbeats alone

	mu    sync.Mutex
	id    int64         // 0 before anything is held
	until time.Duration // until when it may send, by Options.Awake
	said  witness

	beating context.Context // until the process ends
	stop    context.CancelFunc
	beaten  sync.WaitGroup
}

func newWorker(ctx context.Context, config *pgxpool.Config, migration int64, o Options,
	vouch func(context.Context, crossing) error) (*worker, error) {
	if o.Lease == 0 {
		o.Lease = usualLease
	}
	if o.Awake == nil {
		o.Awake = awake
	}
	if o.Since.IsZero() {
		o.Since = time.Now()
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	w := &worker{options: o, migration: migration, pool: pool, said: witness{vouch: vouch, tell: o.Notice}}
	w.beating, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	w.withEachBeat(w.putOff)
	return w, nil
}

// Process is this process, among those that share the database.
type Process struct{ database *Database }

// Process returns this process.
func (d *Database) Process() Process { return Process{d} }

// Pool returns its connections, for what is queued in the same transactions.
func (p Process) Pool() *pgxpool.Pool { return p.database.pool }

// Name is its name among all. The row of its worker says the same.
func (p Process) Name() string {
	o := p.database.worker.options
	host := []rune(o.Host)
	return fmt.Sprintf("%s %d %d", string(host[:min(len(host), 60)]), o.PID, o.Since.UnixMicro())
}

// Valid is ErrOver where its lease has ended, or it has none. It asks nobody.
func (p Process) Valid() error {
	id, _ := p.database.worker.current()
	if id == 0 {
		return ErrOver
	}
	return p.database.worker.valid(id)
}

// valid is ErrOver once the worker may send nothing any more. The last third of a lease is left out: what was begun
// ends before another worker begins.
func (w *worker) valid(id int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.id != id || w.options.Awake() >= w.until {
		return ErrOver
	}
	return nil
}

// alive returns the id of this worker, and registers it where it has none or its lease has ended. It is ErrNewer where
// the tables are by now of an adsync that this program cannot work beside.
func (w *worker) alive(ctx context.Context) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.options.Awake()
	if w.id != 0 && now < w.until {
		return w.id, nil
	}
	ctx, cancel := within(ctx)
	defer cancel()
	if err := w.said.look(ctx, w.pool); err != nil { // before it is another worker
		return 0, fmt.Errorf("register this process: %w", err)
	}
	o := w.options
	var answer heard
	// those that ended long ago are forgotten: nothing of theirs is under way
	err := w.pool.QueryRow(ctx, `WITH gone AS (
			DELETE FROM adsync.worker WHERE ends < clock_timestamp() - interval '1 day'
		) INSERT INTO adsync.worker (host, pid, command, version, since, ends, migration)
		SELECT $1, $2, $3, $4, $5, clock_timestamp() + $6, $7 FROM adsync.floor WHERE migration <= $7
		RETURNING id, ends, `+heardNow,
		o.Host, o.PID, o.Command, o.Version, o.Since, o.Lease, w.migration).
		Scan(append([]any{&w.id, &answer.ends}, answer.columns()...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("%w: it was changed while this process ran; begin again with that release", ErrNewer)
	}
	if err != nil {
		w.id = 0
		return 0, fmt.Errorf("register this process: %w", err)
	}
	w.until = now + o.Lease*2/3
	w.said.hears(w.id, nil, answer)
	return w.id, nil
}

// withEachBeat does something as often as a heartbeat is due, for as long as the process runs. What takes long holds up
// itself alone.
func (w *worker) withEachBeat(do func(context.Context)) {
	w.beaten.Go(func() {
		every := time.NewTicker(w.options.Lease / 6)
		defer every.Stop()
		for {
			select {
			case <-w.beating.Done():
				return
			case <-every.C:
				do(w.beating)
			}
		}
	})
}

// putOff is one heartbeat. One that is not answered changes nothing: the lease ends where none of them is.
func (w *worker) putOff(ctx context.Context) {
	id, now := w.current()
	ctx, cancel := context.WithTimeout(ctx, w.options.Lease/3)
	defer cancel()
	if id == 0 { // what it saw of a promotion still counts for the others
		if w.said.look(ctx, w.pool) == nil {
			w.said.vouchOwed(ctx)
		}
		return
	}
	last := w.said.last(id)
	var before time.Time
	var answer heard
	// a database that has forgotten the last word gets no further one: what it has of this worker stays to be seen
	err := w.pool.QueryRow(ctx, `WITH before AS (SELECT ends FROM adsync.worker WHERE id = $1)
		UPDATE adsync.worker SET ends = clock_timestamp() + $2
		WHERE id = $1 AND ends > clock_timestamp() AND ends >= $3
		RETURNING (SELECT ends FROM before), ends, `+heardNow, id, w.options.Lease, last).
		Scan(append([]any{&before, &answer.ends}, answer.columns()...)...)
	if err == nil {
		w.said.hears(id, &before, answer)
	}
	w.putUntil(id, now, err)
	if err == nil {
		w.said.vouchOwed(ctx)
	}
}

// putUntil notes what became of a heartbeat.
func (w *worker) putUntil(id int64, now time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.id != id:
	case err == nil:
		w.until = now + w.options.Lease*2/3
	case errors.Is(err, pgx.ErrNoRows): // it ended, and others may have what it held
		w.id = 0
	}
}

// current returns the id of this worker, 0 where it holds nothing, and the moment.
func (w *worker) current() (id int64, at time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.id, w.options.Awake()
}

// end takes the worker away, and with it whatever it holds.
func (w *worker) end() error {
	w.stop()
	w.beaten.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.pool.Close()
	if w.id == 0 {
		return nil
	}
	ctx, cancel := within(context.Background())
	defer cancel()
	_, err := w.pool.Exec(ctx, `DELETE FROM adsync.worker WHERE id = $1`, w.id)
	w.id = 0
	return err
}
