package send

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/reconcile/env"
	"adsync/state"
)

// How often a job is asked for: every few seconds after a first while, and from a
// while on twice a minute; and how long its results are waited for.
const (
	slowestPoll   = 5 * time.Second
	stuckPoll     = 30 * time.Second
	busyFor       = 14 * time.Minute // from then on it is asked for as a stuck one
	againPatience = time.Minute      // in recovery, for a job that was waited for before
	resultsWithin = 2 * time.Minute
)

// ErrStillRunning means that a job has not ended for as long as anybody waits.
var ErrStillRunning = errors.New("the service is not done")

// Follower asks for a job until it has ended and its results are whole.
type Follower struct {
	*env.Env

	polls *PollEstimator
}

// FollowJob polls until the job is terminal and its results are whole. A job that
// does not end is an error, and is never sent again under another key. Results
// that do not come whole are none: what they leave open is looked for.
func (a *Follower) FollowJob(ctx context.Context, step state.Step, job adsapi.Job) (adsapi.OperationPage, error) {
	began := a.Now()
	until := began.Add(patienceFor(step, began))
	terminal := step.Point == state.Terminal || step.Point == state.ResultsRead
	scout, err := a.polls.beginProbe(ctx, a.Sleep, len(step.Operations))
	if err != nil {
		return adsapi.OperationPage{}, err
	}
	if scout {
		defer a.polls.endProbe()
	}
	pauses := a.polls.Of(len(step.Operations), a.Now().Sub(began))
	results := NeedsResults(step) && !scout // the job itself says how long it took
	for first := true; !job.Terminal() && !terminal; first = false {
		waited := a.Now().Sub(began)
		if a.Now().After(until) {
			return adsapi.OperationPage{}, fmt.Errorf("%w: bulk job "+
				"%s is still %q after %s; it was not sent again, and the next run asks for it (%s)",
				ErrStillRunning, job.ID, job.Status, waited.Round(time.Second), diag.JobUnfinished)
		}
		if err := a.pauseBefore(ctx, pauses, began); err != nil {
			return adsapi.OperationPage{}, err
		}
		if results = results && waited < busyFor; results {
			page, err := a.Service.AllOperations(ctx, job.ID)
			if results = err == nil; results && page.Complete && !page.HasMore {
				a.polls.Took(len(step.Operations), job, a.Now().Sub(began), first)
				return page, a.ended(ctx, step)
			}
			if results {
				a.polls.stillRunning(len(step.Operations), a.Now().Sub(began))
				continue
			}
		}
		next, err := a.Service.Job(ctx, job.ID)
		if err != nil {
			return adsapi.OperationPage{}, err
		}
		job = next
		if job.Terminal() {
			a.polls.Took(len(step.Operations), job, a.Now().Sub(began), first)
		}
	}
	if err := a.ended(ctx, step); err != nil {
		return adsapi.OperationPage{}, err
	}
	if page, ok := withoutPages(step, job); ok {
		return page, nil
	}
	return a.wholeResults(ctx, job)
}

// pauseBefore waits until a job is to be asked for.
func (a *Follower) pauseBefore(ctx context.Context, p *pollSchedule, began time.Time) error {
	for wait := p.Next(a.Now().Sub(began)); wait > 0; wait = p.more(a.Now().Sub(began)) {
		if err := a.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}

// patienceFor is how long a job is waited for. One that was waited for before is
// asked for a few times more.
func patienceFor(step state.Step, now time.Time) time.Duration {
	patience := env.LeastPatience + time.Duration(len(step.Operations))*env.PatienceEach
	if step.SentAt.IsZero() {
		return patience
	}
	return max(againPatience, patience-now.Sub(step.SentAt))
}

// NeedsResults reports whether only the results tell what a job did: it makes
// something, whose id nobody knows yet. Then they are what is asked for: whole,
// they say that the job has ended, and no request was spent on the job itself.
func NeedsResults(step state.Step) bool {
	return slices.ContainsFunc(step.Operations, func(o state.Operation) bool { return o.ResourceID == "" })
}

// ended journals that the job will not move any more.
func (a *Follower) ended(ctx context.Context, step state.Step) error {
	if step.Point == state.Terminal || step.Point == state.ResultsRead {
		return nil
	}
	if err := a.Store.Move(ctx, step.ID, state.Terminal, state.Update{}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}

// wholeResults reads the results of a job that has ended until they are complete.
func (a *Follower) wholeResults(ctx context.Context, job adsapi.Job) (adsapi.OperationPage, error) {
	until := a.Now().Add(resultsWithin)
	for pause := env.FirstPoll; ; pause = min(pause*3/2, slowestPoll) {
		page, err := a.Service.AllOperations(ctx, job.ID)
		switch {
		case err == nil && page.Complete && !page.HasMore:
			return page, nil
		case err != nil && (env.Stops(err) && !errors.Is(err, adsapi.ErrUnreadable) ||
			errors.Is(err, adsapi.ErrNotFound)):
			return page, err
		case a.Now().After(until):
			cut := fmt.Sprintf("the results of bulk job %s did not come whole within %s (%s)",
				job.ID, resultsWithin, diag.JobUnfinished)
			if err != nil {
				cut += ": " + err.Error()
			}
			return adsapi.OperationPage{Complete: true, Error: &cut}, nil
		}
		if err := a.Sleep(ctx, pause); err != nil {
			return page, err
		}
	}
}

// withoutPages returns the results of a job that completed and made nothing new:
// every operation succeeded (interface, part 3), and every id is known.
func withoutPages(step state.Step, job adsapi.Job) (adsapi.OperationPage, bool) {
	page := adsapi.OperationPage{Complete: true}
	for _, o := range step.Operations {
		if o.ResourceID == "" || job.Status != "completed" {
			return page, false
		}
		page.Results = append(page.Results, adsapi.OperationResult{OperationID: o.ID, Status: "updated"})
	}
	return page, true
}
