package errands

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"adsync/state"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// schema is where River's tables are; a migration of state/postgres makes them.
const schema = "adsync"

// How often a process asks for errands, and how many it does at a time. To ask writes nothing.
const (
	pollEvery  = 5 * time.Second
	leaseEvery = time.Second // how often it looks whether it may, which asks nobody
	rescueEach = 15          // times of that it asks for those of a process that ended
	mostDone   = 8
)

// How long what has ended is listed.
const (
	doneKept  = 24 * time.Hour
	givenKept = 7 * 24 * time.Hour
)

// mostEnding is how long errands under way are waited for as a process ends: another does them otherwise.
const mostEnding = 20 * time.Second

// Queue has errands done by the processes that share a database.
type Queue struct {
	server *state.Server
	o      Options
	client *river.Client[pgx.Tx]
	kinds  map[string]Kind
}

// Options are how a process does errands.
type Options struct {
	Kinds []Kind // that it does; none where it only lists them
	Log   *slog.Logger
}

// New makes a queue of the errands in a database.
func New(server *state.Server, o Options) (*Queue, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{server: server, o: o, kinds: map[string]Kind{}}
	config := &river.Config{
		Schema: schema, ID: server.Process().Name(), Logger: slog.New(slog.DiscardHandler), // run and said have the log
		SkipUnknownJobCheck: true,
		// No LISTEN: it takes a connection for itself, and is not to be had through PgBouncer.
		PollOnly: true, FetchPollInterval: pollEvery,
		// A process of an older version leaves what it does not know to the others.
		FetchOnlyKnownKinds:         true,
		CompletedJobRetentionPeriod: doneKept,
		CancelledJobRetentionPeriod: doneKept,
		DiscardedJobRetentionPeriod: givenKept,
		RescueStuckJobsAfter:        time.Hour,  // of a process that lives; those of a dead one are taken by giveBack
		ReindexerIndexNames:         []string{}, // for the owner of the tables alone, and nothing here grows
		SoftStopTimeout:             mostEnding,
	}
	if len(o.Kinds) > 0 {
		config.Workers, config.Queues = river.NewWorkers(), map[string]river.QueueConfig{
			river.QueueDefault: {MaxWorkers: mostDone},
		}
	}
	for _, k := range o.Kinds {
		q.kinds[k.Name] = k
		river.AddWorkerArgs(config.Workers, args{name: k.Name}, &worker{kind: k, queue: q})
		if k.Every > 0 {
			config.PeriodicJobs = append(config.PeriodicJobs, q.periodic(k))
		}
	}
	var err error
	q.client, err = river.NewClient(riverpgxv5.New(server.Process().Pool()), config)
	return q, err
}

// periodic has a kind done every so often. Each new leader begins to count anew, so that uniqueness by the period is
// what keeps it from being done more often.
func (q *Queue) periodic(k Kind) *river.PeriodicJob {
	construct := func() (river.JobArgs, *river.InsertOpts) {
		o := q.insert(k.Name, time.Time{})
		o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByPeriod: k.Every}
		return args{name: k.Name}, o
	}
	return river.NewPeriodicJob(river.PeriodicInterval(k.Every), construct, &river.PeriodicJobOpts{RunOnStart: true})
}

// insert says how errands of a kind are queued.
func (q *Queue) insert(kind string, at time.Time) *river.InsertOpts {
	return &river.InsertOpts{
		MaxAttempts: q.kinds[kind].Attempts, ScheduledAt: at,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: open},
	}
}

// Add queues an errand in a transaction, to be done at a moment; the zero moment is at once. Where the same is open,
// that one is done, and no later than at the moment.
func (q *Queue) Add(ctx context.Context, tx pgx.Tx, e Errand, at time.Time) error {
	if _, known := q.kinds[e.Kind]; !known {
		return fmt.Errorf("nobody does errands of the kind %q", e.Kind)
	}
	added, err := q.client.InsertTx(ctx, tx, args{e.Kind, e.Account, e.Key}, q.insert(e.Kind, at))
	if err != nil || !added.UniqueSkippedAsDuplicate || added.Job.State != rivertype.JobStateScheduled {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE adsync.river_job SET scheduled_at = $2 WHERE id = $1 AND scheduled_at > $2`,
		added.Job.ID, orNow(at))
	return err
}

func orNow(at time.Time) time.Time {
	if at.IsZero() {
		return time.Now()
	}
	return at
}

// Run does errands for as long as this process has a lease, until the context ends, and waits for those under way then.
// While the database is away it waits.
func (q *Queue) Run(ctx context.Context) {
	var said string
	for ctx.Err() == nil {
		if q.leased() {
			said = q.work(ctx, said)
		}
		_ = sleep(ctx, leaseEvery)
	}
}

// leased reports whether this process may do errands. It asks nobody.
func (q *Queue) leased() bool { return q.server.Process().Valid() == nil }

// work is River's client from its start to its end. One whose process has lost its lease would take errands from those
// that have one, and leave them lying.
func (q *Queue) work(ctx context.Context, said string) string {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := q.client.Start(ctx); err != nil {
		return q.say(said, err)
	}
	stopped := q.client.Stopped()
	for n := 0; ctx.Err() == nil && q.leased(); n++ {
		if n%rescueEach == 0 {
			said = q.say(said, q.giveBack(ctx))
		}
		_ = sleep(ctx, leaseEvery)
	}
	stop()
	<-stopped
	return said
}

// say logs what keeps this process from doing errands, once.
func (q *Queue) say(before string, err error) string {
	if err == nil {
		return ""
	}
	if before == "" {
		q.o.Log.Warn("errands cannot be done; they wait in the database", "error", err)
	}
	return err.Error()
}

// giveBack has others do what a process began whose lease has ended. Where there is none it writes nothing. Both are
// seen as of one moment, and whoever began an errand was registered before.
func (q *Queue) giveBack(ctx context.Context) error {
	_, err := q.server.Process().Pool().Exec(ctx, `UPDATE adsync.river_job j SET state = 'available', scheduled_at = now()
		WHERE state = 'running' AND NOT EXISTS (SELECT FROM adsync.worker w
			WHERE w.ends > clock_timestamp() AND `+processName+` = j.attempted_by[cardinality(j.attempted_by)])`)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// processName is the name of a worker, as state.Process.Name says its own.
const processName = `left(w.host, 60) || ' ' || w.pid || ' ' || (extract(epoch FROM w.since) * 1000000)::bigint`

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
