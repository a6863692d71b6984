package clock

import (
	"context"
	"time"
)

// work is what goes on by itself, with nobody waiting for its answer.
type work struct {
	going   int                     // how much of it there is
	resting map[*time.Time]struct{} // of that, what waits for a moment
	changed chan struct{}           // closed and replaced when any of it is
}

func newWork() work {
	return work{resting: map[*time.Time]struct{}{}, changed: make(chan struct{})}
}

func (w *work) change() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// Begin says that work goes on by itself from now on; the function it gives ends it.
func (c *Clock) Begin() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work.going++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.work.going--
		c.work.change()
	}
}

// Rest is WaitUntil for work that was begun.
func (c *Clock) Rest(ctx context.Context, t time.Time) error {
	c.rests(&t, true)
	defer c.rests(&t, false)
	return c.WaitUntil(ctx, t)
}

func (c *Clock) rests(t *time.Time, resting bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.work.resting, t)
	if resting {
		c.work.resting[t] = struct{}{}
	}
	c.work.change()
}

// Idle returns when all that was begun has ended, or rests until a moment that is
// yet to come: nothing changes any more unless the clock does.
func (c *Clock) Idle(ctx context.Context) error {
	for {
		idle, changed := c.idle()
		if idle {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func (c *Clock) idle() (bool, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	busy, now := c.work.going, c.base().Add(c.offset)
	for t := range c.work.resting {
		if t.After(now) {
			busy--
		}
	}
	return busy == 0, c.work.changed
}
