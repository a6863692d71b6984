package adsapi

import (
	"context"
	"slices"
	"sync"
	"time"
)

// submissions are those of jobs to the account, by this process and by those that
// share its state: they come one after the other, and so do their submissions.
type submissions struct {
	mu      sync.Mutex
	shared  bool
	last    time.Time // of those that count already
	telling func(ctx context.Context, at time.Time) error
}

// ShareSubmissions has the limit of submissions hold together with other
// processes: those submitted before count, and telling is called right before each
// of this client, repetitions and dry runs too. Where it gives an error nothing is
// sent. It may be called from many goroutines, and again when another process may
// have been at the account. A client that only reads leaves telling as it is.
func (c *Client) ShareSubmissions(submitted []time.Time, telling func(ctx context.Context, at time.Time) error) {
	s := c.submissions
	s.mu.Lock()
	defer s.mu.Unlock()
	now, before := c.now(), s.last
	for _, at := range slices.SortedFunc(slices.Values(submitted), time.Time.Compare) {
		switch {
		case at.After(now) && s.shared: // of another clock, and counted
		case !s.shared || at.After(before):
			s.last = at
			c.limiter.submitted(min(0, at.Sub(now)))
		}
	}
	if !s.shared || !c.ReadOnly() {
		s.shared, s.telling = true, telling
	}
	if s.last.After(now) {
		s.last = now
	}
}

// LeaveSubmissions has nobody told of submissions any more: who was closes its state. Those of this client still count.
func (c *caller) LeaveSubmissions() {
	s := c.submissions
	s.mu.Lock()
	defer s.mu.Unlock()
	s.telling = nil
}

// tell says that a job is about to be submitted.
func (s *submissions) tell(ctx context.Context, at time.Time) error {
	telling := s.told(at)
	if telling == nil {
		return nil
	}
	return telling(ctx, at)
}

// told counts a submission, and gives who else is to know of it.
func (s *submissions) told(at time.Time) func(context.Context, time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.telling != nil && at.After(s.last) {
		s.last = at
	}
	return s.telling
}

// submitted counts a submission of another process, at a moment from now.
func (l *limiter) submitted(at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bulk.count(l.clock.elapsed() + at)
}
