package daemon

import (
	"context"
	"slices"
	"sync"
	"time"
)

// places bounds how many runs make use of this machine at once. A run that waits for somebody else, such as the
// service, gives its place up meanwhile (Away), and goes before those that have not begun when it comes back: a run
// that has begun holds its files and its plan, so that of many accounts few are in the middle of one. Otherwise it is
// first come, first served. One that keeps its place longer than patience is taken to wait as well: it goes on, and
// its place is another's. So no run that hangs, wherever it does, keeps others from beginning.
type places struct {
	patience time.Duration

	mu    sync.Mutex
	free  int
	back  []chan struct{} // runs that waited for somebody else
	begin []chan struct{} // runs that have not begun
	begun time.Time       // when one of these was last given a place
	given time.Time       // when a place was last given to somebody who waited
}

// beginsEvery is how often a run begins though others come back all the time.
const beginsEvery = time.Second

func newPlaces(n int, patience time.Duration) *places {
	return &places{free: n, patience: patience}
}

// take waits for a place to begin.
func (p *places) take(ctx context.Context) error { return p.wait(ctx, &p.begin) }

// takeAgain waits for a place to go on.
func (p *places) takeAgain(ctx context.Context) error { return p.wait(ctx, &p.back) }

func (p *places) wait(ctx context.Context, queue *[]chan struct{}) error {
	turn := p.line(queue)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(*queue, turn); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	} else { // it was given in the same moment
		p.put()
	}
	return ctx.Err()
}

// line gives what is closed once a place is had.
func (p *places) line(queue *[]chan struct{}) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn := make(chan struct{})
	*queue = append(*queue, turn)
	if p.free > 0 { // nobody else waits
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

// give lets who is next have a place.
func (p *places) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put()
}

func (p *places) put() {
	now := time.Now()
	queue := &p.back
	if len(p.begin) > 0 && (len(p.back) == 0 || now.Sub(p.begun) >= beginsEvery) {
		queue, p.begun = &p.begin, now
	}
	if len(*queue) == 0 {
		p.free++
		return
	}
	close((*queue)[0])
	*queue, p.given = (*queue)[1:], now
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
	if err := s.pulse.queue(func() error { return s.places.take(ctx) }); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.have()
	return nil
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
	if !s.isLastBack() {
		return
	}
	if s.pulse.queue(func() error { return s.places.takeAgain(ctx) }) != nil {
		return // a run that ends needs no place to do so
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
