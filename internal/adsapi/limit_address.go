package adsapi

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Address is the network address from which several accounts are asked: the
// service's limits of requests hold for it as for each of them, so that their
// clients share it. Where it is short, the accounts take turns, whatever each of
// them has waiting.
type Address struct {
	mu        sync.Mutex
	clock     steady
	share     Limits
	overall   *window
	endpoints map[string]*window // by endpoint.template
	waiting   []*ticket          // in the order of their turns
	turn      int64              // of the last that was let go
	issued    int64

	ledger  Ledger              // nil: no other process asks from here
	permits map[string]*permits // of the ledger, by endpoint.template
}

// NewAddress is an address under the same limits as each account. now is the clock
// of its clients; nil means the real one. The ledger counts what other processes send
// from there; nil: there are none.
func NewAddress(limits Limits, now func() time.Time, ledger Ledger) *Address {
	if now == nil {
		now = time.Now
	}
	cfg := Config{Limits: limits}.withDefaults()
	share := Limits{
		PerEndpoint: part(cfg.Limits.PerEndpoint, cfg.Limits.Share),
		Overall:     part(cfg.Limits.Overall, cfg.Limits.Share),
	}
	if ledger != nil { // which permits less than the limits: nobody takes permits and waits here
		share = cfg.Limits
	}
	return &Address{
		clock: steady{now: now, last: now()}, share: share,
		overall: &window{size: share.Overall, period: time.Minute}, endpoints: map[string]*window{},
		ledger: ledger, permits: map[string]*permits{},
	}
}

// row is what an account has waiting at an address, which guards it.
type row struct {
	turn    int64 // the last that was drawn
	waiting int
}

// ticket is one request that waits at an address. Its turn is one after that of the
// request its account drew before it, where that one still waits, and at least the last
// that was let go: who has many waiting has many turns to wait.
type ticket struct {
	endpoint string
	turn     int64
	number   int64
	row      *row
}

// draw returns a request its turn.
func (a *Address) draw(endpoint string, r *row) *ticket {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.issued++
	if r.waiting == 0 {
		r.turn = 0
	}
	r.turn = max(r.turn+1, a.turn)
	r.waiting++
	return &ticket{endpoint: endpoint, turn: r.turn, number: a.issued, row: r}
}

// take counts the request, or says how long to wait before asking again, or that there
// are no permits left for it.
func (a *Address) take(t *ticket) (delay time.Duration, short bool) {
	if a == nil {
		return 0, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at, waits := slices.BinarySearchFunc(a.waiting, t, byTurn)
	now := a.clock.elapsed()
	delay = a.delay(t, a.waiting[:at], now)
	if delay == 0 {
		delay, short = a.permitted(t.endpoint, a.waiting[:at], now)
	}
	switch {
	case delay == 0 && !short:
		a.turn = max(a.turn, t.turn)
		a.overall.count(now)
		a.window(t.endpoint).count(now)
		if waits {
			a.waiting = slices.Delete(a.waiting, at, at+1)
		}
	case !waits:
		a.waiting = slices.Insert(a.waiting, at, t)
	}
	return delay, short
}

// end takes a request out of the row for good: it goes, or is given up.
func (a *Address) end(t *ticket) {
	if a == nil {
		return
	}
	a.leave(t)
	a.mu.Lock()
	defer a.mu.Unlock()
	t.row.waiting--
}

// leave takes a request out of the row for as long as its account holds it back.
func (a *Address) leave(t *ticket) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, waits := slices.BinarySearchFunc(a.waiting, t, byTurn); waits {
		a.waiting = slices.Delete(a.waiting, at, at+1)
	}
}

// delay is when there is room for a request behind those whose turn is before its
// own. Of these, those whose endpoint has none leave the room of others to it.
func (a *Address) delay(t *ticket, before []*ticket, now time.Duration) time.Duration {
	ahead, sameEndpoint, open := 0, 0, map[string]int{}
	for _, b := range before {
		left, known := open[b.endpoint]
		if !known {
			left = a.window(b.endpoint).left(now)
		}
		if open[b.endpoint] = left - 1; left > 0 {
			ahead++
		}
		if b.endpoint == t.endpoint {
			sameEndpoint++
		}
	}
	return max(a.overall.delayBehind(ahead, now), a.window(t.endpoint).delayBehind(sameEndpoint, now))
}

func (a *Address) window(endpoint string) *window {
	w := a.endpoints[endpoint]
	if w == nil {
		w = &window{size: a.share.PerEndpoint, period: time.Minute}
		a.endpoints[endpoint] = w
	}
	return w
}

func byTurn(a, b *ticket) int {
	return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.number, b.number))
}

// delayBehind is how long until the window has room for a request behind so many
// others.
func (w *window) delayBehind(others int, now time.Duration) time.Duration {
	full := len(w.sent) + others - w.size // how many of those that were sent have to be over
	if full < 0 {
		return 0
	}
	rounds, at := full/w.size, full%w.size
	if at >= len(w.sent) { // they are waiting themselves
		return time.Duration(rounds+1) * w.period
	}
	if len(w.sent) == w.size {
		at = (w.oldest + at) % w.size
	}
	return max(0, w.sent[at]+time.Duration(rounds+1)*w.period-now)
}
