package send

import (
	"context"
	"sync/atomic"
	"time"

	"adsync/internal/adsapi"
	"adsync/reconcile/env"
)

// PollEstimator is how long jobs took of late, so that the next is asked for when it is
// likely to be done: every question before that is a request for nothing. While
// nobody knows, one large job is asked for and the others wait for what it shows.
// The zero pace knows nothing, and nobody waits for it.
type PollEstimator struct {
	large, small *atomic.Int64 // 0: not known
	probing      *atomic.Bool  // a first large job is being asked for
	followed     *atomic.Int64 // jobs so far
	supposed     *atomic.Int64 // how long large ones take, as one took longer than those before it
}

// NewPollEstimator begins a run.
func NewPollEstimator() PollEstimator {
	return PollEstimator{new(atomic.Int64), new(atomic.Int64), new(atomic.Bool), new(atomic.Int64), new(atomic.Int64)}
}

const (
	largeJob     = 100                     // operations from which jobs are held to be alike
	perOperation = 2500 * time.Microsecond // first guess of how long one takes
	largePause   = 1000 * perOperation     // between two looks whether the first large job has ended
	steadyPause  = 25 * time.Second        // up to which a wait is twice all before it
	longestPause = time.Minute             // at most between two questions
)

// beginProbe waits while another large job is the first to be asked for, two minutes at
// most, or says that this one is the first; then home is to be called.
func (p *PollEstimator) beginProbe(ctx context.Context, sleep func(context.Context, time.Duration) error,
	operations int) (first bool, err error) {
	if operations < largeJob || p.large == nil {
		return false, nil
	}
	for waited := time.Duration(0); p.known(operations) == 0 && waited < 2*longestPause; waited += largePause {
		if p.probing.CompareAndSwap(false, true) {
			return true, nil
		}
		if err := sleep(ctx, largePause); err != nil {
			return false, err
		}
	}
	return false, nil
}

// endProbe notes that the first large job has ended, or will not be heard of.
func (p *PollEstimator) endProbe() { p.probing.Store(false) }

// pollSchedule are the waits between the questions after one job.
type pollSchedule struct {
	estimator  *PollEstimator
	operations int
	first      time.Duration // until the first question
	known      bool          // that jobs like it took about as long
	offset     time.Duration // in the row of those that are followed, so that not all ask at once
	asked      int
}

// Of returns the waits for a job of so many operations that was waited for before.
func (p *PollEstimator) Of(operations int, waited time.Duration) *pollSchedule {
	own := &pollSchedule{estimator: p, operations: operations, known: p.known(operations) > 0}
	if p.followed != nil {
		own.offset = time.Duration(p.followed.Add(1) % MaxJobs)
	}
	own.first = min(max(own.guess()-waited, env.FirstPoll), 2*longestPause)
	return own
}

// guess is when the job is likely to be done.
func (p *pollSchedule) guess() time.Duration {
	took, least := p.estimator.known(p.operations), time.Duration(0)
	if took == 0 {
		took, least = p.estimator.otherSize(p.operations), time.Duration(p.operations)*perOperation
	}
	guess := took + took/20 + p.offset*took/(10*MaxJobs)
	if took >= time.Second || took > 0 && p.operations >= largeJob { // whole seconds are known
		guess += time.Second
	}
	return max(guess, least)
}

// more is how much longer to wait, as others like it were found to take longer
// meanwhile; it is not asked for before that is over.
func (p *pollSchedule) more(waited time.Duration) time.Duration {
	if left := p.guess() - waited; p.known && left > env.FirstPoll {
		return min(left, longestPause)
	}
	return 0
}

// Next returns the wait after so long: a job that takes longer than was thought is
// asked for ever more seldom, and a stuck one now and then.
func (p *pollSchedule) Next(waited time.Duration) time.Duration {
	p.asked++
	switch {
	case waited > busyFor:
		return stuckPoll
	case p.asked == 1:
		return p.first
	case p.asked == 2 && p.known: // it is only a little slower
		return min(max(waited/2, env.FirstPoll), longestPause)
	}
	return min(2*waited, max(steadyPause, waited/3), longestPause)
}

// Took notes a job that was found done after so long: as the service says it, or
// as it was seen. One that was done at the first question may have been done for
// a while, so the next is asked for a little sooner.
func (p *PollEstimator) Took(operations int, job adsapi.Job, waited time.Duration, atOnce bool) {
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
	kept := p.sameSize(operations)
	if known := time.Duration(kept.Load()); waited < known { // the next may take as long as the slowest of late
		waited = known - (known-waited)/4
	}
	kept.Store(int64(max(waited, 1)))
	if operations >= largeJob {
		p.supposed.Store(0)
	}
}

// stillRunning notes a job that was found under way after so long, and longer than those
// before it took: the others are asked for later, too.
func (p *PollEstimator) stillRunning(operations int, waited time.Duration) {
	if known := p.known(operations); known > 0 && waited > known && operations >= largeJob {
		p.supposed.Store(int64(waited + waited/2))
	}
}

func (p *PollEstimator) known(operations int) time.Duration {
	if p.large == nil {
		return 0
	}
	took := p.sameSize(operations).Load()
	if operations >= largeJob && took > 0 {
		took = max(took, p.supposed.Load())
	}
	return time.Duration(took)
}

// otherSize is what jobs of the other size say of one whose like nobody has seen: a
// large one hardly takes less than a small one, nor a small one less than a tenth of it.
func (p *PollEstimator) otherSize(operations int) time.Duration {
	switch {
	case p.large == nil:
		return 0
	case operations < largeJob:
		return time.Duration(p.large.Load() / 10)
	}
	return time.Duration(p.small.Load())
}

// sameSize is where it is kept of jobs of about so many operations.
func (p *PollEstimator) sameSize(operations int) *atomic.Int64 {
	if operations < largeJob {
		return p.small
	}
	return p.large
}
