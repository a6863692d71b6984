// Package errands does what is to be done beside the runs of accounts whose states lie in a database: messages that are
// to be delivered, results that are to be pushed. They wait in the tables of River, and any process of the fleet does
// them.
//
// It refuses to know what an errand is about. Its invariants: an errand is queued in the transaction that causes it, so
// that neither is there without the other; of one kind, account and key one is open at a time; one whose process died
// is done again by another, so that whatever does it may be done twice.
//
// Open errands.go for what an errand and a kind are, queue.go for how they are queued and done, list.go for what people
// see of them. On one machine errands stay in the process, as its states are a file an account: see
// docs/develop/architecture.md.
package errands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// Errand is something to do.
type Errand struct {
	Kind    string
	Account string // id of the ad account; "" for all of them
	Key     string // what it is about, beside kind and account
}

// Kind is a sort of errands, and how they are done.
type Kind struct {
	Name     string
	Attempts int                             // after so many it is given up
	Most     time.Duration                   // how long one attempt may take
	Wait     func(attempt int) time.Duration // after that many attempts have failed
	After    func(error) time.Duration       // how long is waited at least after an error; nil: no longer

	// Do does an errand. It may have been done before, in whole or in part, and may be done elsewhere at the same time.
	// Its error is shown to people and kept: it has no secret in it.
	Do func(ctx context.Context, e Attempt) error
	// Every is how often it is to be done, for all accounts together; 0 is when somebody queues it.
	Every time.Duration
}

// Attempt is an errand that is being done.
type Attempt struct {
	Errand
	Number int // of this attempt, from 1
	job    *river.Job[args]
	queue  *Queue
}

// End notes in a transaction that the errand is done: whoever causes it anew, in a transaction that waits for this one,
// queues it anew.
func (a Attempt) End(ctx context.Context, tx pgx.Tx) error {
	_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, a.job)
	return err
}

// Again is End, and the same is to be done again at a moment.
func (a Attempt) Again(ctx context.Context, tx pgx.Tx, at time.Time) error {
	if err := a.End(ctx, tx); err != nil {
		return err
	}
	return a.queue.Add(ctx, tx, a.Errand, at)
}

// GiveUp notes in a transaction that the errand failed for good.
func (a Attempt) GiveUp(ctx context.Context, tx pgx.Tx, cause error) error {
	tag, err := tx.Exec(ctx, `UPDATE adsync.river_job SET state = 'discarded', finalized_at = now(), errors = array_append(
			errors, jsonb_build_object('at', now(), 'attempt', attempt, 'error', $2::text, 'trace', ''))
		WHERE id = $1 AND state = 'running'`, a.job.ID, cause.Error())
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("job %d is another's by now", a.job.ID)
	}
	if err == nil {
		a.queue.o.Log.Error("an errand is given up", "kind", a.Kind, "account", a.Account, "job", a.job.ID,
			"error", cause.Error())
	}
	return err
}

// args are an errand as River keeps it.
type args struct {
	name    string
	Account string `json:"account" river:"unique"`
	Key     string `json:"key,omitempty" river:"unique"`
}

// Kind is the name of its kind.
func (a args) Kind() string { return a.name }

// worker does the errands of one kind.
type worker struct {
	river.WorkerDefaults[args]
	kind  Kind
	queue *Queue
	after sync.Map // id of a job that failed → how long is waited at least
}

// Work does an errand.
func (w *worker) Work(ctx context.Context, job *river.Job[args]) (err error) {
	defer func() {
		if cause := recover(); cause != nil { // what it says may be of what a message says
			w.queue.o.Log.Error("an errand broke off: this is a mistake of adsync", "kind", w.kind.Name,
				"account", job.Args.Account, "cause", fmt.Sprintf("%T", cause), "stack", string(debug.Stack()))
			err = errors.New("it broke off: this is a mistake of adsync, whose log has more")
		}
	}()
	if !w.queue.leased() { // it was taken as the lease ended: another does it, or this one once it has one again
		return river.JobSnooze(pollEvery)
	}
	err = w.kind.Do(ctx, Attempt{Errand{w.kind.Name, job.Args.Account, job.Args.Key}, job.Attempt, job, w.queue})
	if err != nil {
		w.said(ctx, job, err)
		if w.kind.After != nil {
			w.after.Store(job.ID, w.kind.After(err))
		}
	}
	return err
}

// said logs what failed: the first time, and as it is given up.
func (w *worker) said(ctx context.Context, job *river.Job[args], err error) {
	level, text := slog.LevelWarn, "an errand failed; it is tried again"
	switch job.Attempt {
	case job.MaxAttempts:
		level, text = slog.LevelError, "an errand is given up; adsync jobs retry has it tried again"
	case 1:
	default:
		return
	}
	w.queue.o.Log.Log(ctx, level, text, "kind", w.kind.Name, "account", job.Args.Account, "job", job.ID,
		"error", err.Error())
}

// NextRetry is when an errand that failed is tried again.
func (w *worker) NextRetry(job *river.Job[args]) time.Time {
	wait := w.kind.Wait(job.Attempt)
	if after, said := w.after.LoadAndDelete(job.ID); said {
		wait = max(wait, after.(time.Duration))
	}
	return time.Now().Add(wait)
}

// Timeout is how long one attempt may take.
func (w *worker) Timeout(*river.Job[args]) time.Duration { return w.kind.Most }

// open are the states of an errand that is not done yet.
var open = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
	rivertype.JobStateScheduled,
}
