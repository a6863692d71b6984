package adsapi

import (
	"sync"
	"time"
)

// worthSaying is the shortest wait a person is told of.
const worthSaying = 5 * time.Second

// waits tells a person why nothing moves: once a wait, however many requests
// wait with it.
type waits struct {
	say func(why string, wait time.Duration)

	mu    sync.Mutex
	clock steady
	until time.Duration // on clock; said so far
}

func newWaits(cfg Config) *waits {
	return &waits{say: cfg.Waiting, clock: steady{now: cfg.Now, last: cfg.Now()}}
}

func (w *waits) tell(why string, wait time.Duration) {
	if w.say != nil && wait >= worthSaying && w.isNew(wait) {
		w.say(why, wait)
	}
}

func (w *waits) isNew(wait time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	until := w.clock.elapsed() + wait
	if until <= w.until+time.Second {
		return false
	}
	w.until = until
	return true
}
