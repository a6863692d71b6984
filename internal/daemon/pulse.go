package daemon

import (
	"sync"
	"time"
)

// stillMost is how long an account may go without a sign before it is taken to
// stand still: no request, no effect, no wait that has an end.
const stillMost = 10 * time.Minute

// pulse is when an account last moved. A wait that says how long it takes at the
// most counts as moving until then. The zero pulse never moved.
type pulse struct {
	mu     sync.Mutex
	sign   time.Time
	until  time.Time // a wait that was named ends by then
	queued int       // goroutines that wait for a place, which places sees to
	ring   func()    // is called at each sign, and returns at once; nil: nobody listens
}

// beat is a sign of something done.
func (p *pulse) beat() { p.wait(0) }

// wait is a sign of a wait that has an end.
func (p *pulse) wait(most time.Duration) {
	defer p.tell()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sign = time.Now()
	if until := p.sign.Add(most); until.After(p.until) {
		p.until = until
	}
}

// turn is a sign of something else that begins, and takes at most so long until it
// gives its next one: what was waited for before it is over.
func (p *pulse) turn(most time.Duration) {
	defer p.tell()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sign = time.Now()
	p.until = p.sign.Add(most)
}

func (p *pulse) tell() {
	if p.ring != nil {
		p.ring()
	}
}

// queue counts who waits for a place, while wait does so.
func (p *pulse) queue(wait func() error) error {
	p.count(1)
	defer p.count(-1)
	return wait()
}

func (p *pulse) count(more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queued += more
	p.sign = time.Now()
}

// last is the last moment of which it is known that the account moved, or that it
// did not have to. Who waits for a place moves when places are given.
func (p *pulse) last(given time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.sign
	if p.until.After(last) {
		last = p.until
	}
	if p.queued > 0 && given.After(last) {
		last = given
	}
	return last
}
