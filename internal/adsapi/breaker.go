package adsapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// tripsAfter is how many failures of the service in a row open the breaker:
	// more than one request makes of itself, so that a single call ends first.
	tripsAfter = 8
	// firstRest doubles each time the breaker opens again, to longestRest.
	firstRest   = 15 * time.Second
	longestRest = 2 * time.Minute
	// patientRests is how many rests in a row are waited out. Afterwards requests
	// fail at once until the rest is over, and then one of them asks again.
	patientRests = 3
)

// errOutage says that the service fails, and was waited for long enough.
var errOutage = errors.New("the service keeps failing")

// breaker keeps the account still while the service fails. Closed, everything
// passes. Open, everybody waits. Half open, one request asks for all; its end
// closes the breaker, or opens it for longer.
type breaker struct {
	sleep func(context.Context, time.Duration) error
	rand  func() float64
	said  func(why string, wait time.Duration)

	mu      sync.Mutex
	clock   steady
	failed  int           // in a row
	rests   int           // in a row, without a success between them
	until   time.Duration // on clock; the rest ends there
	probing bool
	moved   chan struct{} // closed when a probe has ended
}

func newBreaker(cfg Config, said func(string, time.Duration)) *breaker {
	return &breaker{
		sleep: cfg.Sleep, rand: cfg.Rand, said: said,
		clock: steady{now: cfg.Now, last: cfg.Now()}, moved: make(chan struct{}),
	}
}

// enter returns when a request may go on. The request must be reported with
// leave, whatever becomes of it.
func (b *breaker) enter(ctx context.Context) error {
	for {
		wait, moved, err := b.look()
		if err != nil || wait == 0 && moved == nil {
			return err
		}
		if wait > 0 {
			if err := b.sleep(ctx, wait); err != nil {
				return err
			}
			continue
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look returns how long the rest is still, or whose end to wait for; neither means
// go on. Who goes on while the breaker is half open is its probe.
func (b *breaker) look() (wait time.Duration, moved chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := b.until - b.clock.elapsed()
	switch {
	case b.rests == 0:
		return 0, nil, nil
	case rest > 0 && b.rests > patientRests:
		return 0, nil, fmt.Errorf("%w: %d requests in a row got no usable answer; it is asked again in %s",
			errOutage, b.failed, rest.Round(time.Second))
	case rest > 0:
		return rest, nil, nil
	case b.probing:
		return 0, b.moved, nil
	}
	b.probing = true
	return 0, nil, nil
}

// leave takes in how an attempt ended.
func (b *breaker) leave(failed *Error) {
	rest := b.count(failed)
	if rest > 0 {
		b.said("the service keeps failing", rest)
	}
}

// count returns the rest that begins with this failure, else 0.
func (b *breaker) count(failed *Error) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.probing {
		b.probing = false
		close(b.moved)
		b.moved = make(chan struct{})
	}
	switch {
	case failed == nil || !failed.ofService() && failed.heard():
		b.failed, b.rests = 0, 0
		return 0
	case !failed.ofService():
		return 0
	}
	b.failed++
	now := b.clock.elapsed()
	if b.failed < tripsAfter || now < b.until {
		return 0 // the rest was already begun, and this one was under way
	}
	b.rests++
	rest := min(firstRest<<min(b.rests-1, 8), longestRest)
	rest += time.Duration(b.rand() * float64(rest) / 4)
	b.until = now + rest
	return rest
}

// ofService reports whether it is the service, or the way to it, that failed.
func (e *Error) ofService() bool {
	switch e.fault {
	case faultNotSent, faultNetwork:
		return true
	case faultUnreadable:
		return !e.permanent // else it answers, only not as it should
	case faultStatus:
		return e.Status >= 500
	}
	return false
}

// heard reports whether the service answered.
func (e *Error) heard() bool { return e.fault == faultStatus }
