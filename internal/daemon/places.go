package daemon

import (
	"context"
	"slices"
	"sync"
	"time"
)

// places bounds how many runs make use of this machine at once, first come,
// first served. A run that waits for somebody else, such as the service, gives
// its place up meanwhile (Away). One that keeps its place longer than patience
// is taken to wait as well: it goes on, and its place is another's. So no run
// that hangs, wherever it does, keeps others from beginning.
type places struct {
	patience time.Duration

	mu    sync.Mutex
	free  int
	queue []chan struct{}
	given time.Time // when a place was last given to somebody who waited
}

func newPlaces(n int, patience time.Duration) *places {
	return &places{free: n, patience: patience}
}

// take waits for a place.
func (p *places) take(ctx context.Context) error {
	turn := p.line()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, turn); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	} else { // it was given in the same moment
		p.put()
	}
	return ctx.Err()
}

// line gives what is closed once a place is had.
func (p *places) line() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn := make(chan struct{})
	p.queue = append(p.queue, turn)
	if p.free > 0 && len(p.queue) == 1 {
		p.free--
		p.put()
	}
	return turn
}

func (p *places) lastGiven() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.given
}

// give lets who waits longest have a place.
func (p *places) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put()
}

func (p *places) put() {
	if len(p.queue) == 0 {
		p.free++
		return
	}
	close(p.queue[0])
	p.queue, p.given = p.queue[1:], time.Now()
}

// place is that of one run, which may have many goroutines.
type place struct {
	places *places
	pulse  *pulse

	mu    sync.Mutex
	held  bool
	away  int // how many wait for somebody else
	lease *time.Timer
	turn  uint64 // counts how often the place was had
	ended bool
}

// sit takes a place for a run.
func (s *place) sit(ctx context.Context) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.have()
	return nil
}

func (s *place) take(ctx context.Context) error {
	return s.pulse.queue(func() error { return s.places.take(ctx) })
}

// have notes that the place is held, until patience has passed. mu is held.
func (s *place) have() {
	s.held = true
	s.turn++
	turn := s.turn
	s.lease = time.AfterFunc(s.places.patience, func() { s.lose(turn) })
}

func (s *place) lose(turn uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == turn {
		s.leave()
	}
}

// leave gives the place up, where it is held. mu is held.
func (s *place) leave() {
	if !s.held {
		return
	}
	s.held = false
	s.lease.Stop()
	s.places.give()
}

func (s *place) rise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.leave()
}

// goAway and comeBack surround what waits for somebody else. While any goroutine
// of the run does, the run has no place; the last that comes back takes one.
func (s *place) goAway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away++
	s.leave()
}

func (s *place) comeBack(ctx context.Context) {
	if !s.isLastBack() || s.take(ctx) != nil { // a run that ends needs no place to do so
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held || s.ended || s.away > 0 {
		s.places.give()
		return
	}
	s.have()
}

func (s *place) isLastBack() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away--
	return s.away == 0 && !s.ended
}

type placeKey struct{}

func withPlace(ctx context.Context, s *place) context.Context {
	return context.WithValue(ctx, placeKey{}, s)
}

// Away does what waits for somebody else than this machine: the place of the run
// that ctx belongs to is another's meanwhile. most is how long it takes at the
// longest: a run that is away for longer stands still. 0 is well below stillMost.
func Away(ctx context.Context, most time.Duration, wait func()) {
	s, ok := ctx.Value(placeKey{}).(*place)
	if !ok {
		wait()
		return
	}
	s.pulse.wait(most)
	s.goAway()
	defer s.comeBack(ctx)
	wait()
	s.pulse.beat()
}
