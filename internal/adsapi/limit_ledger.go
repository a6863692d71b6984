package adsapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Ledger counts the requests that several processes send from one network address.
type Ledger interface {
	// Take asks for permits to send requests to an endpoint: for those that wait and, where
	// many went in the last ten seconds, for those to come. They lapse after lasts, counted
	// from before they were asked for. Where there are fewer than wait, more may be there
	// after again. It is called from many goroutines.
	Take(ctx context.Context, endpoint string, waiting, recent int) (permits int, lasts, again time.Duration, err error)
}

// errUncounted says that nothing is sent which the ledger cannot count. It is also
// ErrUnavailable.
var errUncounted = errors.New("requests of this address cannot be counted")

// permits are those that an address has to send requests to one endpoint. One question
// to the ledger serves all that wait.
type permits struct {
	grants []grant
	again  time.Duration // on the clock of the address: no sooner is more asked for
	asking *asking       // nil: nobody asks
}

// grant is what the ledger gave at once.
type grant struct {
	left  int
	asked time.Time
	lasts time.Duration
}

// asking is one question to the ledger.
type asking struct {
	answered chan struct{}
	err      error // once it is answered
}

// permitted uses up a permit where one is left behind those that wait before, or says
// how long none is to be had, or that the ledger has to be asked.
func (a *Address) permitted(endpoint string, before []*ticket, now time.Duration) (delay time.Duration, short bool) {
	if a.ledger == nil {
		return 0, false
	}
	p := a.permitsOf(endpoint)
	p.grants = slices.DeleteFunc(p.grants, func(g grant) bool { return g.left == 0 || g.lapsed(a.clock.now()) })
	left := 0
	for _, g := range p.grants {
		left += g.left
	}
	switch {
	case left > waitingFor(endpoint, before):
		p.grants[0].left--
		return 0, false
	case p.asking == nil && now < p.again:
		return p.again - now, false
	}
	return 0, true
}

// lapsed reports whether a permit may be used no more, by the clock that runs evenly or
// by that of the wall, which counts sleep.
func (g grant) lapsed(now time.Time) bool {
	return max(now.Sub(g.asked), now.Round(0).Sub(g.asked.Round(0))) >= g.lasts
}

func (a *Address) permitsOf(endpoint string) *permits {
	p := a.permits[endpoint]
	if p == nil {
		p = &permits{}
		a.permits[endpoint] = p
	}
	return p
}

func waitingFor(endpoint string, row []*ticket) (n int) {
	for _, t := range row {
		if t.endpoint == endpoint {
			n++
		}
	}
	return n
}

// ask has the ledger permit requests to an endpoint, or waits for the answer to another
// request's question.
func (a *Address) ask(ctx context.Context, endpoint string) error {
	q, waiting, recent := a.question(endpoint)
	if waiting == 0 {
		select {
		case <-q.answered:
			return q.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	g := grant{asked: a.clock.now()}
	var again time.Duration
	var err error
	defer func() { a.answer(endpoint, q, g, again) }()
	if g.left, g.lasts, again, err = a.ledger.Take(ctx, endpoint, waiting, recent); err == nil {
		return nil
	}
	if stopped := ctx.Err(); stopped != nil { // the others ask for themselves
		return stopped
	}
	q.err = fmt.Errorf("%w: %w", errUncounted, err)
	return q.err
}

// question is the one that is under way, or a new one with what it asks for.
func (a *Address) question(endpoint string) (q *asking, waiting, recent int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.permitsOf(endpoint)
	if p.asking != nil {
		return p.asking, 0, 0
	}
	p.asking = &asking{answered: make(chan struct{})}
	w := a.window(endpoint)
	lately := a.clock.elapsed() - 10*time.Second
	for _, at := range w.sent {
		if at > lately {
			recent++
		}
	}
	return p.asking, max(1, waitingFor(endpoint, a.waiting)), recent
}

// answer hands out what the ledger gave.
func (a *Address) answer(endpoint string, q *asking, g grant, again time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.permitsOf(endpoint)
	p.asking = nil
	p.grants = append(p.grants, g)
	p.again = a.clock.elapsed() + again
	close(q.answered)
}
