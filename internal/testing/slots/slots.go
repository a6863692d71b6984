// Package slots is the twin in memory of adsync.take, which counts the requests of one network address in a database:
// the same answers to the same questions, on whichever clock that is not put back.
//
// It shares no code with state/postgres, whose tests hold the two against each other.
package slots

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Ledger counts the requests of one network address. It is safe for concurrent use.
type Ledger struct {
	Now    func() time.Time
	Random func() float64 // in [0, 1)

	mu   sync.Mutex
	used []used
}

// used is what was permitted in a slot.
type used struct {
	endpoint string
	ends     time.Time
	permits  int
}

const (
	slot   = 10 * time.Second
	counts = 65 * time.Second
	chunk  = 64
)

// limit is how many requests count at most, and how many of them a burst leaves for each ten seconds it counts.
type limit struct{ most, leaves int }

var endpoints, overall = limit{559, 8}, limit{1119, 16}

// Take is adsync.take.
func (l *Ledger) Take(
	_ context.Context, endpoint string, waiting, recent int) (permits int, lasts, again time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.Now()
	ends := at.Truncate(slot).Add(slot)
	l.used = slices.DeleteFunc(l.used, func(u used) bool { return !u.ends.After(at.Add(-counts)) })
	room := min(l.room(at, endpoint, endpoints), l.room(at, "", overall))
	lasts = ends.Sub(at)
	soon := int(int64(recent) * lasts.Microseconds() / slot.Microseconds())
	permits = min(chunk, room, max(1, (room+3)/4), max(waiting, soon))
	switch {
	case permits >= min(waiting, chunk):
	case room > 0:
		again = time.Duration((0.5 + l.Random()/2) * float64(time.Second))
	default:
		again = (lasts+slot/2-1)%slot + 1 + time.Duration(l.Random()*float64(time.Second))
	}
	l.count(used{endpoint, ends, permits})
	return permits, lasts, again, nil
}

func (l *Ledger) count(u used) {
	for i, of := range l.used {
		if of.endpoint == u.endpoint && of.ends.Equal(u.ends) {
			l.used[i].permits += u.permits
			return
		}
	}
	if u.permits > 0 {
		l.used = append(l.used, u)
	}
}

// room is how many requests to an endpoint, or to all, the limit leaves.
func (l *Ledger) room(at time.Time, endpoint string, of limit) int {
	room := of.most - 7*of.leaves
	for _, since := range l.used {
		permits := 0
		for _, u := range l.used {
			if (endpoint == "" || u.endpoint == endpoint) && !u.ends.Before(since.ends) {
				permits += u.permits
			}
		}
		room = min(room, of.most-permits-of.leaves*int(since.ends.Add(counts).Sub(at)/slot))
	}
	return max(0, room)
}
