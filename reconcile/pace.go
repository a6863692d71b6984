package reconcile

import (
	"sync/atomic"
	"time"
)

// pace is how long large jobs took of late, so that the next is asked for when
// it is likely to be done: every question before that is a request for nothing.
// The zero pace knows nothing.
type pace struct{ large *atomic.Int64 }

const (
	largeJob     = 100                     // operations from which jobs are held to be alike
	perOperation = 2500 * time.Microsecond // first guess of how long one takes
	longPause    = 15 * time.Second        // at most between two questions
	longestPause = time.Minute             // the same for a large job
)

// pauses are the waits between the questions after one job.
type pauses struct{ wait, most time.Duration }

// of gives the waits for a job of so many operations.
func (p *pace) of(operations int) *pauses {
	guess, most := max(firstPoll, time.Duration(operations)*perOperation), longPause
	if operations >= largeJob {
		most = longestPause
		if took := p.known(); took > 0 {
			guess = took + took*3/10
		}
	}
	return &pauses{min(max(guess, firstPoll), most), most}
}

// next gives the wait after so long; a stuck job is asked for now and then.
func (p *pauses) next(waited time.Duration) time.Duration {
	if waited > busyFor {
		return stuckPoll
	}
	wait := p.wait
	p.wait = min(wait*5/2, p.most)
	return wait
}

// took notes a job that was found done after so long. One that was done at the
// first question may have been done for a while.
func (p *pace) took(operations int, d time.Duration, atOnce bool) {
	if atOnce {
		d /= 2
	}
	if p.large != nil && operations >= largeJob {
		p.large.Store(int64(d))
	}
}

func (p *pace) known() time.Duration {
	if p.large == nil {
		return 0
	}
	return time.Duration(p.large.Load())
}
