package adsapi

import (
	"context"
	"sync"
	"time"
)

// limiter keeps one account's requests under the service's limits: for an
// endpoint, for all endpoints, and for bulk job submissions. It counts in
// sliding windows, so no window of the service, wherever it begins, sees
// more than the limit. A Retry-After holds back every request.
type limiter struct {
	sleep func(context.Context, time.Duration) error
	said  func(why string, wait time.Duration)

	mu        sync.Mutex
	clock     steady
	share     Limits
	overall   *window
	bulk      *window
	endpoints map[string]*window // by endpoint.template
	heldUntil time.Duration      // on clock

	address *Address // nil: no other account is asked from here
	row     row      // what waits there
}

func newLimiter(limits Limits, now func() time.Time,
	sleep func(context.Context, time.Duration) error, said func(string, time.Duration)) *limiter {
	used := Limits{
		PerEndpoint: part(limits.PerEndpoint, limits.Share),
		Overall:     part(limits.Overall, limits.Share),
		Bulk:        part(limits.Bulk, limits.Share),
	}
	return &limiter{
		sleep:     sleep,
		said:      said,
		clock:     steady{now: now, last: now()},
		share:     used,
		overall:   &window{size: used.Overall, period: time.Minute},
		bulk:      &window{size: used.Bulk, period: 10 * time.Second},
		endpoints: map[string]*window{},
	}
}

func part(limit int, share float64) int { return max(1, int(float64(limit)*share)) }

// wait returns when one request to the endpoint may be sent, and counts it.
func (l *limiter) wait(ctx context.Context, endpoint string, bulk bool) error {
	t := l.address.draw(endpoint, &l.row)
	defer l.address.end(t)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		delay, short := l.take(endpoint, bulk, t)
		switch {
		case short:
			if err := l.address.ask(ctx, endpoint); err != nil {
				return err
			}
			continue
		case delay == 0:
			return nil
		}
		l.said("the limits of the service are reached", delay)
		if err := l.sleep(ctx, delay); err != nil {
			return err
		}
	}
}

// take counts the request in all its windows, those of the address too, or in none
// and says how long to wait before asking again, or that the address is short of permits.
func (l *limiter) take(endpoint string, bulk bool, t *ticket) (delay time.Duration, short bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.elapsed()
	windows := l.windows(endpoint, bulk)
	delay = max(0, l.heldUntil-now)
	for _, w := range windows {
		delay = max(delay, w.delay(now))
	}
	if delay > 0 {
		l.address.leave(t) // others go first
		return delay, false
	}
	if delay, short = l.address.take(t); delay > 0 || short {
		return delay, short
	}
	for _, w := range windows {
		w.count(now)
	}
	return 0, false
}

// left is how many requests of the account's share may still go out now.
func (l *limiter) left() (left, of int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.overall.left(l.clock.elapsed()), l.overall.size
}

func (l *limiter) windows(endpoint string, bulk bool) []*window {
	w := l.endpoints[endpoint]
	if w == nil {
		w = &window{size: l.share.PerEndpoint, period: time.Minute}
		l.endpoints[endpoint] = w
	}
	if bulk {
		return []*window{l.overall, w, l.bulk}
	}
	return []*window{l.overall, w}
}

// hold keeps every request of the account back for d from now.
func (l *limiter) hold(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heldUntil = max(l.heldUntil, l.clock.elapsed()+d)
}

// window remembers when the last size requests went out.
type window struct {
	size   int
	period time.Duration
	sent   []time.Duration // a ring once it is full
	oldest int
}

func (w *window) delay(now time.Duration) time.Duration {
	if len(w.sent) < w.size {
		return 0
	}
	return max(0, w.sent[w.oldest]+w.period-now)
}

// left counts what the window has room for.
func (w *window) left(now time.Duration) int {
	busy := 0
	for _, at := range w.sent {
		if at+w.period > now {
			busy++
		}
	}
	return w.size - busy
}

func (w *window) count(now time.Duration) {
	w.forget(now)
	if len(w.sent) < w.size {
		w.sent = append(w.sent, now)
		return
	}
	w.sent[w.oldest] = now
	w.oldest = (w.oldest + 1) % w.size
}

// forget drops what counts no more, once that is half of what is remembered: of many clients few are busy.
func (w *window) forget(now time.Duration) {
	n := len(w.sent)
	if n == 0 || w.sent[(w.oldest+n/2)%n]+w.period > now {
		return
	}
	var busy []time.Duration
	for i := range n {
		if at := w.sent[(w.oldest+i)%n]; at+w.period > now {
			busy = append(busy, at)
		}
	}
	w.sent, w.oldest = busy, 0
}

// steady is a clock that never goes back: a wall clock set back by a day
// must not hold requests for a day.
type steady struct {
	now  func() time.Time
	last time.Time
	at   time.Duration
}

func (s *steady) elapsed() time.Duration {
	now := s.now()
	if step := now.Sub(s.last); step > 0 {
		s.at += step
	}
	s.last = now
	return s.at
}

// DefaultLimits are the limits of a Config that gives none.
func DefaultLimits() Limits { return Config{}.withDefaults().Limits }

// Least is the least time in which requests can be sent under the limits:
// submissions of bulk jobs among all of them.
func (l Limits) Least(all, submissions int) time.Duration {
	return max(windows(all, part(l.Overall, l.Share), time.Minute),
		windows(submissions, part(l.Bulk, l.Share), 10*time.Second))
}

// LeastOf is the least time in which requests can be sent to one endpoint.
func (l Limits) LeastOf(requests int) time.Duration {
	return windows(requests, part(l.PerEndpoint, l.Share), time.Minute)
}

// windows is how long requests have to wait for windows before theirs.
func windows(requests, size int, period time.Duration) time.Duration {
	return time.Duration(max(requests-1, 0)/size) * period
}
