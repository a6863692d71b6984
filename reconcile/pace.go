package reconcile

import (
	"context"
	"sync/atomic"
	"time"

	"adsync/internal/adsapi"
)

// pace is how long jobs took of late, so that the next is asked for when it is
// likely to be done: every question before that is a request for nothing. While
// nobody knows, one large job is asked for and the others wait for what it shows.
// The zero pace knows nothing, and nobody waits for it.
type pace struct {
	large, small *atomic.Int64 // 0: not known
	out          *atomic.Bool  // a first large job is being asked for
}

// newPace begins a run.
func newPace() pace { return pace{new(atomic.Int64), new(atomic.Int64), new(atomic.Bool)} }

const (
	largeJob     = 100                     // operations from which jobs are held to be alike
	perOperation = 2500 * time.Microsecond // first guess of how long one takes
	largePause   = 1000 * perOperation     // between two looks whether the first large job has ended
	longestPause = time.Minute             // at most between two questions
)

// scout waits while another large job is the first to be asked for, a minute at
// most, or says that this one is the first; then home is to be called.
func (p *pace) scout(ctx context.Context, sleep func(context.Context, time.Duration) error, operations int) (first bool, err error) {
	if operations < largeJob || p.large == nil {
		return false, nil
	}
	for waited := time.Duration(0); p.known(operations) == 0 && waited < longestPause; waited += largePause {
		if p.out.CompareAndSwap(false, true) {
			return true, nil
		}
		if err := sleep(ctx, largePause); err != nil {
			return false, err
		}
	}
	return false, nil
}

// home says that the first large job has ended, or will not be heard of.
func (p *pace) home() { p.out.Store(false) }

// pauses are the waits between the questions after one job.
type pauses struct{ wait time.Duration }

// of gives the waits for a job of so many operations that was waited for before.
func (p *pace) of(operations int, waited time.Duration) *pauses {
	guess := time.Duration(operations) * perOperation
	if took := p.known(operations); took > 0 {
		guess = took + took*3/20
		if took >= time.Second || operations >= largeJob { // whole seconds are known
			guess += time.Second
		}
	}
	return &pauses{min(max(guess-waited, firstPoll), 2*longestPause)}
}

// next gives the wait after so long; a stuck job is asked for now and then.
func (p *pauses) next(waited time.Duration) time.Duration {
	if waited > busyFor {
		return stuckPoll
	}
	wait := p.wait
	p.wait = min(wait*5/2, longestPause)
	return wait
}

// took notes a job that was found done after so long: as the service says it, or
// as it was seen. One that was done at the first question may have been done for
// a while, so the next is asked for a little sooner.
func (p *pace) took(operations int, job adsapi.Job, waited time.Duration, atOnce bool) {
	if p.large == nil {
		return
	}
	switch {
	case job.CompletedAt != nil && *job.CompletedAt >= job.CreatedAt:
		waited = time.Duration(*job.CompletedAt-job.CreatedAt) * time.Second
	case atOnce && p.known(operations) > 0:
		waited = p.known(operations) * 97 / 100
	case atOnce:
		waited /= 2
	}
	p.alike(operations).Store(int64(max(waited, 1)))
}

func (p *pace) known(operations int) time.Duration {
	if p.large == nil {
		return 0
	}
	return time.Duration(p.alike(operations).Load())
}

// alike is where it is kept of jobs of about so many operations.
func (p *pace) alike(operations int) *atomic.Int64 {
	if operations < largeJob {
		return p.small
	}
	return p.large
}
