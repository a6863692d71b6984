package twin

import (
	"sync"
	"time"
)

// said is what the database said last to a worker: until when its lease lasts, and where the log stood.
type said struct {
	worker int64
	ends   time.Time
	at     position
}

// witness is what a process saw of promotions: where a promoted database has the last word, it has all that was
// committed before it.
type witness struct {
	mu      sync.Mutex
	last    said
	crossed map[[2]position]bool // promotions that were seen from both sides: whether the last word is there
}

// hear notes the last word.
func (w *witness) hear(now said) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = now
}

// look sees what a database that was promoted has of the last word.
func (w *witness) look(r *rows, now position) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last.worker == 0 || w.last.at == now {
		return
	}
	if w.crossed == nil {
		w.crossed = map[[2]position]bool{}
	}
	row, there := r.workers[w.last.worker]
	w.crossed[[2]position{w.last.at, now}] = there && !row.Ends.Before(w.last.ends)
	w.last.at = now
}

// kept reports whether all that was acknowledged before the last word is there after a promotion, where this process
// saw it.
func (w *witness) kept(from, to position) (kept, seen bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept, seen = w.crossed[[2]position{from, to}]
	return kept, seen
}

// of is until when the lease of a worker lasts by the last word.
func (w *witness) of(worker int64) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last.worker != worker {
		return time.Time{}
	}
	return w.last.ends
}
