// Package clock is the emulator's time: a base clock that tests and people can
// move. It never sleeps blindly: who waits for a moment is woken when the clock
// is moved past it. Its invariant: every time the service shows comes from Now.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock is a base clock and how far it was moved.
type Clock struct {
	base func() time.Time

	mu     sync.Mutex
	offset time.Duration
	moved  chan struct{} // closed and replaced at each move
	work   work
}

// New is a clock over base; nil means time.Now.
func New(base func() time.Time) *Clock {
	if base == nil {
		base = time.Now
	}
	return &Clock{base: base, moved: make(chan struct{}), work: newWork()}
}

// Now is the emulator's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base().Add(c.offset)
}

// Set moves the clock to t, from where it runs on.
func (c *Clock) Set(t time.Time) {
	c.move(func(now time.Time) time.Duration { return t.Sub(now) })
}

// Advance moves the clock by d; a negative d moves it back.
func (c *Clock) Advance(d time.Duration) {
	c.move(func(time.Time) time.Duration { return d })
}

// Offset is how far the clock is ahead of its base.
func (c *Clock) Offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

func (c *Clock) move(by func(now time.Time) time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by(c.base().Add(c.offset))
	close(c.moved)
	c.moved = make(chan struct{})
}

// WaitUntil returns when the clock has reached t, or with the context's error.
func (c *Clock) WaitUntil(ctx context.Context, t time.Time) error {
	for {
		left, moved := c.left(t)
		if left <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-moved:
			timer.Stop()
		case <-timer.C:
		}
	}
}

func (c *Clock) left(t time.Time) (time.Duration, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.Sub(c.base().Add(c.offset)), c.moved
}
